"""Maps as text, and the marks of agents, goals and landmarks on maps and in lists of places.

A map shows the first of these for which there is room:

- names of goals in the cells;
- distinctive parts of them ("12" for S12);
- letters;
- letters for blocks of cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import takewhile

from askwise.text.wording import columns_of, listed, printable
from askwise.view.palette import TERMINAL, TERMINAL_RAMP, position
from askwise.view.scene import Cell, GoalMark, Map, Place, Scene, ego_marks, teammate_marks

BOTH, GOAL, ASKED, OUT, EGO_PLACE = "&", "o", "?", "x", "*"
"""Letters of both agents in one place and of goals; the domain defines those of single agents and landmarks."""
TEAMMATE_COLOUR, EGO_COLOUR, BOTH_COLOUR, DIM = (TERMINAL[name] for name in ("teammate", "ego", "both", "dim"))

Paint = Callable[[str, str], str]
LONGEST_NAME = 8


# -- marks --------------------------------------------------------------------------------------------------------


def painter(colour: bool) -> Paint:
    """Return a function that takes a text and a colour, and returns the coloured text for a terminal.

    A colour is the parameters of an escape sequence, such as ``1;31``; empty for none. If not `colour`, texts stay
    unchanged.
    """
    return _painted if colour else _plain


def _plain(text: str, _: str) -> str:
    return text


def _painted(text: str, colour: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if colour else text


def meanings(scene: Scene) -> dict[str, str]:
    """Return the meanings of the letters in text drawings, as a dict by letter, in the order of the legend."""
    signs = {
        scene.teammate.sign: scene.teammate.name,
        scene.ego.sign: scene.ego.name,
        BOTH: f"{scene.teammate.name} and {scene.ego.name}",
        ASKED: "in the question",
        OUT: "ruled out",
        GOAL: scene.words.goal,
        EGO_PLACE: f"where the {scene.ego.name} goes",
    }
    if scene.words.landmark:  # otherwise an agent with the same letter would lose its own meaning
        signs.setdefault(scene.words.landmark_sign, scene.words.landmark)
    return signs | {"#": "wall", ":": "at least a quarter walls"}


@dataclass(frozen=True, slots=True)
class TextMark:
    """A mark in a text drawing: an agent, a goal, or a landmark (a place that matters but is no goal).

    Attributes:
        sign: its letter.
        name: the goal or landmark there; empty for none.
        colour: parameters of an escape sequence, such as ``1;31``; empty for none.
        landmark: whether `name` is a landmark.
    """

    sign: str
    name: str = ""
    colour: str = ""
    landmark: bool = False


BOTH_HERE = TextMark(BOTH, colour=BOTH_COLOUR)


@dataclass(frozen=True, slots=True)
class TextFloor:
    """A map or graph drawn as text.

    Attributes:
        lines: the lines of text.
        signs: the letters that the legend has to explain, because they occur in the drawing.
        remarks: sentences about how to read the drawing.
    """

    lines: list[str]
    signs: set[str]
    remarks: list[str]


def goal_marks(scene: Scene, side: int, *, short: bool = True) -> dict[Place, TextMark]:
    """Return the marks of the landmarks and goals on a map or graph, by coordinates ``(x, y)``.

    Args:
        scene: the scene.
        side: the index in ``scene.floors``: 0 for the teammate's or a shared one, 1 for the ego agent's own.
        short: whether several goals are named like ``A+2``; otherwise all are listed.
    """
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
    """Return the marks of the agents on a map or graph, by coordinates ``(x, y)``; agents in one place share a mark.

    `side` is the index in ``scene.floors``: 0 for the teammate's or a shared map or graph, 1 for the ego agent's own.
    """
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
    """Return the marks of agents, goals and landmarks on a map or graph, one for each place, by coordinates ``(x, y)``.

    An agent's mark also has the name of the goal or landmark at this place. `side` is the index in ``scene.floors``: 0
    for the teammate's or a shared map or graph, 1 for the ego agent's own.
    """
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


# -- maps ---------------------------------------------------------------------------------------------------------


def draw_map(scene: Scene, floor: Map, side: int, *, colour: bool, columns: int, rows: int) -> TextFloor:
    """Draw a map as text: with names in its cells if there is room, otherwise letters, or letters for blocks of cells.

    Args:
        scene: the scene.
        floor: the map.
        side: the map's index in ``scene.floors``: 1 for the ego agent's own, otherwise 0.
        colour: whether to use escape sequences (256 colours).
        columns: the largest width, in characters.
        rows: the largest number of lines.
    """
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
            remarks += [f"{scene.words.goals} without the prefix {cut!r}"] if cut else []
            return _named(scene, floor, places, paint, min(longest + 2, room), cut, remarks)
    return _signs(floor, places, paint, min(room, 2))


def _covered(scene: Scene) -> list[str]:
    """Return a remark for each landmark whose mark is covered by the mark of a goal in the same cell."""
    goals = {goal.at: goal.name for goal in scene.goals}
    return [
        f"{printable(landmark.name)} lies under {printable(goals[landmark.at])}"
        for landmark in scene.landmarks
        if landmark.at in goals
    ]


def _common_prefix(goals: list[str], landmarks: list[str]) -> str:
    """Return the prefix, without digits at its end, that all goals' names share; empty if it cannot be cut off.

    A prefix cannot be cut off if there is only one goal, or if a name would become empty or a landmark's name.
    """
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*goals, strict=False))
    prefix = "".join(letters[0] for letters in same).rstrip("0123456789")
    short = [name.removeprefix(prefix) for name in goals]
    return prefix if all(short) and len(goals) > 1 and not set(short) & set(landmarks) else ""


def _named(
    scene: Scene, floor: Map, places: dict[Place, TextMark], paint: Paint, size: int, cut: str, remarks: list[str]
) -> TextFloor:
    """Draw a map as text with names in its cells, each `size` characters wide.

    `places` has the marks by cell ``(x, y)``. Some names have a letter in front, for instance for an agent; a goal that
    is ruled out has only the letter. Goals' names are written without the prefix `cut`.
    """
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
    """Return the lines of a map as text, the largest y first, with y coordinates on the left and x coordinates below.

    `cell` returns the text of a cell, given its coordinates ``(x, y)`` and whether it is a wall. `size` is the width of
    a cell, in characters.
    """
    width, height = floor.width, floor.height
    walls = floor.walls.tolist()
    gutter = len(str(height - 1))
    lines = [
        f"{y:>{gutter}}" + "".join(cell((x, y), walls[y][x]) for x in range(width)).rstrip()
        for y in reversed(range(height))
    ]
    return [*lines, " " * gutter + _x_axis(width, size)]


def _x_axis(width: int, size: int) -> str:
    """Return the line below a map, with as many x coordinates as fit, each below the first letter of its cell.

    `width` is the number of cells, and `size` the width of a cell in characters.
    """
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
    """Draw a large map as text, in at most `rows` lines of `columns` letters, one for each rectangular block of cells.

    The letter is that of the block's most important mark, or of walls or free cells. `places` has the marks by cell
    ``(x, y)``.
    """
    width, height = floor.width, floor.height
    # A letter is about twice as high as wide; blocks are too, so that the map keeps its proportions.
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
    """Divide a map into blocks of `wide` by `high` cells, and return the most important mark of each block with a mark.

    Two agents in a block share a mark. `places` has the marks by cell ``(x, y)``, the result by column and row of
    blocks.
    """
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
