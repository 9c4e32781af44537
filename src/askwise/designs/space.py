"""What may be forbidden in a problem, as its domain says it: all that the search for a design ever sees.

A *thing* is what can be forbidden: a cell of a map, an edge of a graph, an action of a planning domain. To forbid it
takes away the moves that it owns, and nothing else; every move has one owner or none. Start and targets of an agent
cannot be forbidden, nor can staying in place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from askwise.frozen import freeze_fields
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

    ground: MoveGraph
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
    ground: MoveGraph
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
