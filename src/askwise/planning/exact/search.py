"""The compiled search for the optimum: depth first, memoised, with a stack of its own.

The recursion and its names are those of `askwise.planning`; here `A` is a set of goals as bits of one number (`goals`).

An option is dropped as soon as its sum so far reaches the best complete one. For the same reason a state need not be
solved once it is sure to cost more than the options above it could bear: then only that lower bound goes into the
table, and the state is taken up again if somebody needs to know more. Two more bounds: being told an answer for nothing
never hurts, ``U(A) >= U(A in Q) + U(A not in Q)``; and the goal can always be found out at once, by single questions or
by halves.

The search can be left after any number of states and taken up again: all it needs is in `Stack` and `Table`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise._compiled import compiled, inner, int64
from askwise.ego import FAR
from askwise.planning.exact.memory import (
    EMPTY,
    NO_CHOICE,
    Arrays,
    Stack,
    Table,
    find,
    is_solved,
    key_of,
    known_regret,
    useful,
)

SAME = 1.0 - 1e-12
"""An option must be better by more than rounding; the first of equals is kept."""

DONE, PAUSED, TABLE_FULL = 0, 1, 2
"""What ended a call of `search`."""


@inner
def count_bits(goals: int) -> int:
    """Return the number of goals in a set."""
    n = 0
    while goals:
        goals &= goals - 1
        n += 1
    return n


# -- a new state -------------------------------------------------------------------------------------------------


@inner
def push(arrays: Arrays, stack: Stack, depth: int, goals: int, w: int, place: int, load: int, most: float) -> None:
    """Put a state on the stack and sort its actions by what they cost at once.

    `most` is the regret from which on nobody cares for it.
    """
    load = useful(goals, load)
    weight = 0.0
    for goal in range(arrays.weight.shape[1]):
        if (goals >> goal) & 1:
            weight += arrays.weight[w, goal]
    frame = stack.frames[depth]
    frame.goals, frame.w, frame.place, frame.load = goals, w, place, load
    frame.option, frame.split, frame.choice = 0, -1, NO_CHOICE
    frame.key = key_of(arrays, goals, w, place, load)
    frame.weight = weight
    # A little more than what is surely possible: the option that does it has to be found, and may cost just as much,
    # nothing at all if questions are free.
    if arrays.charges.size:
        finding_out = _finding_out_charged(arrays, goals, w, weight)
    else:
        finding_out = _finding_out(arrays, stack, goals, w)
    frame.best = min(most, finding_out + 1e-9 * weight)
    frame.options = _sort_actions(arrays, stack, depth, goals, w, place, load)


@inner
def _sort_actions(arrays: Arrays, stack: Stack, depth: int, goals: int, w: int, place: int, load: int) -> int:
    """Write the actions that can be taken into the stack, those of least regret first; return their number."""
    actions, regrets = stack.actions[depth], stack.regrets[depth]
    n_moves, n = arrays.next.shape[1], 0
    loads = arrays.loads[place] & goals
    ties = stack.room[0]
    for action in range(n_moves + arrays.weight.shape[1]):
        if action < n_moves:
            there, hand = int64(arrays.next[place, action]), load
            if there < 0:
                continue
        else:
            there, hand = place, action - n_moves
            if not (loads >> hand) & 1 or hand == load:
                continue
        regret, tie = _at_once(arrays, goals, w, place, load, there, hand)
        if regret == np.inf:
            continue
        k = n
        while k > 0 and (regrets[k - 1] > regret or (regrets[k - 1] == regret and ties[k - 1] > tie)):
            regrets[k], ties[k], actions[k] = regrets[k - 1], ties[k - 1], actions[k - 1]
            k -= 1
        regrets[k], ties[k], actions[k] = regret, tie, action
        n += 1
    return n


@inner
def _at_once(arrays: Arrays, goals: int, w: int, place: int, load: int, there: int, hand: int) -> tuple[float, float]:
    """Return the regret of an action by itself, and the steps left after it: of equals the nearer is tried first.

    The regret is infinite if a goal that could be reached no longer can.
    """
    regret, left = 0.0, 0.0
    for goal in range(arrays.weight.shape[1]):
        if not (goals >> goal) & 1:
            continue
        weight, steps = arrays.weight[w, goal], arrays.steps[w, goal]
        before = arrays.loaded[place, goal] if load == goal else arrays.unloaded[place, goal]
        after = arrays.loaded[there, goal] if hand == goal else arrays.unloaded[there, goal]
        if after >= FAR:
            if before < FAR:
                return np.inf, np.inf
            continue
        regret += weight * (1 + max(steps, after) - max(steps + 1, before))
        left += weight * after
    return regret, left


@inner
def _finding_out(arrays: Arrays, stack: Stack, goals: int, w: int) -> float:
    """Return the regret of finding out the goal by questions now, one by one or by Huffman's tree of halves."""
    masses, extras, sizes, n = stack.room[1], stack.room[2], stack.room[3], 0
    for goal in range(arrays.weight.shape[1]):
        if (goals >> goal) & 1:
            mass, k = arrays.weight[w, goal], n
            while k > 0 and masses[k - 1] > mass:
                masses[k], extras[k] = masses[k - 1], extras[k - 1]
                k -= 1
            masses[k], extras[k] = mass, arrays.extra[goal]
            sizes[n] = 1.0
            n += 1
    singly, rest = 0.0, masses[0]
    for k in range(1, n):
        rest += masses[k]
        singly += rest * (arrays.base + (arrays.per_goal + extras[k]))
    halves = 0.0
    while n > 1:
        mass, size, extra = masses[0] + masses[1], sizes[0] + sizes[1], extras[0] + extras[1]
        named, others = arrays.per_goal * sizes[0] + extras[0], arrays.per_goal * sizes[1] + extras[1]
        halves += mass * (arrays.base + min(named, others))
        k = 0
        while k + 2 < n and masses[k + 2] < mass:
            masses[k], sizes[k], extras[k] = masses[k + 2], sizes[k + 2], extras[k + 2]
            k += 1
        masses[k], sizes[k], extras[k] = mass, size, extra
        for j in range(k + 1, n - 1):
            masses[j], sizes[j], extras[j] = masses[j + 1], sizes[j + 1], extras[j + 1]
        n -= 1
    return min(singly, halves)


