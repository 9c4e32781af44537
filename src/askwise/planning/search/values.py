"""Compiled loop of the planner: what a state is worth if questions may be asked, now or later.

The loop stops where it needs a menu whose questions have not been chosen yet, and goes on when it is called again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner
from askwise.planning.search.memory import PLANNED, UNKNOWN, keep, recall
from askwise.planning.search.menus import price
from askwise.planning.search.sets import add_up, common, useful, without
from askwise.planning.search.silence import next_state, silent
from askwise.planning.search.steps import ROUNDING, after, best_action, count_actions, score_actions

OPEN = -1.0
"""Instead of a value: it has to be worked out."""
NEEDS_MENU = -2.0
"""Instead of a value: the questions of the state's menu have to be chosen first."""


@inner
def list_actions(ws: Any, level: int, place: int, weight: float, most: int) -> int:
    """Write the best actions of `scored` into the stack, best first; return their number."""
    n, n_actions = 0, count_actions(ws.world, place)
    while n < most:
        action = best_action(ws.scored, n_actions, weight)
        regret = ws.scored[action].regret
        if regret == np.inf:
            break
        option = ws.options[level, n]
        option.action, option.regret = action, regret if regret > ROUNDING * weight else 0.0
        ws.scored[action].regret = np.inf
        n += 1
    return n


@inner
def put(ws: Any, level: int, w: Any, place: int, load: int, more: int, depth: int, menu: int, limit: float) -> None:
    """Put a state on the stack whose goals are in its row already; regrets not below `limit` are of no use."""
    frame = ws.frames[level]
    frame.w, frame.place = w, place
    frame.load = useful(ws.sets, ws.rows.stack + level, load)
    frame.more, frame.depth, frame.menu, frame.limit = more, depth, menu, limit


@inner
def _tag(ws: Any, frame: Any) -> Any:
    """Return what tells the values of a state apart: the decision, the menu, and how far it may look."""
    turn = (ws.counts[0].turn & 0xFFF) << 20
    return turn | (frame.menu << 8) | (frame.depth + 1 + PLANNED)


@inner
def _enter(ws: Any, limits: Any, level: int) -> float:
    """Return the value of the state at `level` if it is at hand; else prepare it."""
    row, frame, limit = ws.rows.stack + level, ws.frames[level], ws.frames[level].limit
    w, place, load = frame.w, frame.place, frame.load
    if frame.more == 0:
        return silent(ws, level, w, place, load, True, limit)
    value = recall(ws.memory, ws.sets, row, w, place, load, _tag(ws, frame), limit)
    if value != UNKNOWN:
        return value
    best = silent(ws, level, w, place, load, True, np.inf)
    frame.w, frame.place, frame.load, frame.limit = w, place, load, limit
    weight = add_up(ws.sets, row, ws.world.weight, w)
    if best <= weight * ws.prices.cheapest or ws.counts[0].worked > limits.budget:
        return best
    ws.counts[0].worked += 1
    score_actions(ws.world, ws.sets, ws.ranked, ws.scored, row, w, place, load)
    options = list_actions(ws, level, place, weight, limits.inner)
    frame.question, frame.questions = 0, 0
    if ws.options[level, 0].regret > 0.0:
        if ws.lengths[frame.menu] < 0:
            return NEEDS_MENU
        frame.questions = ws.lengths[frame.menu]
    frame.option, frame.options = 0, options if frame.depth > 0 else 0
    frame.child, frame.side = 0, 0
    frame.best, frame.weight = min(best, limit), weight
    return OPEN


@inner
def _next_step(ws: Any, level: int) -> bool:
    """Go on with the action that is looked at; whether a state has been put on the stack."""
    rows, frame, following = ws.rows.stack, ws.frames[level], ws.world.following
    option = ws.options[level, frame.option]
    if frame.child == 0:
        frame.sum = option.regret
        frame.next_place, frame.next_load = after(ws.world, frame.place, frame.load, option.action)
    t = next_state(following, frame)
    if t < 0 or frame.sum >= frame.best:
        frame.best = min(frame.best, frame.sum)
        frame.option += 1
        frame.child = 0
        return False
    frame.child += 1
    if common(ws.sets, rows + level, t, rows + level + 1) < 2:
        return False
    depth = frame.depth
    if option.regret > 0.0:
        depth -= 1  # steps without regret are not counted: nobody would ask before them
    put(ws, level + 1, t, frame.next_place, frame.next_load, frame.more, depth, frame.menu, frame.best - frame.sum)
    return True


@inner
def _next_side(ws: Any, limits: Any, level: int) -> bool:
    """Go on with the question that is looked at; whether a state has been put on the stack."""
    row, frame, sets = ws.rows.stack + level, ws.frames[level], ws.sets
    question = ws.rows.menus + frame.menu * limits.kept + frame.question
    if frame.side == 0:
        inside = common(sets, row, question, row + 1)
        outside = without(sets, row, question, row + 1)
        frame.sum = frame.weight * price(ws.prices, sets, row, question, inside, outside)
        if inside == 0 or outside == 0:
            frame.sum = np.inf
    if frame.side == 2 or frame.sum >= frame.best:
        frame.best = min(frame.best, frame.sum)
        frame.question += 1
        frame.side = 0
        return False
    side = frame.side
    frame.side += 1
    size = common(sets, row, question, row + 1) if side == 0 else without(sets, row, question, row + 1)
    if size < 2:
        return False
    menu = 2 * limits.kept * frame.menu + 1 + 2 * frame.question + side
    left = frame.best - frame.sum
    put(ws, level + 1, frame.w, frame.place, frame.load, frame.more - 1, frame.depth, menu, left)
    return True


@inner
def value_from(ws: Any, limits: Any, base: int, level: int) -> tuple[float, int]:
    """Return the value of the state at level `base`, going on at `level`, where a state has been put on the stack.

    The value is the regret with at most `more` questions of the menus, asked at the best moment, or some number not
    below its limit. Or it is `NEEDS_MENU`, and the menu is that of the state at the level that is returned.
    """
    entering = True
    while True:
        frame = ws.frames[level]
        if entering:
            value = _enter(ws, limits, level)
            if value == NEEDS_MENU:
                return value, level
            entering = False
            if value == OPEN:
                continue
        elif frame.question < frame.questions:  # first, as they take less work, and leave the actions less to beat
            entering = _next_side(ws, limits, level)
            level += entering
            continue
        elif frame.option < frame.options:
            entering = _next_step(ws, level)
            level += entering
            continue
        else:
            value = float(frame.best)
            kept, row = value if value < frame.limit else -value, ws.rows.stack + level
            keep(ws.memory, ws.sets, row, frame.w, frame.place, frame.load, _tag(ws, frame), kept)
        if level == base:
            return value, level
        over = value >= frame.limit
        level -= 1
        frame = ws.frames[level]
        frame.sum += value
        if over:  # so that rounding does not hide that this is of no use
            frame.sum = max(frame.sum, frame.best)
