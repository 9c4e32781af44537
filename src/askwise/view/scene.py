"""A scene: one moment of an episode as data that the terminal, pictures, animations and pages draw.

`askwise.view.scene_builder` makes scenes of any problem.

The places that goals are about, as marks: which goals meet at a place, and how likely it is one of them.

The teammate's places are those that the belief is about. The ego agent's are drawn on its own ground, or, where both
are on one, among the teammate's: small where there is another mark, left out where they say nothing new.
"""

from __future__ import annotations

from dataclasses import dataclass

from askwise.core.questions import Question
from askwise.text.wording import Vocabulary, counted, printable
from askwise.types import FloatArray
from askwise.view.decision_text import question_to_text
from askwise.view.floor import Cell, DrawnGraph, Floor, Map, Place

__all__ = ["Cell", "DrawnGraph", "Figure", "Floor", "Goal", "Landmark", "Map", "Place", "Scene"]


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
    at: Place
    place: str = ""

    def __post_init__(self) -> None:
        if not self.place:
            object.__setattr__(self, "place", str(self.at))


@dataclass(frozen=True, slots=True)
class Landmark:
    """A place that matters and is no goal."""

    name: str
    at: Place


@dataclass(frozen=True, slots=True)
class Goal:
    """What the teammate may be after: where it goes for it, and where the ego agent does.

    Attributes:
        name: what it is called.
        at: where the teammate goes, on the teammate's ground.
        landmark: the number of the landmark that belongs to it, if one does.
        also: other places at which the teammate has reached it as well.
        ego: where the ego agent goes, on its own ground; empty if that is not drawn.
    """

    name: str
    at: Place
    landmark: int | None = None
    also: tuple[Place, ...] = ()
    ego: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Scene:
    """One moment. What has a default may be left out, and is not drawn then.

    Attributes:
        words: what the domain calls things.
        ground: what everything stands on, a map or a graph.
        teammate: the teammate.
        ego: the ego agent.
        goals: the goals, in the order of the problem.
        landmarks: other places that matter.
        carried: the name on what the ego agent carries, empty if it carries nothing.
        hands: the same in words, printable; empty where nothing can be carried.
        belief: ``float64 [n_goals]``, what the ego agent believes.
        asked: the question that is being asked, goals by number; empty if there is none.
        reply: the reply to it, in words.
        goal: the teammate's goal, by number. The ego agent does not know it, so an environment must not show it.
        progress: one line, such as the number of the step and the cost so far.
        event: one line about what is happening.
        ego_ground: what the ego agent stands on, if it is another ground than the teammate's, drawn beside it.
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
        """Whether the ego agent knows that this is not the goal."""
        return self.belief is not None and self.belief[goal] <= 0

    @property
    def question(self) -> str:
        """The question in words, empty if none is asked."""
        return question_to_text([goal.name for goal in self.goals], self.asked) if self.asked else ""

    @property
    def floors(self) -> tuple[Floor, ...]:
        """The one that everybody is on, or the teammate's and the ego agent's."""
        return (self.floor,) if self.ego_floor is None else (self.floor, self.ego_floor)

    @property
    def size(self) -> str:
        """How large all this is, in words."""
        parts = [_size(self.floor)]
        if self.ego_floor is not None:
            parts = [f"{self.teammate.name} on {parts[0]}", f"{self.ego.name} on {_size(self.ego_floor)}"]
        parts.append(counted(len(self.goals), self.words.goal))
        return ", ".join([*parts, *([counted(len(self.landmarks), self.words.landmark)] if self.landmarks else [])])


def _size(floor: Floor) -> str:
    if isinstance(floor, Map):
        return f"{floor.width} x {floor.height} cells, {counted(floor.n_walls, 'wall')}"
    return f"a graph of {counted(floor.n_states, 'state')}"


LONGEST = 40


@dataclass(frozen=True, slots=True)
class GoalMark:
    """A place of one of the agents.

    Attributes:
        at: where it is.
        goals: the goals that it is a place of, by number.
        ego: whether it is the ego agent's.
        shared: whether the teammate has another mark at the same place.
    """

    at: Place
    goals: tuple[int, ...]
    ego: bool = False
    shared: bool = False

    def name(self, scene: Scene) -> str:
        """Return the names of its goals, printable."""
        names = ", ".join(printable(scene.goals[k].name) for k in self.goals)
        return names if len(self.goals) == 1 or len(names) <= LONGEST else f"{len(self.goals)} {scene.words.goals}"

    def short_name(self, scene: Scene) -> str:
        """Return the name of its first goal, and how many others there are."""
        first = printable(scene.goals[self.goals[0]].name)
        return first if len(self.goals) == 1 else f"{first}+{len(self.goals) - 1}"

    def asked(self, scene: Scene) -> bool:
        """Whether the question is about one of them."""
        return any(k in scene.asked for k in self.goals)

    def probability(self, scene: Scene) -> float | None:
        """Return how likely it is that one of them is the goal, None without a belief."""
        if scene.belief is None:
            return None
        if len(self.goals) == 1:
            return float(scene.belief[self.goals[0]])
        return min(float(scene.belief[list(self.goals)].sum()), 1.0)


def teammate_marks(scene: Scene) -> list[GoalMark]:
    """Return the places of the teammate, in the order of the goals."""
    return [GoalMark(place, (k,)) for k, goal in enumerate(scene.goals) for place in (goal.at, *goal.also)]


def ego_marks(scene: Scene) -> list[GoalMark]:
    """Return the places of the ego agent that are to be drawn."""
    found: dict[Place, list[int]] = {}
    for k, goal in enumerate(scene.goals):
        for place in goal.ego:
            found.setdefault(place, []).append(k)
    if scene.ego_floor is not None:
        return [GoalMark(place, tuple(goals), ego=True) for place, goals in found.items()]
    others = {mark.at: mark.goals for mark in teammate_marks(scene)}
    return [
        GoalMark(place, tuple(goals), ego=True, shared=place in others)
        for place, goals in found.items()
        if others.get(place) != tuple(goals)
    ]
