"""All ordered pairs of goals at *all* states of a deterministic model, in one pass for each goal.

Following the UROP of goal `j`, every step lowers the distance to `j`. Taking the states in the order of that
distance, each row is final when it is needed::

    V_j[s, i] = 1 + sum over actions a optimal for j of pi_j(s, a) * ([a optimal for i] and V_j[s', i])

The inner loop runs over the goals `i`, contiguous in memory: it loads unconditionally and then selects, which
compilers turn into vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled, inner
from askwise.model import Model
from askwise.model.graph import SMALLEST, breadth_first_into, count_plans, scale
from askwise.types import FloatArray, IntArray


def all_pairs(model: Model, targets: IntArray, starts: IntArray) -> FloatArray:
    """Return EDP, ``float64 [n_goals (followed), n_states, n_goals (ruled out)]``.

    ``nan`` where the followed goal cannot be reached; ``inf`` where two goals agree for ever.

    Args:
        model: a deterministic model.
        targets: the target states of all goals, one goal after the other.
        starts: ``int32 [n_goals + 1]``, where in `targets` each goal begins.
    """
    n_goals = starts.size - 1
    table = np.empty((n_goals, model.n_states, n_goals))
    _all_pairs(model.successor, *model.predecessors, targets, starts, model.stay, table)
    return table


def bytes_beside(model: Model, n_goals: int) -> int:
    """Return what `all_pairs` takes beside its table: steps, order and optimal actions of all goals, and counts."""
    return model.n_states * (n_goals * (4 + 4 + model.n_actions) + 8 + 4)


@compiled
def _all_pairs(successor: Any, indptr: Any, indices: Any, targets: Any, starts: Any, stay: int, table: Any) -> None:
    n_states, n_actions = successor.shape
    n_goals = starts.size - 1
    distance = np.empty((n_goals, n_states), dtype=np.int32)
    order = np.empty((n_goals, n_states), dtype=np.int32)
    reached = np.empty(n_goals, dtype=np.int64)
    optimal = np.zeros((n_states, n_actions, n_goals), dtype=np.uint8)
    for j in range(n_goals):
        own = targets[starts[j] : starts[j + 1]]
        reached[j] = breadth_first_into(own, indptr, indices, distance[j], order[j])
        _mark_optimal(j, order[j, : reached[j]], distance[j], successor, stay, optimal)
    mantissa = np.empty(n_states)
    exponent = np.empty(n_states, dtype=np.int32)
    for j in range(n_goals):
        if reached[j] < n_states:
            table[j] = np.nan
        count_plans(order[j], reached[j], distance[j], successor, mantissa, exponent)
        _pass_towards(j, order[j, : reached[j]], distance[j], successor, stay, mantissa, exponent, optimal, table[j])


@inner
def _mark_optimal(j: int, order: Any, distance: Any, successor: Any, stay: int, optimal: Any) -> None:
    """Note in ``optimal[s, a, j]`` which actions are optimal for goal `j`."""
    for s in order:
        if distance[s] == 0:
            optimal[s, stay, j] = 1
            continue
        for a in range(successor.shape[1]):
            t = successor[s, a]
            if t >= 0 and distance[t] == distance[s] - 1:
                optimal[s, a, j] = 1


@inner
def _pass_towards(
    j: int,
    order: Any,
    distance: Any,
    successor: Any,
    stay: int,
    mantissa: Any,
    exponent: Any,
    optimal: Any,
    values: Any,
) -> None:
    """Fill ``values[s, i]`` for all states that reach goal `j`, nearest first."""
    n_goals = values.shape[1]
    for s in order:
        if distance[s] == 0:
            for i in range(n_goals):
                values[s, i] = np.inf if optimal[s, stay, i] else 1.0
            continue
        first = True
        for a in range(successor.shape[1]):
            if not optimal[s, a, j]:
                continue
            t = successor[s, a]
            # The UROP's share; never 0, because 0 times an infinite value would be no number.
            share = max(mantissa[t] / mantissa[s] * scale(exponent[t] - exponent[s]), SMALLEST)
            if first:
                for i in range(n_goals):
                    onwards = share * values[t, i]
                    values[s, i] = 1.0 + (onwards if optimal[s, a, i] else 0.0)
                first = False
            else:
                for i in range(n_goals):
                    onwards = share * values[t, i]
                    values[s, i] += onwards if optimal[s, a, i] else 0.0
