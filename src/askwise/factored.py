"""A problem stated plainly: two deterministic models, and the targets of each goal in both.

Every domain can be written like this. A domain whose ego model would be large puts its structure in place of the parts
that need it, and is tested against this one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from askwise.answers import TRUTHFUL, AnswerModel
from askwise.divergence import Divergence
from askwise.ego import EgoMap, finite_steps
from askwise.errors import InputError
from askwise.factored_input import (
    Goals,
    Targets,
    by_name,
    checked_answers,
    checked_model,
    checked_names,
    checked_policies,
    checked_prior,
    checked_start,
    refuse_shared,
    refuse_unreachable,
    targets_of,
)
from askwise.frozen import FrozenDict, Sealed, read_only
from askwise.model import Model, Policy, Pursuit, state_names
from askwise.problem import JointState
from askwise.questions import AnyPrice, Price, QueryCost
from askwise.types import BoolArray, FloatArray, IntArray, StateLike


class FactoredProblem(Sealed):
    """Two models and shared goals; fulfils `askwise.Problem`. Once it is made, nothing of it can be changed.

    Args:
        goals: names of the goals; or a dict from names to targets, which are those of both agents unless
            `teammate_goals` or `ego_goals` says otherwise.
        prior: probabilities of the goals, in their order or by name, summing to 1; by default all are equally likely.
        teammate_model: the teammate's model, deterministic.
        teammate_goals: for each goal, in their order or by name, the states in which the teammate has reached it.
        ego_model: the ego agent's model, deterministic; by default the teammate's.
        ego_goals: the same for the ego agent.
        start: where both begin, the teammate first; states by name or number.
        query_cost: what questions cost, also any function of the goals asked about (a list of numbers), or a dict
            of what naming each goal adds.
        ego_moves: names of the ego actions that lead towards goals, which the rule of `BL:Toolbox` compares; by default
            all but waiting.
        groups: names of goals that belong together, by a name for each group; worth asking about.
        teammate_policies: how the teammate pursues each goal, in their order or by name, if not by the UROP of each.
        answers: how questions are answered, truly by default.
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
        self.goals = checked_names(goals)
        if isinstance(goals, Mapping) and teammate_goals is not None and ego_goals is not None:
            raise InputError("goals", "targets, beside teammate_goals and ego_goals", "names only, or one of the two")
        self.prior = checked_prior(prior, self.goals)
        self.teammate_model = checked_model("teammate_model", teammate_model)
        ego = checked_model("ego_model", teammate_model if ego_model is None else ego_model)
        self.ego_model = ego.in_label_order()
        self.start = checked_start(start, self.teammate_model, self.ego_model)
        self.query_cost = self._checked_price(query_cost)
        self.answers = checked_answers(answers)
        self.groups = self._checked_groups(groups)
        self.teammate_actions = tuple(str(name) for name in self.teammate_model.actions)
        # Decisions name what the ego agent does, wherever it is: its actions are labels, in a model that has them.
        labels = self.ego_model.labels
        self.ego_actions = tuple(str(name) for name in self.ego_model.all_actions)
        self.wait = self.ego_model.stay if labels is None else labels.names.n - 1
        self.ego_moves = tuple(a for a in range(len(self.ego_actions)) if a != self.wait)
        if ego_moves is not None:
            number = self.ego_model.action if labels is None else labels.names.index
            self.ego_moves = tuple(number(name, "ego_moves") for name in ego_moves)
        self._teammate_targets = targets_of("teammate_goals", goals, teammate_goals, self.teammate_model)
        self._ego_targets = targets_of("ego_goals", goals, ego_goals, self.ego_model)
        refuse_shared(self._teammate_targets, self.goals, self.teammate_model)
        self._teammate = Pursuit(self.teammate_model, self._teammate_targets)
        self._ego = Pursuit(self.ego_model, self._ego_targets)
        where = [self.teammate_model.name(self.start.teammate), self.ego_model.name(self.start.ego)]
        refuse_unreachable("teammate_goals", self._teammate.steps_at(self.start.teammate), self.goals, where[0])
        refuse_unreachable("ego_goals", self._ego.steps_at(self.start.ego), self.goals, where[1])
        self.teammate_policies = checked_policies(
            teammate_policies, self.goals, self.teammate_model, self._teammate_targets, self.start.teammate
        )

    def __repr__(self) -> str:
        names = ", ".join(self.goals[:5]) + (", ..." if len(self.goals) > 5 else "")
        n = len(self.goals)
        teammate, ego = self.teammate_model.name(self.start.teammate), self.ego_model.name(self.start.ego)
        return (
            f"<{type(self).__name__}: {n} goal{'' if n == 1 else 's'} ({names}); teammate at {teammate!r}, one of "
            f"{self.teammate_model.n_states} states; ego at {ego!r}, one of {self.ego_model.n_states}>"
        )

    def _checked_price(self, given: Any) -> QueryCost:
        if given is None:
            return QueryCost()
        if isinstance(given, Mapping):
            prices = by_name("query_cost", given, self.goals, "price")
            return QueryCost(prices=tuple(prices))
        if not callable(given):
            raise InputError("query_cost", repr(given), "a QueryCost, a function of the goals asked about, or a dict")
        if isinstance(given, QueryCost) and given.prices is not None and len(given.prices) != len(self.goals):
            found = f"{len(given.prices)} prices"
            raise InputError("query_cost: prices", found, f"{len(self.goals)}, one for each goal")
        return given if isinstance(given, QueryCost) else AnyPrice(function=given)

    def _checked_groups(self, given: Mapping[str, Sequence[str]] | None) -> Mapping[str, tuple[int, ...]]:
        found = {}
        for name, members in (given or {}).items():
            unknown = [member for member in members if member not in self.goals]
            if unknown or isinstance(members, str) or not members:
                what = f"the unknown goal {unknown[0]!r}" if unknown else repr(members)
                raise InputError(f"groups: {name!r}", what, f"a list of some of {', '.join(self.goals)}")
            found[str(name)] = tuple(sorted({self.goals.index(member) for member in members}))
        return FrozenDict(found)

    def with_terms(self, prior: FloatArray, query_cost: QueryCost) -> FactoredProblem:
        """Return the same models, goals and agents under another prior and other prices; tables are shared."""
        _ = self.teammate_divergence, self.ego_divergence, self._ego_map  # made now, or each copy would make its own
        other = FactoredProblem.__new__(FactoredProblem)  # whatever made this one, its file does not say these terms
        vars(other).update(
            vars(self), prior=checked_prior(prior, self.goals), query_cost=self._checked_price(query_cost)
        )
        return other

    def with_answers(self, answers: AnswerModel) -> FactoredProblem:
        """See `Problem`."""
        if answers == self.answers:
            return self
        _ = self.teammate_divergence, self.ego_divergence, self._ego_map  # made now, or each copy would make its own
        other = FactoredProblem.__new__(FactoredProblem)  # whatever made this one, its file does not say these answers
        vars(other).update(vars(self), answers=checked_answers(answers))
        return other

    def joint_state(self, teammate: StateLike | None = None, ego: StateLike | None = None) -> JointState:
        """See `Problem`."""
        return JointState(
            self.start.teammate if teammate is None else self.teammate_model.state(teammate, "teammate"),
            self.start.ego if ego is None else self.ego_model.state(ego, "ego"),
        )

    @cached_property
    def teammate_divergence(self) -> Divergence:
        """Divergences of the goals in the teammate's model."""
        return _family(self.teammate_model, self._teammate_targets, self.teammate_policies)

    @cached_property
    def ego_divergence(self) -> Divergence:
        """Divergences of the goals in the ego agent's model."""
        return _family(self.ego_model, self._ego_targets)

    def teammate_policy(self, teammate: int) -> FloatArray:
        """See `Problem`."""
        if self._policy_table is not None:
            return np.asarray(self._policy_table[:, teammate])
        return self._teammate.policy_at(teammate)

    def teammate_optimal(self, teammate: int) -> BoolArray:
        """See `Problem`."""
        if self._policy_table is not None:
            return np.asarray(self._policy_table[:, teammate] > 0)
        return self._teammate.optimal_at(teammate)

    @cached_property
    def _policy_table(self) -> FloatArray | None:
        """``float64 [n_goals, n_states, n_actions]``, None for UROPs, which are worked out where they are needed."""
        if self.teammate_policies is None:
            return None
        return read_only(np.array([policy.probabilities for policy in self.teammate_policies]))

    def teammate_targets(self, goal: int) -> IntArray:
        """See `Problem`."""
        return self._teammate_targets[goal]

    def ego_targets(self, goal: int) -> IntArray:
        """Return the states of the ego agent's model in which `goal` is reached."""
        return self._ego_targets[goal]

    def teammate_steps(self, teammate: int) -> IntArray:
        """See `Problem`."""
        return self._teammate.steps_at(teammate)

    def teammate_steps_from(self, states: IntArray) -> IntArray:
        """``int [n_states, n_goals]``: the same for several states; quicker than one by one."""
        return self._teammate.steps_from(states)

    def teammate_matrices(self, teammate: int) -> tuple[FloatArray, FloatArray]:
        """See `Problem`."""
        return self.teammate_divergence.matrices_at(self.teammate_model.name(teammate), partial=True)

    def ego_optimal(self, ego: int) -> BoolArray:
        """See `Problem`."""
        optimal, labels = self._ego.optimal_at(ego), self.ego_model.labels
        if labels is None:
            return optimal
        found = np.zeros((optimal.shape[0], labels.names.n), dtype=np.bool_)
        there = labels.table[ego] >= 0
        found[:, labels.table[ego, there]] = optimal[:, there]
        return found

    def ego_steps(self, ego: int) -> IntArray:
        """See `Problem`."""
        return self._ego.steps_at(ego)

    @property
    def ego_map_bytes(self) -> int:
        """What `ego_map` will take: the steps, and those that they are made from."""
        return 0 if "_ego_map" in vars(self) else self._ego.table_bytes + self._ego.missing_bytes

    def ego_map(self) -> EgoMap:
        """See `Problem`; there are no loads."""
        return self._ego_map

    @cached_property
    def _ego_map(self) -> EgoMap:
        steps = finite_steps(self._ego.distance)
        none = np.full(len(self.goals), -1, dtype=np.int32)
        moves, labels = tuple(range(self.ego_model.n_actions)), self.ego_model.labels
        table = None if labels is None else labels.table
        return EgoMap(self.ego_model.successor, moves, steps, steps, none, none, labels=table)

    def ego_matrices(self, ego: int) -> tuple[FloatArray, FloatArray]:
        """See `Problem`."""
        return self.ego_divergence.matrices_at(self.ego_model.name(ego), partial=True)

    def teammate_next(self, teammate: int, action: int) -> int:
        """See `Problem`."""
        return int(self.teammate_model.successor[teammate, action])

    def ego_next(self, ego: int, action: int) -> int:
        """See `Problem`."""
        labels = self.ego_model.labels
        if labels is None:
            return int(self.ego_model.successor[ego, action])
        columns = np.flatnonzero(labels.table[ego] == action)
        return int(self.ego_model.successor[ego, columns[0]]) if columns.size else -1

    def stays(self, action: int) -> bool:
        """See `Problem`."""
        return action == self.teammate_model.stay

    def describe_ego_action(self, action: int) -> str:
        """See `Problem`."""
        return self.ego_actions[action]


def _family(model: Model, targets: Sequence[IntArray], policies: Sequence[Policy] | None = None) -> Divergence:
    return Divergence(model, [state_names(model, states) for states in targets], policies=policies)
