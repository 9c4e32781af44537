"""Design spaces: what may be forbidden in a problem, and the graphs on which the agents move.

A *thing* can be forbidden: a cell, an edge or an action. Forbidding it removes the moves that it *owns*. Every move has
at most one owner. An agent's start and targets cannot be forbidden, nor staying in place.
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
"""The owner of a move that no design removes."""


@dataclass(frozen=True, eq=False)
class MoveGraph:
    """The moves of an agent, and the thing (cell, edge or action) that has to be forbidden to remove each move.

    Row ``s`` of each array has the moves from state ``s``.

    Attributes:
        successor: ``int32 [n_states, n_ranks]``, next state, -1 for no move.
        owner: ``int32 [n_states, n_ranks]``, index of the thing; `NO_OWNER` (-1) if no design removes the move.
    """

    successor: IntArray
    owner: IntArray

    def __post_init__(self) -> None:
        freeze_fields(self, "successor", "owner")


@dataclass(frozen=True, eq=False)
class EgoTrips:
    """The ego agent's trip for each goal, on a graph from which a design removes moves.

    Attributes:
        graph: the moves.
        legs: legs of the trip for each goal, in order: a first state and the possible last states, of which the nearest
            is taken.
        extra: ``int [n_goals]``, steps that are not moves, such as picking up a load.
    """

    graph: MoveGraph
    legs: tuple[tuple[tuple[int, IntArray], ...], ...]
    extra: IntArray

    def __post_init__(self) -> None:
        freeze_fields(self, "extra")


@dataclass(frozen=True, eq=False)
class Space:
    """The design space of a problem: the things that may be forbidden, and the moves of the agents.

    Attributes:
        thing: what may be forbidden: ``cell``, ``edge`` or ``action``.
        names: names of the things.
        goals: names of the goals.
        prior: ``float64 [n_goals]``, probability of each goal.
        graph: the teammate's moves.
        start: the teammate's first state.
        targets: target states of each goal, ``int32``.
        changed: takes indices of things; returns the problem or instance in which they are forbidden.
        trips: the ego agent's trips; None if designs do not change its paths.
        plays: whether there is an ego agent.
        largest_budget: most steps by which plans on `graph` may grow; None for any number.
        widened: takes a larger budget and returns a larger space; None if there is none.
        both: whether things are forbidden for both agents.
        left_out: names of unreachable goals, which are ignored.
        prefix: whether WCD (worst-case distinctiveness) is the number of common steps, one less than the step that
            tells goals apart.
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
        """The kind of things that may be forbidden, in the plural: ``cells``, ``edges`` or ``actions``."""
        return f"{self.thing}s"


# -- owners of moves ----------------------------------------------------------------------------------------------


def cells_to_forbid(grid: GridWorld, needed: Iterable[int]) -> tuple[MoveGraph, IntArray]:
    """Return the moves on a map, and the states of the cells that may be forbidden, ``int32 [n_things]``.

    Forbidding a cell removes the moves that enter it. The states in `needed` cannot be forbidden.
    """
    free = np.ones(grid.n_states, dtype=np.bool_)
    free[list(needed)] = False
    states = np.flatnonzero(free).astype(np.int32)
    return MoveGraph(grid.successor, owners_of_cells(grid, states)), states


def owners_of_cells(model: Model, states: IntArray) -> IntArray:
    """Return ``int32 [n_states, n_actions]``: for each move, the index of the cell that it enters.

    The index is the position of the cell in `states`. It is `NO_OWNER` (-1) for other cells and for staying in place.
    """
    thing = np.full(model.n_states + 1, NO_OWNER, dtype=np.int32)  # index -1, no move, has no owner
    thing[states] = np.arange(states.size, dtype=np.int32)
    owner = thing[model.successor]
    owner[:, model.stay] = NO_OWNER
    return owner


def edges_to_forbid(model: Model) -> tuple[MoveGraph, IntArray]:
    """Return the moves on a graph, and the edges that may be forbidden: all except staying in place.

    An edge is one move in one state. The edges are ``int32 [n_edges, 2]``, with the indices of the state and the
    action.
    """
    there = model.available.copy()
    there[:, model.stay] = False
    edges = np.argwhere(there).astype(np.int32)
    owner = np.full(there.shape, NO_OWNER, dtype=np.int32)
    owner[there] = np.arange(edges.shape[0], dtype=np.int32)
    return MoveGraph(model.successor, owner), edges
