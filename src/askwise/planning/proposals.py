"""Kernels that propose yes/no questions.

The questions are about the likeliest goals, about the goals for which a move causes no delay, and about the problem's
groups of goals (`askwise.core.problem.Problem.groups`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, int64, part
from askwise.planning.beliefs import bits_in, flip, has, lowest_bit, odds_in, rank_goals
from askwise.planning.steps import ego_steps
from askwise.planning.workspace import POOL_SIZE, Search

BY_WEIGHT, CHOSEN, ORDER, GROUPS = range(4)
"""Rows of `Search.lists`: the goals of a belief, the heaviest first; some of them; an order of them; groups."""
MOST_PAIRED = 6
"""The number of groups that are proposed in pairs."""


@part
def propose(s: Search, level: int) -> int:
    """Write yes/no questions that may be worth asking in the state on `level` to `s.sets`, from row `s.pool` on.

    Returns the number of questions.
    """
    goals = s.lists[BY_WEIGHT, : by_weight(s, level)]
    n = _offer_likeliest(s, level, goals, int64(0))
    order = s.lists[GROUPS, : _groups_by_goal(s.groups, goals, s.lists[GROUPS])]
    n = _offer_groups(s, level, order, goals, n)
    n = _offer_by_move(s, level, goals, n)
    return _offer_pairs(s, level, order, goals, n)


@inner
def by_weight(s: Search, level: int) -> int:
    """Write the possible goals of the state on `level` to ``s.lists[BY_WEIGHT]``, heaviest first; return how many."""
    ranked, goals, n = s.ranked, s.lists[BY_WEIGHT], rank_goals(s, level)
    for i in range(n):
        goals[i] = ranked[i].goal
    return n


# -- the pool ----------------------------------------------------------------------------------------------------


@inner
def ask_about(s: Search, question: int) -> None:
    """Complete row `question` of `s.sets`: make it a yes/no question about the goals in the first set of this row.

    If questions may be repeated, the question is asked again until it gets an answer (its margin is 1).
    """
    for k in range(s.sets.shape[2]):
        s.sets[question, 1, k] = ~s.sets[question, 0, k]
    asked = s.asked[question]
    asked.answers, asked.choice, asked.margin, asked.known, asked.price = 2, -1, min(s.limits[0].margins, 1), 0, -1.0


@inner
def offer(s: Search, level: int, n: int) -> int:
    """Accept the set of goals in row ``s.pool + n`` of `s.sets` as proposal `n`, unless it is pointless.

    Impossible goals are removed. A proposal is pointless if the set is then empty, has all possible goals, or was
    proposed already. A set may be replaced by its complement. Returns the new number of proposals.
    """
    rows, sets, proposal = s.rows, s.sets, s.pool + n
    if n >= POOL_SIZE:
        return n
    turn = has(sets, proposal, _first_goal(s, level))
    empty = True
    for k in range(sets.shape[2]):
        word = sets[proposal, 0, k] & rows[level, k]
        if turn:
            word ^= rows[level, k]
        sets[proposal, 0, k] = word
        empty = empty and word == 0
    if empty:
        return n
    for i in range(s.pool, proposal):
        same = True
        for k in range(sets.shape[2]):
            same = same and sets[i, 0, k] == sets[proposal, 0, k]
        if same:
            return n
    ask_about(s, proposal)
    return n + 1


@part
def _first_goal(s: Search, level: int) -> Any:
    k = 0
    while s.rows[level, k] == 0:
        k += 1
    return np.int64(64 * k + bits_in(lowest_bit(s.rows[level, k]) - np.uint64(1)))


@inner
def clear(s: Search, question: int) -> None:
    """Make the first set of row `question` of `s.sets` the empty set."""
    for k in range(s.sets.shape[2]):
        s.sets[question, 0, k] = 0


@inner
def offer_these(s: Search, level: int, goals: Any, first: int, last: int, n: int) -> int:
    """Propose a question about the goals ``goals[first:last]`` as number `n`; return the new number of proposals.

    `level` is the level of the state in which to ask. A pointless question is not accepted; then the number stays `n`.
    """
    clear(s, s.pool + n)
    for k in range(first, last):
        flip(s.sets, s.pool + n, goals[k])
    return offer(s, level, n)


@inner
def _offer_shares(s: Search, level: int, goals: Any, count: int, n: int) -> int:
    """Propose three questions: about the heaviest goals with half of the weight, those with 80 % of it, and all goals.

    The goals are ``goals[:count]``, the heaviest first. `n` is the number of proposals so far; returns the new number.
    """
    total = 0.0
    for k in range(count):
        total += odds_in(s, level, goals[k])
    for share in (0.5, 0.8):
        n = offer_these(s, level, goals, int64(0), _until(s, level, goals, count, share * total), n)
    return offer_these(s, level, goals, int64(0), count, n)


@inner
def _until(s: Search, level: int, goals: Any, count: int, least: float) -> Any:
    """Return how many goals from the beginning of `goals` are needed to reach the weight `least`; at most `count`.

    Weights are those in the state on `level`.
    """
    part, n = 0.0, int64(0)
    while part < least and n < count:
        part += odds_in(s, level, goals[n])
        n += 1
    return n


# -- for every problem -------------------------------------------------------------------------------------------


@part
def _offer_likeliest(s: Search, level: int, goals: Any, n: int) -> int:
    """Propose questions about the likeliest goals: each of the first four alone, and various numbers of them together.

    `goals` are all possible goals, the likeliest first. `n` is the number of proposals so far; returns the new number.
    """
    count, middle = goals.size, _until(s, level, goals, goals.size, 0.5 * s.states[level].weight)
    for size in (1, 2, 3, 4, 6, 9, middle - 1, middle, middle + 1, middle // 2, count // 4):
        if 0 < size < count:
            n = offer_these(s, level, goals, int64(0), size, n)
    for k in range(1, min(4, count)):
        n = offer_these(s, level, goals, k, k + 1, n)
    return n


@part
def _offer_by_move(s: Search, level: int, goals: Any, n: int) -> int:
    """For each move of the ego agent, propose questions about the goals for which the move causes no delay.

    `goals` are all possible goals, the heaviest first. `n` is the number of proposals so far; returns the new number.
    """
    world, chosen, state = s.world, s.lists[CHOSEN], s.states[level]
    for a in range(world.next.shape[1]):
        there = np.int64(world.next[state.place, a])
        size = int64(0)
        for g in goals[: goals.size if there >= 0 else 0]:
            d = world.steps[state.teammate, g]
            now = ego_steps(world, state.place, state.load, g)
            if max(d, ego_steps(world, there, state.load, g)) < max(d + 1, now):
                chosen[size] = g
                size += 1
        if 0 < size < goals.size:
            n = _offer_shares(s, level, chosen, size, n)
    return n


# -- groups of the problem ------------------------------------------------------------------------------------------


@part
def _groups_by_goal(groups: Any, goals: Any, order: Any) -> int:
    """Write the indices of the groups that contain some of `goals` into `order`; return the number of these groups.

    Groups are ordered by their first members in `goals`. `groups` is ``uint64 [n_groups, 1, n_words]``, sets of goals
    as bits.
    """
    found = 0
    for g in goals:
        for k in range(groups.shape[0]):
            if has(groups, k, g):
                i = 0
                while i < found and order[i] != k:
                    i += 1
                if i == found:
                    order[found] = k
                    found += 1
    return found


@part
def _offer_groups(s: Search, level: int, order: Any, goals: Any, n: int) -> int:
    """For each group of goals in `order` (indices of groups), propose questions about the possible goals of the group.

    `goals` are all possible goals, the heaviest first. `n` is the number of proposals so far; returns the new number.
    """
    chosen = s.lists[CHOSEN]
    for group in order:
        size = int64(0)
        for g in goals:
            if has(s.groups, group, g):
                chosen[size] = g
                size += 1
        n = _offer_shares(s, level, chosen, size, n)
    return n


@part
def _offer_pairs(s: Search, level: int, order: Any, goals: Any, n: int) -> int:
    """For each pair of the first few groups in `order` (indices of groups), propose a question about both together.

    `goals` are all possible goals. `n` is the number of proposals so far; returns the new number.
    """
    chosen = s.lists[CHOSEN]
    for i in range(min(order.size, MOST_PAIRED)):
        for j in range(i):
            size = int64(0)
            for g in goals:
                if has(s.groups, order[i], g) or has(s.groups, order[j], g):
                    chosen[size] = g
                    size += 1
            n = offer_these(s, level, chosen, int64(0), size, n)
    return n