@inner
def _finding_out_charged(arrays: Arrays, goals: int, w: int, weight: float) -> float:
    """Return the same where questions are charged: one by one, in the order of the goals."""
    regret, left = 0.0, goals
    for goal in range(arrays.weight.shape[1]):
        if (left >> goal) & 1 and left & (left - 1):
            regret += _charged(arrays, w, arrays.weight[w, goal], weight, 1)
            weight -= arrays.weight[w, goal]
            left ^= int64(1) << goal
    return regret


# -- the loop ----------------------------------------------------------------------------------------------------


class Start(NamedTuple):
    """The state that a search begins with; no goals where it goes on."""

    goals: int
    w: int
    place: int
    load: int


GO_ON = Start(0, 0, 0, 0)


@compiled
def search(
    arrays: Arrays,
    stack: Stack,
    depth: int,
    table: Table,
    filled: int,
    most_states: int,
    most_splits: int,
    start: Start,
) -> tuple[int, int, int, int]:
    """Go on with the states on the stack until none is left, the table is full, or there was enough work.

    If there is a state to start with, it is put on the stack first.

    Returns what ended it (`DONE`, `PAUSED`, `TABLE_FULL`), the depth of the stack, the states in the table, and the
    number of splits that were looked at in this call.
    """
    if start.goals:
        push(arrays, stack, depth, start.goals, start.w, start.place, start.load, np.inf)
    looked = 0
    room = table.keys.size - (table.keys.size >> 2)
    while depth >= 0:
        if filled >= room:
            return TABLE_FULL, depth, filled, looked
        if filled >= most_states or looked >= most_splits:
            return PAUSED, depth, filled, looked
        frame = stack.frames[depth]
        waiting = False
        while not waiting and frame.option < frame.options:
            waiting = _try_action(arrays, stack, depth, table)
        if not waiting and frame.best > 0.0:
            waiting, n = _try_splits(arrays, stack, depth, table)
            looked += n
        if waiting:
            depth += 1
            continue
        slot = find(table.keys, frame.key)
        filled += table.keys[slot] == EMPTY
        table.keys[slot], table.regrets[slot], table.choices[slot] = frame.key, frame.best, frame.choice
        depth -= 1
    return DONE, depth, filled, looked


