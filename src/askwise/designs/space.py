"""Design spaces: what may be forbidden in a problem, and the graphs on which the agents move.

A *thing* is something that can be forbidden: a cell of a map, an edge of a graph, an action of a planning domain.
Forbidding a thing removes some moves and nothing else; the thing is the *owner* of these moves. Every move has at most
one owner. The start and the targets of an agent cannot be forbidden, nor can staying in place.
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
    """The moves of an agent, and what has to be forbidden to remove each move.

    A cell, edge or action that may be forbidden is called a thing. The moves of a state are numbered 0, 1, ...; this
    number is the column in both arrays.

    Attributes:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 where there is no move.
        owner: ``int32 [n_states, n_ranks]``, the index of the thing that has to be forbidden to remove each move;
            `NO_OWNER` (-1) for moves that no design removes.
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
        legs: for each goal, the parts of the trip in order. Each part is a pair: the state in which the part begins,
            and the states in which it may end. It ends in the nearest of these states.
        extra: ``int [n_goals]``, for each goal, the number of steps that are not moves on this graph, such as picking
            up a load.
    """

    graph: MoveGraph
    legs: tuple[tuple[tuple[int, IntArray], ...], ...]
    extra: IntArray

    def __post_init__(self) -> None:
        freeze_fields(self, "extra")


@dataclass(frozen=True, eq=False)
class Space:
    """The design space of a problem: the things that may be forbidden, and the moves of the agents.

    A thing is a cell, an edge or an action. Forbidding it removes some moves.

    Attributes:
        thing: the kind of things in one word: ``cell``, ``edge`` or ``action``.
        names: the names of the things.
        goals: the names of the goals.
        prior: ``float64 [n_goals]``, the probability of each goal.
        graph: the teammate's moves.
        start: the teammate's state at the start.
        targets: for each goal, the target states, ``int32``.
        changed: a function that takes indices of things and returns the problem, or the instance, in which these things
            are forbidden.
        trips: the ego agent's trips; None if designs do not change its paths.
        plays: whether there is an ego agent, so that not knowing the goal has a cost.
        largest_budget: the largest number of steps such that `graph` has all plans that are longer than the shortest by
            up to this number; None if `graph` has the plans of every length.
        widened: a function that takes a number of steps and returns a space whose graph also has all plans that are
            longer than the shortest by up to this number; None if there is no larger graph.
        both: whether things are forbidden for both agents.
        left_out: the names of unreachable goals, which are ignored.
        prefix: how WCD (worst-case distinctiveness) is counted. If True, as for planning problems, it is the largest
            number of steps that plans for two goals have in common at their beginning. If False, it is one more: the
            step that tells the goals apart.
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

    Forbidding this cell removes the move. The cells that may be forbidden are those in `states`; the index of a cell is
    its position in this array. The result is `NO_OWNER` (-1) for moves to cells that are not in `states`, and for
    staying in place.
    """
    thing = np.full(model.n_states + 1, NO_OWNER, dtype=np.int32)  # index -1, no move, has no owner
    thing[states] = np.arange(states.size, dtype=np.int32)
    owner = thing[model.successor]
    owner[:, model.stay] = NO_OWNER
    return owner


def edges_to_forbid(model: Model) -> tuple[MoveGraph, IntArray]:
    """Return the moves on a graph, and the edges that may be forbidden: all except staying in place.

    An edge leads in one direction: it is one move in one state. The edges are ``int32 [n_edges, 2]``: for each edge the
    index of the state in which it starts, and the index of its action.
    """
    there = model.available.copy()
    there[:, model.stay] = False
    edges = np.argwhere(there).astype(np.int32)
    owner = np.full(there.shape, NO_OWNER, dtype=np.int32)
    owner[there] = np.arange(edges.shape[0], dtype=np.int32)
    return MoveGraph(model.successor, owner), edges
