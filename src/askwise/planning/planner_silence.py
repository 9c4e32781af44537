"""Compiled loops of the planner: what it costs to go on in silence, to the end or until the goal is found out at once.

See `askwise.planning.planner_kernels` for the quantities.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.planning.planner_kernels import (
    CHILD,
    ENDING,
    FOLLOWING,
    GOALS,
    HAND,
    MOST,
    PATHS,
    POSITION,
    ROUNDING,
    SILENT,
    STACK,
    SUM,
    THERE,
    TOOL,
    WEIGHT,
    WORKED,
    WORKER,
    after,
    best_action,
    common,
    find,
    keep,
    list_goals,
    score_actions,
    useful,
)


@compiled
def _begin(desk: Any, level: int, w: Any, pos: int, tool: int) -> None:
    """Put a state on the stack and take the action of least regret in it."""
    desk.counts[WORKED] += 1
    weight = score_actions(desk, desk.shape[STACK] + level, w, pos, tool)
    action = best_action(desk, pos, weight)
    there, hand = after(desk, pos, tool, action)
    regret = desk.scored[action]
    whole = desk.whole
    whole[level, WORKER], whole[level, POSITION], whole[level, TOOL], whole[level, CHILD] = w, pos, tool, 0
    whole[level, THERE], whole[level, HAND] = there, hand
    desk.real[level, WEIGHT] = weight
    desk.real[level, SUM] = regret if regret > ROUNDING * weight else 0.0


@compiled
def _cut(desk: Any, first: Any, last: Any) -> tuple[Any, float]:
    """Return where to cut ``odds[first:last]`` in two, and the price of the question times their weight.

    Of all cuts it is the one that tells most for its price, ``p (1 - p) / price`` for parts of shares p and 1 - p.
    """
    whole = 0.0
    for k in range(first, last):
        whole += desk.odds[k]
    part, best, paid, cut = 0.0, -1.0, 1.0, np.int64(first + 1)
    for k in range(first, last - 1):
        part += desk.odds[k]
        size = k + 1 - first
        price = desk.prices[0] + desk.prices[1] * min(size, last - first - size)
        told = part * (whole - part)
        if told * paid > best * price * (1 + ROUNDING):  # without a division: questions may cost nothing
            best, paid, cut = told, price, np.int64(k + 1)
    return cut, paid * whole


@compiled
def finding_out(desk: Any, row: int, w: Any) -> float:
    """Return what it costs to find out the goal by questions at once, times the weight of the set.

    The goals are sorted by their weight, and the list is cut in two again and again (`_cut`).
    """
    n, at = list_goals(desk, row, 0), w * desk.shape[GOALS]
    for i in range(n):
        odds, j = desk.weight[at + desk.listed[i]], i
        while j > 0 and desk.odds[j - 1] < odds:
            desk.odds[j] = desk.odds[j - 1]
            j -= 1
        desk.odds[j] = odds
    total, first, depth = 0.0, np.int64(0), 0
    desk.ends[0] = n
    while depth >= 0:
        if desk.ends[depth] - first < 2:
            first = desk.ends[depth]
            depth -= 1
            continue
        cut, paid = _cut(desk, first, desk.ends[depth])
        total += paid
        depth += 1
        desk.ends[depth] = cut
    return total


@compiled
def _next(desk: Any, level: int) -> Any:
    """Return the teammate's next state that the state at `level` has not looked at yet, -1 if there is none."""
    child, paths = desk.whole[level, CHILD], desk.shape[PATHS]
    if child >= paths:
        return np.int64(-1)
    return np.int64(desk.world[desk.shape[FOLLOWING] + desk.whole[level, WORKER] * paths + child])


@compiled
def _settled(desk: Any, level: int) -> float:
    """Return what the state at `level` costs if the goal may be found out there."""
    total = float(desk.real[level, SUM])
    if total <= desk.prices[0] * desk.real[level, WEIGHT]:
        return total
    return min(total, finding_out(desk, desk.shape[STACK] + level, desk.whole[level, WORKER]))


@compiled
def silent(desk: Any, base: int, w: Any, pos: int, tool: int, ends: bool) -> float:
    """Return the regret of going on without any question, always by the action of least regret.

    If it `ends`, the goal is found out at once wherever that is cheaper than going on (`finding_out`): a plan that is
    worked out as fast as silence, and comes much closer to what good plans cost. The goals are those of row `base` of
    the stack; all of them are alive at `w`, and there are at least two. On large maps silence takes long to be followed
    to its end; when ``MOST`` states have been looked at, what is left is valued by `finding_out`, and nothing that
    depends on it is remembered.
    """
    rows, whole, real, counts = desk.shape[STACK], desk.whole, desk.real, desk.counts
    tag = ENDING if ends else SILENT
    tool = useful(desk, rows + base, tool)
    slot = find(desk, rows + base, w, pos, tool, tag)
    if slot >= 0:
        return float(desk.values[slot])
    if counts[WORKED] >= counts[MOST]:
        return finding_out(desk, rows + base, w)
    level = base
    _begin(desk, level, w, pos, tool)
    while True:
        t = _next(desk, level)
        if t < 0:
            total = _settled(desk, level) if ends else real[level, SUM]
            if counts[WORKED] < counts[MOST]:
                keep(desk, rows + level, whole[level, WORKER], whole[level, POSITION], whole[level, TOOL], tag, total)
            if level == base:
                return float(total)
            level -= 1
            real[level, SUM] += total
            continue
        whole[level, CHILD] += 1
        if common(desk, rows + level, t, rows + level + 1) > 1:
            there, hand = whole[level, THERE], useful(desk, rows + level + 1, whole[level, HAND])
            slot = find(desk, rows + level + 1, t, there, hand, tag)
            if slot >= 0:
                real[level, SUM] += desk.values[slot]
            elif counts[WORKED] >= counts[MOST]:
                real[level, SUM] += finding_out(desk, rows + level + 1, t)
            else:
                level += 1
                _begin(desk, level, t, there, hand)
