"""The compiled search for the optimum: depth first, memoised, with a stack of its own.

The recursion and its names are those of `askwise.planning`; here `A` is a set of goals as bits of one number (`goals`).

An option is dropped as soon as its sum so far reaches the best complete one. For the same reason a state need not be
solved once it is sure to cost more than the options above it could bear: then only that lower bound goes into the
table, and the state is taken up again if somebody needs to know more. Two more bounds: being told an answer for nothing
never hurts, ``U(A) >= U(A in Q) + U(A not in Q)``; and the goal can always be found out at once, by single questions or
by halves. Actions come first, then questions (`askwise.planning.exact.splitting`).

The search can be left after any number of states and taken up again: all it needs is in the `Stack` and the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled, inner, int64
from askwise.planning.exact.entering import push
from askwise.planning.exact.memory import (
    SAME,
    Arrays,
    Stack,
    find,
    is_solved,
    known_regret,
    where_of,
)
from askwise.planning.exact.splitting import try_splits

DONE, PAUSED, TABLE_FULL = 0, 1, 2
"""What ended a call of `search`."""


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
    table: Any,
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
        push(arrays, stack, depth, start.goals, start.w, start.place, start.load, 0.0, np.inf)
    looked = 0
    room = table.size - (table.size >> 2)
    while depth >= 0:
        if filled >= room:
            return TABLE_FULL, depth, filled, looked
        if filled >= most_states or looked >= most_splits:
            return PAUSED, depth, filled, looked
        frame = stack.frames[depth]
        waiting = False
        while not waiting and frame.option < frame.options and frame.least < frame.best * SAME:
            waiting = _try_action(arrays, stack, depth, table)
        if not waiting and frame.least < frame.best * SAME:
            waiting, n = try_splits(arrays, stack, depth, table)
            looked += n
        if waiting:
            depth += 1
            continue
        entry = table[find(table, frame.goals, frame.where)]
        filled += entry.goals == 0
        entry.goals, entry.where, entry.regret, entry.choice = frame.goals, frame.where, frame.best, frame.choice
        depth -= 1
    return DONE, depth, filled, looked


@inner
def _try_action(arrays: Arrays, stack: Stack, depth: int, table: Any) -> bool:
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
            slot = find(table, left, where_of(arrays, left, int64(onwards), there, hand))
            regret = known_regret(table, slot)
            known += regret
            if not is_solved(table, slot):
                unsolved, of_unsolved = int64(onwards), regret
    if known >= frame.best * SAME:
        frame.option += 1
        return False
    if unsolved >= 0:
        left, most = frame.goals & arrays.alive[unsolved], frame.best - (known - of_unsolved)
        push(arrays, stack, depth + 1, left, unsolved, there, hand, of_unsolved, most)
        return True
    frame.best, frame.choice = known, action
    frame.option += 1
    return False
