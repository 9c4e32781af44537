"""Compiled loop: what a state is worth if questions may be asked, now or later, and answers may be wrong or missing.

The loop stops where it needs a menu whose questions have not been chosen yet, and goes on when it is called again. If
it is to be *complete*, one menu serves all states, all actions are compared in all of them, and plans end only with the
episode: the value is then exact for so many questions of that menu. Where that takes too much work it is abandoned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.planning.noisy.beliefs import hear, list_odds, tidy, useful
from askwise.planning.noisy.memory import find, keep
from askwise.planning.noisy.settings import ANSWERS_FOLLOWED
from askwise.planning.noisy.silence import silent
from askwise.planning.noisy.steps import score_actions
from askwise.planning.noisy.workspace import DEAD
from askwise.planning.search.silence import next_state
from askwise.planning.search.steps import ROUNDING, after, best_action, count_actions

OPEN = -1.0
"""Instead of a value: it has to be worked out."""
NEEDS_MENU = -2.0
"""Instead of a value: the questions of the state's menu have to be chosen first."""
ABANDONED = -3.0
"""Instead of a value: what was to be complete took too much work."""


@compiled
def price_of(ws: Any, row: int, question: int) -> float:
    """Return what a question costs until it is answered as it is to be.

    Of one of yes and no the cheaper side of the goals left is named.
    """
    prices, truths, times = ws.prices, ws.truths, ws.replies.times[ws.asked[question].lead]
    if ws.asked[question].price >= 0.0:
        return float(times * ws.asked[question].price)
    named, others = 0.0, 0.0
    for g in range(truths.shape[1]):
        if ws.levels[row, g] > DEAD:
            added = prices.per_goal + prices.extra[g]
            if truths[question, g] == 0:
                named += added
            else:
                others += added
    return float(times * (prices.base + min(named, others)))


@compiled
def divides(ws: Any, row: int, question: int) -> bool:
    """Whether some goals that are left give different answers to a question."""
    found = -1
    for g in range(ws.truths.shape[1]):
        if ws.levels[row, g] > DEAD:
            reply = ws.truths[question, g]
            if found >= 0 and reply != found:
                return True
            found = reply
    return False


@compiled
def list_actions(ws: Any, level: int, place: int, weight: float, most: int) -> int:
    """Write the best actions of `scored` into the stack, best first; return their number."""
    n, n_actions = 0, count_actions(ws.world, place)
    while n < min(most, n_actions):
        action = best_action(ws.scored, n_actions, weight)
        regret = ws.scored[action].regret
        if regret == np.inf:
            break
        option = ws.options[level, n]
        option.action, option.regret = action, regret if regret > ROUNDING * weight else 0.0
        ws.scored[action].regret = np.inf
        n += 1
    return n


@compiled
def put(
    ws: Any, level: int, w: Any, place: int, load: int, more: int, depth: int, menu: int, asked: Any, factor: float
) -> None:
    """Put a state on the stack whose belief is in its row already, tidied."""
    frame = ws.frames[level]
    frame.w, frame.place, frame.load = w, place, useful(ws.levels, level, load)
    frame.more, frame.depth, frame.menu, frame.asked, frame.factor = more, depth, menu, asked, factor


@compiled
def _tag(ws: Any, limits: Any, frame: Any) -> Any:
    """Return what tells the values of a state apart: how many questions, and of one decision the menu and how far."""
    if limits.complete:
        return 4 | (frame.more << 8) | (limits.turn << 24)
    turn = (ws.counts[0].turn & 0xFFFFFF) << 40
    return turn | (frame.menu << 24) | (frame.more << 16) | ((frame.depth + 1) << 8) | 3


@compiled
def leaf(ws: Any, limits: Any, level: int) -> float:
    """Return the value of a state where plans end; goals that hardly count are left out of it."""
    frame, factor, at = ws.frames[level], 1.0, level
    w, place, load = frame.w, frame.place, frame.load
    if not limits.complete:
        at = level + 1
        n, factor = tidy(ws.world.weight, ws.levels, level, at, w, ws.replies.power, limits.faint)
        if n < 2:
            return 0.0
    kept = frame.factor
    value = factor * silent(ws, limits, at, w, place, load, limits.settles)
    frame.w, frame.place, frame.load, frame.factor = w, place, load, kept
    return value


@compiled
def _enter(ws: Any, limits: Any, level: int) -> float:
    """Return the value of the state at `level` if it is at hand; else prepare it."""
    frame, world = ws.frames[level], ws.world
    if frame.more > 0 or limits.complete:
        tag = _tag(ws, limits, frame)
        slot = find(ws.memory, ws.words, level, frame.w, frame.place, frame.load, frame.asked, tag)
        if slot >= 0:
            return float(ws.memory.values[slot])
    best = leaf(ws, limits, level)
    if best == 0.0:
        return best
    if ws.counts[0].worked > limits.budget:
        ws.counts[0].cut += 1
        return ABANDONED if limits.complete else best
    w, place, load, more = frame.w, frame.place, frame.load, frame.more
    if more == 0 and not limits.complete:
        return best
    n, weight = list_odds(world.weight, ws.levels, level, w, ws.replies.power, ws.ranked)
    if best <= weight * ws.prices.cheapest:
        if not limits.complete:
            return best
        more = 0
    ws.counts[0].worked += 1
    score_actions(world, ws.ranked, n, ws.scored, w, place, load)
    options = list_actions(ws, level, place, weight, limits.inner)
    frame.question, frame.questions = 0, 0
    if more > 0 and ws.options[level, 0].regret > 0.0:
        frame.questions = ws.lengths[frame.menu]
        if frame.questions < 0:
            return NEEDS_MENU
    frame.option, frame.options = 0, options if frame.depth > 0 else 0
    frame.child, frame.reply = 0, -1
    frame.best, frame.weight = best, weight
    return OPEN


