"""Compiled loop of the planner: what a state is worth if questions may be asked, now or later.

See `askwise.planning.planner_kernels` for the quantities and `askwise.planning.planner` for the method. The loop stops
where it needs a list of questions that has not been chosen yet, and goes on when it is called again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.planning.planner_kernels import (
    ACTIONS,
    ALL,
    BEST,
    CHILD,
    DEPTH,
    EXACT,
    FOLLOWING,
    GOALS,
    HAND,
    LIST,
    LISTS,
    MORE,
    OPTION,
    OPTIONS,
    OTHERS,
    PATHS,
    POOL,
    POSITION,
    QUESTION,
    QUESTIONS,
    REGRETS,
    ROUNDING,
    SIDE,
    STACK,
    SUM,
    THERE,
    TOOL,
    TURN,
    WEIGHT,
    WORDS,
    WORKED,
    WORKER,
    after,
    best_action,
    common,
    count_actions,
    find,
    flip,
    keep,
    list_goals,
    score_actions,
    size_of,
    useful,
    weigh,
    without,
)
from askwise.planning.planner_questions import POOL_SIZE, price
from askwise.planning.planner_silence import silent

OPEN = -1.0
"""Instead of a value: it has to be worked out."""
NEEDS_LIST = -2.0
"""Instead of a value: the questions of the state's list have to be chosen first."""


@compiled
def list_actions(desk: Any, level: int, pos: int, weight: float, most: int) -> int:
    """Write the best actions of `scored` into the stack, best first; return their number."""
    n = 0
    while n < most:
        action = best_action(desk, pos, weight)
        regret = desk.scored[action]
        if regret == np.inf:
            break
        desk.whole[level, ACTIONS + n] = action
        desk.real[level, REGRETS + n] = regret if regret > ROUNDING * weight else 0.0
        desk.scored[action] = np.inf
        n += 1
    return n


@compiled
def put(desk: Any, level: int, w: Any, pos: int, tool: int, more: int, depth: int, number: int) -> None:
    """Put a state on the stack whose goals are in its row already."""
    whole = desk.whole
    whole[level, WORKER], whole[level, POSITION] = w, pos
    whole[level, TOOL] = useful(desk, desk.shape[STACK] + level, tool)
    whole[level, MORE], whole[level, DEPTH], whole[level, LIST] = more, depth, number


@compiled
def _tag(desk: Any, level: int) -> Any:
    """Return what tells the values of a state apart: exact ones hold for good, others for this decision."""
    if desk.whole[level, ALL]:
        return np.int64(EXACT)
    turn = (desk.counts[TURN] & 0xFFF) << 20
    return turn | (desk.whole[level, LIST] << 8) | (desk.whole[level, DEPTH] + 1 + OTHERS)


@compiled
def _enter(desk: Any, rules: Any, level: int) -> float:
    """Return the value of the state at `level` if it is at hand; else prepare it."""
    row, whole, real = desk.shape[STACK] + level, desk.whole, desk.real
    w, pos, tool, number = whole[level, WORKER], whole[level, POSITION], whole[level, TOOL], whole[level, LIST]
    best = silent(desk, level, w, pos, tool, True)
    whole[level, WORKER], whole[level, POSITION], whole[level, TOOL] = w, pos, tool
    if best == 0.0 or desk.counts[WORKED] > rules.budget:
        return best
    n = size_of(desk, row)
    exact = n <= rules.exact
    weight = weigh(desk, row, w)
    if not exact and (whole[level, MORE] == 0 or best <= weight * price(rules, 1, 2)):
        return best
    whole[level, ALL] = exact
    slot = find(desk, row, w, pos, tool, _tag(desk, level))
    if slot >= 0:
        return float(desk.values[slot])
    desk.counts[WORKED] += 1
    score_actions(desk, row, w, pos, tool)
    options = list_actions(desk, level, pos, weight, count_actions(desk, pos) if exact else rules.inner)
    questions = 0
    if exact:
        questions = (1 << (n - 1)) - 1
    elif real[level, REGRETS] > 0.0:
        if desk.lengths[number] < 0:
            return NEEDS_LIST
        questions = desk.lengths[number]
    whole[level, OPTION], whole[level, OPTIONS] = 0, options if exact or whole[level, DEPTH] > 0 else 0
    whole[level, QUESTION], whole[level, QUESTIONS] = 0, questions
    whole[level, CHILD], whole[level, SIDE] = 0, 0
    real[level, BEST], real[level, WEIGHT] = best, weight
    return OPEN


