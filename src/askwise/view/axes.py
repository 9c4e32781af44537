"""The coordinates along the edges of a map: which of them there is room for."""

from __future__ import annotations

from itertools import count


def labelled(cells: int, cell: float, room: float) -> range:
    """Return the coordinates to write along an edge, from 0 on, at round distances.

    Args:
        cells: how many cells there are along the edge.
        cell: how large one is.
        room: how much one label takes, with some space around it.
    """
    apart = next(k * 10**power for power in count() for k in (1, 2, 5) if k * 10**power * cell >= room)
    return range(0, cells, apart)
