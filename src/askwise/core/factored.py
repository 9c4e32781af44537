"""Problems given by two deterministic models, one for each agent.

A model consists of an agent's states and the next state for each action. The targets of a goal are the states in which
an agent has reached the goal. If the ego agent's model would be too large, a domain implements its own `Side` instead.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from askwise.core.answers import TRUTHFUL, AnswerModel
from askwise.core.problem import (
    JointState,
    Problem,
    by_name,
    checked_answers,
    checked_names,
    checked_price,
    checked_prior,
    refuse_unreachable,
)
from askwise.core.questions import Price, QueryCost
from askwise.core.side import ModelSide
from askwise.errors import InputError
from askwise.frozen import replaced
from askwise.model import Model, Policy, goal_states
from askwise.model.names import as_int
from askwise.types import FloatArray, GoalLike, IntArray, StateLike

Goals = Sequence[str] | Mapping[str, GoalLike]
"""Names of goals, or a mapping from names to targets."""
Targets = Sequence[GoalLike] | Mapping[str, GoalLike] | None
"""Targets in the order of the goals, or by the goals' names."""


def checked_model(field: str, model: object) -> Model:
    """Return `model` unchanged; raise an `InputError` unless it is a `Model` and deterministic.

    Args:
        field: name of the input in the error message.
        model: the value to check.
    """
    if not isinstance(model, Model):
        raise InputError(field, repr(model), "an askwise.Model")
    if not model.deterministic:
        raise InputError(field, "a stochastic model", "a deterministic model; only divergences support stochastic ones")
    return model


def targets_of(field: str, goals: Goals, own: Targets, model: Model) -> list[IntArray]:
    """Return one agent's targets of each goal, an array ``int32 [n_targets]`` of the states in which it is reached.

    Args:
        field: name of the input in error messages.
        goals: names of the goals, or a dict from each goal to the targets that both agents share.
        own: the agent's targets, in order or as a dict by goal; None for those in `goals`.
        model: the agent's model.

    Raises:
        InputError: targets are missing or unknown.
    """
    names = tuple(goals)
    given: Any = own
    if given is None:
        if not isinstance(goals, Mapping):
            raise InputError(field, "nothing", "the targets of each goal, here or as values of goals")
        given = goals
    listed = by_name(field, given, names, "targets") if isinstance(given, Mapping) else _in_order(field, given, names)
    return [goal_states(model, goal, f"{field}: goal {name!r}") for name, goal in zip(names, listed, strict=True)]


def _in_order(field: str, given: Any, names: Sequence[str]) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise InputError(field, repr(given), "a list with the targets of each goal, or a dict by the goals' names")
    if len(given) != len(names):
        raise InputError(field, f"targets of {len(given)} goals", f"{len(names)}, one for each goal")
    return list(given)


def checked_start(start: Any, teammate: Model, ego: Model) -> JointState:
    """Return the states in which both agents start, by index; raise an `InputError` if there is no such state.

    Args:
        start: a `JointState`, or the teammate's and the ego agent's state, by name or index.
        teammate: the teammate's model.
        ego: the ego agent's model.
    """
    if isinstance(start, JointState):
        # Its integers are indices, and are not looked up among the names of states.
        indices = as_int(start.teammate), as_int(start.ego)
        if all(i is not None and 0 <= i < model.n_states for i, model in zip(indices, (teammate, ego), strict=True)):
            return start
        start = start.teammate, start.ego
    if not isinstance(start, tuple | list) or len(start) != 2:
        raise InputError("start", repr(start), "two states, the teammate's and the ego agent's")
    return JointState(teammate.state(start[0], "start: teammate"), ego.state(start[1], "start: ego"))


def checked_policies(
    given: Any, names: Sequence[str], model: Model, targets: Sequence[IntArray], start: int
) -> tuple[Policy, ...]:
    """Return the teammate's policies as `Policy` objects, one for each goal, in the order of `names`.

    Args:
        given: the policies, in order or as a dict by goal, each a `Policy` or its probabilities,
            ``float [n_states, n_actions]``.
        names: names of the goals.
        model: the teammate's model.
        targets: for each goal, the states in which it is reached, ``int32 [n_targets]``.
        start: index of the teammate's first state.

    Raises:
        InputError: a policy is missing or invalid, may miss its goal, or cannot stay at it.
    """
    field = "teammate_policies"
    listed = by_name(field, given, names, "policy") if isinstance(given, Mapping) else list(given)
    if len(listed) != len(names):
        raise InputError(field, f"{len(listed)} policies", f"{len(names)}, one for each goal")
    found = [policy.on(model) if isinstance(policy, Policy) else Policy(model, policy) for policy in listed]
    for name, policy, own in zip(names, found, targets, strict=True):
        _refuse_stray(f"{field}: goal {name!r}", policy, model, own, start)
    return tuple(found)


def _refuse_stray(field: str, policy: Policy, model: Model, targets: IntArray, start: int) -> None:
    """Raise an `InputError` if a policy may get stuck on its way from `start` to its goal, or cannot stay at the goal.

    `targets` has the states in which the goal is reached, ``int32 [n_targets]``. `field` names the input in the error
    message.
    """
    ends = [int(state) for state in targets if policy.support[state, model.stay]]
    if len(ends) < targets.size:
        state = next(int(s) for s in targets if s not in ends)
        raise InputError(
            field, f"no {model.actions[model.stay]} at its target {model.name(state)!r}", "a positive probability"
        )
    reached = _forward(policy, model, start)
    undefined = [state for state in reached if not policy.defined[state]]
    if undefined:
        raise InputError(
            field, f"no action in {model.name(undefined[0])!r}", "an action in every state that it may reach"
        )
    lost = sorted(set(reached) - _backward(policy, model, ends))
    if lost:
        raise InputError(
            field, f"no path to the goal from {model.name(lost[0])!r}", "a path from every state that it may reach"
        )


