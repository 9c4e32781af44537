"""Which states of a large graph are drawn: where the agents start, where they go, the ways between, what is around."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from askwise.model import Model
from askwise.model.graph import breadth_first
from askwise.types import IntArray

MOST_DRAWN = 300
"""States up to which the whole graph is drawn; beyond, nobody could read it."""
PART = 60
"""How many states are drawn of a larger one."""
MOST_TARGETS = 20


def excerpt(model: Model, start: int, targets: Iterable[int]) -> list[int] | None:
    """Return the states to draw, in the order of the model; None for all. Takes linear time.

    Args:
        model: a deterministic model.
        start: where its agent starts.
        targets: where it may be going.
    """
    if model.n_states <= MOST_DRAWN:
        return None
    steps, order = _from_start(model, start)
    shown = {start}
    for target in list(dict.fromkeys(targets))[:MOST_TARGETS]:
        way = list(_way_back(model, steps, target))
        # A way that does not fit would fill the drawing with itself: its end is shown alone.
        shown.update(way if len(shown) + len(way) <= PART else [target])
    for state in order.tolist():
        if len(shown) >= PART:
            break
        shown.add(state)
    return sorted(shown)


def _from_start(model: Model, start: int) -> tuple[IntArray, IntArray]:
    """Return steps from the start, and the reached states in that order."""
    following = model.successor
    available = following >= 0
    indptr = np.concatenate(([0], np.cumsum(available.sum(axis=1))))
    return breadth_first([start], indptr, following[available])


def _way_back(model: Model, steps: IntArray, target: int) -> Iterator[int]:
    """Iterate over the states of one shortest way from the start to a target, backwards."""
    indptr, indices = model.predecessors
    state = target
    yield state
    while steps[state] > 0:
        before = indices[indptr[state] : indptr[state + 1]]
        state = int(before[steps[before] == steps[state] - 1].min())
        yield state
