"""Floors: the map of cells or the drawn graph on which a scene takes place.

A place on a floor is a pair of coordinates ``(x, y)``, with x to the right and y up. On a map it is a cell, in whole
numbers from 0; on a graph it is the position of a node in the drawing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from askwise.types import BoolArray

Cell: TypeAlias = tuple[int, int]
"""A place on a map: column and row, from 0; y increases upwards."""

Place: TypeAlias = tuple[float, float]
"""A cell of a map, or the position of a node in the drawing of a graph."""


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A rectangle of square cells, some of which are walls.

    Attributes:
        walls: ``bool [height, width]``; row 0 is y = 0, the lowest row.
    """

    walls: BoolArray

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.walls.shape[1])

    @property
    def height(self) -> int:
        """Number of rows."""
        return int(self.walls.shape[0])

    @property
    def n_walls(self) -> int:
        """Number of wall cells."""
        return int(np.count_nonzero(self.walls))


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a drawn graph, which stands for a state of a model.

    Attributes:
        name: its full name, printable.
        at: its position in the drawing.
        lines: its name as written below the node, shortened to one or two lines; empty if there is no room.
        above: the names of its goals, shortened, as written above the node; empty if equal to its own name.
        marked: whether a goal is reached in its state.
    """

    name: str
    at: Place
    lines: tuple[str, ...] = ()
    above: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of a drawn graph.

    Attributes:
        first: the index of the node at which the edge starts.
        second: the index of the node at which it ends.
        there: printable names of the actions that lead from `first` to `second`.
        back: printable names of the actions that lead from `second` to `first`; empty for a one-way edge.
        through: the control point of its quadratic Bézier curve; the midpoint if the edge is straight.
    """

    first: int
    second: int
    there: tuple[str, ...]
    back: tuple[str, ...]
    through: Place

    @property
    def one_way(self) -> bool:
        """Whether no action leads from the second node of the edge back to the first."""
        return not self.back


@dataclass(frozen=True, slots=True)
class Label:
    """The shortened name of an action next to an edge of a drawn graph, and the centre of this text."""

    text: str
    at: Place


@dataclass(frozen=True, slots=True, eq=False)
class DrawnGraph:
    """A graph with positions for nodes and labels, in the rectangle from (0, 0) to (width, height).

    One unit is about the size of a mark.

    Attributes:
        nodes: the drawn states.
        edges: the edges between them.
        labels: names of actions next to the edges, as far as there is room.
        width: the largest x.
        height: the largest y.
        n_states: number of states of the model; larger than the number of nodes if only a part is drawn.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    labels: tuple[Label, ...]
    width: float
    height: float
    n_states: int

    @property
    def n_hidden(self) -> int:
        """Number of states that are not drawn; if there are any, the last of `nodes` stands for all of them."""
        return 0 if self.n_states == len(self.nodes) else self.n_states - len(self.nodes) + 1


Floor: TypeAlias = Map | DrawnGraph


def curve(start: Place, through: Place, end: Place, share: float) -> Place:
    """Return a point of an edge, which is drawn as a quadratic Bézier curve from `start` to `end`.

    Args:
        start: the position of the first node.
        through: the control point of the curve.
        end: the position of the second node.
        share: which point to return, from 0 (`start`) to 1 (`end`).
    """
    a, b, c = (1 - share) ** 2, 2 * share * (1 - share), share**2
    return (
        a * start[0] + b * through[0] + c * end[0],
        a * start[1] + b * through[1] + c * end[1],
    )
