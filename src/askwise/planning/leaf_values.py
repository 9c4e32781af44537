"""Kernels for the states where plans end: the cost of acting only, or of acting and then asking for the goal.

- *Acting only*: no more questions, always the action of least delay.
- *Acting, then identifying*: the same, until it is cheaper to find out the goal at once by questions.

To identify the goal (`cost_to_identify`), each question divides a list of goals in two. If answers can be wrong or
missing, the cost with true answers is multiplied by `Search.identify_factor`, as an estimate.
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
    """Return the value of a state where a plan ends: the cost of acting only, or of acting, then identifying the goal.

    It is the expected marginal cost of the actions of least delay, times the sum of the goals' weights. At least two
    goals must be possible. If `identifies` is 1, the goal is found out by questions as soon as that is cheaper; if 0,
    never. Once ``counts.most_followed`` states have been seen, `cost_to_identify` replaces the rest of the cost. If the
    cost reaches `limit`, any number from `limit` on may be returned.
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
    """Return the price of finding out the goal by questions in the state on `level`, times the weight of the state.

    The first question cuts the list of goals, sorted by weight, in two (`_cut`); later ones cut a part of it. If
    answers can be wrong or missing, the result is an estimate.
    """
    ranked, n = s.ranked, rank_goals(s, level)
    if s.uniform and n < 4:  # one goal at a time, the likeliest first
        rest = ranked[n - 2].odds + ranked[n - 1].odds
        cost = (s.base + s.per_goal) * (rest if n == 2 else ranked[0].odds + 2 * rest)
        return float(cost * s.identify_factor)
    return float(price_to_identify(s, ranked, n) * s.identify_factor)


@inner
def price_to_identify(s: Any, ranked: Any, n: int) -> float:
    """Return the expected price of finding out the goal with yes/no questions, times the weight of the goals in a list.

    Each question divides a part of the list in two (`_cut`), perhaps not in the cheapest way. `s` has the prices.
    `ranked` has `n` goals, the heaviest first, as records with the fields `goal` and `odds` (the weight). The fields
    `end` and `extra` are overwritten.
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
    """Return the best index to divide the goals ``ranked[first:last]`` in two by a question, and the question's cost.

    The best index makes ``p (1 - p) / price`` largest; `p` is the share of one part in the weight of these goals. The
    cost is the price of the question times this weight.
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