def _forward(policy: Policy, model: Model, start: int) -> list[int]:
    """Return the indices of the states that an agent can reach from `start` if it follows the policy, breadth first."""
    found, order = {start}, [start]
    for state in order:
        for following in model.successor[state, policy.support[state]].tolist():
            if following not in found:
                found.add(following)
                order.append(following)
    return order


def _backward(policy: Policy, model: Model, ends: Sequence[int]) -> set[int]:
    """Return the indices of the states from which an agent that follows the policy can reach a state in `ends`."""
    sources, actions = np.nonzero(policy.support)
    before: dict[int, list[int]] = {}
    for source, following in zip(sources.tolist(), model.successor[sources, actions].tolist(), strict=True):
        before.setdefault(following, []).append(source)
    found, order = set(ends), list(ends)
    for state in order:
        for source in before.get(state, ()):
            if source not in found:
                found.add(source)
                order.append(source)
    return found


# ------------------------------------------------------------------------------------------------------------------


class FactoredProblem(Problem):
    """A problem given by a model of each agent and the targets of each goal: the states in which the goal is reached.

    Values for each goal are given in the order of the goals or as a dict by name.

    Args:
        goals: names of the goals, or a dict from each name to the goal's targets for both agents.
        prior: probabilities of the goals, summing to 1; None if all are equally likely.
        teammate_model: the teammate's model, deterministic; required.
        teammate_goals: the teammate's targets for each goal; None for those in `goals`.
        ego_model: the ego agent's model, deterministic; None for the teammate's.
        ego_goals: the ego agent's targets for each goal; None for those in `goals`.
        start: first states of teammate and ego agent, in this order, by name or index; required.
        query_cost: price of questions: a `QueryCost`, a function of the indices of the goals asked about, or a dict
            from each goal to the price of naming it. None: every question costs 0.5.
        ego_moves: names of the ego actions that move the agent, for the method ``toolbox``; None for all but waiting.
        groups: names of groups of goals that methods may ask about, each with its goals.
        teammate_policies: the teammate's policy for each goal; None if it draws one of all shortest paths (UROP).
        answers: how often answers are wrong or missing; by default never.
    """

    def __init__(
        self,
        goals: Goals,
        prior: Sequence[float] | FloatArray | Mapping[str, float] | None = None,
        teammate_model: Model | None = None,
        teammate_goals: Targets = None,
        ego_model: Model | None = None,
        ego_goals: Targets = None,
        start: JointState | tuple[StateLike, StateLike] | None = None,
        query_cost: QueryCost | Price | Mapping[str, float] | None = None,
        *,
        ego_moves: Sequence[Hashable] | None = None,
        groups: Mapping[str, Sequence[str]] | None = None,
        teammate_policies: Sequence[Any] | Mapping[str, Any] | None = None,
        answers: AnswerModel = TRUTHFUL,
    ) -> None:
        names = checked_names(goals)
        if isinstance(goals, Mapping) and teammate_goals is not None and ego_goals is not None:
            raise InputError(
                "goals", "targets in addition to teammate_goals and ego_goals", "names only, or one of the two"
            )
        team_model = checked_model("teammate_model", teammate_model)
        own_model = checked_model("ego_model", team_model if ego_model is None else ego_model).in_label_order()
        begin = checked_start(start, team_model, own_model)
        team_targets = targets_of("teammate_goals", goals, teammate_goals, team_model)
        own_targets = targets_of("ego_goals", goals, ego_goals, own_model)
        teammate = ModelSide(team_model, team_targets)
        policies = None
        if teammate_policies is not None:
            # First, or the error would blame the policies.
            refuse_unreachable("teammate_goals", teammate, begin.teammate, names)
            policies = checked_policies(teammate_policies, names, team_model, team_targets, begin.teammate)
            teammate = ModelSide(team_model, team_targets, policies)
        super().__init__(
            goals=names,
            teammate=teammate,
            ego=ModelSide(own_model, own_targets, moves=ego_moves, by_label=True),
            start=begin,
            prior=prior,
            query_cost=query_cost,
            answers=answers,
            groups=groups,
            policies=policies,
        )

    def with_terms(self, prior: FloatArray, query_cost: QueryCost) -> FactoredProblem:
        """Return the same problem with another prior and another price of questions.

        The copy shares computed tables. Raises an `InputError` if prior or price is invalid.

        Args:
            prior: ``float64 [n_goals]``, probabilities of the goals, summing to 1.
            query_cost: the price of questions.
        """
        terms = {"prior": checked_prior(prior, self.goals), "query_cost": checked_price(query_cost, self.goals)}
        return self._with_changes(**terms)

    def with_answers(self, answers: AnswerModel) -> FactoredProblem:
        """Return the same problem with another answer model, which says how often answers are wrong or missing.

        The copy shares the tables that this problem has computed already.
        """
        return self if answers == self.answers else self._with_changes(answers=checked_answers(answers))

    def _with_changes(self, **changes: Any) -> FactoredProblem:
        """Return a copy of this problem, a plain `FactoredProblem`, with some attributes changed, given by name."""
        return replaced(self, FactoredProblem, **changes)
