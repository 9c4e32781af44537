"""The compiled loop of every search: from the states of one layer to those of the next.

States are rows of words. An open hash table, a power of two in size, finds the number of a state. Each operator is
looked at only in states that have its *watched* bit set, one of its conditions that few operators have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.pddl.relevance import Quest
from askwise.pddl.sets import Lists, turned

# Multiplying this constant (every 6-bit pattern occurs in it once) by 2**k puts a different pattern into the top
# six bits for each k: a table of 64 entries then gives the position of a single bit without any branch.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT_INDEX = np.zeros(64, dtype=np.int64)
_BIT_INDEX[[(int(_DE_BRUIJN) << k & (1 << 64) - 1) >> 58 for k in range(64)]] = np.arange(64)
_MIX = np.uint64(0x9E3779B97F4A7C15)

FULL = 2
"""A hash table has at least so many places for each state."""


def watching(quest: Quest) -> Lists:
    """Return which operators to look at for each bit; those without a condition in a last row, for every state."""
    n_operators, n_bits = quest.operators.size, quest.bits.size
    users = np.bincount(quest.pre.members, minlength=n_bits)
    order = np.lexsort((users[quest.pre.members], quest.pre.owners))
    watched = np.full(n_operators, n_bits, dtype=np.int32)
    owners = quest.pre.owners[order]
    first = np.concatenate(([True], owners[1:] != owners[:-1])) if owners.size else np.empty(0, dtype=bool)
    watched[owners[first]] = quest.pre.members[order][first]
    return turned(Lists(np.arange(n_operators + 1, dtype=np.int32), watched), n_bits + 1)


@compiled
def place(states: Any, n: int, slots: Any) -> None:
    """Put the first `n` states, all different, into an empty hash table."""
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


@compiled
def walk(  # noqa: C901 - in one piece: in smaller ones a search took a third longer
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
    """Apply all operators to the states ``layer[begin:]``; stop where there may be no room for what comes out.

    Forwards, states that are new, or have no depth, get depth ``level + 1`` and are listed in ``out[0]``. Backwards
    (`back`), steps to states of that depth that are marked are listed as ``out[:, k]``, source, operator and target,
    and their sources are marked.

    Room for one state, `following`, comes from outside.

    Returns:
        the number of states, the first place of `layer` that was not worked on, how much of `out` is filled.
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
                        out[0, filled] = t
                        filled += 1
    return n, layer.size, filled
