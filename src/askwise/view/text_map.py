"""What is where, in letters and colours of a terminal: the same on maps and in lists of places.

Every mark is one letter, a name, a colour. Agents hide what they stand on, but not its name.

The map of a scene in letters.

The largest of these that fits is drawn: every goal by its name; by the part of the name that differs ("12" for S12);
as a sign; and, on a map larger than the screen, one letter for a whole block of cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import takewhile

from askwise.text.wording import columns_of, listed, printable
from askwise.view.floor import Cell, Map, Place
from askwise.view.palette import TERMINAL, TERMINAL_RAMP, position
from askwise.view.scene import GoalMark, Scene, ego_marks, teammate_marks

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
class TextMark:
    """What is in a place: a sign (one letter), the name of a goal or landmark, the colour it is drawn in."""

    sign: str
    name: str = ""
    colour: str = ""
    landmark: bool = False


BOTH_HERE = TextMark(BOTH, colour=BOTH_COLOUR)


@dataclass(frozen=True, slots=True)
class TextFloor:
    """A finished ground: its lines, the signs used in it, and remarks on how to read it."""

    lines: list[str]
    signs: set[str]
    remarks: list[str]


def goal_marks(scene: Scene, side: int, *, short: bool = True) -> dict[Place, TextMark]:
    """Return the marks of landmarks and goals on the first ground (0) or the second (1), with short names or whole."""
    places: dict[Place, TextMark] = {}
    if side == 0:
        for landmark in scene.landmarks:
            places[landmark.at] = TextMark(
                scene.words.landmark_sign, printable(landmark.name), TERMINAL["landmark"], landmark=True
            )
        for mark in teammate_marks(scene):
            places[mark.at] = _goal_mark(scene, mark, short)
    if side == len(scene.floors) - 1:
        for mark in ego_marks(scene):
            places.setdefault(mark.at, _goal_mark(scene, mark, short))
    return places


def agent_marks(scene: Scene, side: int) -> dict[Place, TextMark]:
    """Return the marks of the agents that are on the first ground (0) or the second (1)."""
    teammate, ego = (
        TextMark(scene.teammate.sign, colour=TEAMMATE_COLOUR),
        TextMark(scene.ego.sign, colour=EGO_COLOUR),
    )
    if len(scene.floors) > 1:
        return {scene.teammate.at: teammate} if side == 0 else {scene.ego.at: ego}
    if scene.teammate.at == scene.ego.at:
        return {scene.ego.at: BOTH_HERE}
    return {scene.teammate.at: teammate, scene.ego.at: ego}


def all_marks(scene: Scene, side: int) -> dict[Place, TextMark]:
    """Return what is in each place that is not simply free; agents hide what they stand on, but its name."""
    places = goal_marks(scene, side)
    for place, agent in agent_marks(scene, side).items():
        below = places.get(place)
        places[place] = replace(agent, name=below.name, landmark=below.landmark) if below else agent
    return places


def _goal_mark(scene: Scene, mark: GoalMark, short: bool) -> TextMark:
    out = mark.probability(scene) is not None and all(scene.ruled_out(k) for k in mark.goals)
    sign = ASKED if mark.asked(scene) else OUT if out else EGO_PLACE if mark.ego else GOAL
    return TextMark(sign, mark.short_name(scene) if short else mark.name(scene), _goal_colour(scene, mark, out))


def _goal_colour(scene: Scene, mark: GoalMark, out: bool) -> str:
    probability = mark.probability(scene)
    if probability is None:
        return TERMINAL["no belief"]
    if out:
        return TERMINAL["ruled out"]
    level = min(int(position(probability) * len(TERMINAL_RAMP)), len(TERMINAL_RAMP) - 1)
    ink = 16 if level < 4 else 231
    return f"{'1;4;' if mark.asked(scene) else ''}48;5;{TERMINAL_RAMP[level]};38;5;{ink}"


LONGEST_NAME = 8


def draw_map(scene: Scene, floor: Map, side: int, *, colour: bool, columns: int, rows: int) -> TextFloor:
    """Draw a map of a scene, at most so wide and high: the first of its grounds (`side` 0) or the second (1)."""
    width, height = floor.width, floor.height
    gutter = len(str(height - 1))
    room = (columns - gutter) // width
    places = all_marks(scene, side)
    paint = painter(colour)
    if height + 1 > rows or room < 1:
        return _overview(scene, floor, places, paint, columns - 1, rows)
    marks = goal_marks(scene, side).values()
    goals = [printable(goal.name) for goal in scene.goals] if side == 0 else []
    goals += [mark.name for mark in marks if not mark.landmark and mark.name not in goals]
    landmarks = [printable(landmark.name) for landmark in scene.landmarks] if side == 0 else []
    prefix = _common_prefix(goals, landmarks)
    for cut in dict.fromkeys(("", prefix)):
        longest = max(columns_of(name) for name in [*(name.removeprefix(cut) for name in goals), *landmarks])
        if longest <= LONGEST_NAME and longest + 1 <= room:
            remarks = [f"{scene.words.landmarks} {listed(landmarks)}", *_covered(scene)] if landmarks else []
            remarks += [f"{scene.words.goals} without the {cut!r} of their names"] if cut else []
            return _named(scene, floor, places, paint, min(longest + 2, room), cut, remarks)
    return _signs(floor, places, paint, min(room, 2))


def _covered(scene: Scene) -> list[str]:
    """Return a remark for each landmark that lies under a goal, whose name it cannot show."""
    goals = {goal.at: goal.name for goal in scene.goals}
    return [
        f"{printable(landmark.name)} lies under {printable(goals[landmark.at])}"
        for landmark in scene.landmarks
        if landmark.at in goals
    ]


def _common_prefix(goals: list[str], landmarks: list[str]) -> str:
    """Return what all goals' names begin with, if they can do without."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*goals, strict=False))
    prefix = "".join(letters[0] for letters in same).rstrip("0123456789")
    short = [name.removeprefix(prefix) for name in goals]
    return prefix if all(short) and len(goals) > 1 and not set(short) & set(landmarks) else ""


