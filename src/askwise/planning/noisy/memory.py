"""Compiled loops: a memory of values, a hash table of fixed size that forgets where it is crowded."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled

PROBES = 16
"""Places of the memory that are tried for a key."""


class Memory(NamedTuple):
    """Values by state.

    Attributes:
        keys: ``uint64 [size, n_words + 4]``: the levels of the goals; teammate and place; load; questions asked; what
            the value is of. The last is 0 in free places.
        values: ``float64 [size]``.
    """

    keys: Any
    values: Any


def empty_memory(log_size: int, n_words: int) -> Memory:
    """Return a memory with nothing in it."""
    size = 2**log_size
    return Memory(np.zeros((size, n_words + 4), dtype=np.uint64), np.zeros(size))


def packed(memory: Memory) -> tuple[Any, Any, Any]:
    """Return what is in a memory: where, keys, values. Most of it is free."""
    used = np.flatnonzero(memory.keys[:, -1])
    return used, memory.keys[used], memory.values[used]


def unpacked(entries: tuple[Any, Any, Any], log_size: int) -> Memory:
    """Return the memory that `packed` was given."""
    used, keys, values = entries
    memory = empty_memory(log_size, keys.shape[1] - 4)
    memory.keys[used], memory.values[used] = keys, values
    return memory


@compiled
def _where(w: Any, place: int) -> Any:
    return np.uint64(w) | (np.uint64(place) << np.uint64(32))


@compiled
def find(memory: Memory, words: Any, row: int, w: Any, place: int, load: int, asked: Any, tag: Any) -> Any:
    """Return the place of a key in the memory if it is there, else ``-1 - place`` of where it would go."""
    keys, n, last = memory.keys, words.shape[1], memory.values.size - 1
    where, hand, what = _where(w, place), np.uint64(load + 1), np.uint64(tag)
    mix = np.uint64(0x9E3779B97F4A7C15)
    h = (where ^ (where >> np.uint64(29))) * mix
    h = (h ^ hand ^ (h >> np.uint64(32))) * mix
    h = (h ^ asked ^ (h >> np.uint64(30))) * mix
    h = (h ^ what ^ (h >> np.uint64(32))) * mix
    for k in range(n):
        h = (h ^ words[row, k] ^ (h >> np.uint64(31))) * mix
    home = np.int64(h >> np.uint64(20)) & last
    for probe in range(PROBES):
        slot = (home + probe) & last
        if keys[slot, n + 3] == 0:
            return -1 - slot
        if keys[slot, n + 3] != what or keys[slot, n] != where or keys[slot, n + 1] != hand:
            continue
        same = keys[slot, n + 2] == asked
        for k in range(n):
            same = same and keys[slot, k] == words[row, k]
        if same:
            return slot
    return -1 - home


@compiled
def keep(
    memory: Memory, words: Any, row: int, w: Any, place: int, load: int, asked: Any, tag: Any, value: float
) -> None:
    """Remember a value; where the memory is crowded, an older one makes room."""
    slot = find(memory, words, row, w, place, load, asked, tag)
    if slot < 0:
        slot, n = -1 - slot, words.shape[1]
        for k in range(n):
            memory.keys[slot, k] = words[row, k]
        memory.keys[slot, n], memory.keys[slot, n + 1] = _where(w, place), np.uint64(load + 1)
        memory.keys[slot, n + 2], memory.keys[slot, n + 3] = asked, np.uint64(tag)
    memory.values[slot] = value
