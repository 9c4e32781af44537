"""Compiled loops of the planner: a memory of values, a hash table of fixed size that forgets where it is crowded."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import inner

PROBES = 16
"""Places of the memory that are tried for a key."""
SILENT, SETTLING, PLANNED = 0, 2, 3
"""What a value is of: silence, settling; from the last on plans of one decision (see
`askwise.planning.search.values`)."""


class Memory(NamedTuple):
    """Values by state.

    Attributes:
        keys: ``uint64 [size, n_words + 2]``: the goals; teammate and place; load and what the value is of. The last is
            0 in free places.
        values: ``float64 [size]``.
    """

    keys: Any
    values: Any


def empty_memory(log_size: int, n_words: int) -> Memory:
    """Return a memory with nothing in it."""
    size = 2**log_size
    return Memory(np.zeros((size, n_words + 2), dtype=np.uint64), np.zeros(size))


def packed(memory: Memory) -> tuple[Any, Any, Any]:
    """Return what is in a memory: where, keys, values. Most of it is free."""
    used = np.flatnonzero(memory.keys[:, -1])
    return used, memory.keys[used], memory.values[used]


def unpacked(entries: tuple[Any, Any, Any], log_size: int) -> Memory:
    """Return the memory that `packed` was given."""
    used, keys, values = entries
    memory = empty_memory(log_size, keys.shape[1] - 2)
    memory.keys[used], memory.values[used] = keys, values
    return memory


@inner
def _where(w: Any, place: int) -> Any:
    return np.uint64(w) | (np.uint64(place) << np.uint64(32))


@inner
def _what(load: int, tag: int) -> Any:
    return np.uint64(1) | (np.uint64(load + 1) << np.uint64(1)) | (np.uint64(tag) << np.uint64(32))


@inner
def find(memory: Memory, sets: Any, row: int, w: Any, place: int, load: int, tag: int) -> Any:
    """Return the place of a key in the memory if it is there, else ``-1 - place`` of where it would go."""
    keys, n_words, last = memory.keys, sets.shape[1], memory.values.size - 1
    where, what = _where(w, place), _what(load, tag)
    mix = np.uint64(0x9E3779B97F4A7C15)
    h = (where ^ (where >> np.uint64(29))) * mix
    h = (h ^ what ^ (h >> np.uint64(32))) * mix
    for k in range(n_words):
        h = (h ^ sets[row, k] ^ (h >> np.uint64(31))) * mix
    home = np.int64(h >> np.uint64(20)) & last
    for probe in range(PROBES):
        slot = (home + probe) & last
        if keys[slot, n_words + 1] == 0:
            return -1 - slot
        if keys[slot, n_words + 1] == what and keys[slot, n_words] == where:
            same = True
            for k in range(n_words):
                if keys[slot, k] != sets[row, k]:
                    same = False
                    break
            if same:
                return slot
    return -1 - home


@inner
def keep(memory: Memory, sets: Any, row: int, w: int, place: int, load: int, tag: int, value: float) -> None:
    """Remember a value; where the memory is crowded, an older one makes room."""
    slot = find(memory, sets, row, w, place, load, tag)
    if slot < 0:
        slot, n_words = -1 - slot, sets.shape[1]
        for k in range(n_words):
            memory.keys[slot, k] = sets[row, k]
        memory.keys[slot, n_words] = _where(w, place)
        memory.keys[slot, n_words + 1] = _what(load, tag)
    memory.values[slot] = value
