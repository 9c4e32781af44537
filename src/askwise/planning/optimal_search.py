"""The compiled search behind `askwise.planning.optimal`: depth first, memoised, with a stack of its own.

A state is a set of goals `A` (a bit mask), the teammate's state `w`, the ego agent's position `p` and tool `h`. Its
value is the *loss*: expected cost beyond that of knowing the goal, times the weight ``Z_A(w)`` of the state. Weighting
makes everything a plain sum (see `optimal`)::

    loss(A, w, p, h) = min over
        ontic actions a:  sum over g in A of weight[w, g] * delay_g(a)
                          + sum over next w' of loss(A & alive[w'], w', p', h')
        splits q of A:    Z_A(w) * price(q)  +  loss(q, w, p, h)  +  loss(A - q, w, p, h)

``delay_g(a) = 1 + max(d_w, d_e') - max(d_w + 1, d_e)`` is by how much the action puts off the end if `g` is the goal:
`d_w` and `d_e` are the steps left of the teammate and of the ego agent, `d_e'` those of the ego agent after `a`. A
single goal loses nothing.

No term is negative, so an option is dropped as soon as its sum so far reaches the best complete one. For the same
reason a state need not be solved once it is sure to lose more than the options above it could bear: then only that
lower bound goes into the table, and the state is taken up again if somebody needs to know more. Two more bounds: being
told an answer for nothing never hurts, ``loss(A) >= loss(q) + loss(A - q)``; and the goal can always be found out at
once, by single questions or by halves.

The search can be left after any number of states and taken up again: all it needs is in `Stack` and the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled

EMPTY = -1
SAME = 1.0 - 1e-12
"""An option must be better by more than rounding; the first of equals is kept."""

DONE, PAUSED, FULL = 0, 1, 2
NO_CHOICE = -(1 << 62)
"""In place of a choice: the loss is a lower bound only."""

MASK, WORKER, POSITION, TOOL, OPTIONS, OPTION, SPLIT, CHOICE, KEY = range(9)
"""Columns of ``Stack.whole``."""
BEST, WEIGHT = range(2)
"""Columns of ``Stack.real``."""


class Arrays(NamedTuple):
    """A problem with few goals, for compiled loops.

    Attributes:
        weight: ``float64 [n_states, n_goals]``, see `askwise.planning.view`.
        steps: ``int32 [n_states, n_goals]``, the teammate's steps to each goal.
        alive: ``int64 [n_states]``, the goals of positive weight.
        following: ``int32 [n_states, n_moves]``, the teammate's next states, filled up by -1.
        next: ``int32 [n_positions, n_actions]``, the ego agent's next position, -1 where there is none.
        bare: ``int32 [n_positions, n_goals]``, the ego agent's steps without the goal's tool.
        held: the same with it.
        tools: ``int64 [n_positions]``, the goals whose tools lie there.
        base: price of a question.
        per_goal: price for each goal in it.
    """

    weight: Any
    steps: Any
    alive: Any
    following: Any
    next: Any
    bare: Any
    held: Any
    tools: Any
    base: float
    per_goal: float


class Stack(NamedTuple):
    """States that wait for the values of others.

    Attributes:
        whole: ``int64 [depth, 9]``.
        real: ``float64 [depth, 2]``.
        action: ``int64 [depth, n_options]``, the ontic actions of each state, most promising first: a column of
            ``Arrays.next``, or one for each goal after them, the pick-up of its tool.
        loss: ``float64 [depth, n_options]``, what each is known to lose.
    """

    whole: Any
    real: Any
    action: Any
    loss: Any


class Table(NamedTuple):
    """A hash table with open addressing: key, loss and choice of every state that is solved.

    A choice is an ontic action, or ``-1 - q`` for a question about the goals `q`.
    """

    keys: Any
    losses: Any
    choices: Any


@compiled
def count_bits(mask: int) -> int:
    """Return the number of goals in a set."""
    n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


@compiled
def key_of(arrays: Arrays, mask: int, worker: int, position: int, tool: int) -> Any:
    """Return the number of a state; a tool that nobody needs any more is as good as none."""
    if tool >= 0 and not (mask >> tool) & 1:
        tool = -1
    n_states, n_goals = arrays.weight.shape
    return ((mask * n_states + worker) * arrays.next.shape[0] + position) * (n_goals + 1) + tool + 1


@compiled
def find(keys: Any, key: int) -> Any:
    """Return where a key is in the table, or the empty place where it would go."""
    last = keys.size - 1
    mixed = (key ^ (key >> 31)) * 0x7FB5D329728EA185
    mixed = (mixed ^ (mixed >> 27)) * 0x1B03738712FAD5C9
    slot = (mixed ^ (mixed >> 33)) & last
    while keys[slot] != key and keys[slot] != EMPTY:
        slot = (slot + 1) & last
    return slot


@compiled
def refill(old: Table, new: Table) -> None:
    """Copy a table into a larger one."""
    for k in range(old.keys.size):
        if old.keys[k] != EMPTY:
            slot = find(new.keys, old.keys[k])
            new.keys[slot] = old.keys[k]
            new.losses[slot] = old.losses[k]
            new.choices[slot] = old.choices[k]


@compiled
def push(
    arrays: Arrays, stack: Stack, depth: int, mask: int, worker: int, position: int, tool: int, most: float
) -> None:
    """Put a state on the stack and sort its ontic actions by what they lose at once.

    `most` is the loss from which on nobody cares for it.
    """
    if tool >= 0 and not (mask >> tool) & 1:
        tool = -1
    total = 0.0
    for goal in range(arrays.weight.shape[1]):
        if (mask >> goal) & 1:
            total += arrays.weight[worker, goal]
    whole = stack.whole[depth]
    whole[MASK], whole[WORKER], whole[POSITION], whole[TOOL] = mask, worker, position, tool
    whole[OPTION], whole[SPLIT], whole[CHOICE] = 0, -1, NO_CHOICE
    whole[KEY] = key_of(arrays, mask, worker, position, tool)
    stack.real[depth, WEIGHT] = total
    # A little more than what is surely possible: the option that does it has to be found, and may lose just as much,
    # nothing at all if questions are free.
    stack.real[depth, BEST] = min(most, _finding_out(arrays, mask, worker) + 1e-9 * total)
    n_moves, n_options = arrays.next.shape[1], 0
    tools = arrays.tools[position] & mask
    ties = np.empty(stack.action.shape[1])
    for action in range(n_moves + arrays.weight.shape[1]):
        if action < n_moves:
            there, hand = arrays.next[position, action], tool
            if there < 0:
                continue
        else:
            there, hand = position, action - n_moves
            if not (tools >> hand) & 1 or hand == tool:
                continue
        loss, tie = _at_once(arrays, mask, worker, position, tool, there, hand)
        k = n_options
        while k > 0 and (stack.loss[depth, k - 1] > loss or (stack.loss[depth, k - 1] == loss and ties[k - 1] > tie)):
            stack.loss[depth, k], ties[k] = stack.loss[depth, k - 1], ties[k - 1]
            stack.action[depth, k] = stack.action[depth, k - 1]
            k -= 1
        stack.loss[depth, k], stack.action[depth, k], ties[k] = loss, action, tie
        n_options += 1
    whole[OPTIONS] = n_options


@compiled
def _finding_out(arrays: Arrays, mask: int, worker: int) -> float:
    """Return what it loses to find out the goal by questions now, one by one or by Huffman's tree of halves."""
    masses, sizes, n = np.empty(arrays.weight.shape[1]), np.ones(arrays.weight.shape[1], dtype=np.int64), 0
    for goal in range(arrays.weight.shape[1]):
        if (mask >> goal) & 1:
            masses[n] = arrays.weight[worker, goal]
            n += 1
    masses = np.sort(masses[:n])
    singly, rest = 0.0, masses[0]
    for k in range(1, n):
        rest += masses[k]
        singly += rest * (arrays.base + arrays.per_goal)
    halves = 0.0
    while n > 1:
        mass, size = masses[0] + masses[1], sizes[0] + sizes[1]
        halves += mass * (arrays.base + arrays.per_goal * min(sizes[0], sizes[1]))
        k = 0
        while k + 2 < n and masses[k + 2] < mass:
            masses[k], sizes[k] = masses[k + 2], sizes[k + 2]
            k += 1
        masses[k], sizes[k] = mass, size
        for j in range(k + 1, n - 1):
            masses[j], sizes[j] = masses[j + 1], sizes[j + 1]
        n -= 1
    return min(singly, halves)


