"""Walking a graph whose edges are listed in compressed rows (``indptr``, ``indices``).

Compiled loops over the graph of a deterministic model.

Plan counts grow like binomials: they overflow int64 from 35 x 35 open grids and float64 from 516 x 516. A
count is therefore kept as ``mantissa * BASE ** exponent`` with BASE a power of two, so that scaling never
rounds. Mantissas lie in ``[1, BASE)``: terms four exponents below the largest vanish next to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled, inner
from askwise.frozen import read_only
from askwise.types import FloatArray, IntArray


def breadth_first(starts: Any, indptr: Any, indices: Any) -> tuple[IntArray, IntArray]:
    """Return steps from the nearest start, ``int32 [n]`` (-1: out of reach), and the reached nodes in that order."""
    n = len(indptr) - 1
    distance = np.empty(n, dtype=np.int32)
    order = np.empty(n, dtype=np.int32)
    # Read-only, as the arrays of models are: one kernel does for all.
    begin, rows, columns = (
        read_only(np.asarray(each).view()) for each in (np.asarray(starts, dtype=np.int32), indptr, indices)
    )
    reached = breadth_first_into(begin, rows, columns, distance, order)
    return distance, order[:reached]


@compiled(work=lambda given: given.distance.size + given.indices.size)
def breadth_first_into(starts: Any, indptr: Any, indices: Any, distance: Any, order: Any) -> int:
    """Fill `distance` and `order`; return how many nodes were reached."""
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
"""The smallest normal double. A possible action never gets probability 0, however rare it is: support decides
what rules a goal out, so rounding a rare action to 0 would change answers, not only digits."""


@inner
def scale(exponent_difference: int) -> float:
    """Return ``BASE ** exponent_difference`` for differences of 0 or less (0.0 where it underflows)."""
    if exponent_difference == 0:
        return 1.0
    if exponent_difference < -3:
        return 0.0
    return float(BASE**exponent_difference)


@inner
def add_count(mantissa: Any, exponent: Any, t: int, s: int) -> None:
    """Add the count of `s` to the count of `t`."""
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
    """List for each state the states one action away from it, by counting sort; self-loops are left out."""
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
def _list_edges(successor: Any, place: Any, indices: Any) -> None:
    n_states, n_actions = successor.shape
    for s in range(n_states):
        for a in range(n_actions):
            t = successor[s, a]
            if t >= 0 and t != s:
                indices[place[t]] = s
                place[t] += 1


@compiled(work=lambda given: 2 * given.successor.size)
def count_plans(
    order: IntArray, reached: int, distance: IntArray, successor: IntArray, mantissa: FloatArray, exponent: IntArray
) -> None:
    """Count the optimal plans from each reached state: ``N(s) = sum of N(s') over optimal actions``."""
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
    """Write the UROP, ``pi(s, a) = N(s') / N(s)`` over optimal actions, into `table`; STAY at the goal."""
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
