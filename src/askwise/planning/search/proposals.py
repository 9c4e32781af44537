"""Compiled loops of the planner: questions that are worth a look.

Some suit every problem: the likeliest goals, the goals that a move costs nothing, parts of these by weight. A domain
adds groups of goals that belong together (`askwise.core.problem.Problem.groups`), which are handed in as sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, int64
from askwise.planning.search.sets import add_up, clear, equal, first_goal, flip, has, list_goals
from askwise.planning.search.steps import ego_steps
from askwise.planning.search.workspace import POOL_SIZE

BY_WEIGHT, CHOSEN, ORDER, GROUPS = range(4)
"""Lists of the workspace: the goals of a set, the heaviest first; some of them; an order of them; groups."""
MOST_PAIRED = 6
"""Groups that are put together two by two."""


@inner
def propose(ws: Any, groups: Any, row: int, w: int, place: int, load: int) -> int:
    """Write questions worth a look into the pool; return their number.

    Args:
        ws: the workspace.
        groups: ``uint64 [n_groups, n_words]``, sets of goals that belong together.
        row: the set of goals that are possible.
        w: state of the teammate.
        place: where the ego agent is.
        load: what it carries.
    """
    goals = ws.lists[BY_WEIGHT, : by_weight(ws, row, w)]
    n = _offer_likeliest(ws, row, w, goals, int64(0))
    order = ws.lists[GROUPS, : _groups_by_goal(groups, goals, ws.lists[GROUPS])]
    n = _offer_groups(ws, groups, order, row, w, goals, n)
    n = _offer_by_move(ws, row, w, place, load, goals, n)
    return _offer_pairs(ws, groups, order, row, goals, n)


@inner
def by_weight(ws: Any, row: int, w: int) -> int:
    """List the goals of a set, the heaviest first, equals by number; return how many there are."""
    weight, goals, n = ws.world.weight, ws.lists[BY_WEIGHT], list_goals(ws.sets, row, ws.ranked)
    for i in range(n):
        g = ws.ranked[i].goal
        j = i - 1
        while j >= 0 and weight[w, goals[j]] < weight[w, g]:
            goals[j + 1] = goals[j]
            j -= 1
        goals[j + 1] = g
    return n


# -- the pool ----------------------------------------------------------------------------------------------------


@inner
def offer(ws: Any, row: int, n: int) -> int:
    """Keep proposal `n` if it is neither empty nor everything nor there already; return the new count.

    A set and its complement are the same question; proposals are written with the first goal of `row` outside.
    """
    sets, pool = ws.sets, ws.rows.pool
    if n >= POOL_SIZE:
        return n
    turn = has(sets, pool + n, first_goal(sets, row))
    empty = True
    for k in range(sets.shape[1]):
        word = sets[pool + n, k] & sets[row, k]
        if turn:
            word ^= sets[row, k]
        sets[pool + n, k] = word
        empty = empty and word == 0
    if empty:
        return n
    for i in range(n):
        if equal(sets, pool + i, pool + n):
            return n
    return n + 1


@inner
def offer_these(ws: Any, row: int, goals: Any, first: int, last: int, n: int) -> int:
    """Offer the set of ``goals[first:last]``."""
    proposal = ws.rows.pool + n
    clear(ws.sets, proposal)
    for k in range(first, last):
        flip(ws.sets, proposal, goals[k])
    return offer(ws, row, n)


@inner
def _offer_shares(ws: Any, row: int, w: int, goals: Any, count: int, n: int) -> int:
    """Offer goals, the heaviest first: all of them, and those that make up 80 % and half of their weight."""
    weight, total, part = ws.world.weight, 0.0, 0.0
    for k in range(count):
        total += weight[w, goals[k]]
    half, most = False, False
    for k in range(count):
        part += weight[w, goals[k]]
        if not half and part >= 0.5 * total:
            half = True
            n = offer_these(ws, row, goals, int64(0), k + 1, n)
        if not most and part >= 0.8 * total:
            most = True
            n = offer_these(ws, row, goals, int64(0), k + 1, n)
    return offer_these(ws, row, goals, int64(0), count, n)


# -- for every problem -------------------------------------------------------------------------------------------


@inner
def _offer_likeliest(ws: Any, row: int, w: int, goals: Any, n: int) -> int:
    """Offer the likeliest goals: few, about as many as make up half of the weight, and some of them alone."""
    weight, count = ws.world.weight, goals.size
    total, part, middle = add_up(ws.sets, row, weight, w), 0.0, 0
    while part < 0.5 * total and middle < count:
        part += weight[w, goals[middle]]
        middle += 1
    for size in (1, 2, 3, 4, 6, 9, middle - 1, middle, middle + 1, middle // 2, count // 4):
        if 0 < size < count:
            n = offer_these(ws, row, goals, int64(0), size, n)
    for k in range(1, min(4, count)):
        n = offer_these(ws, row, goals, k, k + 1, n)
    return n


@inner
def _offer_by_move(ws: Any, row: int, w: int, place: int, load: int, goals: Any, n: int) -> int:
    """Offer, for each move, the goals that it costs nothing."""
    world, unloaded, loaded, chosen = ws.world, ws.world.unloaded, ws.world.loaded, ws.lists[CHOSEN]
    for a in range(world.next.shape[1]):
        t = np.int64(world.next[place, a])
        size = int64(0)
        for g in goals[: goals.size if t >= 0 else 0]:
            d = world.steps[w, g]
            if max(d, ego_steps(unloaded, loaded, t, load, g)) < max(
                d + 1, ego_steps(unloaded, loaded, place, load, g)
            ):
                chosen[size] = g
                size += 1
        if 0 < size < goals.size:
            n = _offer_shares(ws, row, w, chosen, size, n)
    return n


# -- of the domain -----------------------------------------------------------------------------------------------


@inner
def _groups_by_goal(groups: Any, goals: Any, order: Any) -> int:
    """List the groups that hold some of the goals, in the order of the first goal that each of them holds."""
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


@inner
def _offer_groups(ws: Any, groups: Any, order: Any, row: int, w: int, goals: Any, n: int) -> int:
    """Offer groups, and parts of them by weight."""
    chosen = ws.lists[CHOSEN]
    for group in order:
        size = int64(0)
        for g in goals:
            if has(groups, group, g):
                chosen[size] = g
                size += 1
        n = _offer_shares(ws, row, w, chosen, size, n)
    return n


@inner
def _offer_pairs(ws: Any, groups: Any, order: Any, row: int, goals: Any, n: int) -> int:
    """Offer the first groups two by two."""
    chosen = ws.lists[CHOSEN]
    for i in range(min(order.size, MOST_PAIRED)):
        for j in range(i):
            size = int64(0)
            for g in goals:
                if has(groups, order[i], g) or has(groups, order[j], g):
                    chosen[size] = g
                    size += 1
            n = offer_these(ws, row, chosen, int64(0), size, n)
    return n
