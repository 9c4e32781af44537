"""EDP and WCD on grids without walls, in closed form.

Seen from a state, goal `j` is `p` columns and `q` rows away. Goal `i` shares the first `a` of these columns and
`b` of these rows (0 where it lies on the other side). Both goals stay possible while the steps taken stay
within `a` and `b`, and the UROP of `j` moves along the row with probability ``p / (p + q)``, so

    F(p, q, a, b) = 1 + [a > 0] p/(p+q) F(p-1, q, a-1, b) + [b > 0] q/(p+q) F(p, q-1, a, b-1)

is the expected divergence point; the worst case is ``1 + a + b``. The table of F depends on the size of the
grid only: 44,100 numbers serve every 20 x 20 instance. Only ``a <= p`` and ``b <= q`` occur, so each pair
``(p, a)`` is stored at ``p (p + 1) / 2 + a``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from askwise._compiled import compiled, inner
from askwise.model import GridWorld
from askwise.types import FloatArray, IntArray

TABLE_LIMIT = 8_000_000
"""Limit on the entries of the table (64 MB, a grid of 75 x 75)."""


def applies(grid: GridWorld) -> bool:
    """Return whether the closed form can be used: no walls, and a table of at most `TABLE_LIMIT` entries."""
    width, height = grid.width, grid.height
    return grid.open and (width * (width + 1) // 2) * (height * (height + 1) // 2) <= TABLE_LIMIT


@lru_cache(maxsize=8)
def closed_form(width: int, height: int) -> FloatArray:
    """Return the table of EDP on an open grid, ``float64 [width (width + 1) / 2, height (height + 1) / 2]``.

    Entry ``[p (p + 1) / 2 + a, q (q + 1) / 2 + b]`` is the EDP if the pursued goal is `p` columns and `q` rows away,
    and the first `a` of these columns and `b` of these rows also lead towards the goal to be ruled out.
    """
    table = np.empty((width * (width + 1) // 2, height * (height + 1) // 2))
    _fill(table, width, height)
    table.setflags(write=False)
    return table


def matrices_at(table: FloatArray, x: int, y: int, goal_x: IntArray, goal_y: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return EDP and WCD at cell ``(x, y)``, each ``float64 [n_goals (ruled out), n_goals (pursued)]``.

    Args:
        table: the table that `closed_form` returns for this grid.
        x: column of the cell.
        y: row of the cell.
        goal_x: ``int32 [n_goals]``, columns of the goals.
        goal_y: ``int32 [n_goals]``, rows of the goals.
    """
    n = goal_x.size
    edp, wcd = np.empty((n, n)), np.empty((n, n))
    _at(table, x, y, goal_x, goal_y, edp, wcd)
    return edp, wcd


def whole_table(table: FloatArray, width: int, height: int, goal_x: IntArray, goal_y: IntArray) -> FloatArray:
    """Return EDP at every cell, ``float64 [width * height, n_goals (ruled out), n_goals (pursued)]``, cells row by row.

    Args:
        table: the table that `closed_form` returns for this grid.
        width: number of columns of the grid.
        height: number of rows of the grid.
        goal_x: ``int32 [n_goals]``, columns of the goals.
        goal_y: ``int32 [n_goals]``, rows of the goals.
    """
    n = goal_x.size
    edp = np.empty((width * height, n * n))
    _everywhere(table, _table_index(width, goal_x), _table_index(height, goal_y), edp)
    same = (goal_x[:, None] == goal_x) & (goal_y[:, None] == goal_y)
    edp[:, same.ravel()] = np.inf
    return edp.reshape(width * height, n, n)


@compiled
def _table_index(side: int, goals: IntArray) -> IntArray:
    """Return where to look up each pair of goals along one axis of the table of EDP, ``int32 [side, n_goals ** 2]``.

    Args:
        side: number of columns (or rows) of the grid; the first axis of the result is the agent's column (or row).
        goals: ``int32 [n_goals]``, the columns (or rows) of the goals. Pair ``i * n_goals + j`` is ruling out goal i
            while j is pursued.
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
    """Fill a table with EDP of every pair of goals at every cell, looked up in the table of the closed form.

    Args:
        table: the table that `closed_form` returns.
        row: ``int32 [width, n_pairs]``, for each column of the grid, the row of the table for each pair.
        column: ``int32 [height, n_pairs]``, for each row of the grid, the column of the table for each pair.
        edp: ``float64 [width * height, n_pairs]``, the table to fill, cells row by row.
    """
    flat = table.ravel()
    across = table.shape[1]
    width, pairs = row.shape
    for y in range(column.shape[0]):
        for x in range(width):
            for k in range(pairs):
                edp[y * width + x, k] = flat[row[x, k] * across + column[y, k]]
