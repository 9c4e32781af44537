"""The map of a scene in letters.

The largest of these that fits is drawn: every goal by its name; by the part of the name that differs ("12" for S12);
as a sign; and, on a map larger than the screen, one letter for a whole block of cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import takewhile

from askwise.reading import printable
from askwise.showing.palette import position
from askwise.showing.scene import Cell, Figure, Scene
from askwise.showing.words import columns_of, listed

LONGEST_NAME = 8
BELIEF_COLOURS = (229, 193, 115, 73, 31, 25, 18)
"""Of a terminal with 256 colours, pale to dark: the likelier, the darker."""

BOTH, GOAL, ASKED, OUT = "&", "o", "?", "x"
"""The signs of agents in one place and of goals; those of single agents and landmarks are the domain's."""
TEAMMATE_COLOUR, EGO_COLOUR, BOTH_COLOUR = "1;48;5;166;38;5;231", "1;48;5;91;38;5;231", "1;48;5;90;38;5;231"
DIM = "38;5;240"


def meanings(scene: Scene) -> dict[str, str]:
    """Return what each sign means, in the order of the legend."""
    return {
        scene.teammate.sign: scene.teammate.name,
        scene.ego.sign: scene.ego.name,
        BOTH: f"{scene.teammate.name} and {scene.ego.name}",
        ASKED: "in the question",
        OUT: "ruled out",
        GOAL: scene.words.goal,
        scene.words.landmark_sign: scene.words.landmark,
        "#": "wall",
        ":": "a quarter walls and more",
    }


@dataclass(frozen=True, slots=True)
class Mark:
    """What is in a cell: a sign (one letter), the name of a goal or landmark, the colour it is drawn in."""

    sign: str
    name: str = ""
    colour: str = ""
    landmark: bool = False


BOTH_HERE = Mark(BOTH, colour=BOTH_COLOUR)


@dataclass(frozen=True, slots=True)
class TextMap:
    """A finished map: its lines, the signs used in it, and remarks on how to read it."""

    lines: list[str]
    signs: set[str]
    remarks: list[str]


def draw_map(scene: Scene, *, colour: bool, columns: int, rows: int) -> TextMap:
    """Draw the map of a scene, at most so wide and high."""
    width, height = scene.ground.width, scene.ground.height
    gutter = len(str(height - 1))
    room = (columns - gutter) // width
    places = _places(scene)
    paint = _painted if colour else _plain
    if height + 1 > rows or room < 1:
        return _overview(scene, places, paint, columns - 1, rows)
    goals = [printable(goal.name) for goal in scene.goals]
    landmarks = [printable(landmark.name) for landmark in scene.landmarks]
    prefix = _common_prefix(goals, landmarks)
    for cut in dict.fromkeys(("", prefix)):
        longest = max(columns_of(name) for name in [*(name.removeprefix(cut) for name in goals), *landmarks])
        if longest <= LONGEST_NAME and longest + 1 <= room:
            remarks = [f"{scene.words.landmarks} {listed(landmarks)}", *_covered(scene)] if landmarks else []
            remarks += [f"{scene.words.goals} without the {cut!r} of their names"] if cut else []
            return _named(scene, places, paint, min(longest + 2, room), cut, remarks)
    return _signs(scene, places, paint, min(room, 2))


def _places(scene: Scene) -> dict[Cell, Mark]:
    """Return what is in each cell that is not simply free or a wall; agents hide what they stand on, but its name."""
    places: dict[Cell, Mark] = {}
    for landmark in scene.landmarks:
        places[landmark.at] = Mark(scene.words.landmark_sign, printable(landmark.name), "1;38;5;137", landmark=True)
    for k, goal in enumerate(scene.goals):
        places[goal.at] = Mark(_goal_sign(scene, k), printable(goal.name), _goal_colour(scene, k))
    for cell, agent in _agents(scene.teammate, scene.ego).items():
        below = places.get(cell)
        places[cell] = replace(agent, name=below.name, landmark=below.landmark) if below else agent
    return places


def _agents(teammate: Figure, ego: Figure) -> dict[Cell, Mark]:
    if teammate.at == ego.at:
        return {ego.at: BOTH_HERE}
    return {
        teammate.at: Mark(teammate.sign, colour=TEAMMATE_COLOUR),
        ego.at: Mark(ego.sign, colour=EGO_COLOUR),
    }