@compiled
def _asked_in(desk: Any, rules: Any, level: int) -> Any:
    """Return the row of the question that the state at `level` looks at."""
    i = desk.whole[level, QUESTION]
    if not desk.whole[level, ALL]:
        return desk.shape[LISTS] + desk.whole[level, LIST] * rules.kept + i
    n_words, spare, first = desk.shape[WORDS], desk.shape[POOL] + POOL_SIZE + 1, 2 * desk.shape[GOALS]
    n = list_goals(desk, desk.shape[STACK] + level, first)
    for k in range(n_words):
        desk.sets[spare * n_words + k] = 0
    for k in range(n - 1):
        if ((i + 1) >> k) & 1:
            flip(desk, spare, desk.listed[first + k])
    return spare


@compiled
def _next_step(desk: Any, level: int) -> bool:
    """Go on with the action that is looked at; whether a state has been put on the stack."""
    whole, real, rows = desk.whole, desk.real, desk.shape[STACK]
    option, child = whole[level, OPTION], whole[level, CHILD]
    if child == 0:
        real[level, SUM] = real[level, REGRETS + option]
        action = whole[level, ACTIONS + option]
        there, hand = after(desk, whole[level, POSITION], whole[level, TOOL], action)
        whole[level, THERE], whole[level, HAND] = there, hand
    t = np.int64(-1)
    if child < desk.shape[PATHS] and real[level, SUM] < real[level, BEST]:
        t = np.int64(desk.world[desk.shape[FOLLOWING] + whole[level, WORKER] * desk.shape[PATHS] + child])
    if t < 0:
        real[level, BEST] = min(real[level, BEST], real[level, SUM])
        whole[level, OPTION] += 1
        whole[level, CHILD] = 0
        return False
    whole[level, CHILD] += 1
    if common(desk, rows + level, t, rows + level + 1) < 2:
        return False
    there, hand, depth = whole[level, THERE], whole[level, HAND], whole[level, DEPTH]
    if real[level, REGRETS + option] > 0.0:
        depth -= 1  # steps without regret are not counted: nobody would ask before them
    put(desk, level + 1, t, there, hand, whole[level, MORE], depth, whole[level, LIST])
    return True


@compiled
def _next_side(desk: Any, rules: Any, level: int) -> bool:
    """Go on with the question that is looked at; whether a state has been put on the stack."""
    whole, real, row = desk.whole, desk.real, desk.shape[STACK] + level
    asked, side = _asked_in(desk, rules, level), whole[level, SIDE]
    if side == 0:
        inside = common(desk, row, asked, row + 1)
        outside = without(desk, row, asked, row + 1)
        real[level, SUM] = real[level, WEIGHT] * price(rules, inside, inside + outside)
        if inside == 0 or outside == 0:
            real[level, SUM] = np.inf
    if side == 2 or real[level, SUM] >= real[level, BEST]:
        real[level, BEST] = min(real[level, BEST], real[level, SUM])
        whole[level, QUESTION] += 1
        whole[level, SIDE] = 0
        return False
    whole[level, SIDE] += 1
    size = common(desk, row, asked, row + 1) if side == 0 else without(desk, row, asked, row + 1)
    if size < 2:
        return False
    w, pos, tool = whole[level, WORKER], whole[level, POSITION], whole[level, TOOL]
    number = 2 * rules.kept * whole[level, LIST] + 1 + 2 * whole[level, QUESTION] + side
    put(desk, level + 1, w, pos, tool, whole[level, MORE] - 1, whole[level, DEPTH], number)
    return True


@compiled
def value_from(desk: Any, rules: Any, base: int, level: int) -> tuple[float, int]:
    """Return the value of the state at level `base`, going on at `level`, where a state has been put on the stack.

    The value is the regret with at most ``MORE`` questions of the lists, asked at the best moment. Or it is
    `NEEDS_LIST`, and the list is that of the state at the level that is returned.
    """
    whole, real = desk.whole, desk.real
    entering = True
    while True:
        if entering:
            value = _enter(desk, rules, level)
            if value == NEEDS_LIST:
                return value, level
            entering = False
            if value == OPEN:
                continue
        elif whole[level, OPTION] < whole[level, OPTIONS]:
            entering = _next_step(desk, level)
            level += entering
            continue
        elif whole[level, QUESTION] < whole[level, QUESTIONS]:
            entering = _next_side(desk, rules, level)
            level += entering
            continue
        else:
            value = real[level, BEST]
            pos, tool = whole[level, POSITION], whole[level, TOOL]
            keep(desk, desk.shape[STACK] + level, whole[level, WORKER], pos, tool, _tag(desk, level), value)
        if level == base:
            return value, level
        level -= 1
        real[level, SUM] += value
