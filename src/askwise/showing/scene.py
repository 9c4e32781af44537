"""What there is to draw: one moment of an episode, as plain data that knows no domain.

A domain makes scenes of its own problems (`askwise.domains.parts.Look`); terminal, picture, animation and page draw
them. An episode of `n` steps has ``n + 1`` scenes (`askwise.showing.episodes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from askwise.reading import printable
from askwise.showing.vocabulary import Vocabulary
from askwise.showing.words import counted, listed
from askwise.types import BoolArray, FloatArray

Cell: TypeAlias = tuple[int, int]
"""A place on a map: x to the right, y up, from 0."""


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
class Figure:
    """One of the two agents.

    Attributes:
        name: what it is called.
        sign: its letter.
        at: where it is drawn.
        place: where it is in words, by default the coordinates.
    """

    name: str
    sign: str
    at: Cell
    place: str = ""

    def __post_init__(self) -> None:
        if not self.place:
            object.__setattr__(self, "place", str(self.at))


@dataclass(frozen=True, slots=True)
class Landmark:
    """A place that matters and is no goal."""

    name: str
    at: Cell


@dataclass(frozen=True, slots=True)
class Goal:
    """A place that the teammate may be going to, and the number of the landmark that belongs to it, if one does."""

    name: str
    at: Cell
    landmark: int | None = None


@dataclass(frozen=True)
class Scene:
    """One moment. What has a default may be left out, and is not drawn then.

    Attributes:
        words: what the domain calls things.
        ground: what everything stands on, a map.
        teammate: the teammate.
        ego: the ego agent.
        goals: the goals, in the order of the problem.
        landmarks: other places that matter.
        carried: the name on what the ego agent carries, empty if it carries nothing.
        hands: the same in words, printable; empty where nothing can be carried.
        belief: ``float64 [n_goals]``, what the ego agent believes.
        asked: the goals in the question that is being asked, by number.
        answer: the answer to it.
        goal: the teammate's goal, by number. The ego agent does not know it, so an environment must not show it.
        progress: one line, such as the number of the step and the cost so far.
        event: one line about what is happening.
    """

    words: Vocabulary
    ground: Map
    teammate: Figure
    ego: Figure
    goals: tuple[Goal, ...]
    landmarks: tuple[Landmark, ...] = ()
    carried: str = ""
    hands: str = ""
    belief: FloatArray | None = None
    asked: tuple[int, ...] = ()
    answer: bool | None = None
    goal: int | None = None
    progress: str = ""
    event: str = ""

    def ruled_out(self, goal: int) -> bool:
        """Whether the ego agent knows that this is not the goal."""
        return self.belief is not None and self.belief[goal] <= 0

    @property
    def question(self) -> str:
        """The question in words, empty if none is asked."""
        if not self.asked:
            return ""
        names = [self.goals[k].name for k in self.asked]
        if len(names) == 1:
            return f"Is it {printable(names[0])}?"
        return f"Is it one of {listed(names, 12)}?"

    @property
    def size(self) -> str:
        """How large all this is, in words."""
        parts = [
            f"{self.ground.width} x {self.ground.height} cells",
            counted(self.ground.n_walls, "wall"),
            counted(len(self.goals), self.words.goal),
        ]
        return ", ".join([*parts, *([counted(len(self.landmarks), self.words.landmark)] if self.landmarks else [])])
