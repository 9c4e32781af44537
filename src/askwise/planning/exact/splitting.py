"""Compiled loops of the exact search: the best question of a state, by branch and bound.

With `n` goals left there are ``2^(n-1) - 1`` ways to tell them apart by a question. They are not listed. Goals are
taken one after the other, the heaviest first, and each is put on one of two sides, so that questions are the leaves of
a tree. One more goal on a side makes neither that side's regret nor the price less:

    U(S) <= U(T)   if all goals of S are in T,

since whoever can deal with `T` can do the same with `S`: fewer goals to lose time for, fewer to name. So

    least price so far  +  U(one side so far)  +  U(other side so far)

bounds all questions below a node of the tree, and most of the tree is never entered. What a side costs is found out as
soon as it has grown: smaller sets are solved sooner than larger ones, and are met again and again. (20 x 20 cells, 17
of 50 goals, nothing to pay for naming them: listed, 54 million questions were looked at; now 118,000 nodes are, in a
35th of the time.)

If both sides together cost as much as the best that is known, although here the side is told for nothing, then nothing
at all is better, and the search of the state ends: ``U(A) >= U(A in Q) + U(A not in Q)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, int64
from askwise.planning.exact.entering import push
from askwise.planning.exact.memory import SAME, Arrays, Stack, find, is_solved, known_regret, where_of


@inner
def try_splits(arrays: Arrays, stack: Stack, depth: int, table: Any) -> tuple[bool, int]:
    """Try the questions that are left; True if a state has been put on the stack and has to be solved first.

    Returns also how many questions were looked at, where branches that are not entered count as one.
    """
    frame, sides, tried = stack.frames[depth], stack.sides[depth], stack.tried[depth]
    looked = 0
    if frame.level < 0:
        _list_goals(arrays, stack, depth)
    while frame.level > 0:
        level = frame.level
        if level == frame.size or tried[level] == 2:
            if level == frame.size:
                looked += 1
                _compare(arrays, stack, depth)
            frame.level -= 1
            continue
        side = tried[level]
        _grow(arrays, stack, depth, side)
        one, other = sides[level + 1, side], sides[level + 1, 1 - side]
        price, best = _least_price(arrays, stack, depth, level + 1), frame.best * SAME
        if one.goals == frame.goals or price + one.least + other.least >= best:
            looked += 1
            tried[level] += 1
            continue
        if one.goals & (one.goals - 1):
            slot = find(table, one.goals, where_of(arrays, one.goals, frame.w, frame.place, frame.load))
            one.least = max(one.least, known_regret(table, slot))
            if one.least + other.least >= best:
                frame.level = 0
                break
            if price + one.least + other.least < best and not is_solved(table, slot):
                most = frame.best - price - other.least
                push(arrays, stack, depth + 1, one.goals, frame.w, frame.place, frame.load, one.least, most)
                return True, looked
        tried[level] += 1
        if price + one.least + other.least < best:
            frame.level += 1
            tried[level + 1] = 0
    return False, looked


@inner
def _list_goals(arrays: Arrays, stack: Stack, depth: int) -> None:
    """Write the goals of a state into the stack, the heaviest first; it is on the first side, and no other is yet."""
    frame, order, size = stack.frames[depth], stack.order[depth], 0
    for goal in range(arrays.weight.shape[1]):
        if (frame.goals >> goal) & 1:
            k = size
            while k > 0 and arrays.weight[frame.w, order[k - 1]] < arrays.weight[frame.w, goal]:
                order[k] = order[k - 1]
                k -= 1
            order[k] = goal
            size += 1
    for side in range(2):
        none = stack.sides[depth, 0, side]
        none.goals, none.size, none.weight, none.named, none.least = 0, 0, 0.0, 0.0, 0.0
    frame.size, frame.level = size, 0
    _grow(arrays, stack, depth, 0)
    stack.tried[depth, 1] = 0
    frame.level = 1


@inner
def _grow(arrays: Arrays, stack: Stack, depth: int, side: int) -> None:
    """Write the sides of the next level: those of this one, with the next goal on a side."""
    frame, sides = stack.frames[depth], stack.sides[depth]
    goal = stack.order[depth, frame.level]
    for k in range(2):
        one, grown = sides[frame.level, k], sides[frame.level + 1, k]
        grown.goals, grown.size, grown.weight, grown.named, grown.least = (
            one.goals,
            one.size,
            one.weight,
            one.named,
            one.least,
        )
    grown = sides[frame.level + 1, side]
    grown.goals |= int64(1) << goal
    grown.size += 1
    grown.weight += arrays.weight[frame.w, goal]
    grown.named += arrays.per_goal + arrays.extra[goal]


@inner
def _compare(arrays: Arrays, stack: Stack, depth: int) -> None:
    """Keep the question at the end of a branch if it is the best so far; both its sides are solved."""
    frame = stack.frames[depth]
    first, second = stack.sides[depth, frame.size, 0], stack.sides[depth, frame.size, 1]
    total = _least_price(arrays, stack, depth, frame.size) + first.least + second.least
    if total < frame.best * SAME:
        if arrays.charges.size:
            named, others = _charged(arrays, frame, first, second), _charged(arrays, frame, second, first)
        else:
            named, others = first.named, second.named
        cheaper = named < others or (named == others and first.size < second.size)
        frame.best, frame.choice = total, -1 - (first.goals if cheaper else second.goals)


# -- prices ------------------------------------------------------------------------------------------------------


@inner
def _least_price(arrays: Arrays, stack: Stack, depth: int, level: int) -> float:
    """Return what a question costs at least, times the weight, that has these goals on its sides; either is named."""
    frame, first, second = stack.frames[depth], stack.sides[depth, level, 0], stack.sides[depth, level, 1]
    if arrays.charges.size:
        return float(min(_charged(arrays, frame, first, second), _charged(arrays, frame, second, first)))
    return float(frame.weight * (arrays.base + min(first.named, second.named)))


@inner
def _charged(arrays: Arrays, frame: Any, named: Any, other: Any) -> float:
    """Return what a question is charged at least that names the goals of a side and not those of the other.

    Goals on neither side may still be named, then at least as many others are named with them.
    """
    amounts, n = arrays.charges[arrays.zone[frame.w]], max(named.size, 1)
    if named.size == frame.size:
        return np.inf
    undecided = max(0.0, frame.weight - named.weight - other.weight) if named.size + other.size < frame.size else 0.0
    either = min(amounts[1, n], amounts[0, min(named.size, amounts.shape[1] - 1)])
    return float(named.weight * amounts[0, n - 1] + other.weight * amounts[1, n] + undecided * either)
