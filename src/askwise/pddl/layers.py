"""Compiled loops that lead the search from one layer of states to the next, and back.

A layer has all states at one distance from the start. States are rows of 64-bit words, found in a hash table with open
addressing. An operator is tested only in states with its *watched* bit: of its conditions, the one that the fewest
other operators have.

**Regression** finds the states before an operator from the state after it. In the state after it, all bits are set
that the operator adds, and all its conditions that it does not delete, but no bit that it deletes. Before it, all
conditions are set. Bits that it changes but does not require are unknown: all their combinations are looked up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled
from askwise.pddl.task import GoalTask, Lists, Numbers, Words, turned

# Multiplying this constant (every 6-bit pattern occurs in it once) by 2**k puts a different pattern into the top
# six bits for each k: a table of 64 entries then gives the position of a single bit without any branch.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT_INDEX = np.zeros(64, dtype=np.int64)
_BIT_INDEX[[(int(_DE_BRUIJN) << k & (1 << 64) - 1) >> 58 for k in range(64)]] = np.arange(64)
_MIX = np.uint64(0x9E3779B97F4A7C15)

FULL = 2
"""Minimal number of slots of the hash table per state."""
MOST_UNKNOWN = 6
"""Maximal number of bits that an operator may change without requiring them, for regression."""


def watching(wanted: Lists, n_bits: int) -> Lists:
    """Return for each bit the operators that watch it, as a list; the last list has those without conditions.

    An operator watches the condition that the fewest other operators have, and is tested only in states with this bit.
    `wanted` has the conditions of each operator, as indices of bits.
    """
    n_operators = wanted.starts.size - 1
    users = np.bincount(wanted.members, minlength=n_bits)
    order = np.lexsort((users[wanted.members], wanted.owners))
    watched = np.full(n_operators, n_bits, dtype=np.int32)
    owners = wanted.owners[order]
    first = np.concatenate(([True], owners[1:] != owners[:-1])) if owners.size else np.empty(0, dtype=bool)
    watched[owners[first]] = wanted.members[order][first]
    return turned(Lists(np.arange(n_operators + 1, dtype=np.int32), watched), n_bits + 1)


class Backwards(NamedTuple):
    """The operators, prepared for regression: finding the states before an operator from the state after it.

    The first four fields are ``uint64 [n_operators, n_words]``.

    Attributes:
        wanted: bits that are set afterwards: those that the operator adds, and conditions that it keeps.
        changed: bits that the operator adds or deletes.
        before: conditions of the operator.
        unknown: bits that the operator changes and does not require.
        starts: ``int32 [n_bits + 2]``, where the operators of each bit begin in `watched`.
        watched: ``int32 [n_operators]``, the operators to test where a bit is set; at the end those to test always.
    """

    wanted: Words
    changed: Words
    before: Words
    unknown: Words
    starts: Numbers
    watched: Numbers


def backwards(task: GoalTask) -> Backwards | None:
    """Return the operators, prepared for finding the states before an operator from the state after it.

    The result is None if some operator changes more than `MOST_UNKNOWN` bits that it does not require.
    """
    pre, add, keep = task.words
    unknown = (add | ~keep) & ~pre
    if np.bitwise_count(unknown).sum(axis=1).max(initial=0) > MOST_UNKNOWN:
        return None
    starts, watched = watching(task.gain, task.bits.size)
    return Backwards(add | (pre & keep), add | ~keep, pre, unknown, starts, watched)


@compiled(work=lambda given: given.n * given.states.shape[1])
def place(states: Any, n: int, slots: Any) -> None:
    """Insert the first `n` states into an empty hash table (compiled).

    `states` is ``uint64 [at least n, n_words]``, without duplicates. The hash table `slots`,
    ``int32 [a power of two]``, all -1, is filled with the indices of the states.
    """
    mask = slots.size - 1
    for s in range(n):
        code = np.uint64(0)
        for v in range(states.shape[1]):
            code = (code ^ states[s, v]) * _MIX
            code ^= code >> np.uint64(29)
        at = np.int64(code * _MIX >> np.uint64(20)) & mask
        while slots[at] >= 0:
            at = (at + 1) & mask
        slots[at] = s


@compiled(work=lambda given: (given.layer.size - given.begin) * given.pre.shape[0])
def walk(  # noqa: C901 - one loop: split into functions, a search took a third longer
    layer: Any,
    begin: int,
    level: int,
    states: Any,
    n: int,
    slots: Any,
    depth: Any,
    marked: Any,
    pre: Any,
    add: Any,
    keep: Any,
    starts: Any,
    watched: Any,
    following: Any,
    out: Any,
    filled: int,
    back: bool,
) -> tuple[int, int, int]:
    """Apply all operators to the states ``layer[begin:]``, and write some of the transitions to `out` (compiled).

    If `back` is False, states without a depth get depth ``level + 1``, and one transition to each of them is written.
    If `back` is True, all transitions to marked states of depth ``level + 1`` are written, and the states in which they
    begin are marked. The function returns early if `states` or `out` may become too small. `pre`, `add` and `keep` are
    ``uint64 [n_operators, n_words]``.

    Args:
        layer: ``int32 [n_layer]``, states of depth `level`.
        begin: first position of `layer` to process.
        level: steps from the start to `layer`.
        states: ``uint64 [room, n_words]``, bits of each state; new states are appended.
        n: number of states.
        slots: hash table of states, ``int32 [a power of two]``, -1 for free.
        depth: ``int32 [room]``, steps from the start, -1 for none yet.
        marked: ``bool [room]``; used only if `back`.
        pre: conditions of each operator.
        add: bits that each operator sets.
        keep: bits that each operator does not delete.
        starts: ``int32 [n_bits + 2]``, where each bit's operators begin in `watched`.
        watched: ``int32 [n_operators]``, operators to test where a bit is set; at the end those to test always.
        following: scratch space, ``uint64 [n_words]``.
        out: ``int32 [3, n_out]``: source, operator, target.
        filled: number of transitions in `out`.
        back: False to find the next layer, True to collect plans.

    Returns:
        The new `n`; the next position in `layer`, its size if all is done; and the new `filled`.
    """
    n_words, n_bits = states.shape[1], starts.size - 2
    mask = slots.size - 1
    most = pre.shape[0]
    for position in range(begin, layer.size):
        if filled + most > out.shape[1] or (not back and n + most > states.shape[0]):
            return n, position, filled
        s = layer[position]
        for w in range(n_words + 1):
            left = states[s, w] if w < n_words else np.uint64(1)
            while left != 0:
                low = left & (~left + np.uint64(1))
                left ^= low
                bit = 64 * w + _BIT_INDEX[(low * _DE_BRUIJN) >> np.uint64(58)] if w < n_words else n_bits
                for k in range(starts[bit], starts[bit + 1]):
                    o = watched[k]
                    fits = True
                    for v in range(n_words):
                        if states[s, v] & pre[o, v] != pre[o, v]:
                            fits = False
                            break
                    if not fits:
                        continue
                    # The lookup is written out: as a separate function it made searches 15 to 40 % slower.
                    code = np.uint64(0)
                    for v in range(n_words):
                        following[v] = states[s, v] & keep[o, v] | add[o, v]
                        code = (code ^ following[v]) * _MIX
                        code ^= code >> np.uint64(29)
                    at = np.int64(code * _MIX >> np.uint64(20)) & mask
                    t = slots[at]
                    while t >= 0:
                        same = True
                        for v in range(n_words):
                            if states[t, v] != following[v]:
                                same = False
                                break
                        if same:
                            break
                        at = (at + 1) & mask
                        t = slots[at]
                    if back:
                        if t >= 0 and depth[t] == level + 1 and marked[t]:
                            out[0, filled] = s
                            out[1, filled] = o
                            out[2, filled] = t
                            filled += 1
                            marked[s] = True
                        continue
                    if t < 0:
                        t = n
                        n += 1
                        slots[at] = t
                        depth[t] = -1
                        for v in range(n_words):
                            states[t, v] = following[v]
                    if depth[t] < 0:
                        depth[t] = level + 1
                        out[0, filled] = s
                        out[1, filled] = o
                        out[2, filled] = t
                        filled += 1
    return n, layer.size, filled


@compiled(work=lambda given: (given.layer.size - given.begin) * given.before.shape[0])
def regress(  # noqa: C901 - one loop, as in `walk`
    layer: Any,
    begin: int,
    level: int,
    states: Any,
    slots: Any,
    depth: Any,
    wanted: Any,
    changed: Any,
    before: Any,
    unknown: Any,
    starts: Any,
    watched: Any,
    previous: Any,
    out: Any,
    filled: int,
    most: int,
) -> tuple[int, int]:
    """Write the transitions from states of depth `level` to the states ``layer[begin:]`` into `out` (compiled).

    The states before an operator are found from the state after it. The function returns early if `out` has room for
    fewer than `most` transitions. `wanted` to `watched` are fields of `Backwards`.

    Args:
        layer: ``int32 [n_layer]``, states after the operators.
        begin: first position of `layer` to process.
        level: depth of the states before the operators.
        states: ``uint64 [n_states, n_words]``, bits of each state.
        slots: hash table of states, ``int32 [a power of two]``, -1 for free.
        depth: ``int32 [n_states]``, steps from the start, -1 if unknown.
        wanted: bits that are set after each operator.
        changed: bits that each operator adds or deletes.
        before: conditions of each operator.
        unknown: bits that each operator changes and does not require.
        starts: where each bit's operators begin in `watched`.
        watched: operators to test.
        previous: scratch space, ``uint64 [n_words]``.
        out: ``int32 [3, n_out]``: source, operator, target.
        filled: number of transitions in `out`.
        most: room that `out` must have.

    Returns:
        The next position in `layer`, its size if all is done; and the new `filled`.
    """
    n_words, n_bits = states.shape[1], starts.size - 2
    mask = slots.size - 1
    for position in range(begin, layer.size):
        if filled + most > out.shape[1]:
            return position, filled
        t = layer[position]
        for bit in range(n_bits + 1):
            if bit < n_bits and states[t, bit // 64] >> np.uint64(bit % 64) & np.uint64(1) == 0:
                continue
            for k in range(starts[bit], starts[bit + 1]):
                o = watched[k]
                fits = True
                for v in range(n_words):
                    if states[t, v] & (wanted[o, v] | changed[o, v]) != wanted[o, v]:
                        fits = False
                        break
                if not fits:
                    continue
                for v in range(n_words):
                    previous[v] = states[t, v] & ~changed[o, v] | before[o, v]
                more = True
                while more:
                    code = np.uint64(0)
                    for v in range(n_words):
                        code = (code ^ previous[v]) * _MIX
                        code ^= code >> np.uint64(29)
                    at = np.int64(code * _MIX >> np.uint64(20)) & mask
                    s = slots[at]
                    while s >= 0:
                        same = True
                        for v in range(n_words):
                            if states[s, v] != previous[v]:
                                same = False
                                break
                        if same:
                            break
                        at = (at + 1) & mask
                        s = slots[at]
                    if s >= 0 and depth[s] == level:
                        out[0, filled] = s
                        out[1, filled] = o
                        out[2, filled] = t
                        filled += 1
                    # The next combination of the unknown bits: add one to the number that these bits form.
                    more = False
                    for v in range(n_words):
                        counted = ((previous[v] & unknown[o, v]) - unknown[o, v]) & unknown[o, v]
                        previous[v] = previous[v] & ~unknown[o, v] | counted
                        if counted != 0:
                            more = True
                            break
    return layer.size, filled
