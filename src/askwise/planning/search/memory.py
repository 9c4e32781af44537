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

UNKNOWN = -1.0
"""Instead of a value: it has to be worked out."""


class Memory(NamedTuple):
    """Values by state, each beside its key: what is looked up is fetched at once.

    A value below 0 is a bound: it is not known, but at least so much.

    Attributes:
        keys: ``uint64 [size, n_words + 3]``: the goals; teammate and place; load and what the value is of, 0 in free
            places; the value.
        values: the same as ``float64``.
    """

    keys: Any
    values: Any


def empty_memory(log_size: int, n_words: int) -> Memory:
    """Return a memory with nothing in it."""
    return _memory(np.zeros((2**log_size, n_words + 3), dtype=np.uint64))


def _memory(keys: Any) -> Memory:
    return Memory(keys, keys.view(np.float64))


def packed(memory: Memory) -> tuple[Any, Any]:
    """Return what is in a memory: where, keys with values. Most of it is free."""
    used = np.flatnonzero(memory.keys[:, -2])
    return used, memory.keys[used]


def unpacked(entries: tuple[Any, Any], log_size: int) -> Memory:
    """Return the memory that `packed` was given."""
    used, keys = entries
    memory = empty_memory(log_size, keys.shape[1] - 3)
    memory.keys[used] = keys
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
    keys, n_words, last = memory.keys, sets.shape[1], memory.keys.shape[0] - 1
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
def recall(memory: Memory, sets: Any, row: int, w: Any, place: int, load: int, tag: int, limit: float) -> float:
    """Return the value of a state, a number not below `limit` if that is all that is known, or `UNKNOWN`."""
    slot = find(memory, sets, row, w, place, load, tag)
    if slot < 0:
        return UNKNOWN
    value = memory.values[slot, sets.shape[1] + 2]
    if value >= 0.0:
        return float(value)
    return float(-value) if -value >= limit else UNKNOWN


@inner
def keep(memory: Memory, sets: Any, row: int, w: Any, place: int, load: int, tag: int, value: float) -> None:
    """Remember a value, or a bound below 0; where the memory is crowded, an older one makes room."""
    slot, n_words = find(memory, sets, row, w, place, load, tag), sets.shape[1]
    if slot < 0:
        slot = -1 - slot
        for k in range(n_words):
            memory.keys[slot, k] = sets[row, k]
        memory.keys[slot, n_words] = _where(w, place)
        memory.keys[slot, n_words + 1] = _what(load, tag)
    memory.values[slot, n_words + 2] = value
