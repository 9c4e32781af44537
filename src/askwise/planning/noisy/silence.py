"""Compiled loops: what it costs to go on without questions, to the end or until finding out the goal is cheaper.

How dear it is to find out a goal by answers that can be wrong is an estimate: what it costs by answers that are always
true (`askwise.planning.search.silence.finding_out`), times how much more each of those tells (`Replies.settling`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.planning.noisy.beliefs import list_odds, tidy, useful
from askwise.planning.noisy.memory import find, keep
from askwise.planning.noisy.steps import score_actions
from askwise.planning.search.silence import cutting, next_state
from askwise.planning.search.steps import ROUNDING, after, best_action, count_actions
from askwise.planning.search.workspace import Prices

SILENT, SETTLING, WHOLE = 1, 2, 5
"""What a value is of: silence, settling, silence without leaving out any goal; see `askwise.planning.noisy.values` for
others."""


@compiled
def silent(ws: Any, limits: Any, base: int, w: Any, place: int, load: int, settles: bool) -> float:
    """Return the regret of going on without any question, always by the action of least regret.

    The belief is that of level `base` of the stack, tidied; levels above are overwritten. If it `settles`, the goal is
    found out at once wherever that is cheaper. When ``counts.silence`` states have been looked at, what is left is
    valued so in any case, and nothing that depends on it is remembered.
    """
    world, levels, words, memory, frames = ws.world, ws.levels, ws.words, ws.memory, ws.frames
    power, counts, faint = ws.replies.power, ws.counts[0], limits.faint
    none, tag = np.uint64(0), _tag(limits, settles)
    load = useful(levels, base, load)
    slot = find(memory, words, base, w, place, load, none, tag)
    if slot >= 0:
        return float(memory.values[slot])
    if counts.worked >= counts.silence:
        return _at_once(ws, base, w)
    level = base
    _begin(ws, level, w, place, load)
    frames[level].factor = 1.0
    while True:
        frame = frames[level]
        t = next_state(world.following, frame)
        if t < 0:
            total = _going_on(ws, level, settles)
            if counts.worked < counts.silence:
                keep(memory, words, level, frame.w, frame.place, frame.load, none, tag, total)
            if level == base:
                return float(total)
            level -= 1
            frames[level].sum += frame.factor * total
            continue
        frame.child += 1
        n, factor = tidy(world.weight, levels, level, level + 1, t, power, faint)
        if n < 2:
            continue
        there, hand = frame.next_place, useful(levels, level + 1, frame.next_load)
        slot = find(memory, words, level + 1, t, there, hand, none, tag)
        if slot >= 0:
            frame.sum += factor * memory.values[slot]
        elif counts.worked >= counts.silence:
            frame.sum += factor * _at_once(ws, level + 1, t)
        else:
            level += 1
            _begin(ws, level, t, there, hand)
            frames[level].factor = factor


@compiled
def _tag(limits: Any, settles: bool) -> int:
    if limits.complete:
        return WHOLE
    return SETTLING if settles else SILENT


@compiled
def _begin(ws: Any, level: int, w: Any, place: int, load: int) -> None:
    """Put a state on the stack and take the action of least regret in it."""
    world, frame, scored = ws.world, ws.frames[level], ws.scored
    ws.counts[0].worked += 1
    n, weight = list_odds(world.weight, ws.levels, level, w, ws.replies.power, ws.ranked)
    score_actions(world, ws.ranked, n, scored, w, place, load)
    action = best_action(scored, count_actions(world, place), weight)
    frame.w, frame.place, frame.load, frame.child = w, place, load, 0
    frame.next_place, frame.next_load = after(world, place, load, action)
    frame.weight = weight
    regret = scored[action].regret
    frame.sum = regret if regret > ROUNDING * weight else 0.0


@compiled
def _going_on(ws: Any, level: int, settles: bool) -> Any:
    """Return what a state on the stack costs, its sum; or, if it settles, less where finding out is cheaper."""
    frame = ws.frames[level]
    if not settles or frame.sum <= ws.prices.base * frame.weight * ws.replies.settling:
        return frame.sum
    return min(frame.sum, _at_once(ws, level, frame.w))


@compiled
def _at_once(ws: Any, level: int, w: Any) -> float:
    """Return about what it costs to find out the goal at once, by answers that can be wrong or missing."""
    n, _ = list_odds(ws.world.weight, ws.levels, level, w, ws.replies.power, ws.ranked)
    return finding_out(ws.prices, ws.ranked, n) * float(ws.replies.settling)


@compiled
def finding_out(prices: Prices, ranked: Any, n: int) -> float:
    """Return what it costs to find out which of the `n` listed goals it is by answers that are always true.

    The list is sorted by weight, and cut in two again and again.
    """
    for i in range(1, n):
        goal, odds, j = ranked[i].goal, ranked[i].odds, i
        while j > 0 and ranked[j - 1].odds < odds:
            ranked[j].odds, ranked[j].goal = ranked[j - 1].odds, ranked[j - 1].goal
            j -= 1
        ranked[j].odds, ranked[j].goal = odds, goal
    if not prices.uniform:
        for k in range(n):
            ranked[k].extra = prices.extra[ranked[k].goal]
    return float(cutting(prices, ranked, n))
