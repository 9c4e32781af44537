"""A scene: one moment of an episode as data that the terminal, pictures, animations and pages draw.

A scene takes place on a floor: a map of cells, or a drawn graph. A place on a floor is a pair of coordinates
``(x, y)``, with x to the right and y up. On a map it is a cell, in whole numbers from 0; on a graph it is the position
of a node in the drawing. `askwise.view.scene_builder` makes scenes of any problem.
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
        above: the text above the node: the shortened names of the goals that are reached there; empty if equal to
            `name`.
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


# -- scenes --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figure:
    """One of the two agents in a scene.

    Attributes:
        name: the noun for the agent, such as ``teammate``.
        sign: its letter in drawings.
        at: the coordinates at which it is drawn.
        place: the name of the place where it is; by default the coordinates.
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
    """A place that matters and is not a goal, such as a toolbox: its name and its coordinates."""

    name: str
    at: Place


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal that the teammate may have, and the places where the agents reach it, as coordinates in the drawing.

    Attributes:
        name: the name of the goal.
        at: the first place where the teammate reaches it, on the teammate's map or graph.
        landmark: the index of the landmark where the load for the goal is picked up; None if there is none.
        also: the other places where the teammate reaches it.
        ego: the places where the ego agent reaches it, on its own map or graph; empty if they are not drawn.
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
        words: the vocabulary of the domain.
        floor: the map or graph on which the agents move; the teammate's if each has its own.
        teammate: the teammate.
        ego: the ego agent.
        goals: the goals, in the order of the problem.
        landmarks: other places that matter.
        carried: the name of the goal whose load the ego agent carries; empty if it carries nothing.
        hands: what the ego agent carries, as a phrase such as "empty hands"; empty in problems without loads.
        belief: ``float64 [n_goals]``, the ego agent's belief.
        asked: the question that is being asked; empty if there is none.
        reply: the reply to the question, as text.
        goal: the index of the teammate's goal. The ego agent does not know it, so an environment must not show it.
        progress: one line about the progress, such as the number of the step and the cost so far.
        event: one line about what is happening.
        ego_floor: the ego agent's map or graph if it differs from the teammate's; it is drawn next to it.
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
        """Return whether the belief excludes the goal with this index: whether its probability is 0."""
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
        """The size of the problem as text: cells or states, goals and landmarks."""
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

    If each agent has its own map or graph, its marks are drawn there. If both share one, the ego agent's marks are
    small where the teammate has a mark, and omitted where both marks would have the same goals.

    Attributes:
        at: the coordinates of the place.
        goals: indices of the goals that are reached there.
        ego: whether the ego agent reaches them there; otherwise the teammate does.
        shared: whether the teammate has another mark at the same place.
    """

    at: Place
    goals: tuple[int, ...]
    ego: bool = False
    shared: bool = False

    def name(self, scene: Scene) -> str:
        """Return the names of the mark's goals as a printable text or, if this is long, only the number of goals."""
        names = ", ".join(printable(scene.goals[k].name) for k in self.goals)
        return names if len(self.goals) == 1 or len(names) <= LONGEST else f"{len(self.goals)} {scene.words.goals}"

    def short_name(self, scene: Scene) -> str:
        """Return the name of the mark's first goal and, if it has others, their number, such as ``A+2``."""
        first = printable(scene.goals[self.goals[0]].name)
        return first if len(self.goals) == 1 else f"{first}+{len(self.goals) - 1}"

    def asked(self, scene: Scene) -> bool:
        """Return whether the question of the scene contains one of the mark's goals."""
        return any(k in scene.asked for k in self.goals)

    def probability(self, scene: Scene) -> float | None:
        """Return the probability that one of the mark's goals is the true one; None if the scene has no belief."""
        if scene.belief is None:
            return None
        if len(self.goals) == 1:
            return float(scene.belief[self.goals[0]])
        return min(float(scene.belief[list(self.goals)].sum()), 1.0)


def teammate_marks(scene: Scene) -> list[GoalMark]:
    """Return the marks on the places where the teammate reaches goals, in the order of the goals."""
    return [GoalMark(place, (k,)) for k, goal in enumerate(scene.goals) for place in (goal.at, *goal.also)]


def ego_marks(scene: Scene, *, every: bool = False) -> list[GoalMark]:
    """Return the marks on the places where the ego agent reaches goals.

    If both agents share a map or graph, a place where both reach the same goals has only the teammate's mark; the
    result has none for it, unless `every` is True.

    Args:
        scene: the scene.
        every: whether the result also has marks for such places. It has no effect on graphs, or if all places of the
            ego agent are of this kind.
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
