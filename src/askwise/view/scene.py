"""Scenes: moments of an episode as data, from which texts, pictures, animations and web pages are drawn.

A floor is a map of cells or a drawn graph. A place on it is ``(x, y)``, with y up: a cell, in whole numbers from 0, or
the position of a node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from askwise.core.questions import Question
from askwise.text.wording import Vocabulary, counted, printable
from askwise.types import BoolArray, FloatArray
from askwise.view.decision_text import question_to_text

LONGEST = 40
"""Largest number of characters of the names of several goals on one mark."""


# -- floors --------------------------------------------------------------------------------------------------------

Cell: TypeAlias = tuple[int, int]
"""A place on a map: column and row, from 0; y increases upwards."""

Place: TypeAlias = tuple[float, float]
"""A cell of a map, or the position of a node in the drawing of a graph."""


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A map on which agents move: a rectangle of square cells, some of which are walls.

    Attributes:
        walls: ``bool [height, width]``, True for walls; row 0 is y = 0, the lowest row.
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
    """A node of a drawn graph; it stands for a state of a model.

    Attributes:
        name: the full name, with control characters as escapes.
        at: the position ``(x, y)``.
        lines: the name in one or two lines, to write below the node; empty without room.
        above: the goal to write above the node; empty for none, or if it is called like the node.
        marked: whether a goal is reached here.
    """

    name: str
    at: Place
    lines: tuple[str, ...] = ()
    above: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of a drawn graph, for the actions between two states.

    Attributes:
        first: the index of one node.
        second: the index of the other node.
        there: the names of actions from `first` to `second`, at least one.
        back: the names of actions from `second` to `first`; empty for a one-way edge.
        through: the control point ``(x, y)`` of the quadratic Bézier curve; the midpoint if straight.
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
    """A text in a drawn graph: the shortened name of an action, next to an edge.

    Attributes:
        text: the text.
        at: its centre ``(x, y)`` in the drawing.
    """

    text: str
    at: Place


@dataclass(frozen=True, slots=True, eq=False)
class DrawnGraph:
    """A graph with positions for its nodes and labels, in a drawing from (0, 0) at the lower left to (width, height).

    A mark is about one unit wide.

    Attributes:
        nodes: the drawn states; the last node stands for those that are left out, if any.
        edges: the edges.
        labels: names of actions, as far as there is room.
        width: the largest x.
        height: the largest y.
        n_states: number of states of the model.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    labels: tuple[Label, ...]
    width: float
    height: float
    n_states: int

    @property
    def n_hidden(self) -> int:
        """Number of states without a node of their own; if there are any, the last node stands for all of them."""
        return 0 if self.n_states == len(self.nodes) else self.n_states - len(self.nodes) + 1


Floor: TypeAlias = Map | DrawnGraph


def curve(start: Place, through: Place, end: Place, share: float) -> Place:
    """Return a point of an edge, which is drawn as a quadratic Bézier curve from `start` to `end`.

    All points are pairs ``(x, y)``; `through` is the control point. The parameter `share` goes from 0 (the result is
    `start`) to 1 (the result is `end`).
    """
    a, b, c = (1 - share) ** 2, 2 * share * (1 - share), share**2
    return (
        a * start[0] + b * through[0] + c * end[0],
        a * start[1] + b * through[1] + c * end[1],
    )


# -- scenes --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figure:
    """One of the two agents in a scene.

    Attributes:
        name: the noun for the agent, such as ``teammate``.
        sign: its letter in drawings.
        at: the coordinates ``(x, y)`` at which it is drawn.
        place: the name of the place; if empty, it is set to the coordinates as text.
    """

    name: str
    sign: str
    at: Place
    place: str = ""

    def __post_init__(self) -> None:
        if not self.place:
            object.__setattr__(self, "place", str(self.at))


