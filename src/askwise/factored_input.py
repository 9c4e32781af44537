"""What a `FactoredProblem` is made from, checked: a mistake is refused with its place and what is allowed there.

A mistake that is not seen here is seen by nobody: targets by the wrong goal or a prior in the wrong order give results
that look like any others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from askwise.answers import AnswerModel
from askwise.errors import InputError, did_you_mean
from askwise.frozen import read_only
from askwise.model import Model, Policy, goal_states
from askwise.problem import JointState
from askwise.types import FloatArray, GoalLike, IntArray

Goals = Sequence[str] | Mapping[str, GoalLike]
"""Names of goals, or a mapping from names to targets."""
Targets = Sequence[GoalLike] | Mapping[str, GoalLike] | None
"""Targets in the order of the goals, or by the goals' names."""

PRIOR_TOLERANCE = 1e-9
"""How far a prior may sum from 1: what writing decimals and adding them up can cost."""


def checked_names(goals: Goals) -> tuple[str, ...]:
    """Return the names of the goals."""
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


def checked_model(field: str, model: object) -> Model:
    """Return a model, which has to be deterministic."""
    if not isinstance(model, Model):
        raise InputError(field, repr(model), "an askwise.Model")
    if not model.deterministic:
        raise InputError(
            field, "a stochastic model", "a deterministic one; divergences, but no agents, take stochastic models"
        )
    return model


def targets_of(field: str, goals: Goals, own: Targets, model: Model) -> list[IntArray]:
    """Return the target states of each goal, those of `goals` if an agent is given none of its own."""
    names = tuple(goals)
    given: Any = own
    if given is None:
        if not isinstance(goals, Mapping):
            raise InputError(field, "nothing", "the targets of each goal, here or as values of goals")
        given = goals
    listed = by_name(field, given, names, "targets") if isinstance(given, Mapping) else _in_order(field, given, names)
    return [goal_states(model, goal, f"{field}: goal {name!r}") for name, goal in zip(names, listed, strict=True)]


def by_name(field: str, given: Mapping[Any, Any], names: Sequence[str], what: str) -> list[Any]:
    """Return the values of a dict in the order of the goals; each goal has one, and nothing else has."""
    for key in given:
        if key not in names:
            hint = did_you_mean(key, names) if isinstance(key, str) else ""
            raise InputError(field, f"{what} of the unknown goal {key!r}", f"some of {', '.join(names)}{hint}")
    for name in names:
        if name not in given:
            raise InputError(field, f"no {what} of goal {name!r}", f"{what} of every goal")
    return [given[name] for name in names]


def _in_order(field: str, given: Any, names: Sequence[str]) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise InputError(field, repr(given), "a list with the targets of each goal, or a dict by the goals' names")
    if len(given) != len(names):
        raise InputError(field, f"targets of {len(given)} goals", f"{len(names)}, one for each goal")
    return list(given)


def checked_prior(prior: Any, names: Sequence[str]) -> FloatArray:
    """Return the prior, ``float64 [n_goals]``, read-only; it has to sum to 1. Uniform by default."""
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


def checked_start(start: Any, teammate: Model, ego: Model) -> JointState:
    """Return where both begin, given as a `JointState` or a pair, states by name or number."""
    if isinstance(start, JointState):
        start = start.teammate, start.ego
    if not isinstance(start, tuple | list) or len(start) != 2:
        raise InputError("start", repr(start), "two states, the teammate's and the ego agent's")
    return JointState(teammate.state(start[0], "start: teammate"), ego.state(start[1], "start: ego"))


def refuse_unreachable(field: str, steps: IntArray, names: Sequence[str], start: object) -> None:
    """Refuse goals that cannot be reached from the start; `steps` is ``int [n_goals]``, -1 for those."""
    missing = np.flatnonzero(steps < 0)
    if missing.size:
        name = names[int(missing[0])]
        raise InputError(f"{field}: goal {name!r}", f"no way to it from {start!r}", "a goal that can be reached")


def refuse_shared(targets: Sequence[IntArray], names: Sequence[str], model: Model) -> None:
    """Refuse goals with a common target of the teammate: it would stay there, and nobody could ever see for which."""
    owner: dict[int, int] = {}
    for goal, states in enumerate(targets):
        for state in states.tolist():
            other = owner.setdefault(state, goal)
            if other != goal:
                both = f"goals {names[other]!r} and {names[goal]!r}"
                raise InputError(
                    f"teammate_goals: {both}", f"the same target {model.name(state)!r}", "targets of their own"
                )


def checked_policies(
    given: Any, names: Sequence[str], model: Model, targets: Sequence[IntArray], start: int
) -> tuple[Policy, ...] | None:
    """Return how the teammate pursues each goal, None for UROPs; each policy comes to its goal and can stay there."""
    if given is None:
        return None
    field = "teammate_policies"
    listed = by_name(field, given, names, "policy") if isinstance(given, Mapping) else list(given)
    if len(listed) != len(names):
        raise InputError(field, f"{len(listed)} policies", f"{len(names)}, one for each goal")
    found = [policy.on(model) if isinstance(policy, Policy) else Policy(model, policy) for policy in listed]
    for name, policy, own in zip(names, found, targets, strict=True):
        _refuse_stray(f"{field}: goal {name!r}", policy, model, own, start)
    return tuple(found)


def _refuse_stray(field: str, policy: Policy, model: Model, targets: IntArray, start: int) -> None:
    """Refuse a policy by which the teammate may end up where it never gets to its goal, or knows nothing to do."""
    ends = [int(state) for state in targets if policy.support[state, model.stay]]
    if len(ends) < targets.size:
        state = next(int(s) for s in targets if s not in ends)
        raise InputError(field, f"no {model.actions[model.stay]} at its target {model.name(state)!r}", "some")
    reached = _forward(policy, model, start)
    undefined = [state for state in reached if not policy.defined[state]]
    if undefined:
        raise InputError(field, f"nothing to do in {model.name(undefined[0])!r}", "something wherever it may come to")
    lost = sorted(set(reached) - _backward(policy, model, ends))
    if lost:
        raise InputError(field, f"no way to the goal from {model.name(lost[0])!r}", "one wherever it may come to")


def _forward(policy: Policy, model: Model, start: int) -> list[int]:
    """Return the states that the policy may come to, in the order in which they are met."""
    found, order = {start}, [start]
    for state in order:
        for following in model.successor[state, policy.support[state]].tolist():
            if following not in found:
                found.add(following)
                order.append(following)
    return order


def _backward(policy: Policy, model: Model, ends: Sequence[int]) -> set[int]:
    """Return the states from which the policy may come to one of `ends`."""
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


def checked_answers(given: object) -> AnswerModel:
    """Return how questions are answered."""
    if not isinstance(given, AnswerModel):
        raise InputError("answers", repr(given), "an AnswerModel, such as AnswerModel(wrong=0.05, refused=0.1)")
    return given
