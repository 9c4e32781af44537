"""Kernels for where plans end: what it costs to act without questions, to the end or until the goal is identified.

- *Acting only*: no more questions, always the action of least regret ("as if the goal were known after this step").
- *Acting, then identifying*: the same, but as soon as that is cheaper, questions at once until the goal is known. It
  takes as little work as acting only, and comes much closer to what good plans cost.

What it costs to identify the goal is exact for true answers and one way of asking (`cost_to_identify`). Where answers
can be wrong or missing it is an estimate: the same, times how much less each answer tells (`Search.identify_factor`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, int64, part
from askwise.planning.beliefs import after_step, list_goals, useful
from askwise.planning.steps import ROUNDING, after, best_action, count_actions, score_actions
from askwise.planning.transposition import UNKNOWN, keep, recall
from askwise.planning.workspace import Search

ACT_ONLY, IDENTIFY, COMPLETE, PLANNED = 0, 2, 1, 3
"""Tags of values in the transposition table: acting only, identifying, acting only in a complete search; from the last
on, plans of one decision (see `askwise.planning.values`)."""


@inner
def leaf_value(s: Search, level: int, teammate: int, place: int, load: int, identifies: int, limit: float) -> float:
    """Return the regret of acting without questions, until the goal is identified if that is allowed.

    The belief is in row `level` and has at least two goals. On large maps acting takes long to be followed to its end.
    When ``counts.most_followed`` states have been seen, what is left is valued by `cost_to_identify`, and nothing that
    depends on it is remembered.

    The caller has no use for a regret that is not below `limit`: then some number not below it is returned. Regrets
    only ever add up, so a state is left as soon as its sum reaches the limit, or what identifying the goal costs.
    """
    counts, following = s.counts[0], s.world.following
    load = useful(s, level, load)
    tag = IDENTIFY if identifies else ACT_ONLY
    if s.limits[0].complete:
        tag = COMPLETE
    value = recall(s, level, teammate, place, load, tag, limit)
    if value != UNKNOWN:
        return value
    if counts.states_seen >= counts.most_followed or level + 2 >= s.rows.shape[0]:
        return cost_to_identify(s, level, teammate)
    counts.states_seen += 1
    n, weight = list_goals(s, level, teammate)
    score_actions(s.world, s.ranked, n, s.scored, teammate, place, load)
    action = best_action(s.scored, count_actions(s.world, place), weight)
    next_place, next_load = after(s.world, place, load, action)
    regret = s.scored[action].regret
    total, cap = regret if regret > ROUNDING * weight else 0.0, np.inf
    for k in range(following.shape[1] + 1):
        if identifies and cap == np.inf and total > s.cheapest * weight:
            cap = cost_to_identify(s, level, teammate)
        t = int64(following[teammate, k]) if k < following.shape[1] else int64(-1)
        most = min(cap, limit)
        if t < 0 or total >= most:
            break
        n, factor = after_step(s, level, level + 1, t, s.limits[0].negligible)
        if n < 2:
            continue
        left = (most - total) / factor
        value = leaf_value(s, level + 1, t, next_place, next_load, identifies, left)
        total += factor * value
        if value >= left:  # rounding must not hide that the rest is of no use
            total = max(total, most)
    found = min(total, cap)
    if counts.states_seen < counts.most_followed:
        exact = found < limit or total >= cap
        keep(s, level, teammate, place, load, tag, found if exact else -found)
    return found


# -- identifying the goal ------------------------------------------------------------------------------------------


@inner
def cost_to_identify(s: Search, row: int, teammate: int) -> float:
    """Return what it costs to identify the goal by questions at once, times the weight of the belief.

    The goals are sorted by their weight, and the list is cut in two again and again (`_cut`).
    """
    ranked = s.ranked
    n, _ = list_goals(s, row, teammate)
    for i in range(1, n):
        goal, odds, j = ranked[i].goal, ranked[i].odds, i
        while j > 0 and ranked[j - 1].odds < odds:
            ranked[j].odds, ranked[j].goal = ranked[j - 1].odds, ranked[j - 1].goal
            j -= 1
        ranked[j].odds, ranked[j].goal = odds, goal
    if s.uniform and n < 4:  # one goal at a time, the likeliest first
        rest = ranked[n - 2].odds + ranked[n - 1].odds
        cost = (s.base + s.per_goal) * (rest if n == 2 else ranked[0].odds + 2 * rest)
        return float(cost * s.identify_factor)
    if not s.uniform:
        for k in range(n):
            ranked[k].extra = s.extra[ranked[k].goal]
    return float(_cut_all(s, ranked, n) * s.identify_factor)


@part
def _cut_all(s: Search, ranked: Any, n: int) -> float:
    """Return what it costs to cut a list of goals, sorted by their weight, in two again and again."""
    total, first, depth = 0.0, np.int64(0), 0
    ranked[0].end = n
    while depth >= 0:
        last = ranked[depth].end
        if last - first < 2:
            first = last
            depth -= 1
            continue
        cut, paid = _cut(s, ranked, first, last)
        total += paid
        depth += 1
        ranked[depth].end = cut
    return total


@part
def _cut(s: Search, ranked: Any, first: Any, last: Any) -> tuple[Any, float]:
    """Return where to cut ``ranked[first:last]`` in two, and the price of the question times their weight.

    Of all cuts it is the one that tells most for its price, ``p (1 - p) / price`` for parts of shares p and 1 - p.
    """
    base, per_goal, uniform = s.base, s.per_goal, s.uniform
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
