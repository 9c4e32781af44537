"""Kernels for the states where plans end: what it costs to act without questions, or until the goal is identified.

- *Acting only*: no more questions, always the action of least delay ("as if the goal were known after this step").
- *Acting, then identifying*: the same, but as soon as that is cheaper, questions at once until the goal is known. It
  takes as little work as acting only, and comes much closer to what good plans cost.

The cost of identifying the goal is exact for true answers and one way of asking (`cost_to_identify`). Where answers can
be wrong or missing, each answer tells less, so that cost is multiplied by a factor (`Search.identify_factor`); the
product is an estimate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, int64, part
from askwise.planning.beliefs import after_step, drop_useless_load, list_goals, rank_goals
from askwise.planning.steps import ROUNDING, best_action, count_actions, score_actions
from askwise.planning.workspace import UNKNOWN, Search, keep, recall

ACT_ONLY, COMPLETE, IDENTIFY, PLANNED = range(4)
"""Tags of values in the transposition table: acting only, acting only in a complete search, acting until the goal is
identified; from the last on, plans of one decision (`askwise.planning.values`)."""


@inner
def leaf_value(s: Search, level: int, identifies: int, limit: float) -> float:
    """Return the cost of always taking the action of least delay from the state on `level` on, where a plan ends.

    It is multiplied by the weight of the state. If `identifies`, acting ends as soon as it is cheaper to find out the
    goal by questions at once. A sum that reaches `limit` is not computed to its end.

    The state has at least two possible goals. On large maps acting takes long to be followed to its end: when
    ``counts.most_followed`` states have been seen, the rest is valued by `cost_to_identify`, and nothing that depends
    on it is kept in the table.
    """
    counts, limits, world, state = s.counts[0], s.limits[0], s.world, s.states[level]
    drop_useless_load(s, level)
    tag = COMPLETE if limits.complete else IDENTIFY if identifies else ACT_ONLY
    value = recall(s, level, tag, limit)
    if value != UNKNOWN:
        return value
    if counts.states_seen >= counts.most_followed or level + 2 >= s.rows.shape[0]:
        return cost_to_identify(s, level)
    counts.states_seen += 1
    n = list_goals(s, level)
    score_actions(world, s.ranked, n, s.scored, state.teammate, state.place, state.load)
    action = best_action(s.scored, count_actions(world, state.place), state.weight)
    delay = s.scored[action].delay
    total, cap, following = delay if delay > ROUNDING * state.weight else 0.0, np.inf, world.following
    for k in range(following.shape[1] + 1):  # one more than there are, to look at the cap at the end, too
        if identifies and cap == np.inf and total > s.cheapest * state.weight:
            cap = cost_to_identify(s, level)
        t = int64(following[state.teammate, k]) if k < following.shape[1] else int64(-1)
        most = min(cap, limit)
        if t < 0 or total >= most:
            break
        n, factor = after_step(s, level, action, t, limits.negligible)
        if n < 2:
            continue
        left = (most - total) / factor
        value = leaf_value(s, level + 1, identifies, left)
        total += factor * value
        if value >= left:  # rounding must not hide that the limit is reached
            total = max(total, most)
    found = min(total, cap)
    if counts.states_seen < counts.most_followed:
        exact = found < limit or total >= cap
        keep(s, level, tag, found if exact else -found)
    return found


# -- identifying the goal ------------------------------------------------------------------------------------------


@inner
def cost_to_identify(s: Search, level: int) -> float:
    """Return the price of finding out the goal by questions now, in the state on `level`, times its weight.

    The goals are sorted by weight, and each question divides the list, or a part of it, in two (`_cut`).
    """
    ranked, n = s.ranked, rank_goals(s, level)
    if s.uniform and n < 4:  # one goal at a time, the likeliest first
        rest = ranked[n - 2].odds + ranked[n - 1].odds
        cost = (s.base + s.per_goal) * (rest if n == 2 else ranked[0].odds + 2 * rest)
        return float(cost * s.identify_factor)
    return float(price_to_identify(s, ranked, n) * s.identify_factor)


@inner
def price_to_identify(s: Any, ranked: Any, n: int) -> float:
    """Return the price, times the weight, of dividing a list by questions again and again until every goal is alone.

    The list is the first `n` of `ranked`, sorted by weight. `s` is a `Search`, or an
    `askwise.planning.exact_search.ExactSearch`.
    """
    total, first, depth = 0.0, np.int64(0), 0
    for k in range(n):
        ranked[k].extra = s.extra[ranked[k].goal]
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
def _cut(s: Any, ranked: Any, first: Any, last: Any) -> tuple[Any, float]:
    """Return the best index at which a question divides the goals ``ranked[first:last]`` in two, and what it costs.

    At the best index, ``p (1 - p) / price`` is largest, where the two parts have the shares p and 1 - p of these goals'
    weight. The cost is the price of the question times this weight.
    """
    base, per_goal, whole, extra, part, part_extra = s.base, s.per_goal, 0.0, 0.0, 0.0, 0.0
    for k in range(first, last):
        whole += ranked[k].odds
        extra += ranked[k].extra
    best, paid, cut = -1.0, 1.0, np.int64(first + 1)
    for k in range(first, last - 1):
        part += ranked[k].odds
        part_extra += ranked[k].extra
        named, others = per_goal * (k + 1 - first) + part_extra, per_goal * (last - k - 1) + (extra - part_extra)
        price = base + min(named, others)
        worth = part * (whole - part)
        if worth * paid > best * price * (1 + ROUNDING):  # without a division: questions may cost nothing
            best, paid, cut = worth, price, np.int64(k + 1)
    return cut, paid * whole
