"""Compiled loops of the planner: which questions to consider in a state.

Proposals come from the weights of the goals, from what they ask of the ego agent, and from how much it helps to know of
each alone; the best are improved goal by goal. Their merit is the regret of asking once and then going on in silence
that ends (`silent`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled
from askwise.planning.planner_kernels import (
    BARE,
    GOALS,
    HELD,
    LISTS,
    MOVES,
    NEXT,
    PLACE,
    POOL,
    ROUNDING,
    STACK,
    STEPS,
    WORDS,
    WORKED,
    common,
    flip,
    has,
    list_goals,
    size_of,
    weigh,
    without,
)
from askwise.planning.planner_silence import silent

POOL_SIZE = 64
"""Most questions that are proposed at a time; two more rows are room to work in."""


STARTS = 4
"""Proposals that are improved."""
MOST_PLACES = 6
"""Places of tools that are put together two by two."""


class Rules(NamedTuple):
    """What questions cost, and how far to look."""

    base: float
    per_goal: float
    questions: int
    kept: int
    depth: int
    breadth: int
    inner: int
    climbs: int
    exact: int
    budget: int


@compiled
def price(rules: Any, asked: int, allowed: int) -> float:
    """Return what a question costs that tells `asked` goals from the rest: the smaller side is asked about."""
    return float(rules.base + rules.per_goal * min(asked, allowed - asked))


# -- candidates ------------------------------------------------------------------------------------------------------


@compiled
def _offer(desk: Any, row: int, n: int) -> int:
    """Keep proposal `n` if it is neither empty nor everything nor there already; return the new count.

    A set and its complement are the same question; proposals are written with the first goal of `row` outside.
    """
    n_words, pool = desk.shape[WORDS], desk.shape[POOL]
    if n >= POOL_SIZE:
        return n
    list_goals(desk, row, 0)
    turn = has(desk, pool + n, desk.listed[0])
    empty = True
    for k in range(n_words):
        at = (pool + n) * n_words + k
        mask = desk.sets[row * n_words + k]
        word = desk.sets[at] & mask
        if turn:
            word ^= mask
        desk.sets[at] = word
        empty = empty and word == 0
    if empty:
        return n
    for i in range(n):
        same = True
        for k in range(n_words):
            if desk.sets[(pool + i) * n_words + k] != desk.sets[(pool + n) * n_words + k]:
                same = False
                break
        if same:
            return n
    return n + 1


@compiled
def _offer_these(desk: Any, row: int, goals: Any, first: int, last: int, n: int) -> int:
    """Offer the set of ``goals[first:last]``."""
    n_words, pool = desk.shape[WORDS], desk.shape[POOL]
    for k in range(n_words):
        desk.sets[(pool + n) * n_words + k] = 0
    for k in range(first, last):
        flip(desk, pool + n, goals[k])
    return _offer(desk, row, n)


@compiled
def _offer_shares(desk: Any, row: int, w: int, goals: Any, count: int, n: int) -> int:
    """Offer goals, the heaviest first: all of them, and those that make up 80 % and half of their weight."""
    at, total, part = w * desk.shape[GOALS], 0.0, 0.0
    for k in range(count):
        total += desk.weight[at + goals[k]]
    half, most = False, False
    for k in range(count):
        part += desk.weight[at + goals[k]]
        if not half and part >= 0.5 * total:
            half = True
            n = _offer_these(desk, row, goals, 0, k + 1, n)
        if not most and part >= 0.8 * total:
            most = True
            n = _offer_these(desk, row, goals, 0, k + 1, n)
    return _offer_these(desk, row, goals, 0, count, n)


@compiled
def _by_weight(desk: Any, row: int, w: int) -> Any:
    """Return the goals of a set, the heaviest first, equals by number."""
    count = list_goals(desk, row, 0)
    goals = desk.listed[:count].copy()
    at = w * desk.shape[GOALS]
    for i in range(1, count):
        g = goals[i]
        j = i - 1
        while j >= 0 and desk.weight[at + goals[j]] < desk.weight[at + g]:
            goals[j + 1] = goals[j]
            j -= 1
        goals[j + 1] = g
    return goals


@compiled
def _offer_likeliest(desk: Any, row: int, w: int, goals: Any, n: int) -> int:
    """Offer the likeliest goals: few, about as many as make up half of the weight, and some of them alone."""
    count, total, at = goals.size, weigh(desk, row, w), w * desk.shape[GOALS]
    part, middle = 0.0, 0
    while part < 0.5 * total and middle < count:
        part += desk.weight[at + goals[middle]]
        middle += 1
    for size in (1, 2, 3, 4, 6, 9, middle - 1, middle, middle + 1, middle // 2, count // 4):
        if 0 < size < count:
            n = _offer_these(desk, row, goals, 0, size, n)
    for k in range(1, min(4, count)):
        n = _offer_these(desk, row, goals, k, k + 1, n)
    return n


@compiled
def _offer_by_place(desk: Any, row: int, w: int, goals: Any, n: int) -> int:
    """Offer goals whose tools lie together."""
    chosen = np.empty(goals.size, dtype=np.int64)
    done = np.zeros(goals.size, dtype=np.bool_)
    for i in range(goals.size):
        place = desk.world[desk.shape[PLACE] + goals[i]]
        if done[i] or place < 0:
            continue
        size = 0
        for j in range(i, goals.size):
            if desk.world[desk.shape[PLACE] + goals[j]] == place:
                done[j] = True
                chosen[size] = goals[j]
                size += 1
        n = _offer_shares(desk, row, w, chosen, size, n)
    return n


@compiled
def _offer_two_places(desk: Any, row: int, goals: Any, n: int) -> int:
    """Offer the goals whose tools lie in one of two places, for the places that come first by their likeliest goal."""
    places = np.empty(MOST_PLACES, dtype=np.int64)
    found = 0
    for g in goals:
        place = np.int64(desk.world[desk.shape[PLACE] + g])
        known = place < 0
        for k in range(found):
            known = known or places[k] == place
        if not known and found < MOST_PLACES:
            places[found] = place
            found += 1
    chosen = np.empty(goals.size, dtype=np.int64)
    for i in range(found):
        for j in range(i):
            size = 0
            for g in goals:
                place = desk.world[desk.shape[PLACE] + g]
                if place == places[i] or place == places[j]:
                    chosen[size] = g
                    size += 1
            n = _offer_these(desk, row, chosen, 0, size, n)
    return n


@compiled
def _offer_by_move(desk: Any, row: int, w: int, pos: int, tool: int, goals: Any, n: int) -> int:
    """Offer, for each move, the goals that it costs nothing."""
    shape, world = desk.shape, desk.world
    chosen = np.empty(goals.size, dtype=np.int64)
    for a in range(shape[MOVES]):
        t = np.int64(world[shape[NEXT] + pos * shape[MOVES] + a])
        size = 0
        for g in goals if t >= 0 else goals[:0]:
            d = world[shape[STEPS] + w * shape[GOALS] + g]
            steps = shape[HELD] if g == tool else shape[BARE]
            if max(d, world[steps + t * shape[GOALS] + g]) < max(d + 1, world[steps + pos * shape[GOALS] + g]):
                chosen[size] = g
                size += 1
        if 0 < size < goals.size:
            n = _offer_shares(desk, row, w, chosen, size, n)
    return n


@compiled
def propose(desk: Any, row: int, w: int, pos: int, tool: int) -> int:
    """Write questions worth a look into the pool; return their number."""
    goals = _by_weight(desk, row, w)
    n = _offer_likeliest(desk, row, w, goals, 0)
    n = _offer_by_place(desk, row, w, goals, n)
    n = _offer_by_move(desk, row, w, pos, tool, goals, n)
    return _offer_two_places(desk, row, goals, n)


@compiled
def ask_then_settle(desk: Any, rules: Any, level: int, w: int, pos: int, tool: int, asked: int, weight: float) -> float:
    """Return the regret of one question now, about the set in row `asked`, and then silence that ends."""
    row = desk.shape[STACK] + level
    inside = common(desk, row, asked, row + 1)
    total = 0.0
    if inside > 1:
        total += silent(desk, level + 1, w, pos, tool, True)
    outside = without(desk, row, asked, row + 1)
    if outside > 1:
        total += silent(desk, level + 1, w, pos, tool, True)
    return total + weight * price(rules, inside, inside + outside)


@compiled
def _weigh_up(
    desk: Any, rules: Any, level: int, w: int, pos: int, tool: int, weight: float, merit: Any, first: int, last: int
) -> None:
    """Write the merit of some proposals; ``inf`` stays where the budget is used up, but for the very first."""
    for i in range(first, last):
        if i == 0 or desk.counts[WORKED] <= rules.budget:
            merit[i] = ask_then_settle(desk, rules, level, w, pos, tool, desk.shape[POOL] + i, weight)


@compiled
def _offer_dearest(desk: Any, rules: Any, level: int, w: int, pos: int, tool: int, weight: float, n: int) -> int:
    """Offer the goals about which it is best to ask alone: the first of them, and several together."""
    row, n_words, spare = desk.shape[STACK] + level, desk.shape[WORDS], desk.shape[POOL] + POOL_SIZE
    goals = _by_weight(desk, row, w)
    alone = np.full(goals.size, np.inf)
    for i in range(goals.size):
        if desk.counts[WORKED] > rules.budget // 2:
            break
        for k in range(n_words):
            desk.sets[spare * n_words + k] = 0
        flip(desk, spare, goals[i])
        alone[i] = ask_then_settle(desk, rules, level, w, pos, tool, spare, weight)
    order = np.argsort(alone, kind="mergesort")
    best = np.empty(goals.size, dtype=np.int64)
    for i in range(goals.size):
        best[i] = goals[order[i]]
    for size in (1, 2, 3, 4, 6, 9):
        if size < goals.size and alone[order[size - 1]] < np.inf:
            n = _offer_these(desk, row, best, 0, size, n)
    return n


@compiled
def choose(desk: Any, rules: Any, level: int, w: int, pos: int, tool: int, number: int) -> None:
    """Choose the questions of list `number` for the goals of row `level`: those of the best merit."""
    row, pool, n_words = desk.shape[STACK] + level, desk.shape[POOL], desk.shape[WORDS]
    weight = weigh(desk, row, w)
    n = propose(desk, row, w, pos, tool)
    merit = np.full(POOL_SIZE + 1, np.inf)
    _weigh_up(desk, rules, level, w, pos, tool, weight, merit, 0, n)
    if n > 0 and number == 0 and rules.climbs > 0:
        grown = _offer_dearest(desk, rules, level, w, pos, tool, weight, n)
        _weigh_up(desk, rules, level, w, pos, tool, weight, merit, n, grown)
        n = _climb(desk, rules, level, w, pos, tool, weight, merit, grown)
    length = 0
    while length < min(rules.kept, n):
        best = 0
        for i in range(1, n):
            if merit[i] < merit[best] - ROUNDING * weight:
                best = i
        if merit[best] == np.inf:
            break
        target = desk.shape[LISTS] + number * rules.kept + length
        for k in range(n_words):
            desk.sets[target * n_words + k] = desk.sets[(pool + best) * n_words + k]
        merit[best] = np.inf
        length += 1
    desk.lengths[number] = length


@compiled
def _best_flip(
    desk: Any, rules: Any, level: int, w: int, pos: int, tool: int, weight: float, goals: Any, reached: float
) -> tuple[Any, float]:
    """Return the goal to move across in the spare row and what that reaches, -1 if no move is better."""
    spare = desk.shape[POOL] + POOL_SIZE
    moved, lowest = np.int64(-1), reached - ROUNDING * weight
    for g in goals:
        if desk.weight[w * desk.shape[GOALS] + g] < 0.01 * weight or desk.counts[WORKED] > rules.budget:
            break
        flip(desk, spare, g)
        if 0 < size_of(desk, spare) < goals.size:
            value = ask_then_settle(desk, rules, level, w, pos, tool, spare, weight)
            if value < lowest:
                moved, lowest = g, value
        flip(desk, spare, g)
    return moved, lowest


@compiled
def _climb(desk: Any, rules: Any, level: int, w: int, pos: int, tool: int, weight: float, merit: Any, n: int) -> int:
    """Improve the best proposals by moving single goals across, the best move of each round; add what is reached."""
    row, pool, n_words = desk.shape[STACK] + level, desk.shape[POOL], desk.shape[WORDS]
    goals = _by_weight(desk, row, w)
    starts = np.argsort(merit[:n], kind="mergesort")[:STARTS]
    spare = pool + POOL_SIZE
    for start in starts:
        if n >= POOL_SIZE or desk.counts[WORKED] > rules.budget // 2:
            break
        reached = merit[start]
        for k in range(n_words):
            desk.sets[spare * n_words + k] = desk.sets[(pool + start) * n_words + k]
        for _ in range(rules.climbs):
            moved, lowest = _best_flip(desk, rules, level, w, pos, tool, weight, goals, reached)
            if moved < 0:
                break
            flip(desk, spare, moved)
            reached = lowest
        for k in range(n_words):
            desk.sets[(pool + n) * n_words + k] = desk.sets[spare * n_words + k]
        merit[n] = reached
        n = _offer(desk, row, n)
    return n