def _named(
    scene: Scene, floor: Map, places: dict[Place, TextMark], paint: Paint, size: int, cut: str, remarks: list[str]
) -> TextFloor:
    """Draw every cell as a sign and a name; a goal or a landmark has no sign, one that is ruled out no name."""
    signs = set()
    unsigned = {GOAL, scene.words.landmark_sign}

    def cell(at: Cell, wall: bool) -> str:
        mark = places.get(at)
        if wall:
            signs.add("#")
            return " " + paint("#" * (size - 1), DIM)
        if mark is None:
            return " " + paint("." + " " * (size - 2), DIM)
        signs.add(mark.sign)
        if mark.sign == OUT or not mark.name:
            return " " + paint(mark.sign, mark.colour) + " " * (size - 2)
        name = mark.name.removeprefix("" if mark.landmark else cut)
        sign = " " if mark.sign in unsigned else paint(mark.sign, mark.colour)
        return sign + paint(name, mark.colour) + " " * (size - 1 - columns_of(name))

    return TextFloor(_with_axes(floor, cell, size), signs - unsigned, remarks)


def _signs(floor: Map, places: dict[Place, TextMark], paint: Paint, size: int) -> TextFloor:
    signs = set()

    def cell(at: Cell, wall: bool) -> str:
        mark = TextMark("#", colour=DIM) if wall else places.get(at, TextMark(".", colour=DIM))
        signs.add(mark.sign)
        return " " * (size - 1) + paint(mark.sign, mark.colour)

    return TextFloor(_with_axes(floor, cell, size), signs - {"."}, [])


def _with_axes(floor: Map, cell: Callable[[Cell, bool], str], size: int) -> list[str]:
    """Return the rows, the highest y first, with the coordinates beside and below."""
    width, height = floor.width, floor.height
    walls = floor.walls.tolist()
    gutter = len(str(height - 1))
    lines = [
        f"{y:>{gutter}}" + "".join(cell((x, y), walls[y][x]) for x in range(width)).rstrip()
        for y in reversed(range(height))
    ]
    return [*lines, " " * gutter + _x_axis(width, size)]


def _x_axis(width: int, size: int) -> str:
    """Return the x coordinates, as many as there is room for, each below the first letter of its cell."""
    first = 1 if size > 1 else 0
    apart = next(k for k in (1, 2, 5, 10, 20, 50, 100, 1000, 10_000) if k * size > len(str(width - 1)))
    axis = [" "] * (width * size + 5)
    for x in range(0, width, apart):
        for k, digit in enumerate(str(x)):
            axis[x * size + first + k] = digit
    return "".join(axis).rstrip()


def _overview(
    scene: Scene, floor: Map, places: dict[Place, TextMark], paint: Paint, columns: int, rows: int
) -> TextFloor:
    """Draw one letter for each block of cells: whatever matters most in it."""
    width, height = floor.width, floor.height
    # A letter is about twice as high as wide; so is a block, and the map keeps its shape.
    wide = max(-(-width // columns), -(-height // (2 * rows)))
    high = 2 * wide
    blocks = _blocks(scene, places, wide, high)
    signs, lines = set(), []
    for y in reversed(range(-(-height // high))):
        row = [blocks.get((x, y)) or _floor(floor, x * wide, y * high, wide, high) for x in range(-(-width // wide))]
        signs |= {mark.sign for mark in row}
        lines.append("".join(paint(mark.sign, mark.colour) for mark in row))
    return TextFloor(lines, signs - {"."}, [f"each letter stands for {wide} x {high} cells"])


def _blocks(scene: Scene, places: dict[Place, TextMark], wide: int, high: int) -> dict[Cell, TextMark]:
    """Return the mark that matters most in each block."""
    agents = [scene.teammate.sign, scene.ego.sign]
    order = [BOTH, *agents, scene.words.landmark_sign, ASKED, GOAL, EGO_PLACE, OUT]
    found: dict[Cell, list[TextMark]] = {}
    for (x, y), mark in places.items():
        found.setdefault((int(x) // wide, int(y) // high), []).append(mark)
    chosen = {}
    for block, marks in found.items():
        best = min(marks, key=lambda mark: order.index(mark.sign))
        chosen[block] = BOTH_HERE if set(agents) <= {mark.sign for mark in marks} else best
    return chosen


def _floor(floor: Map, x: int, y: int, wide: int, high: int) -> TextMark:
    share = floor.walls[y : y + high, x : x + wide].mean()
    return TextMark("#" if share >= 0.5 else ":" if share >= 0.25 else ".", colour=DIM)
