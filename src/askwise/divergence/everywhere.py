"""EDP of all pairs of goals at all states of a deterministic model; `askwise.divergence.pairs` has it at one state.

There is one pass for each pursued goal. Following the UROP of goal `j`, every step lowers the distance to `j`. Taking
the states in the order of that distance, each row is final when it is needed::

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
    """Return EDP of all pairs of goals at all states, ``float64 [n_goals (followed), n_states, n_goals (ruled out)]``.

    Values are ``nan`` where the followed goal cannot be reached and ``inf`` where two goals can agree forever.

    Args:
        model: a deterministic model.
        targets: the target states of all goals, one goal after the other.
        starts: ``int32 [n_goals + 1]``, index in `targets` where each goal begins.
    """
    n_goals = starts.size - 1
    table = np.empty((n_goals, model.n_states, n_goals))
    _all_pairs(model.successor, *model.predecessors, targets, starts, model.stay, table)
    return table


def all_pairs_scratch(model: Model, n_goals: int) -> int:
    """Return the bytes that `all_pairs` takes for temporary arrays, in addition to its result."""
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
    """Set ``optimal[s, a, j]`` to 1 for each optimal action `a` of goal `j`, in each state `s`.

    Args:
        j: the goal.
        order: the states from which it can be reached.
        distance: ``int32 [n_states]``, steps to the goal.
        successor: ``int32 [n_states, n_actions]``, next states, -1 where there is none.
        stay: index of the action that stays in place, the only optimal one at the goal.
        optimal: ``uint8 [n_states, n_actions, n_goals]``, the table.
    """
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
    """Fill a table with the EDP of ruling out each goal while the agent pursues goal `j`.

    Args:
        j: the pursued goal.
        order: the states from which it can be reached, nearest first; only their rows are filled.
        distance: ``int32 [n_states]``, steps to goal `j`.
        successor: ``int32 [n_states, n_actions]``, next states, -1 where there is none.
        stay: index of the action that stays in place.
        mantissa: ``float64 [n_states]``, the numbers of shortest plans are ``mantissa * BASE ** exponent``.
        exponent: ``int32 [n_states]``.
        optimal: ``uint8 [n_states, n_actions, n_goals]``, 1 for optimal actions.
        values: ``float64 [n_states, n_goals (ruled out)]``, the table.
    """
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
            # The UROP's probability; never 0, because 0 times infinity would be nan.
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
