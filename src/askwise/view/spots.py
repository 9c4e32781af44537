"""The places that goals are about, as marks: which goals meet at a place, and how likely it is one of them.

The teammate's places are those that the belief is about. The ego agent's are drawn on its own ground, or, where both
are on one, among the teammate's: small where there is another mark, left out where they say nothing new.
"""

from __future__ import annotations

from dataclasses import dataclass

from askwise.text.reading import printable
from askwise.view.floor import Place
from askwise.view.scene import Scene

LONGEST = 40


@dataclass(frozen=True, slots=True)
class Spot:
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


def teammate_spots(scene: Scene) -> list[Spot]:
    """Return the places of the teammate, in the order of the goals."""
    return [Spot(place, (k,)) for k, goal in enumerate(scene.goals) for place in (goal.at, *goal.also)]


def ego_spots(scene: Scene) -> list[Spot]:
    """Return the places of the ego agent that are to be drawn."""
    found: dict[Place, list[int]] = {}
    for k, goal in enumerate(scene.goals):
        for place in goal.ego:
            found.setdefault(place, []).append(k)
    if scene.ego_ground is not None:
        return [Spot(place, tuple(goals), ego=True) for place, goals in found.items()]
    others = {spot.at: spot.goals for spot in teammate_spots(scene)}
    return [
        Spot(place, tuple(goals), ego=True, shared=place in others)
        for place, goals in found.items()
        if others.get(place) != tuple(goals)
    ]
