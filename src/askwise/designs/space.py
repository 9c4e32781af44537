"""What may be forbidden in a problem, as its domain says it: all that the search for a design ever sees.

A *thing* is what can be forbidden: a cell of a map, an edge of a graph, an action of a planning domain. To forbid it
takes away the moves that it owns, and nothing else; every move has one owner or none. Start and targets of an agent
cannot be forbidden, nor can staying in place.

Maps and graphs as ground for designs: who owns which move.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askwise.frozen import freeze_fields
from askwise.model import GridWorld, Model
from askwise.types import FloatArray, IntArray

NO_OWNER = -1
"""The owner of a move that cannot be forbidden."""


@dataclass(frozen=True, eq=False)
class MoveGraph:
    """Where an agent walks, and who owns its moves.

    Attributes:
        successor: ``int32 [n_states, n_ranks]``, the next states, -1 where there is none.
        owner: ``int32 [n_states, n_ranks]``, the number of the thing that each move belongs to, or `NO_OWNER`.
    """

    successor: IntArray
    owner: IntArray

    def __post_init__(self) -> None:
        freeze_fields(self, "successor", "owner")


@dataclass(frozen=True, eq=False)
class EgoTrips:
    """What the ego agent has to walk for each goal, on ground that changes with the design.

    Attributes:
        ground: where it walks.
        legs: for each goal its ways, one after the other: from a state to the nearest of several.
        extra: ``int [n_goals]``, steps of each goal that are none on this ground.
    """

    graph: MoveGraph
    legs: tuple[tuple[tuple[int, IntArray], ...], ...]
    extra: IntArray

    def __post_init__(self) -> None:
        freeze_fields(self, "extra")


@dataclass(frozen=True, eq=False)
class Space:
    """All designs of a problem.

    Attributes:
        thing: what is forbidden, in one word such as ``cell``.
        names: what each thing is called.
        goals: the goals.
        prior: ``float64 [n_goals]``, how likely each is.
        ground: where the teammate walks.
        start: its state at the start.
        targets: for each goal the states in which it has reached it, ``int32``.
        changed: takes numbers of things and returns the problem, or the instance, without them.
        errands: what the ego agent has to walk, None where designs do not change its ways.
        plays: whether there is an ego agent, so that not knowing costs something.
        largest_budget: by how much costs may grow at most, None for any number: the ground may be just the shortest
            ways.
        widened: takes a larger budget and returns the same space with ground that is enough for it; None where there is
            no more ground.
        both: whether what is forbidden is forbidden to both agents.
        left_out: goals that nothing leads to, and that are left out.
        prefix: whether WCD is the longest common prefix of plans, as for planning problems; else it counts the step
            that tells goals apart as well.
    """

    thing: str
    names: tuple[Hashable, ...]
    goals: tuple[str, ...]
    prior: FloatArray
    graph: MoveGraph
    start: int
    targets: tuple[IntArray, ...]
    changed: Callable[[Sequence[int]], Any] = field(repr=False)
    trips: EgoTrips | None = None
    plays: bool = True
    largest_budget: int | None = None
    widened: Callable[[int], Space] | None = field(default=None, repr=False)
    both: bool = False
    left_out: tuple[str, ...] = ()
    prefix: bool = False

    def __post_init__(self) -> None:
        freeze_fields(self, "prior")

    @property
    def things(self) -> str:
        """What is forbidden, if it is several."""
        return f"{self.thing}s"


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
