"""Compiled loops of the planner: which questions are put on the menu of a state.

Proposals (`askwise.planning.search.proposals`) are ranked by their merit, the regret of asking once and settling then.
Where there is time for it, goals that it helps most to know of alone are proposed too, and the best proposals are
improved goal by goal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, int64
from askwise.planning.search.proposals import BY_WEIGHT, CHOSEN, ORDER, by_weight, offer, offer_these, propose
from askwise.planning.search.sets import add_up, clear, common, copy_set, flip, has, size_of, without
from askwise.planning.search.silence import silent
from askwise.planning.search.steps import ROUNDING
from askwise.planning.search.workspace import POOL_SIZE, Prices

STARTS = 4
"""Proposals that are improved."""
DEAREST = 9
"""Single goals that are put together, those about which it is best to ask alone."""
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
    row, merit = ws.rows.stack + level, ws.merits[0]
    weight = add_up(ws.sets, row, ws.world.weight, w)
    n = propose(ws, groups, row, w, place, load)
    _weigh_up(ws, limits, level, w, place, load, weight, int64(0), n)
    if n > 0 and menu == 0 and limits.climbs > 0:
        grown = _offer_dearest(ws, limits, level, w, place, load, weight, n)
        _weigh_up(ws, limits, level, w, place, load, weight, n, grown)
        n = _climb(ws, limits, level, w, place, load, weight, grown)
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
def _ask_then_settle(
    ws: Any, level: int, w: int, place: int, load: int, question: int, weight: float, limit: float
) -> float:
    """Return the regret of one question now, about the set in row `question`, and settling then.

    It is ``inf`` where that is not below `limit`. The smaller side takes less work, so it comes first.
    """
    row = ws.rows.stack + level
    outside = without(ws.sets, row, question, row + 1)
    inside = common(ws.sets, row, question, row + 1)
    total = weight * price(ws.prices, ws.sets, row, question, inside, outside)
    for side in range(2):
        if (side == 0) == (inside <= outside):
            size = common(ws.sets, row, question, row + 1)
        else:
            size = without(ws.sets, row, question, row + 1)
        left = limit - total
        value = silent(ws, level + 1, w, place, load, True, left) if size > 1 and left > 0.0 else 0.0
        if value >= left:
            return np.inf
        total += value
    return float(total)


@inner
def _weigh_up(
    ws: Any, limits: Any, level: int, w: int, place: int, load: int, weight: float, first: int, last: int
) -> None:
    """Write the merit of some proposals, ``inf`` for those that are not among the best so far.

    Where the budget is used up it is ``inf`` as well, but for the very first.
    """
    merit = ws.merits[0]
    for i in range(first, last):
        limit = _best_so_far(merit, i, limits.kept)
        merit[i] = np.inf
        if i == 0 or ws.counts[0].worked <= limits.budget:
            merit[i] = _ask_then_settle(ws, level, w, place, load, ws.rows.pool + i, weight, limit)


@inner
def _best_so_far(numbers: Any, n: int, place: int) -> float:
    """Return the number that takes a `place` (1 for the smallest) among the first `n`; inf if they are too few."""
    least, found = -np.inf, 0
    while found < place:
        best, times = np.inf, 0
        for i in range(n):
            if least < numbers[i] < best:
                best, times = numbers[i], 0
            times += numbers[i] == best
        if best == np.inf:
            return np.inf
        least, found = best, found + times
    return float(least)


@inner
def _offer_dearest(ws: Any, limits: Any, level: int, w: int, place: int, load: int, weight: float, n: int) -> int:
    """Offer the goals about which it is best to ask alone: the first of them, and several together."""
    row, spare, alone = ws.rows.stack + level, ws.rows.spare, ws.merits[1]
    goals, order, best = ws.lists[BY_WEIGHT, : by_weight(ws, row, w)], ws.lists[ORDER], ws.lists[CHOSEN]
    for i in range(goals.size):
        limit = _best_so_far(alone, i, DEAREST)
        alone[i] = np.inf
        if ws.counts[0].worked <= limits.budget // 2:
            clear(ws.sets, spare)
            flip(ws.sets, spare, goals[i])
            alone[i] = _ask_then_settle(ws, level, w, place, load, spare, weight, limit)
    _ascending(alone, goals.size, order)
    for i in range(goals.size):
        best[i] = goals[order[i]]
    for size in (1, 2, 3, 4, 6, DEAREST):
        if size < goals.size and alone[order[size - 1]] < np.inf:
            n = offer_these(ws, row, best, int64(0), size, n)
    return n


@inner
def _climb(ws: Any, limits: Any, level: int, w: int, place: int, load: int, weight: float, n: int) -> int:
    """Improve the best proposals by moving single goals across, the best move of each round; add what is reached."""
    row, pool, spare, merit = ws.rows.stack + level, ws.rows.pool, ws.rows.spare, ws.merits[0]
    goals, order = ws.lists[BY_WEIGHT, : by_weight(ws, row, w)], ws.lists[ORDER]
    _ascending(merit, n, order)
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
def _ascending(numbers: Any, n: int, order: Any) -> None:
    """Write the places of the first `n` numbers into `order`, the smallest first, equals in their order.

    They are few enough for sorting by insertion; the usual sorting takes 1.5 s to compile.
    """
    for i in range(n):
        j = i
        while j > 0 and numbers[order[j - 1]] > numbers[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i


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
            value = _ask_then_settle(ws, level, w, place, load, spare, weight, lowest)
            if value < lowest:
                moved, lowest = g, value
        flip(sets, spare, g)
    return moved, lowest