def _covered(scene: Scene) -> list[str]:
    """Return a remark for each landmark that lies under a goal, whose name it cannot show."""
    goals = {goal.at: goal.name for goal in scene.goals}
    return [
        f"{printable(landmark.name)} lies under {printable(goals[landmark.at])}"
        for landmark in scene.landmarks
        if landmark.at in goals
    ]


def _goal_sign(scene: Scene, goal: int) -> str:
    return ASKED if goal in scene.asked else OUT if scene.ruled_out(goal) else GOAL


def _goal_colour(scene: Scene, goal: int) -> str:
    if scene.belief is None:
        return "1;38;5;31"
    if scene.ruled_out(goal):
        return "38;5;244"
    place = position(float(scene.belief[goal]))
    level = min(int(place * len(BELIEF_COLOURS)), len(BELIEF_COLOURS) - 1)
    ink = 16 if level < 4 else 231
    return f"{'1;4;' if goal in scene.asked else ''}48;5;{BELIEF_COLOURS[level]};38;5;{ink}"


def _common_prefix(goals: list[str], landmarks: list[str]) -> str:
    """Return what all goals' names begin with, if they can do without."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*goals, strict=False))
    prefix = "".join(letters[0] for letters in same).rstrip("0123456789")
    short = [name.removeprefix(prefix) for name in goals]
    return prefix if all(short) and len(goals) > 1 and not set(short) & set(landmarks) else ""


Paint = Callable[[str, str], str]


def _plain(text: str, _: str) -> str:
    return text


def _painted(text: str, colour: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if colour else text


def _named(scene: Scene, places: dict[Cell, Mark], paint: Paint, size: int, cut: str, remarks: list[str]) -> TextMap:
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

    return TextMap(_with_axes(scene, cell, size), signs - unsigned, remarks)


def _signs(scene: Scene, places: dict[Cell, Mark], paint: Paint, size: int) -> TextMap:
    signs = set()

    def cell(at: Cell, wall: bool) -> str:
        mark = Mark("#", colour=DIM) if wall else places.get(at, Mark(".", colour=DIM))
        signs.add(mark.sign)
        return " " * (size - 1) + paint(mark.sign, mark.colour)

    return TextMap(_with_axes(scene, cell, size), signs - {"."}, [])


def _with_axes(scene: Scene, cell: Callable[[Cell, bool], str], size: int) -> list[str]:
    """Return the rows, the highest y first, with the coordinates beside and below."""
    width, height = scene.ground.width, scene.ground.height
    walls = scene.ground.walls.tolist()
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


def _overview(scene: Scene, places: dict[Cell, Mark], paint: Paint, columns: int, rows: int) -> TextMap:
    """Draw one letter for each block of cells: whatever matters most in it."""
    width, height = scene.ground.width, scene.ground.height
    # A letter is about twice as high as wide; so is a block, and the map keeps its shape.
    wide = max(-(-width // columns), -(-height // (2 * rows)))
    high = 2 * wide
    blocks = _blocks(scene, places, wide, high)
    signs, lines = set(), []
    for y in reversed(range(-(-height // high))):
        row = [blocks.get((x, y)) or _floor(scene, x * wide, y * high, wide, high) for x in range(-(-width // wide))]
        signs |= {mark.sign for mark in row}
        lines.append("".join(paint(mark.sign, mark.colour) for mark in row))
    return TextMap(lines, signs - {"."}, [f"each letter stands for {wide} x {high} cells"])


def _blocks(scene: Scene, places: dict[Cell, Mark], wide: int, high: int) -> dict[Cell, Mark]:
    """Return the mark that matters most in each block."""
    agents = [scene.teammate.sign, scene.ego.sign]
    order = [BOTH, *agents, scene.words.landmark_sign, ASKED, GOAL, OUT]
    found: dict[Cell, list[Mark]] = {}
    for (x, y), mark in places.items():
        found.setdefault((x // wide, y // high), []).append(mark)
    chosen = {}
    for block, marks in found.items():
        best = min(marks, key=lambda mark: order.index(mark.sign))
        chosen[block] = BOTH_HERE if set(agents) <= {mark.sign for mark in marks} else best
    return chosen


def _floor(scene: Scene, x: int, y: int, wide: int, high: int) -> Mark:
    share = scene.ground.walls[y : y + high, x : x + wide].mean()
    return Mark("#" if share >= 0.5 else ":" if share >= 0.25 else ".", colour=DIM)
