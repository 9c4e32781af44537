"""Compiled loops over graphs: breadth-first search, reversed edges, and counts of shortest plans.

The neighbours of node `s` are ``indices[indptr[s]:indptr[s + 1]]``.

Numbers of shortest plans may exceed the range of float64. They are stored as ``mantissa * BASE ** exponent``, with the
mantissa in ``[1, BASE)``. A sum leaves out terms too small to change it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled, inner
from askwise.frozen import read_only
from askwise.types import FloatArray, IntArray


def breadth_first(starts: Any, indptr: Any, indices: Any) -> tuple[IntArray, IntArray]:
    """Search a graph breadth-first from several nodes at once.

    The neighbours of node s are ``indices[indptr[s]:indptr[s + 1]]``. `starts` has the first nodes.

    Returns:
        The steps from the nearest start to each node, ``int32 [n]``, -1 if it cannot be reached; and the reached nodes,
        ``int32``, nearest first.
    """
    n = len(indptr) - 1
    distance = np.empty(n, dtype=np.int32)
    order = np.empty(n, dtype=np.int32)
    # Read-only like the arrays of models, so that numba compiles only one version.
    begin, rows, columns = (
        read_only(np.asarray(each).view()) for each in (np.asarray(starts, dtype=np.int32), indptr, indices)
    )
    reached = breadth_first_into(begin, rows, columns, distance, order)
    return distance, order[:reached]


@compiled(work=lambda given: given.distance.size + given.indices.size)
def breadth_first_into(starts: Any, indptr: Any, indices: Any, distance: Any, order: Any) -> int:
    """Search a graph breadth-first from several nodes; return the number of nodes reached.

    The neighbours of node s are ``indices[indptr[s]:indptr[s + 1]]``. `starts` has the first nodes. `distance`,
    ``int32 [n]``, is filled with the steps from the nearest start, -1 for none. `order`, ``int32 [n]``, is filled from
    its beginning with the reached nodes, nearest first.
    """
    distance[:] = -1
    filled = 0
    for s in starts:
        if distance[s] < 0:
            distance[s] = 0
            order[filled] = s
            filled += 1
    head = 0
    while head < filled:
        s = order[head]
        head += 1
        for k in range(indptr[s], indptr[s + 1]):
            t = indices[k]
            if distance[t] < 0:
                distance[t] = distance[s] + 1
                order[filled] = t
                filled += 1
    return filled


BASE = 2.0**256
SMALLEST = 2.0**-1022
"""The smallest normal double. No possible action gets a smaller probability: support decides which goals are ruled out,
so rounding a rare action to 0 would change results, not only digits."""


@inner
def scale(exponent_difference: int) -> float:
    """Return ``BASE ** exponent_difference``, or 0.0 if the difference is below -3.

    To add two numbers ``mantissa * BASE ** exponent``, multiply the mantissa with the smaller exponent by this factor.
    The difference is the smaller exponent minus the larger one.
    """
    if exponent_difference == 0:
        return 1.0
    if exponent_difference < -3:
        return 0.0
    return float(BASE**exponent_difference)


@inner
def add_count(mantissa: Any, exponent: Any, t: int, s: int) -> None:
    """Add the number of plans of state `s` to the number of plans of state `t`, in place.

    The numbers of all states are ``mantissa * BASE ** exponent``, stored as ``float64 [n_states]`` and
    ``int32 [n_states]``.
    """
    if mantissa[t] == 0.0:
        mantissa[t] = mantissa[s]
        exponent[t] = exponent[s]
        return
    if exponent[t] >= exponent[s]:
        mantissa[t] += mantissa[s] * scale(exponent[s] - exponent[t])
    else:
        mantissa[t] = mantissa[t] * scale(exponent[t] - exponent[s]) + mantissa[s]
        exponent[t] = exponent[s]
    if mantissa[t] >= BASE:
        mantissa[t] /= BASE
        exponent[t] += 1


def reverse_edges(successor: IntArray) -> tuple[IntArray, IntArray]:
    """Return the predecessors of each state in CSR form, the arrays ``indptr`` and ``indices``.

    The predecessors of state s are ``indices[indptr[s]:indptr[s + 1]]``. A state is listed once for each of its actions
    that lead to s. No state is its own predecessor. `successor`, ``int32 [n_states, n_actions]``, has the next states,
    -1 for none.
    """
    indptr = np.zeros(successor.shape[0] + 1, dtype=np.int64)
    _count_edges(successor, indptr)
    indices = np.empty(indptr[-1], dtype=np.int32)
    _list_edges(successor, indptr[:-1].copy(), indices)
    return indptr, indices


@compiled(work=lambda given: given.successor.size)
def _count_edges(successor: Any, indptr: Any) -> None:
    n_states, n_actions = successor.shape
    for s in range(n_states):
        for a in range(n_actions):
            t = successor[s, a]
            if t >= 0 and t != s:
                indptr[t + 1] += 1
    for s in range(n_states):
        indptr[s + 1] += indptr[s]


@compiled(work=lambda given: given.successor.size)
def _list_edges(successor: Any, filled: Any, indices: Any) -> None:
    n_states, n_actions = successor.shape
    for s in range(n_states):
        for a in range(n_actions):
            t = successor[s, a]
            if t >= 0 and t != s:
                indices[filled[t]] = s
                filled[t] += 1


@compiled(work=lambda given: 2 * given.successor.size)
def count_plans(
    order: IntArray, reached: int, distance: IntArray, successor: IntArray, mantissa: FloatArray, exponent: IntArray
) -> None:
    """Count the shortest plans from each state to a goal; the counts are ``mantissa * BASE ** exponent``.

    Args:
        order: ``int32``, states by `distance`, nearest first.
        reached: number of states from which the goal can be reached.
        distance: ``int32 [n_states]``, fewest steps to the goal, -1 if unreachable.
        successor: ``int32 [n_states, n_actions]``, next states, -1 for none.
        mantissa: ``float64 [n_states]``, filled.
        exponent: ``int32 [n_states]``, filled.
    """
    n_actions = successor.shape[1]
    for k in range(reached):
        s = order[k]
        if distance[s] == 0:
            mantissa[s] = 1.0
            exponent[s] = 0
            continue
        top = 0
        for a in range(n_actions):
            t = successor[s, a]
            if t >= 0 and distance[t] == distance[s] - 1 and exponent[t] > top:
                top = exponent[t]
        total = 0.0
        for a in range(n_actions):
            t = successor[s, a]
            if t >= 0 and distance[t] == distance[s] - 1:
                total += mantissa[t] * scale(exponent[t] - top)
        if total >= BASE:
            total /= BASE
            top += 1
        mantissa[s] = total
        exponent[s] = top


@compiled(work=lambda given: given.successor.size)
def plan_shares(
    order: IntArray,
    reached: int,
    distance: IntArray,
    successor: IntArray,
    mantissa: FloatArray,
    exponent: IntArray,
    stay: int,
    table: FloatArray,
) -> None:
    """Fill a table with the policy that draws one of the shortest plans to a goal uniformly (UROP).

    The probability of an action is the share of the shortest plans that begin with it. At the goal, STAY has
    probability 1.

    Args:
        order: ``int32``, states by `distance`, nearest first.
        reached: number of states from which the goal can be reached.
        distance: ``int32 [n_states]``, fewest steps to the goal, -1 if unreachable.
        successor: ``int32 [n_states, n_actions]``, next states, -1 for none.
        mantissa: ``float64 [n_states]``, from `count_plans`.
        exponent: ``int32 [n_states]``, from `count_plans`.
        stay: index of STAY.
        table: ``float64 [n_states, n_actions]``, all 0; filled.
    """
    n_actions = successor.shape[1]
    for k in range(reached):
        s = order[k]
        if distance[s] == 0:
            table[s, stay] = 1.0
            continue
        for a in range(n_actions):
            t = successor[s, a]
            if t >= 0 and distance[t] == distance[s] - 1:
                share = mantissa[t] / mantissa[s] * scale(exponent[t] - exponent[s])
                table[s, a] = max(share, SMALLEST)
