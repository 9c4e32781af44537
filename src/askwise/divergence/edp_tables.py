"""The expected divergence point (EDP) of all pairs of goals in deterministic models, with two methods.

EDP is the expected and WCD the latest step at which goal `i` is ruled out while the agent pursues goal `j`. The agent
draws one of all shortest plans for `j` uniformly.

**Grids without walls: closed form**, for EDP and WCD. Seen from a state, goal `j` is `p` columns and `q` rows away. The
first `a` of these columns and the first `b` of these rows also lead towards goal `i`. So `i` is ruled out once more
than `a` columns or `b` rows are crossed. The next step crosses a column with probability ``p / (p + q)``, and a row if
not. With ``[x]`` as 1 if `x` is true and 0 if not, EDP is::

    F(p, q, a, b) = 1 + [a > 0] p/(p+q) F(p-1, q, a-1, b) + [b > 0] q/(p+q) F(p, q-1, a, b-1)

WCD is ``1 + a + b``. As ``a <= p`` and ``b <= q``, the table has the row ``p (p + 1) / 2 + a`` and the column
``q (q + 1) / 2 + b``.

**Other deterministic models: one pass** for each pursued goal, for EDP at all states, nearest to goal `j` first. With
``s'`` as the state after action `c`::

    V_j[s, i] = 1 + sum over actions c optimal for j of pi_j(s, c) * [c optimal for i] * V_j[s', i]
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from askwise._compiled import compiled, inner
from askwise.model import GridWorld, Model
from askwise.model.graph import SMALLEST, breadth_first_into, count_plans, scale
from askwise.types import FloatArray, IntArray

TABLE_LIMIT = 8_000_000
"""Limit on the entries of the table (64 MB, a grid of 75 x 75)."""

# -- grids without walls: closed form ------------------------------------------------------------------------------


def has_closed_form(grid: GridWorld) -> bool:
    """Return whether `closed_form` suits a grid.

    It does if the grid has no walls, and the table has at most `TABLE_LIMIT` entries.
    """
    width, height = grid.width, grid.height
    return grid.open and (width * (width + 1) // 2) * (height * (height + 1) // 2) <= TABLE_LIMIT


@lru_cache(maxsize=8)
def closed_form(width: int, height: int) -> FloatArray:
    """Return the table of EDP on a grid without walls, ``float64 [width (width + 1) / 2, height (height + 1) / 2]``.

    EDP is the expected step at which a goal is ruled out while another is pursued. Entry
    ``[p (p + 1) / 2 + a, q (q + 1) / 2 + b]`` is for a pursued goal `p` columns and `q` rows away, of which `a` and `b`
    also lead towards the other goal.
    """
    table = np.empty((width * (width + 1) // 2, height * (height + 1) // 2))
    _fill(table, width, height)
    table.setflags(write=False)
    return table


def closed_form_at(
    table: FloatArray, x: int, y: int, goal_x: IntArray, goal_y: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return EDP and WCD at cell ``(x, y)``, each ``float64 [n_goals (ruled out), n_goals (pursued)]``.

    EDP is the expected step at which one goal is ruled out while another is pursued, WCD the latest such step. `table`
    is from `closed_form`. `goal_x` and `goal_y`, ``int32 [n_goals]``, are the columns and rows of the goals.
    """
    n = goal_x.size
    edp, wcd = np.empty((n, n)), np.empty((n, n))
    _at(table, x, y, goal_x, goal_y, edp, wcd)
    return edp, wcd


def closed_form_everywhere(
    table: FloatArray, width: int, height: int, goal_x: IntArray, goal_y: IntArray
) -> FloatArray:
    """Return EDP at every cell, ``float64 [width * height, n_goals (ruled out), n_goals (pursued)]``, cells row by row.

    EDP is the expected step at which one goal is ruled out while another is pursued. `table` is from `closed_form`.
    `goal_x` and `goal_y`, ``int32 [n_goals]``, are the columns and rows of the goals.
    """
    n = goal_x.size
    edp = np.empty((width * height, n * n))
    _everywhere(table, _table_index(width, goal_x), _table_index(height, goal_y), edp)
    same = (goal_x[:, None] == goal_x) & (goal_y[:, None] == goal_y)
    edp[:, same.ravel()] = np.inf
    return edp.reshape(width * height, n, n)


@compiled
def _table_index(side: int, goals: IntArray) -> IntArray:
    """Return the indices along one axis of the `closed_form` table for all pairs of goals.

    The result is ``int32 [side, n_goals ** 2]`` on an axis of `side` cells. Entry ``[x, i * n_goals + j]`` is for an
    agent at coordinate `x`, with goal `i` to be ruled out and goal `j` pursued. `goals`, ``int32 [n_goals]``, has the
    goals' coordinates.
    """
    n = goals.size
    index = np.empty((side, n * n), dtype=np.int32)
    for x in range(side):
        for i in range(n):
            for j in range(n):
                p = abs(goals[j] - x)
                index[x, i * n + j] = p * (p + 1) // 2 + _shared(goals[i] - x, goals[j] - x)
    return index


