"""Compiled loops of the planner: which questions are put on the menu of a state.

Proposals (`askwise.planning.search.proposals`) are ranked by their merit, the regret of asking once and settling then.
Where there is time for it, goals that it helps most to know of alone are proposed too, and the best proposals are
improved goal by goal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, int64
from askwise.planning.search.proposals import by_weight, offer, offer_these, propose
from askwise.planning.search.sets import add_up, clear, common, copy_set, flip, has, size_of, without
from askwise.planning.search.silence import silent
from askwise.planning.search.steps import ROUNDING
from askwise.planning.search.workspace import POOL_SIZE, Prices

STARTS = 4
"""Proposals that are improved."""
WORTH_MOVING = 0.01
"""Goals of less than this share of the weight are not moved across to improve a question."""


@inner
def price(prices: Prices, sets: Any, row: int, question: int, inside: int, outside: int) -> float:
    """Return the price of telling the goals of `row` that are in `question` from the others: the cheaper side's.

    So many are `inside` and `outside`.
    """
    named, others = prices.per_goal * inside, prices.per_goal * outside
    if not prices.uniform:
        for goal in range(prices.extra.size):
            if has(sets, row, goal):
                if has(sets, question, goal):
                    named += prices.extra[goal]
                else:
                    others += prices.extra[goal]
    return float(prices.base + min(named, others))


@inner
def choose(ws: Any, limits: Any, groups: Any, level: int, w: int, place: int, load: int, menu: int) -> None:
    """Choose the questions of a menu for the goals of `level`: those of the best merit."""
    row = ws.rows.stack + level
    weight = add_up(ws.sets, row, ws.world.weight, w)
    n = propose(ws, groups, row, w, place, load)
    merit = np.full(POOL_SIZE + 1, np.inf)
    _weigh_up(ws, limits, level, w, place, load, weight, merit, int64(0), n)
    if n > 0 and menu == 0 and limits.climbs > 0:
        grown = _offer_dearest(ws, limits, level, w, place, load, weight, n)
        _weigh_up(ws, limits, level, w, place, load, weight, merit, n, grown)
        n = _climb(ws, limits, level, w, place, load, weight, merit, grown)
    length = 0
    while length < min(limits.kept, n):
        best = 0
        for i in range(1, n):
            if merit[i] < merit[best] - ROUNDING * weight:
                best = i
        if merit[best] == np.inf:
            break
        copy_set(ws.sets, ws.rows.pool + best, ws.rows.menus + menu * limits.kept + length)
        merit[best] = np.inf
        length += 1
    ws.lengths[menu] = length


@inner
def _ask_then_settle(ws: Any, level: int, w: int, place: int, load: int, question: int, weight: float) -> float:
    """Return the regret of one question now, about the set in row `question`, and settling then."""
    row, total = ws.rows.stack + level, 0.0
    inside = common(ws.sets, row, question, row + 1)
    if inside > 1:
        total += silent(ws, level + 1, w, place, load, True)
    outside = without(ws.sets, row, question, row + 1)
    if outside > 1:
        total += silent(ws, level + 1, w, place, load, True)
    return total + weight * price(ws.prices, ws.sets, row, question, inside, outside)


@inner
def _weigh_up(
    ws: Any, limits: Any, level: int, w: int, place: int, load: int, weight: float, merit: Any, first: int, last: int
) -> None:
    """Write the merit of some proposals; ``inf`` stays where the budget is used up, but for the very first."""
    for i in range(first, last):
        if i == 0 or ws.counts[0].worked <= limits.budget:
            merit[i] = _ask_then_settle(ws, level, w, place, load, ws.rows.pool + i, weight)


@inner
def _offer_dearest(ws: Any, limits: Any, level: int, w: int, place: int, load: int, weight: float, n: int) -> int:
    """Offer the goals about which it is best to ask alone: the first of them, and several together."""
    row, spare = ws.rows.stack + level, ws.rows.spare
    goals = by_weight(ws, row, w)
    alone = np.full(goals.size, np.inf)
    for i in range(goals.size):
        if ws.counts[0].worked > limits.budget // 2:
            break
        clear(ws.sets, spare)
        flip(ws.sets, spare, goals[i])
        alone[i] = _ask_then_settle(ws, level, w, place, load, spare, weight)
    order = _ascending(alone, goals.size)
    best = np.empty(goals.size, dtype=np.int64)
    for i in range(goals.size):
        best[i] = goals[order[i]]
    for size in (1, 2, 3, 4, 6, 9):
        if size < goals.size and alone[order[size - 1]] < np.inf:
            n = offer_these(ws, row, best, int64(0), size, n)
    return n


@inner
def _climb(ws: Any, limits: Any, level: int, w: int, place: int, load: int, weight: float, merit: Any, n: int) -> int:
    """Improve the best proposals by moving single goals across, the best move of each round; add what is reached."""
    row, pool, spare = ws.rows.stack + level, ws.rows.pool, ws.rows.spare
    goals = by_weight(ws, row, w)
    order = _ascending(merit, n)
    for i in range(min(n, STARTS)):
        start = order[i]
        if n >= POOL_SIZE or ws.counts[0].worked > limits.budget // 2:
            break
        reached = merit[start]
        copy_set(ws.sets, pool + start, spare)
        for _ in range(limits.climbs):
            moved, lowest = _best_flip(ws, limits, level, w, place, load, weight, goals, reached)
            if moved < 0:
                break
            flip(ws.sets, spare, moved)
            reached = lowest
        copy_set(ws.sets, spare, pool + n)
        merit[n] = reached
        n = offer(ws, row, n)
    return n


@inner
def _ascending(numbers: Any, n: int) -> Any:
    """Return the places of the first `n` numbers, the smallest first, equals in their order.

    They are few enough for sorting by insertion; the usual sorting takes 1.5 s to compile.
    """
    order = np.empty(n, dtype=np.int64)
    for i in range(n):
        j = i
        while j > 0 and numbers[order[j - 1]] > numbers[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
    return order


@inner
def _best_flip(
    ws: Any, limits: Any, level: int, w: int, place: int, load: int, weight: float, goals: Any, reached: float
) -> tuple[Any, float]:
    """Return the goal to move across in the spare row and what that reaches, -1 if no move is better."""
    sets, spare = ws.sets, ws.rows.spare
    moved, lowest = np.int64(-1), reached - ROUNDING * weight
    for g in goals:
        if ws.world.weight[w, g] < WORTH_MOVING * weight or ws.counts[0].worked > limits.budget:
            break
        flip(sets, spare, g)
        if 0 < size_of(sets, spare) < goals.size:
            value = _ask_then_settle(ws, level, w, place, load, spare, weight)
            if value < lowest:
                moved, lowest = g, value
        flip(sets, spare, g)
    return moved, lowest
