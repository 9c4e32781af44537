"""Walking a graph whose edges are listed in compressed rows (``indptr``, ``indices``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.frozen import read_only
from askwise.types import IntArray


def breadth_first(starts: Any, indptr: Any, indices: Any) -> tuple[IntArray, IntArray]:
    """Return steps from the nearest start, ``int32 [n]`` (-1: out of reach), and the reached nodes in that order."""
    n = len(indptr) - 1
    distance = np.empty(n, dtype=np.int32)
    order = np.empty(n, dtype=np.int32)
    # Read-only, as the arrays of models are: one kernel does for all.
    begin, rows, columns = (
        read_only(np.asarray(each).view()) for each in (np.asarray(starts, dtype=np.int32), indptr, indices)
    )
    reached = breadth_first_into(begin, rows, columns, distance, order)
    return distance, order[:reached]


@compiled(work=lambda given: given.distance.size + given.indices.size)
def breadth_first_into(starts: Any, indptr: Any, indices: Any, distance: Any, order: Any) -> int:
    """Fill `distance` and `order`; return how many nodes were reached."""
    distance[:] = -1
    filled = 0
    for s in starts:
        if distance[s] < 0:
            distance[s] = 0
            order[filled] = s
            filled += 1
    head = 0
    while head < filled:
        s = order[head]
        head += 1
        for k in range(indptr[s], indptr[s + 1]):
            t = indices[k]
            if distance[t] < 0:
                distance[t] = distance[s] + 1
                order[filled] = t
                filled += 1
    return filled