@dataclass(frozen=True, slots=True)
class Landmark:
    """A place that matters and is not a goal, such as a toolbox.

    Attributes:
        name: its name.
        at: its coordinates ``(x, y)``: a cell of a map, or a position in the drawing of a graph.
    """

    name: str
    at: Place


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal that the teammate may have, and the places ``(x, y)`` where the agents reach it.

    Attributes:
        name: the name of the goal.
        at: the first place where the teammate reaches it.
        landmark: the index of the landmark where the ego agent picks up what the goal needs; None for none.
        also: other places where the teammate reaches it.
        ego: the ego agent's places, on its own map or graph if it has one; empty if not drawn.
    """

    name: str
    at: Place
    landmark: int | None = None
    also: tuple[Place, ...] = ()
    ego: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Scene:
    """One moment of an episode, with everything that a drawing shows; what is None or empty is not drawn.

    Attributes:
        words: the nouns and letters for agents, goals and other things.
        floor: the map or graph of both agents, or of the teammate.
        teammate: the teammate.
        ego: the ego agent.
        goals: the goals, in the order of the problem.
        landmarks: places that matter but are no goals.
        carried: the name of the goal for which the ego agent carries something.
        hands: a phrase for what the ego agent carries, such as "empty hands".
        belief: ``float64 [n_goals]``, the ego agent's probabilities of the goals.
        asked: the ego agent's question: the indices of goals, or a `Choice`.
        reply: the reply to the question.
        goal: the index of the teammate's goal; None to hide it.
        progress: one line about the progress, such as the number of the step.
        event: one line about what is happening.
        ego_floor: the ego agent's own map or graph; None if both share one.
    """

    words: Vocabulary
    floor: Floor
    teammate: Figure
    ego: Figure
    goals: tuple[Goal, ...]
    landmarks: tuple[Landmark, ...] = ()
    carried: str = ""
    hands: str = ""
    belief: FloatArray | None = None
    asked: Question = ()
    reply: str = ""
    goal: int | None = None
    progress: str = ""
    event: str = ""
    ego_floor: Floor | None = None

    def ruled_out(self, goal: int) -> bool:
        """Return whether the belief gives probability 0 to a goal, given by its index; False without a belief."""
        return self.belief is not None and self.belief[goal] <= 0

    @property
    def question(self) -> str:
        """The question as text; empty if there is none."""
        return question_to_text([goal.name for goal in self.goals], self.asked) if self.asked else ""

    @property
    def floors(self) -> tuple[Floor, ...]:
        """The maps or graphs to draw: one that both agents share, or the teammate's and then the ego agent's."""
        return (self.floor,) if self.ego_floor is None else (self.floor, self.ego_floor)

    @property
    def size(self) -> str:
        """The size of the problem as text: the numbers of cells or states, goals and landmarks."""
        parts = [_size(self.floor)]
        if self.ego_floor is not None:
            parts = [f"{self.teammate.name} on {parts[0]}", f"{self.ego.name} on {_size(self.ego_floor)}"]
        parts.append(counted(len(self.goals), self.words.goal))
        return ", ".join([*parts, *([counted(len(self.landmarks), self.words.landmark)] if self.landmarks else [])])


def _size(floor: Floor) -> str:
    if isinstance(floor, Map):
        return f"{floor.width} x {floor.height} cells, {counted(floor.n_walls, 'wall')}"
    return f"a graph of {counted(floor.n_states, 'state')}"


# -- marks of goals ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GoalMark:
    """A mark on a place where one of the two agents reaches one or more goals.

    Attributes:
        at: the place ``(x, y)``.
        goals: the indices of the goals reached there.
        ego: whether the ego agent reaches them, not the teammate.
        shared: whether this mark of the ego agent is small, because the teammate has a mark in the same place.
    """

    at: Place
    goals: tuple[int, ...]
    ego: bool = False
    shared: bool = False

    def name(self, scene: Scene) -> str:
        """Return the names of the mark's goals, such as ``A, B``; if this is too long, only their number: ``7 goals``.

        `scene` is the scene with the mark; it has the names.
        """
        names = ", ".join(printable(scene.goals[k].name) for k in self.goals)
        return names if len(self.goals) == 1 or len(names) <= LONGEST else f"{len(self.goals)} {scene.words.goals}"

    def short_name(self, scene: Scene) -> str:
        """Return the name of the mark's first goal and, if it has others, how many others, such as ``A+2``.

        `scene` is the scene with the mark; it has the names.
        """
        first = printable(scene.goals[self.goals[0]].name)
        return first if len(self.goals) == 1 else f"{first}+{len(self.goals) - 1}"

    def asked(self, scene: Scene) -> bool:
        """Return whether the question that is asked in `scene` names one of the mark's goals."""
        return any(k in scene.asked for k in self.goals)

    def probability(self, scene: Scene) -> float | None:
        """Return the probability, in the ego agent's belief, that the teammate has one of the mark's goals.

        The result is None if the scene has no belief.
        """
        if scene.belief is None:
            return None
        if len(self.goals) == 1:
            return float(scene.belief[self.goals[0]])
        return min(float(scene.belief[list(self.goals)].sum()), 1.0)


def teammate_marks(scene: Scene) -> list[GoalMark]:
    """Return a mark for each goal and each place where the teammate reaches this goal, in the order of the goals."""
    return [GoalMark(place, (k,)) for k, goal in enumerate(scene.goals) for place in (goal.at, *goal.also)]


def ego_marks(scene: Scene, *, every: bool = False) -> list[GoalMark]:
    """Return the marks on the places where the ego agent reaches goals.

    On a shared map or graph, a place where both agents reach the same goals gets only the teammate's mark.

    Args:
        scene: the scene.
        every: whether such places are marked nevertheless; applies only to a map on which the ego agent also has
            others.
    """
    found: dict[Place, list[int]] = {}
    for k, goal in enumerate(scene.goals):
        for place in goal.ego:
            found.setdefault(place, []).append(k)
    if scene.ego_floor is not None:
        return [GoalMark(place, tuple(goals), ego=True) for place, goals in found.items()]
    others = {mark.at: mark.goals for mark in teammate_marks(scene)}
    marks = [GoalMark(place, tuple(goals), ego=True, shared=place in others) for place, goals in found.items()]
    own = [mark for mark in marks if others.get(mark.at) != mark.goals]
    return marks if every and own and isinstance(scene.floor, Map) else own
