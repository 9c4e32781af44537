"""Kernels for the transposition table: values of states, in a hash table of fixed size that forgets when crowded.

A key is the row of the belief; teammate and place; load and a tag, which says what the value is of. A value below 0 is
a bound: the value is not known, but at least that much.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner
from askwise.planning.workspace import Search

PROBES = 16
"""Entries that are tried for a key."""
UNKNOWN = -1.0
"""Instead of a value: it has to be worked out."""


@inner
def _where(teammate: Any, place: Any) -> Any:
    return np.uint64(teammate) | (np.uint64(place) << np.uint64(32))


@inner
def _what(load: Any, tag: Any) -> Any:
    return np.uint64(1) | (np.uint64(load + 1) << np.uint64(1)) | (np.uint64(tag) << np.uint64(32))


@inner
def _find(s: Search, row: int, where: Any, what: Any) -> Any:
    """Return the entry of a key, or ``-1 - entry`` for the one where it would go."""
    keys, rows = s.keys, s.rows
    n, last = rows.shape[1], keys.shape[0] - 1
    mix = np.uint64(0x9E3779B97F4A7C15)
    h = (where ^ (where >> np.uint64(29))) * mix
    h = (h ^ what ^ (h >> np.uint64(32))) * mix
    for k in range(n):
        h = (h ^ rows[row, k] ^ (h >> np.uint64(31))) * mix
    home = np.int64(h >> np.uint64(20)) & last
    for probe in range(PROBES):
        entry = (home + probe) & last
        if keys[entry, n + 1] == 0:
            return -1 - entry
        if keys[entry, n + 1] == what and keys[entry, n] == where:
            same = True
            for k in range(n):
                if keys[entry, k] != rows[row, k]:
                    same = False
                    break
            if same:
                return entry
    return -1 - home


@inner
def recall(s: Search, row: int, teammate: int, place: int, load: int, tag: int, limit: float) -> float:
    """Return the value of a state, a number not below `limit` if no more is known, or `UNKNOWN`."""
    entry = _find(s, row, _where(teammate, place), _what(load, tag))
    if entry < 0:
        return UNKNOWN
    value = s.values[entry, s.rows.shape[1] + 2]
    if value >= 0.0:
        return float(value)
    return float(-value) if -value >= limit else UNKNOWN


@inner
def keep(s: Search, row: int, teammate: int, place: int, load: int, tag: int, value: float) -> None:
    """Remember a value, or a bound below 0; where the table is crowded, an older one makes room."""
    where, what, n = _where(teammate, place), _what(load, tag), s.rows.shape[1]
    entry = _find(s, row, where, what)
    if entry < 0:
        entry = -1 - entry
        for k in range(n):
            s.keys[entry, k] = s.rows[row, k]
        s.keys[entry, n], s.keys[entry, n + 1] = where, what
    s.values[entry, n + 2] = value
