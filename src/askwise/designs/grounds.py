"""Maps and graphs as ground for designs: who owns which move."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from askwise.designs.space import NO_OWNER, MoveGraph
from askwise.model import GridWorld, Model
from askwise.types import IntArray


def cells_to_forbid(grid: GridWorld, needed: Iterable[int]) -> tuple[MoveGraph, IntArray]:
    """Return a map whose free cells own the moves into them, and the states of the cells, but for those `needed`."""
    free = np.ones(grid.n_states, dtype=np.bool_)
    free[list(needed)] = False
    states = np.flatnonzero(free).astype(np.int32)
    return MoveGraph(grid.successor, owners_of_cells(grid, states)), states


def owners_of_cells(model: Model, states: IntArray) -> IntArray:
    """``int32 [n_states, n_actions]``: whose each move is if thing `k` is the state ``states[k]``."""
    thing = np.full(model.n_states + 1, NO_OWNER, dtype=np.int32)  # -1, no move, belongs to nobody
    thing[states] = np.arange(states.size, dtype=np.int32)
    owner = thing[model.successor]
    owner[:, model.stay] = NO_OWNER
    return owner


def edges_to_forbid(model: Model) -> tuple[MoveGraph, IntArray]:
    """Return a graph whose edges own themselves, and the edges: ``int32 [n_edges, 2]``, state and action."""
    there = model.available.copy()
    there[:, model.stay] = False
    edges = np.argwhere(there).astype(np.int32)
    owner = np.full(there.shape, NO_OWNER, dtype=np.int32)
    owner[there] = np.arange(edges.shape[0], dtype=np.int32)
    return MoveGraph(model.successor, owner), edges
