"""Compiled loops of the planner: what it costs to go on without questions, to the end or until settling is cheaper."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner
from askwise.planning.search.memory import SETTLING, SILENT, UNKNOWN, Memory, keep, recall
from askwise.planning.search.sets import common, list_goals, useful
from askwise.planning.search.steps import ROUNDING, after, best_action, count_actions, score_actions
from askwise.planning.search.workspace import Prices, World


@inner
def silent(ws: Any, base: int, w: Any, place: int, load: int, settles: bool, limit: float) -> float:
    """Return the regret of going on without any question, always by the action of least regret.

    If it `settles`, the goal is found out at once wherever that is cheaper than going on (`finding_out`): a plan that
    is worked out as fast as silence, and comes much closer to what good plans cost. The goals are those of level `base`
    of the stack; all of them are alive at `w`, and there are at least two. On large maps silence takes long to be
    followed to its end; when ``counts.silence`` states have been looked at, what is left is valued by `finding_out`,
    and nothing that depends on it is remembered.

    A regret that is not below `limit` is of no use to the caller: then some number not below it is returned. Regrets
    only ever add up, so that a state is left as soon as its sum reaches its limit, or what finding out costs.
    """
    world, prices, sets, memory, frames = ws.world, ws.prices, ws.sets, ws.memory, ws.frames
    ranked, scored, counts, rows = ws.ranked, ws.scored, ws.counts[0], ws.rows.stack
    following, tag = world.following, SETTLING if settles else SILENT
    load = useful(sets, rows + base, load)
    value = recall(memory, sets, rows + base, w, place, load, tag, limit)
    if value != UNKNOWN:
        return value
    if counts.worked >= counts.silence:
        return finding_out(world.weight, prices, sets, ranked, rows + base, w)
    level = base
    counts.worked += 1
    _begin(world, sets, ranked, scored, frames[level], rows + level, w, place, load, limit)
    while True:
        frame = frames[level]
        if settles and frame.cap == np.inf and frame.sum > prices.cheapest * frame.weight:
            frame.cap = finding_out(world.weight, prices, sets, ranked, rows + level, frame.w)
        t = next_state(following, frame)
        if t < 0 or frame.sum >= min(frame.cap, frame.limit):
            total, exact = _leave(memory, sets, rows + level, frame, tag, counts.worked < counts.silence)
            if level == base:
                return float(total)
            level -= 1
            _add(frames[level], total, exact)
            continue
        frame.child += 1
        if common(sets, rows + level, t, rows + level + 1) < 2:
            continue
        there, hand = frame.next_place, useful(sets, rows + level + 1, frame.next_load)
        left = min(frame.cap, frame.limit) - frame.sum
        value = recall(memory, sets, rows + level + 1, t, there, hand, tag, left)
        if value != UNKNOWN:
            _add(frame, value, value < left)
        elif counts.worked >= counts.silence:
            frame.sum += finding_out(world.weight, prices, sets, ranked, rows + level + 1, t)
        else:
            level += 1
            counts.worked += 1
            _begin(world, sets, ranked, scored, frames[level], rows + level, t, there, hand, left)


@inner
def _leave(memory: Memory, sets: Any, row: int, frame: Any, tag: int, remembers: bool) -> tuple[float, bool]:
    """Return what a state costs when it is left, and whether that is its value: else it is at least so much."""
    total = min(frame.sum, frame.cap)
    exact = total < frame.limit or frame.sum >= frame.cap
    if remembers:
        keep(memory, sets, row, frame.w, frame.place, frame.load, tag, total if exact else -total)
    return total, exact


@inner
def _add(frame: Any, value: float, exact: bool) -> None:
    """Add what a next state costs, or at least costs; then this one is done with, which rounding must not hide."""
    frame.sum += value
    if not exact:
        frame.sum = max(frame.sum, min(frame.cap, frame.limit))


@inner
def next_state(following: Any, frame: Any) -> Any:
    """Return the teammate's next state that a state on the stack has not looked at yet, -1 if there is none."""
    if frame.child < following.shape[1]:
        return np.int64(following[frame.w, frame.child])
    return np.int64(-1)


