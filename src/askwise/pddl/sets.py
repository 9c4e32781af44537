"""Sets of whole numbers, many at once: as lists (``starts [n_sets + 1], members``) and as bits in 64-bit words.

Nothing here has a column for every number: what a planning task says about its operators takes as much room as it has
entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Numbers = NDArray[np.int32]
Bytes = NDArray[np.uint8]


class Lists(NamedTuple):
    """Set `k` is ``members[starts[k] : starts[k + 1]]``, in ascending order."""

    starts: Numbers
    members: Numbers

    @property
    def owners(self) -> NDArray[np.intp]:
        """``int [n_members]``: the set that each member belongs to."""
        return np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))


def lists_of(rows: Sequence[Iterable[int]]) -> Lists:
    """Return sets as lists."""
    members = [sorted(row) for row in rows]
    counts = [len(row) for row in members]
    return Lists(_starts(counts), np.array([bit for row in members for bit in row], dtype=np.int32))


def _starts(counts: Any) -> Numbers:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)


def chosen(lists: Lists, rows: Any) -> Lists:
    """Return some of the sets."""
    counts = np.diff(lists.starts)[rows]
    starts = _starts(counts)
    places = np.repeat(lists.starts[rows] - starts[:-1], counts) + np.arange(int(starts[-1]))
    return Lists(starts, lists.members[places])


def renumbered(lists: Lists, number: Numbers) -> Lists:
    """Return the sets with member `m` called ``number[m]``, ascending as before, without those called -1."""
    called = number[lists.members]
    return _kept(Lists(lists.starts, called), called >= 0)


def without(lists: Lists, others: Lists, n: int) -> Lists:
    """Return each set without the members of its counterpart in `others`; members are below `n`."""
    own, taken = (each.owners * n + each.members for each in (lists, others))
    return _kept(lists, ~np.isin(own, taken))


def _kept(lists: Lists, kept: NDArray[np.bool_]) -> Lists:
    counts = np.bincount(lists.owners[kept], minlength=lists.starts.size - 1)
    return Lists(_starts(counts), lists.members[kept])


def turned(lists: Lists, n: int) -> Lists:
    """Return for each of `n` members the sets that it is in."""
    order = np.argsort(lists.members, kind="stable")
    counts = np.bincount(lists.members, minlength=n)
    return Lists(_starts(counts), lists.owners[order].astype(np.int32))


def as_words(lists: Lists, n_words: int) -> Words:
    """Return the sets as ``uint64 [n_sets, n_words]``."""
    words = np.zeros((lists.starts.size - 1, n_words), dtype=np.uint64)
    bit = np.uint64(1) << (lists.members % 64).astype(np.uint64)
    np.bitwise_or.at(words, (lists.owners, lists.members // 64), bit)
    return words


def members_of(words: Words) -> Numbers:
    """Return the members of one set of words."""
    little = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.flatnonzero(np.unpackbits(little, bitorder="little")).astype(np.int32)


def n_words_for(n: int) -> int:
    """Return how many words a set of numbers below `n` takes, at least one."""
    return max(1, -(-n // 64))
