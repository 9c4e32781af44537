"""Problems: everything that agents, beliefs and simulations know about a domain.

A problem has goals and two *sides*, which say what the teammate and the ego agent can do. The ego agent does not know
the true goal, but it can ask about it.

Each agent has its own *targets* of a goal, the states in which it has reached the goal. In a joint step both agents
act; they never block each other. The episode ends with the first joint step in which the teammate stays at a target of
its goal and after which the ego agent is at one of its own targets.

A joint step costs 1. A question costs its price (`QueryCost`), and no agent moves. States, actions and goals are
integers; `Problem.goals` and `Side.actions` give their names.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from askwise.core.answers import CREDIBLE, TRUTHFUL, AnswerModel
from askwise.core.questions import AnyPrice, QueryCost
from askwise.core.side import Side, find_state, place_name
from askwise.errors import InputError, did_you_mean
from askwise.frozen import FrozenDict, Sealed, read_only, replaced
from askwise.model import Model, Policy
from askwise.types import BoolArray, FloatArray, StateLike

STEP_COST = 1.0
"""The cost of a joint step."""

PRIOR_TOLERANCE = 1e-9
"""Allowed deviation of the sum of a prior from 1, for decimals that were rounded and added up."""

_Problem = TypeVar("_Problem", bound="Problem")


@dataclass(frozen=True, slots=True)
class JointState:
    """The states of both agents, `teammate` and `ego`, each an index of a state of that agent."""

    teammate: int
    ego: int


class Problem(Sealed):
    """A problem: goals, their prior, the price of questions, and what the teammate and the ego agent can do.

    It cannot be changed after it is made. All arguments are attributes, too.

    Args:
        goals: names of the goals.
        prior: probabilities of the goals, summing to 1, in order or as a dict by name; None if all are equally likely.
        query_cost: price of questions: a `QueryCost`, a function of the indices of the goals asked about, or a dict
            from each goal to the price of naming it. None: every question costs 0.5.
        answers: how often answers are wrong or missing.
        start: first states of both agents.
        groups: names of groups of goals that methods may ask about, each with the names of its goals.
        teammate: the teammate's side. No two goals may share a target (a state in which the goal is reached).
        ego: the ego agent's side.
        policies: the teammate's policy for each goal; None if it draws one of all shortest plans (UROP).

    Attributes:
        prior: ``float64 [n_goals]``, probability of each goal at the start.
        query_cost: price of questions, a `QueryCost`.
        groups: names of the groups, each with the indices of its goals.
    """

    def __init__(
        self,
        *,
        goals: Sequence[str],
        teammate: Side,
        ego: Side,
        start: JointState,
        prior: Any = None,
        query_cost: Any = None,
        answers: AnswerModel = TRUTHFUL,
        groups: Mapping[str, Sequence[str]] | None = None,
        policies: tuple[Policy, ...] | None = None,
    ) -> None:
        self.goals = checked_names(goals)
        self.prior: FloatArray = checked_prior(prior, self.goals)
        self.query_cost = checked_price(query_cost, self.goals)
        self.answers = checked_answers(answers)
        self.groups = _checked_groups(groups, self.goals)
        self.teammate, self.ego, self.start, self.policies = teammate, ego, start, policies
        goal_targets = (
            (f"teammate_goals: goal {name!r}", repr(name), teammate.targets(goal).tolist())
            for goal, name in enumerate(self.goals)
        )
        refuse_shared(goal_targets, lambda state: repr(place_name(teammate, state)))
        refuse_unreachable("teammate_goals", teammate, start.teammate, self.goals)
        refuse_unreachable("ego_goals", ego, start.ego, self.goals)

    def __repr__(self) -> str:
        names = ", ".join(self.goals[:5]) + (", ..." if len(self.goals) > 5 else "")
        n = len(self.goals)
        teammate, ego = place_name(self.teammate, self.start.teammate), place_name(self.ego, self.start.ego)
        return (
            f"<{type(self).__name__}: {n} goal{'' if n == 1 else 's'} ({names}); teammate at {teammate!r}, one of "
            f"{self.teammate.model.n_states} states; ego at {ego!r}, one of {self.ego.model.n_states}>"
        )

    def with_answers(self, answers: AnswerModel) -> Problem:
        """Return the same problem with another answer model, which says how often answers are wrong or missing.

        Tables that this problem has computed already are shared with the result, not computed again.
        """
        return self if answers == self.answers else changed(self, answers=checked_answers(answers))


def changed(problem: _Problem, **attributes: Any) -> _Problem:
    """Return a copy of a problem with some attributes changed; it shares all computed tables.

    No table may depend on these attributes, and their new values must be valid.
    """
    return replaced(problem, type(problem), **attributes)


def joint_state(problem: Problem, teammate: StateLike | None = None, ego: StateLike | None = None) -> JointState:
    """Return the states of both agents as a `JointState`, with each state by index.

    A state is given by its index, as the name of a place, or, for an agent that carries something, as a pair of the
    place and the goal that needs the load. None stands for the agent's start.
    """
    return JointState(
        problem.start.teammate
        if teammate is None
        else find_state(problem.teammate, teammate, problem.goals, "teammate"),
        problem.start.ego if ego is None else find_state(problem.ego, ego, problem.goals, "ego"),
    )


def credible_goals(problem: Problem, belief: FloatArray) -> BoolArray:
    """Return which goals are probable enough for methods to consider them, ``bool [n_goals]``.

    A goal must have positive probability; if answers can be wrong, at least a thousandth (`CREDIBLE`) of the
    probability of the likeliest goal. `belief` is ``float64 [n_goals]``, the probability of each goal.
    """
    if not problem.answers.fallible:
        return np.asarray(belief > 0)
    return np.asarray(belief >= CREDIBLE * belief.max())


def optimal_costs(problem: Problem, state: JointState) -> FloatArray:
    """Return the least cost of reaching each goal from `state` if the ego agent knows the goal, ``float64 [n_goals]``.

    The cost is the number of joint steps, including one in which the teammate stays at its goal.
    """
    steps = np.maximum(problem.teammate.steps(state.teammate) + 1, problem.ego.steps(state.ego))
    return steps.astype(np.float64)


# -- names of the teammate's states and actions ----------------------------------------------------------------------


def teammate_goals(problem: Problem) -> tuple[Model, dict[str, list[Any]], Any]:
    """Return the teammate's model, a dict from each goal to the teammate's targets, and the teammate's start.

    The targets of a goal are the places where the teammate has reached it. All places are given by name.
    """
    side = problem.teammate
    targets = ([place_name(side, state) for state in side.targets(goal).tolist()] for goal in range(len(problem.goals)))
    return side.model, dict(zip(problem.goals, targets, strict=True)), place_name(side, problem.start.teammate)


def teammate_does(problem: Problem, teammate: int, action: int) -> str:
    """Return the name of an action that the teammate takes in its state `teammate`; state and action are indices."""
    model = problem.teammate.model
    if model.labels is None or action >= model.n_actions:
        return problem.teammate.actions.names[action]
    return str(model.action_name(teammate, action))


def teammate_names(problem: Problem, teammate: int) -> tuple[str, ...]:
    """Return the names of the teammate's actions in its state `teammate`, in the order of their indices.

    In models with labels, an index may stand for different actions in different states. If it stands for none in this
    state, its name is empty.
    """
    model, names = problem.teammate.model, problem.teammate.actions.names
    if model.labels is None:
        return names
    there = model.available[teammate]
    own = (str(model.action_name(teammate, a)) if there[a] else "" for a in range(model.n_actions))
    return (*own, *names[model.n_actions :])


def all_teammate_names(problem: Problem) -> tuple[str, ...]:
    """Return the names of all actions that the teammate has, over all states together."""
    model, names = problem.teammate.model, problem.teammate.actions.names
    if model.labels is None:
        return names
    own = (str(model.labels.names.name(label)) for label in range(model.labels.names.n))
    return (*own, *names[model.n_actions :])


# -- checks ------------------------------------------------------------------------------------------------------


def checked_names(goals: Any) -> tuple[str, ...]:
    """Return the names of the goals; raise an `InputError` unless they are distinct, non-empty texts.

    Args:
        goals: an iterable of names, or a dict with the names as keys.
    """
    if isinstance(goals, str):
        raise InputError("goals", f"the text {goals!r}", "a list of names, or a dict from names to targets")
    names = tuple(goals)
    if not names:
        raise InputError("goals", "none", "at least one goal")
    for k, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise InputError(f"name of goal {k}", repr(name), "a text that is not empty")
        if name in names[:k]:
            raise InputError("goals", f"the name {name!r} twice", "names that differ")
    return names


def by_name(field: str, given: Mapping[Any, Any], names: Sequence[str], what: str) -> list[Any]:
    """Return the values of a dict in the order of the goals; raise an `InputError` if a goal is missing or unknown.

    Error messages call the input `field`, and a value `what`, such as ``price``.
    """
    for key in given:
        if key not in names:
            hint = did_you_mean(key, names) if isinstance(key, str) else ""
            raise InputError(field, f"{what} of the unknown goal {key!r}", f"some of {', '.join(names)}{hint}")
    for name in names:
        if name not in given:
            raise InputError(field, f"no {what} of goal {name!r}", f"{what} of every goal")
    return [given[name] for name in names]


def checked_prior(prior: Any, names: Sequence[str]) -> FloatArray:
    """Return the prior as a read-only array, ``float64 [n_goals]``; raise an `InputError` unless it sums to 1.

    The prior is given in the order of `names`, or as a dict by name; None if all goals are equally likely.
    """
    if prior is None:
        found = np.full(len(names), 1 / len(names))
    else:
        values = by_name("prior", prior, names, "probability") if isinstance(prior, Mapping) else prior
        found = _numbers(values, names)
    return read_only(found)


def _numbers(values: Any, names: Sequence[str]) -> FloatArray:
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("prior", repr(values), "numbers, one for each goal") from None
    if found.shape != (len(names),):
        raise InputError("prior", f"{found.size} probabilities", f"{len(names)}, one for each goal")
    wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
    if wrong.size:
        raise InputError(f"prior of goal {names[wrong[0]]!r}", float(found[wrong[0]]), "a number from 0 to 1")
    if abs(found.sum() - 1) > PRIOR_TOLERANCE:
        raise InputError("prior", f"probabilities that sum to {found.sum():.12g}", f"1 (within {PRIOR_TOLERANCE:g})")
    return found


def checked_price(given: Any, goals: Sequence[str]) -> QueryCost:
    """Return the price of questions; raise an `InputError` if it is invalid.

    It is given as a `QueryCost`, a function of the list of goals asked about, or a dict from each goal to the price of
    naming it; None for 0.5.
    """
    if given is None:
        return QueryCost()
    if isinstance(given, Mapping):
        prices = by_name("query_cost", given, goals, "price")
        return QueryCost(prices=tuple(prices))
    if not callable(given):
        raise InputError("query_cost", repr(given), "a QueryCost, a function of the goals asked about, or a dict")
    if isinstance(given, QueryCost) and given.prices is not None and len(given.prices) != len(goals):
        found = f"{len(given.prices)} prices"
        raise InputError("query_cost: prices", found, f"{len(goals)}, one for each goal")
    return given if isinstance(given, QueryCost) else AnyPrice(function=given)


def checked_answers(given: object) -> AnswerModel:
    """Return `given`; raise an `InputError` unless it is an `AnswerModel`."""
    if not isinstance(given, AnswerModel):
        raise InputError("answers", repr(given), "an AnswerModel, such as AnswerModel(wrong=0.05, refused=0.1)")
    return given


def _checked_groups(given: Mapping[str, Sequence[str]] | None, goals: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
    found = {}
    for name, members in (given or {}).items():
        unknown = [member for member in members if member not in goals]
        if unknown or isinstance(members, str) or not members:
            what = f"the unknown goal {unknown[0]!r}" if unknown else repr(members)
            raise InputError(f"groups: {name!r}", what, f"a list of some of {', '.join(goals)}")
        found[str(name)] = tuple(sorted({goals.index(member) for member in members}))
    return FrozenDict(found)


# Readers of files also call the next two functions: they know which field of the file is wrong.


def refuse_shared(goals: Iterable[tuple[str, str, Iterable[Hashable]]], place: Callable[[Any], str]) -> None:
    """Raise an `InputError` if two goals share a target, that is, a place where the teammate has reached the goal.

    Args:
        goals: for each goal, a tuple: the name of the input field, the name of the goal, and the teammate's targets.
        place: a function that takes a target and returns its text for the error message.
    """
    owner: dict[Hashable, str] = {}
    for field, name, targets in goals:
        for target in targets:
            other = owner.setdefault(target, name)
            if other != name:
                found = f"{place(target)}, a target of goal {other} already"
                raise InputError(
                    field, found, "a target that no other goal has: the place where the teammate stays reveals its goal"
                )


def unreachable(field: str, start: str, what: str = "goal") -> InputError:
    """Return the `InputError` to raise if an agent cannot reach a goal.

    Args:
        field: name of the input, such as ``ego_goals: goal 'A'``.
        start: the state in which the agent starts, as text.
        what: the noun for the goal, such as ``toolbox``.
    """
    return InputError(field, f"no way to it from {start}", f"a {what} that can be reached")


def refuse_unreachable(field: str, side: Side, start: int, names: Sequence[str]) -> None:
    """Raise an `InputError` unless an agent can reach every goal from its start.

    Args:
        field: name of the input in the error message.
        side: the agent's side.
        start: the agent's first state.
        names: names of the goals.
    """
    missing = np.flatnonzero(side.steps(start) < 0)
    if missing.size:
        raise unreachable(f"{field}: goal {names[int(missing[0])]!r}", repr(place_name(side, start)))
