"""The ego agent's model by its structure: a place, and at most one load.

The model of an agent that carries things has a state for each place and load. On a large map that is too many to write
down, and most of it repeats: without the load that a goal needs, the way leads past the place where that load is taken
up; with it, straight to the goal. `EgoMap` holds just these steps. A model without loads is the same with one state for
each place.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from askwise.frozen import freeze_fields
from askwise.memory import claim, hold
from askwise.types import BoolArray, IntArray

FAR = 2**30
"""Steps to what cannot be reached: a number that no way is as long as, and one more still fits into 32 bits."""


BLOCK = 2**11
"""Places of which a table is made at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class EgoMap:
    """A place and a load; ``ego = place * states_per_place + load + 1``, or ``ego = place`` where there are no loads.

    Attributes:
        next: ``int32 [n_places, n_moves]``, the next place, -1 where the move is not available.
        moves: the ego action of each column of `next`, waiting included; where there are `labels`, these say it.
        unloaded: ``int32 [n_places, n_goals]``, steps to the goal without its load, `FAR` if there is no way.
        loaded: the same with its load.
        load_actions: ``int32 [n_goals]``, the action that takes up the goal's load, -1 if it has none.
        load_at: ``int32 [n_goals]``, the place where that can be done, -1 if it has no load.
        states_per_place: 1 where there are no loads, else one more than goals.
        labels: ``int32 [n_places, n_moves]``, the ego action of each column in each place, where that is not the same
            everywhere: an agent with many actions, few of them in any place, has no column for each.

    Its arrays become read-only: all agents share them.
    """

    next: IntArray
    moves: tuple[int, ...]
    unloaded: IntArray
    loaded: IntArray
    load_actions: IntArray
    load_at: IntArray
    states_per_place: int = 1
    labels: IntArray | None = None

    def __post_init__(self) -> None:
        freeze_fields(self, "next", "unloaded", "loaded", "load_actions", "load_at")
        if self.labels is not None:
            freeze_fields(self, "labels")

    def __reduce__(self) -> tuple[type[EgoMap], tuple[Any, ...]]:
        return EgoMap, tuple(getattr(self, each.name) for each in fields(self))

    def action(self, place: int, column: int) -> int:
        """Return the ego action of a column of `next` in a place."""
        return int(self.moves[column] if self.labels is None else self.labels[place, column])

    def split(self, ego: int) -> tuple[int, int]:
        """Return place and load (-1: none) of a state of the ego agent's model."""
        if self.states_per_place == 1:
            return ego, -1
        place, load = divmod(ego, self.states_per_place)
        return place, load - 1

    def cut_off(self) -> BoolArray:
        """``bool [n_places]``: whether some goal cannot be reached from there, with its load or without."""
        return np.asarray((self.unloaded >= FAR).any(axis=1) | (self.loaded >= FAR).any(axis=1))


def finite_steps(distance: IntArray, columns: IntArray | None = None, more: IntArray | None = None) -> IntArray:
    """``int32 [n_places, n_goals]``: steps, and as many `more`, to each goal; `FAR` where distances are -1.

    Args:
        distance: ``int32 [n_places, n]``, steps to so many places.
        columns: ``int [n_goals]``, which of them is on the way to each goal, by default its own.
        more: ``int [n_goals]``, steps from there to the goal.
    """
    n_places = distance.shape[0]
    n_goals = distance.shape[1] if columns is None else columns.size
    claim(4 * n_places * n_goals, "steps of the ego agent", f"{n_places} places and {n_goals} goals")
    steps = np.empty((n_places, n_goals), dtype=np.int32)
    for start in range(0, n_places, BLOCK):  # piece by piece, or making it would take twice as much as the table
        part = distance[start : start + BLOCK]
        part = part if columns is None else part[:, columns]
        steps[start : start + BLOCK] = np.where(part < 0, FAR, part if more is None else part + more)
    return hold(steps)