@compiled
def _at_once(
    arrays: Arrays, mask: int, worker: int, position: int, tool: int, there: int, hand: int
) -> tuple[float, float]:
    """Return what an ontic action loses by itself, and the steps left after it: of equals the nearer is tried first."""
    loss, left = 0.0, 0.0
    for goal in range(arrays.weight.shape[1]):
        if not (mask >> goal) & 1:
            continue
        weight, steps = arrays.weight[worker, goal], arrays.steps[worker, goal]
        before = arrays.held[position, goal] if tool == goal else arrays.bare[position, goal]
        after = arrays.held[there, goal] if hand == goal else arrays.bare[there, goal]
        loss += weight * (1 + max(steps, after) - max(steps + 1, before))
        left += weight * after
    return loss, left


@compiled
def search(
    arrays: Arrays, stack: Stack, depth: int, table: Table, filled: int, most_states: int, most_splits: int
) -> tuple[int, int, int, int]:
    """Go on with the states on the stack until none is left, the table is full, or there was enough work.

    Returns what ended it (`DONE`, `PAUSED`, `FULL`), the depth of the stack, the states in the table, and the number
    of splits that were looked at in this call.
    """
    looked = 0
    room = table.keys.size - (table.keys.size >> 2)
    while depth >= 0:
        if filled >= room:
            return FULL, depth, filled, looked
        if filled >= most_states or looked >= most_splits:
            return PAUSED, depth, filled, looked
        whole, real = stack.whole[depth], stack.real[depth]
        waiting = False
        while not waiting and whole[OPTION] < whole[OPTIONS]:
            waiting = _try_action(arrays, stack, depth, table)
        if not waiting and real[BEST] > 0.0:
            waiting, n = _try_splits(arrays, stack, depth, table)
            looked += n
        if waiting:
            depth += 1
            continue
        slot = find(table.keys, whole[KEY])
        filled += table.keys[slot] == EMPTY
        table.keys[slot], table.losses[slot], table.choices[slot] = whole[KEY], real[BEST], whole[CHOICE]
        depth -= 1
    return DONE, depth, filled, looked


