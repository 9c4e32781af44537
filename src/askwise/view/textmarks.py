"""What is where, in letters and colours of a terminal: the same on maps and in lists of places.

Every mark is one letter, a name, a colour. Agents hide what they stand on, but not its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from askwise.text.reading import printable
from askwise.view.floor import Place
from askwise.view.palette import TERMINAL, TERMINAL_RAMP, position
from askwise.view.scene import Scene, Spot, ego_spots, teammate_spots

BOTH, GOAL, ASKED, OUT, EGO_PLACE = "&", "o", "?", "x", "*"
"""The signs of agents in one place and of goals; those of single agents and landmarks are the domain's."""
TEAMMATE_COLOUR, EGO_COLOUR, BOTH_COLOUR, DIM = (TERMINAL[name] for name in ("teammate", "ego", "both", "dim"))

Paint = Callable[[str, str], str]


def painter(colour: bool) -> Paint:
    """Return what puts a text into a colour, or leaves it as it is."""
    return _painted if colour else _plain


def _plain(text: str, _: str) -> str:
    return text


def _painted(text: str, colour: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if colour else text


def meanings(scene: Scene) -> dict[str, str]:
    """Return what each sign means, in the order of the legend."""
    signs = {
        scene.teammate.sign: scene.teammate.name,
        scene.ego.sign: scene.ego.name,
        BOTH: f"{scene.teammate.name} and {scene.ego.name}",
        ASKED: "in the question",
        OUT: "ruled out",
        GOAL: scene.words.goal,
        EGO_PLACE: f"where the {scene.ego.name} goes",
    }
    if scene.words.landmark:  # or an agent whose letter is the same would lose its own meaning
        signs.setdefault(scene.words.landmark_sign, scene.words.landmark)
    return signs | {"#": "wall", ":": "a quarter walls and more"}


@dataclass(frozen=True, slots=True)
class Mark:
    """What is in a place: a sign (one letter), the name of a goal or landmark, the colour it is drawn in."""

    sign: str
    name: str = ""
    colour: str = ""
    landmark: bool = False


BOTH_HERE = Mark(BOTH, colour=BOTH_COLOUR)


@dataclass(frozen=True, slots=True)
class TextGround:
    """A finished ground: its lines, the signs used in it, and remarks on how to read it."""

    lines: list[str]
    signs: set[str]
    remarks: list[str]


def goal_marks(scene: Scene, side: int, *, short: bool = True) -> dict[Place, Mark]:
    """Return the marks of landmarks and goals on the first ground (0) or the second (1), with short names or whole."""
    places: dict[Place, Mark] = {}
    if side == 0:
        for landmark in scene.landmarks:
            places[landmark.at] = Mark(
                scene.words.landmark_sign, printable(landmark.name), TERMINAL["landmark"], landmark=True
            )
        for spot in teammate_spots(scene):
            places[spot.at] = _goal_mark(scene, spot, short)
    if side == len(scene.grounds) - 1:
        for spot in ego_spots(scene):
            places.setdefault(spot.at, _goal_mark(scene, spot, short))
    return places


def agent_marks(scene: Scene, side: int) -> dict[Place, Mark]:
    """Return the marks of the agents that are on the first ground (0) or the second (1)."""
    teammate, ego = (
        Mark(scene.teammate.sign, colour=TEAMMATE_COLOUR),
        Mark(scene.ego.sign, colour=EGO_COLOUR),
    )
    if len(scene.grounds) > 1:
        return {scene.teammate.at: teammate} if side == 0 else {scene.ego.at: ego}
    if scene.teammate.at == scene.ego.at:
        return {scene.ego.at: BOTH_HERE}
    return {scene.teammate.at: teammate, scene.ego.at: ego}


def all_marks(scene: Scene, side: int) -> dict[Place, Mark]:
    """Return what is in each place that is not simply free; agents hide what they stand on, but its name."""
    places = goal_marks(scene, side)
    for place, agent in agent_marks(scene, side).items():
        below = places.get(place)
        places[place] = replace(agent, name=below.name, landmark=below.landmark) if below else agent
    return places


def _goal_mark(scene: Scene, spot: Spot, short: bool) -> Mark:
    out = spot.probability(scene) is not None and all(scene.ruled_out(k) for k in spot.goals)
    sign = ASKED if spot.asked(scene) else OUT if out else EGO_PLACE if spot.ego else GOAL
    return Mark(sign, spot.short_name(scene) if short else spot.name(scene), _goal_colour(scene, spot, out))


def _goal_colour(scene: Scene, spot: Spot, out: bool) -> str:
    probability = spot.probability(scene)
    if probability is None:
        return TERMINAL["no belief"]
    if out:
        return TERMINAL["ruled out"]
    level = min(int(position(probability) * len(TERMINAL_RAMP)), len(TERMINAL_RAMP) - 1)
    ink = 16 if level < 4 else 231
    return f"{'1;4;' if spot.asked(scene) else ''}48;5;{TERMINAL_RAMP[level]};38;5;{ink}"