@inner
def _try_action(arrays: Arrays, stack: Stack, depth: int, table: Table) -> bool:
    """Add up what the next action costs; True if a state it leads to has been put on the stack and has to be solved."""
    frame = stack.frames[depth]
    action, n_moves = stack.actions[depth, frame.option], arrays.next.shape[1]
    if action < n_moves:
        there, hand = int64(arrays.next[frame.place, action]), frame.load
    else:
        there, hand = frame.place, action - n_moves
    known, unsolved, of_unsolved = stack.regrets[depth, frame.option], int64(-1), 0.0
    if known >= frame.best * SAME:
        frame.option = frame.options  # they are sorted: none of the others is better
        return False
    for onwards in arrays.following[frame.w]:
        left = frame.goals & arrays.alive[onwards] if onwards >= 0 else int64(0)
        if left & (left - 1):
            slot = find(table.keys, key_of(arrays, left, int64(onwards), there, hand))
            regret = known_regret(table, slot)
            known += regret
            if not is_solved(table, slot):
                unsolved, of_unsolved = int64(onwards), regret
    if known >= frame.best * SAME:
        frame.option += 1
        return False
    if unsolved >= 0:
        left, most = frame.goals & arrays.alive[unsolved], frame.best - (known - of_unsolved)
        push(arrays, stack, depth + 1, left, unsolved, there, hand, most)
        return True
    frame.best, frame.choice = known, action
    frame.option += 1
    return False


@inner
def _named(arrays: Arrays, goals: int, size: int) -> float:
    """Return what naming these goals, `size` of them, adds to the price of a question."""
    added = arrays.per_goal * size
    if not arrays.uniform:
        for goal in range(arrays.extra.size):
            if (goals >> goal) & 1:
                added += arrays.extra[goal]
    return added


@inner
def _charged(arrays: Arrays, w: int, inside: float, weight: float, n: int) -> float:
    """Return what a question is charged that names `n` goals; `inside` is their part of the `weight`."""
    own, other = arrays.charges[arrays.zone[w], 0, n - 1], arrays.charges[arrays.zone[w], 1, n]
    return float(inside * own + (weight - inside) * other)


@inner
def _weight_of(arrays: Arrays, goals: int, w: int) -> float:
    weight = 0.0
    for goal in range(arrays.weight.shape[1]):
        if (goals >> goal) & 1:
            weight += arrays.weight[w, goal]
    return weight


# Prices are worked out in the loop: in a function of their own the whole search took 1.6 times as long.
@inner
def _try_splits(arrays: Arrays, stack: Stack, depth: int, table: Table) -> tuple[bool, int]:  # noqa: C901
    """Try the questions that are left; True if the value of an answer has to be found first."""
    frame = stack.frames[depth]
    goals, w, place, load = frame.goals, frame.w, frame.place, frame.load
    size, looked, charged = count_bits(goals), 0, arrays.charges.size > 0
    rest = goals & (goals - 1)  # the other side of a split always has the lowest goal
    if frame.split < 0:
        frame.split = rest
    while frame.split > 0:
        split = frame.split
        other = goals ^ split
        looked += 1
        n = count_bits(split)
        if charged:
            inside = _weight_of(arrays, split, w)
            named = _charged(arrays, w, inside, frame.weight, n)
            others = _charged(arrays, w, frame.weight - inside, frame.weight, size - n)
            price = min(named, others)
        else:
            named, others = _named(arrays, split, n), _named(arrays, other, size - n)
            price = frame.weight * (arrays.base + min(named, others))
        if price < frame.best * SAME:
            known, unsolved, of_unsolved = 0.0, int64(0), 0.0
            for side in (split, other):
                if side & (side - 1):
                    slot = find(table.keys, key_of(arrays, side, w, place, load))
                    regret = known_regret(table, slot)
                    known += regret
                    if not is_solved(table, slot):
                        unsolved, of_unsolved = side, regret
            if known >= frame.best * SAME:
                break  # to be told the answer for nothing would not help: nothing is better than what is there
            if price + known < frame.best * SAME:
                if unsolved:
                    most = frame.best - price - (known - of_unsolved)
                    push(arrays, stack, depth + 1, unsolved, w, place, load, most)
                    return True, looked
                frame.best = price + known
                cheaper = named < others or (named == others and 2 * n <= size)
                frame.choice = -1 - (split if cheaper else other)
        frame.split = (split - 1) & rest
    return False, looked