@compiled
def _try_action(arrays: Arrays, stack: Stack, depth: int, table: Table) -> bool:
    """Add up what the next action loses; True if a state it leads to has been put on the stack and has to be solved."""
    whole, real = stack.whole[depth], stack.real[depth]
    action, n_moves = stack.action[depth, whole[OPTION]], arrays.next.shape[1]
    if action < n_moves:
        there, hand = arrays.next[whole[POSITION], action], whole[TOOL]
    else:
        there, hand = whole[POSITION], action - n_moves
    known, unsolved, of_unsolved = stack.loss[depth, whole[OPTION]], -1, 0.0
    if known >= real[BEST] * SAME:
        whole[OPTION] = whole[OPTIONS]  # they are sorted: none of the others is better
        return False
    for onwards in arrays.following[whole[WORKER]]:
        left = whole[MASK] & arrays.alive[onwards] if onwards >= 0 else 0
        if left & (left - 1):
            slot = find(table.keys, key_of(arrays, left, onwards, there, hand))
            loss = table.losses[slot] if table.keys[slot] != EMPTY else 0.0
            known += loss
            if table.keys[slot] == EMPTY or table.choices[slot] == NO_CHOICE:
                unsolved, of_unsolved = onwards, loss
    if known >= real[BEST] * SAME:
        whole[OPTION] += 1
        return False
    if unsolved >= 0:
        left, most = whole[MASK] & arrays.alive[unsolved], real[BEST] - (known - of_unsolved)
        push(arrays, stack, depth + 1, left, unsolved, there, hand, most)
        return True
    real[BEST], whole[CHOICE] = known, action
    whole[OPTION] += 1
    return False


@compiled
def _try_splits(arrays: Arrays, stack: Stack, depth: int, table: Table) -> tuple[bool, int]:
    """Try the questions that are left; True if the value of an answer has to be found first."""
    whole, real = stack.whole[depth], stack.real[depth]
    mask, worker, position, tool = whole[MASK], whole[WORKER], whole[POSITION], whole[TOOL]
    size, looked = count_bits(mask), 0
    rest = mask & (mask - 1)  # the other side of a split always has the lowest goal
    if whole[SPLIT] < 0:
        whole[SPLIT] = rest
    while whole[SPLIT] > 0:
        split = whole[SPLIT]
        other = mask ^ split
        looked += 1
        n = count_bits(split)
        price = real[WEIGHT] * (arrays.base + arrays.per_goal * min(n, size - n))
        if price < real[BEST] * SAME:
            known, unsolved, of_unsolved = 0.0, 0, 0.0
            for side in (split, other):
                if side & (side - 1):
                    slot = find(table.keys, key_of(arrays, side, worker, position, tool))
                    loss = table.losses[slot] if table.keys[slot] != EMPTY else 0.0
                    known += loss
                    if table.keys[slot] == EMPTY or table.choices[slot] == NO_CHOICE:
                        unsolved, of_unsolved = side, loss
            if known >= real[BEST] * SAME:
                break  # to be told the answer for nothing would not help: nothing is better than what is there
            if price + known < real[BEST] * SAME:
                if unsolved:
                    most = real[BEST] - price - (known - of_unsolved)
                    push(arrays, stack, depth + 1, unsolved, worker, position, tool, most)
                    return True, looked
                real[BEST] = price + known
                whole[CHOICE] = -1 - (split if 2 * n <= size else other)
        whole[SPLIT] = (split - 1) & rest
    return False, looked
