"""Distances and UROPs in plain Python: dictionaries, and whole numbers that never overflow."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from askwise import Model

DictPolicy: TypeAlias = dict[int, dict[int, float]]
"""``policy[state][action]``, probabilities above 0 only; states that cannot reach the goal are missing."""


@dataclass(frozen=True)
class PlainWorld:
    """A deterministic model and the UROPs of its goals, without arrays.

    Attributes:
        successor: ``successor[state][action]``, only what is available.
        transitions: ``transitions[state][action][next_state]``, the general form of the same.
        policies: one UROP for each goal; its states are in the order of their distance to the goal.
    """

    n_states: int
    successor: list[dict[int, int]]
    transitions: list[dict[int, dict[int, float]]]
    policies: list[DictPolicy]


def plain_world(model: Model, goals: Sequence[int]) -> PlainWorld:
    """Build everything from the successor table of `model`."""
    successor = [{a: t for a, t in enumerate(row) if t >= 0} for row in model.successor.tolist()]
    transitions = [{a: {t: 1.0} for a, t in moves.items()} for moves in successor]
    before: list[list[int]] = [[] for _ in successor]
    for s, moves in enumerate(successor):
        for t in moves.values():
            if t != s:
                before[t].append(s)
    policies = [_urop(successor, before, model.stay, goal) for goal in goals]
    return PlainWorld(len(successor), successor, transitions, policies)


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
    distance, order, waiting = {goal: 0}, [goal], deque([goal])
    while waiting:
        s = waiting.popleft()
        for u in before[s]:
            if u not in distance:
                distance[u] = distance[s] + 1
                order.append(u)
                waiting.append(u)
    return distance, order
