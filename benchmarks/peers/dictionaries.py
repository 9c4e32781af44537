"""EDP in simple Python, with dictionaries: by one backward pass for each pair, and by the paper's algorithm.

`make_world` computes distances and UROPs; numbers of plans are Python integers, so they never overflow. Both algorithms
return EDP(pi_i | pi_j) at all states for each pair ``(i, j)``, ``float64 [n_pairs, n_states]``:

- `backward_pass` goes through the states in the order of their distance to the followed goal, once.
- `paper` sweeps over all states until the values no longer change (appendix of the paper, "Calculate EDP"). Sums run
  only over actions and next states with a positive probability. Taken literally, the inner sum runs over all states,
  which takes about fifty times as long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from askwise import Model
from askwise.types import FloatArray

EPSILON = 1e-6
"""The paper's algorithm stops when no value changes by more than this."""

DictPolicy: TypeAlias = dict[int, dict[int, float]]
"""``policy[state][action]``, positive probabilities only; states that cannot reach the goal are missing."""


@dataclass(frozen=True)
class DictWorld:
    """A deterministic model and the UROPs of its goals, without arrays.

    Attributes:
        n_states: number of states.
        successor: ``successor[state][action]``, available actions only.
        transitions: ``transitions[state][action][next_state]``, the same as probabilities.
        policies: the UROP of each goal; its states are in the order of their distance to the goal.
    """

    n_states: int
    successor: list[dict[int, int]]
    transitions: list[dict[int, dict[int, float]]]
    policies: list[DictPolicy]


def make_world(model: Model, goals: Sequence[int]) -> DictWorld:
    """Return the world of a deterministic model and the goals in it."""
    successor = [{a: t for a, t in enumerate(row) if t >= 0} for row in model.successor.tolist()]
    transitions = [{a: {t: 1.0} for a, t in moves.items()} for moves in successor]
    before: list[list[int]] = [[] for _ in successor]
    for s, moves in enumerate(successor):
        for t in moves.values():
            if t != s:
                before[t].append(s)
    policies = [_urop(successor, before, model.stay, goal) for goal in goals]
    return DictWorld(len(successor), successor, transitions, policies)


def _urop(successor: list[dict[int, int]], before: list[list[int]], stay: int, goal: int) -> DictPolicy:
    distance, order = _distances(before, goal)
    plans = {goal: 1}
    policy: DictPolicy = {goal: {stay: 1.0}}
    for s in order[1:]:
        closer = {a: plans[t] for a, t in successor[s].items() if distance.get(t) == distance[s] - 1}
        plans[s] = sum(closer.values())
        policy[s] = {a: count / plans[s] for a, count in closer.items()}
    return policy


def _distances(before: list[list[int]], goal: int) -> tuple[dict[int, int], list[int]]:
    """Return the steps to the goal by state, and the states in the order of these steps."""
    distance, order, waiting = {goal: 0}, [goal], deque([goal])
    while waiting:
        s = waiting.popleft()
        for u in before[s]:
            if u not in distance:
                distance[u] = distance[s] + 1
                order.append(u)
                waiting.append(u)
    return distance, order


def backward_pass(world: DictWorld, wanted: Sequence[tuple[int, int]]) -> FloatArray:
    """Return EDP of the wanted pairs by one backward pass for each."""
    return _by_pairs(world, wanted, _backward_pass)


def paper(world: DictWorld, wanted: Sequence[tuple[int, int]]) -> FloatArray:
    """Return EDP of the wanted pairs by the paper's algorithm."""
    return _by_pairs(world, wanted, _sweeps)


def _by_pairs(
    world: DictWorld,
    wanted: Sequence[tuple[int, int]],
    algorithm: Callable[[DictWorld, DictPolicy, DictPolicy], dict[int, float]],
) -> FloatArray:
    found = np.full((len(wanted), world.n_states), np.nan)
    for row, (i, j) in zip(found, wanted, strict=True):
        values = algorithm(world, world.policies[i], world.policies[j])
        row[list(values)] = list(values.values())
    return found


def _backward_pass(world: DictWorld, pi_1: DictPolicy, pi_2: DictPolicy) -> dict[int, float]:
    values: dict[int, float] = {}
    for s, moves in pi_2.items():  # by distance to the goal, so the values of next states exist
        allowed, successor = pi_1.get(s, {}), world.successor[s]
        values[s] = 1.0 + sum(p * values[successor[a]] for a, p in moves.items() if a in allowed)
    return values


def _sweeps(world: DictWorld, pi_1: DictPolicy, pi_2: DictPolicy) -> dict[int, float]:
    edp = dict.fromkeys(pi_2, 0.0)
    error = float("inf")
    while error > EPSILON:
        error = 0.0
        old = edp.copy()
        for s, moves in pi_2.items():
            allowed = [a for a in pi_1.get(s, ()) if a in moves]
            value = 1.0 - sum(moves[a] for a in allowed)
            for a in allowed:
                value += moves[a] * sum(p * (1.0 + old[t]) for t, p in world.transitions[s][a].items())
            edp[s] = value
            error = max(error, abs(value - old[s]))
    return edp
