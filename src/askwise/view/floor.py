"""What everything stands on: a map of cells, or a graph that has been laid out.

A place is x and y: on a map a cell, whole numbers from 0; on a graph where a node is drawn. x goes to the right, y up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from askwise.types import BoolArray

Cell: TypeAlias = tuple[int, int]
"""A place on a map: x to the right, y up, from 0."""

Place: TypeAlias = tuple[float, float]
"""A cell of a map, or the place of a node in the drawing of a graph."""


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A floor of square cells, some of them walls.

    Attributes:
        walls: ``bool [height, width]``, the row of y = 0 first.
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
        """Number of cells that are walls."""
        return int(np.count_nonzero(self.walls))


@dataclass(frozen=True, slots=True)
class Node:
    """A state of a graph.

    Attributes:
        name: its whole name, printable.
        at: its place in the drawing.
        lines: its name as it is written below it, shortened, in one or two lines; empty where there is no room.
        above: what is written above it, the names of the goals that are about it, shortened; empty if it is the same.
        marked: whether a goal is about it.
    """

    name: str
    at: Place
    lines: tuple[str, ...] = ()
    above: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """What joins two nodes, given by number.

    Attributes:
        first: the node it leads from.
        second: the node it leads to.
        there: the actions that lead there, printable.
        back: the actions that lead back, none if it is one-way.
        through: a point that the drawing bends towards, the middle where it is straight.
    """

    first: int
    second: int
    there: tuple[str, ...]
    back: tuple[str, ...]
    through: Place

    @property
    def one_way(self) -> bool:
        """Whether there is no way back."""
        return not self.back


@dataclass(frozen=True, slots=True)
class Label:
    """The name of an action beside its way, shortened."""

    text: str
    at: Place


@dataclass(frozen=True, slots=True, eq=False)
class DrawnGraph:
    """A graph as it is drawn, from (0, 0) to (width, height); marks are about one unit large.

    Attributes:
        nodes: the states.
        ways: what joins them.
        labels: the names of actions, where there is room for them.
        width: how far x goes.
        height: how far y goes.
        n_states: how many states there are; more than nodes if only a part is drawn.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    labels: tuple[Label, ...]
    width: float
    height: float
    n_states: int

    @property
    def n_hidden(self) -> int:
        """How many states are not drawn; the last node stands for all of them."""
        return 0 if self.n_states == len(self.nodes) else self.n_states - len(self.nodes) + 1


Floor: TypeAlias = Map | DrawnGraph


def curve(start: Place, through: Place, end: Place, share: float) -> Place:
    """Return a point of a way: a quadratic curve drawn towards `through`; `share` goes from 0 to 1."""
    a, b, c = (1 - share) ** 2, 2 * share * (1 - share), share**2
    return (
        a * start[0] + b * through[0] + c * end[0],
        a * start[1] + b * through[1] + c * end[1],
    )