@inner
def _begin(
    world: World, sets: Any, ranked: Any, scored: Any, frame: Any, row: int, w: Any, place: int, load: int, limit: float
) -> None:
    """Put a state on the stack and take the action of least regret in it."""
    weight = score_actions(world, sets, ranked, scored, row, w, place, load)
    action = best_action(scored, count_actions(world, place), weight)
    frame.w, frame.place, frame.load, frame.child = w, place, load, 0
    frame.next_place, frame.next_load = after(world, place, load, action)
    frame.weight, frame.limit, frame.cap = weight, limit, np.inf
    regret = scored[action].regret
    frame.sum = regret if regret > ROUNDING * weight else 0.0


# -- settling ----------------------------------------------------------------------------------------------------


@inner
def finding_out(weight: Any, prices: Prices, sets: Any, ranked: Any, row: int, w: Any) -> float:
    """Return what it costs to find out the goal by questions at once, times the weight of the set.

    The goals are sorted by their weight, and the list is cut in two again and again (`_cut`).
    """
    n = _rank(weight, sets, ranked, row, w)
    if prices.uniform and n < 4:  # one goal at a time, the likeliest first
        rest = ranked[n - 2].odds + ranked[n - 1].odds
        return float((prices.base + prices.per_goal) * (rest if n == 2 else ranked[0].odds + 2 * rest))
    if not prices.uniform:
        for k in range(n):
            ranked[k].extra = prices.extra[ranked[k].goal]
    return cutting(prices, ranked, n)


@inner
def cutting(prices: Prices, ranked: Any, n: int) -> float:
    """Return what it costs to cut a list of `n` goals, sorted by their weight, in two again and again."""
    total, first, depth = 0.0, np.int64(0), 0
    ranked[0].end = n
    while depth >= 0:
        last = ranked[depth].end
        if last - first < 2:
            first = last
            depth -= 1
            continue
        cut, paid = _cut(ranked, first, last, prices.base, prices.per_goal, prices.uniform)
        total += paid
        depth += 1
        ranked[depth].end = cut
    return total


@inner
def _rank(weight: Any, sets: Any, ranked: Any, row: int, w: Any) -> int:
    """List the goals of a set, the heaviest first, with their weights; return their number."""
    n = list_goals(sets, row, ranked)
    for i in range(n):
        goal = ranked[i].goal
        odds, j = weight[w, goal], i
        while j > 0 and ranked[j - 1].odds < odds:
            ranked[j].odds, ranked[j].goal = ranked[j - 1].odds, ranked[j - 1].goal
            j -= 1
        ranked[j].odds, ranked[j].goal = odds, goal
    return n


@inner
def _cut(ranked: Any, first: Any, last: Any, base: float, per_goal: float, uniform: bool) -> tuple[Any, float]:
    """Return where to cut ``ranked[first:last]`` in two, and the price of the question times their weight.

    Of all cuts it is the one that tells most for its price, ``p (1 - p) / price`` for parts of shares p and 1 - p.
    """
    whole, extra = 0.0, 0.0
    for k in range(first, last):
        whole += ranked[k].odds
        if not uniform:
            extra += ranked[k].extra
    part, part_extra = 0.0, 0.0
    best, paid, cut = -1.0, 1.0, np.int64(first + 1)
    for k in range(first, last - 1):
        part += ranked[k].odds
        size = k + 1 - first
        named, others = per_goal * size, per_goal * (last - first - size)
        if not uniform:
            part_extra += ranked[k].extra
            named, others = named + part_extra, others + (extra - part_extra)
        price = base + min(named, others)
        told = part * (whole - part)
        if told * paid > best * price * (1 + ROUNDING):  # without a division: questions may cost nothing
            best, paid, cut = told, price, np.int64(k + 1)
    return cut, paid * whole