@compiled(work=lambda given: 4 * given.table.size)
def _fill(table: Any, width: int, height: int) -> None:
    for p in range(width):
        for a in range(p + 1):
            for q in range(height):
                for b in range(q + 1):
                    value = 1.0
                    if a > 0:
                        value += p / (p + q) * table[(p - 1) * p // 2 + a - 1, q * (q + 1) // 2 + b]
                    if b > 0:
                        value += q / (p + q) * table[p * (p + 1) // 2 + a, (q - 1) * q // 2 + b - 1]
                    table[p * (p + 1) // 2 + a, q * (q + 1) // 2 + b] = value


@inner
def _shared(to_i: int, to_j: int) -> int:
    """Return the number of steps along one axis that lead towards both goals.

    Args:
        to_i: signed distance to one goal along this axis.
        to_j: signed distance to the other goal.
    """
    if to_i > 0 and to_j > 0:
        return min(to_i, to_j)
    if to_i < 0 and to_j < 0:
        return min(-to_i, -to_j)
    return 0


@compiled(work=lambda given: 2 * given.edp.size)
def _at(table: Any, x: int, y: int, goal_x: Any, goal_y: Any, edp: Any, wcd: Any) -> None:
    n = goal_x.size
    for i in range(n):
        xi = goal_x[i] - x
        yi = goal_y[i] - y
        for j in range(n):
            xj = goal_x[j] - x
            yj = goal_y[j] - y
            if xi == xj and yi == yj:
                edp[i, j] = np.inf
                wcd[i, j] = np.inf
                continue
            a = _shared(xi, xj)
            b = _shared(yi, yj)
            p = abs(xj)
            q = abs(yj)
            edp[i, j] = table[p * (p + 1) // 2 + a, q * (q + 1) // 2 + b]
            wcd[i, j] = 1.0 + a + b


@compiled
def _everywhere(table: Any, row: Any, column: Any, edp: Any) -> None:
    """Fill `edp` with the EDP of every pair of goals at every cell, looked up in `table` (`closed_form`).

    `row`, ``int32 [width, n_pairs]``, is the table's row for each column of the grid; `column`,
    ``int32 [height, n_pairs]``, is the table's column for each row. `edp` is ``float64 [width * height, n_pairs]``,
    cells row by row.
    """
    flat = table.ravel()
    across = table.shape[1]
    width, pairs = row.shape
    for y in range(column.shape[0]):
        for x in range(width):
            for k in range(pairs):
                edp[y * width + x, k] = flat[row[x, k] * across + column[y, k]]


# -- other models: one pass for each goal --------------------------------------------------------------------------


def all_pairs(model: Model, targets: IntArray, starts: IntArray) -> FloatArray:
    """Return EDP of all pairs of goals at all states, ``float64 [n_goals (pursued), n_states, n_goals (ruled out)]``.

    EDP is the expected step at which one goal is ruled out while another is pursued. It is ``nan`` where the pursued
    goal cannot be reached, and ``inf`` where the other may never be ruled out.

    Args:
        model: a deterministic model.
        targets: ``int32``, target states, goal after goal.
        starts: ``int32 [n_goals + 1]``; goal g has ``targets[starts[g]:starts[g + 1]]``.
    """
    n_goals = starts.size - 1
    table = np.empty((n_goals, model.n_states, n_goals))
    _all_pairs(model.successor, *model.predecessors, targets, starts, model.stay, table)
    return table


def all_pairs_scratch(model: Model, n_goals: int) -> int:
    """Return the number of bytes of memory that `all_pairs` takes for temporary arrays, in addition to its result."""
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
    """Set ``optimal[s, a, j]`` to 1 for each action `a` that is optimal for goal `j` in a state `s`.

    `optimal` is ``uint8 [n_states, n_actions, n_goals]``. `order`, ``int32``, has the states that can reach the goal,
    `distance`, ``int32 [n_states]``, the steps to it, and `successor`, ``int32 [n_states, n_actions]``, the next
    states, -1 for none. `stay` is the action that stays in place.
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
    """Fill `values` with the expected step (EDP) at which each goal is ruled out while the agent pursues goal `j`.

    `values` is ``float64 [n_states, n_goals (ruled out)]``. Only the rows in `order`, ``int32``, are filled: the states
    that can reach goal `j`, nearest first. `distance`, ``int32 [n_states]``, has the steps to the goal.
    ``mantissa * 2.0 ** (256 * exponent)``, ``float64`` and ``int32 [n_states]``, is the number of shortest plans from
    each state. `successor`, ``int32 [n_states, n_actions]``, has the next states, -1 for none; `stay` is the action
    that stays in place. `optimal`, ``uint8 [n_states, n_actions, n_goals]``, is 1 for optimal actions.
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
