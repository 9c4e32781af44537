"""What a `FactoredProblem` is made from, checked: a mistake is refused with its place and what is allowed there.

A mistake that is not seen here is seen by nobody: targets by the wrong goal or a prior in the wrong order give results
that look like any others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from askwise.core.problem import JointState, by_name
from askwise.errors import InputError
from askwise.model import Model, Policy, goal_states
from askwise.types import GoalLike, IntArray

Goals = Sequence[str] | Mapping[str, GoalLike]
"""Names of goals, or a mapping from names to targets."""
Targets = Sequence[GoalLike] | Mapping[str, GoalLike] | None
"""Targets in the order of the goals, or by the goals' names."""


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


def _in_order(field: str, given: Any, names: Sequence[str]) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise InputError(field, repr(given), "a list with the targets of each goal, or a dict by the goals' names")
    if len(given) != len(names):
        raise InputError(field, f"targets of {len(given)} goals", f"{len(names)}, one for each goal")
    return list(given)


def checked_start(start: Any, teammate: Model, ego: Model) -> JointState:
    """Return where both begin, given as a `JointState` or a pair, states by name or number."""
    if isinstance(start, JointState):
        start = start.teammate, start.ego
    if not isinstance(start, tuple | list) or len(start) != 2:
        raise InputError("start", repr(start), "two states, the teammate's and the ego agent's")
    return JointState(teammate.state(start[0], "start: teammate"), ego.state(start[1], "start: ego"))


def checked_policies(
    given: Any, names: Sequence[str], model: Model, targets: Sequence[IntArray], start: int
) -> tuple[Policy, ...]:
    """Return how the teammate pursues each goal; each policy comes to its goal and can stay there."""
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