@compiled
def _next_step(ws: Any, limits: Any, level: int) -> bool:
    """Go on with the action that is looked at; whether a state has been put on the stack."""
    frame = ws.frames[level]
    option = ws.options[level, frame.option]
    if frame.child == 0:
        frame.sum = option.regret
        frame.next_place, frame.next_load = after(ws.world, frame.place, frame.load, option.action)
    t = next_state(ws.world.following, frame)
    if t < 0 or frame.sum >= frame.best:
        frame.best = min(frame.best, frame.sum)
        frame.option += 1
        frame.child = 0
        return False
    frame.child += 1
    n, factor = tidy(ws.world.weight, ws.levels, level, level + 1, t, ws.replies.power, 0.0)
    if n < 2:
        return False
    depth = frame.depth
    if option.regret > 0.0 and not limits.complete:
        depth -= 1  # steps without regret are not counted: nobody would ask before them
    there, hand = frame.next_place, frame.next_load
    put(ws, level + 1, t, there, hand, frame.more, depth, frame.menu, frame.asked, factor)
    return True


@compiled
def after_reply(ws: Any, limits: Any, level: int, question: int, reply: int, index: int) -> bool:
    """Put the state after a reply to a question on the stack, -1 for no reply; whether anything is left to decide."""
    frame, replies = ws.frames[level], ws.replies
    asked, menu, chance, lead = frame.asked, frame.menu, replies.refused, ws.asked[question].lead
    if replies.persistent:
        asked |= np.uint64(1) << np.uint64(index)
    if reply < 0:
        if replies.refused == 0.0 or lead > 0:
            return False
        for g in range(ws.levels.shape[1]):
            ws.levels[level + 1, g] = ws.levels[level, g]
    else:
        against = replies.against[ws.asked[question].answers]
        if against < -DEAD:
            against *= max(lead, 1)
        hear(ws.levels, level, level + 1, ws.truths, question, reply, against)
        n, factor = tidy(ws.world.weight, ws.levels, level + 1, level + 1, frame.w, replies.power, 0.0)
        if n < 2:
            return False
        chance = replies.right[lead] * factor
        if not limits.complete:
            menu = ANSWERS_FOLLOWED * (limits.kept * menu + index) + 1 + min(reply, ANSWERS_FOLLOWED - 1)
            asked = np.uint64(0)  # a menu of its own holds nothing that was asked before it
    put(ws, level + 1, frame.w, frame.place, frame.load, frame.more - 1, frame.depth, menu, asked, chance)
    return True


@compiled
def _next_reply(ws: Any, limits: Any, level: int) -> bool:
    """Go on with the question that is looked at; whether a state has been put on the stack."""
    frame = ws.frames[level]
    question = limits.first + frame.menu * limits.kept + frame.question
    if frame.reply < 0:
        frame.sum = frame.weight * price_of(ws, level, question)
        told = (frame.asked >> np.uint64(frame.question)) & np.uint64(1)
        if told or not divides(ws, level, question):
            frame.sum = np.inf
    # The replies are looked at first, no reply last: it is dearest to follow and least often needed.
    n_answers = ws.asked[question].answers
    if frame.reply == n_answers or frame.sum >= frame.best:
        frame.best = min(frame.best, frame.sum)
        frame.question += 1
        frame.reply = -1
        return False
    frame.reply += 1
    reply = frame.reply if frame.reply < n_answers else -1
    return after_reply(ws, limits, level, question, reply, frame.question)


@compiled
def value_from(ws: Any, limits: Any, base: int, level: int) -> tuple[float, int]:
    """Return the value of the state at level `base`, going on at `level`, where a state has been put on the stack.

    The value is the regret with at most `more` questions of the menus, asked at the best moment, times the factor of
    the state. Or it is `NEEDS_MENU`, and the menu is that of the state at the level that is returned; or `ABANDONED`.
    """
    entering = True
    while True:
        frame = ws.frames[level]
        if entering:
            value = _enter(ws, limits, level)
            if value <= NEEDS_MENU:
                return value, level
            entering = False
            if value == OPEN:
                continue
        elif frame.option < frame.options:
            entering = _next_step(ws, limits, level)
            level += entering
            continue
        elif frame.question < frame.questions:
            entering = _next_reply(ws, limits, level)
            level += entering
            continue
        else:
            value = float(frame.best)
            tag = _tag(ws, limits, frame)
            keep(ws.memory, ws.words, level, frame.w, frame.place, frame.load, frame.asked, tag, value)
        value *= frame.factor
        if level == base:
            return value, level
        level -= 1
        ws.frames[level].sum += value
