"""Scenes (moments of an episode) and whole episodes as figures for papers: PNG, SVG or PDF, as wide as a column.

Positions and font sizes are in points (1/72 inch). If a goal's name does not fit on its mark, numbers replace the
names, with a key below the map.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Polygon, Rectangle

from askwise.core.episode import Episode
from askwise.core.side import place_and_load
from askwise.text.files import save_figure
from askwise.text.wording import printable
from askwise.view import palette
from askwise.view.layout.net import LABEL_LETTERS, LINE_HEIGHT, NAME_BELOW, NAME_LETTERS, in_lines
from askwise.view.palette import hex_of, ink_on, shade
from askwise.view.panels import arrow_head, labelled
from askwise.view.scene import DrawnGraph, Floor, GoalMark, Map, Place, Scene, curve, ego_marks, teammate_marks
from askwise.view.scene_builder import place_in, scene_at, start_scene
from askwise.view.text import ego_places
from askwise.view.vector_pen import EDGE, EGO, FAINT, INK, LINE, OUT, PAPER, TEAMMATE, WALL, WAY, VectorPen, text_width

COLUMN = 3.3 * 72
"""Width of a figure in points: a column of most papers."""
WIDEST = 7.0 * 72
"""Width, in points, of the figure of a graph that would be unreadable in a column."""
LETTERS, SMALLEST = 6.5, 4.6
"""Font size of legend and coordinates, and the smallest font size of a name on a mark."""
MARGIN, ROW = 3.0, 11.0
LARGEST_CELL, SMALLEST_MARK = 27.0, 11.0
MOST_PATCHES = 4_000
DPI = 300


def save_scene(scene: Scene, path: str | Path) -> None:
    """Write the figure of a scene to a PNG, SVG or PDF file, depending on the ending of `path`.

    Raises:
        InputError: the ending is another one, or the file cannot be written.
    """
    save_figure(SceneFigure(scene).draw(), path, dpi=DPI)


def save_episode(episode: Episode, path: str | Path) -> None:
    """Write one figure of a whole episode to a PNG, SVG or PDF file, depending on the ending of `path`.

    It shows the agents' paths, the prior, the questions with their replies, and the teammate's goal.

    Raises:
        InputError: the ending is another one, or the file cannot be written.
    """
    scene = start_scene(episode.problem, episode.problem.prior)
    problem, states = episode.problem, [step.state for step in episode.steps] + [episode.final]
    walked = [place_in(problem, "teammate", place_and_load(problem.teammate, at.teammate)[0]) for at in states]
    own = [place_in(problem, "ego", place_and_load(problem.ego, at.ego)[0]) for at in states]
    paths = [Trail(0, walked, TEAMMATE), Trail(-1, own, EGO)]
    asked = [(own[k], k) for k, step in enumerate(episode.steps) if step.answer is not None]
    questions = []
    for place, k in asked:
        moment = scene_at(episode, k)
        questions.append((place, f"{moment.question} {moment.reply}."))
    true = Scene(**{**vars(scene), "goal": episode.goal})
    save_figure(SceneFigure(true, paths, questions).draw(), path, dpi=DPI)


@dataclass(frozen=True)
class Trail:
    """The path of an agent through an episode, as it is drawn in a figure.

    Attributes:
        floor: the index of the map or graph to draw on: 0 for the first, -1 for the last (the ego agent's).
        places: the places ``(x, y)`` of the agent: one before each step, and one at the end.
        colour: the colour, as ``#rrggbb``.
    """

    floor: int
    places: list[Place]
    colour: str


@dataclass
class Board:
    """A map or graph with its position on a figure; positions and sizes are in points (1/72 inch), with y upwards.

    Attributes:
        floor: the map or graph.
        left: the left edge.
        unit: the size of a cell, or of the graph's unit of length.
        bottom: the lower edge, below a map's coordinates.
    """

    floor: Floor
    left: float
    unit: float
    bottom: float = 0.0

    @property
    def height(self) -> float:
        """Height in points (1/72 inch), including the coordinates that are written below a map."""
        return self.floor.height * self.unit + (LETTERS + 4 if isinstance(self.floor, Map) else 0)

    @property
    def mark(self) -> float:
        """Width and height of the mark of a goal or agent, in points (1/72 inch)."""
        return max(self.unit, SMALLEST_MARK)

    def centre(self, place: Place) -> tuple[float, float]:
        """Return the position (x, y) of a place on the figure, in points (1/72 inch).

        `place` is a cell of the map, whose centre is returned, or a position in the drawing of the graph.
        """
        if isinstance(self.floor, Map):
            return (
                self.left + (place[0] + 0.5) * self.unit,
                self.bottom + LETTERS + 4 + (place[1] + 0.5) * self.unit,
            )
        return self.left + place[0] * self.unit, self.bottom + place[1] * self.unit


@dataclass
class SceneFigure:
    """The figure of a scene; it can also show the agents' paths and the questions of an episode.

    The method `draw` sets `pen` and all attributes after it.

    Attributes:
        scene: the scene.
        paths: the agents' paths.
        questions: the place ``(x, y)`` of each question, and its text with the reply.
        pen: draws the marks.
        width: the width in points (1/72 inch).
        boards: the maps or graphs with positions.
        numbered: whether marks have numbers instead of goals' names.
    """

    scene: Scene
    paths: list[Trail] = field(default_factory=list)
    questions: list[tuple[Place, str]] = field(default_factory=list)

    def draw(self) -> Figure:
        """Draw the scene, and return the drawing as a matplotlib `Figure`."""
        floors = self.scene.floors
        self.width = max(COLUMN, *(_wanted(floor) for floor in floors))
        self.boards = [_board(floor, self.width) for floor in floors]
        self.numbered = self._needs_numbers()
        titles = ROW if len(floors) > 1 else 0.0
        rows = self._rows()
        bottom = MARGIN + ROW * len(rows) + (3 if rows else 0)
        top = bottom
        for board in reversed(self.boards):
            board.bottom = top
            top += board.height + titles + 4
        height = top - 4 + (0 if titles else MARGIN)
        figure = Figure(figsize=(self.width / 72, height / 72))
        self.pen = VectorPen(figure.add_axes((0, 0, 1, 1)))
        self.pen.ax.set(xlim=(0, self.width), ylim=(0, height))
        self.pen.ax.axis("off")
        names = (self.scene.teammate.name, self.scene.ego.name)
        for board, name in zip(self.boards, names, strict=False):
            if titles:
                y = board.bottom + board.height + titles / 2
                self.pen.write(self.width / 2, y, name, LETTERS + 1, INK, weight="bold")
            if isinstance(board.floor, Map):
                self._map(board, board.floor)
            else:
                self._graph(board, board.floor)
        self._marks()
        self._legend(rows, bottom - 3)
        return figure

    # -- floors ------------------------------------------------------------------------------------------------------

    def _map(self, board: Board, floor: Map) -> None:
        left, low = board.left, board.bottom + LETTERS + 4
        wide, high, unit = floor.width * board.unit, floor.height * board.unit, board.unit
        if floor.n_walls > MOST_PATCHES:
            shown = np.where(floor.walls, 1.0, np.nan)
            box = (left, left + wide, low, low + high)
            self.pen.ax.imshow(shown, cmap=ListedColormap([WALL]), origin="lower", extent=box, aspect="auto")
        else:
            for y, x in np.argwhere(floor.walls):
                self.pen.add(Rectangle((left + x * unit, low + y * unit), unit, unit, facecolor=WALL, linewidth=0))
        if unit >= 4:
            xs, ys = left + unit * np.arange(1, floor.width), low + unit * np.arange(1, floor.height)
            self.pen.ax.vlines(xs, low, low + high, colors=LINE, linewidth=0.4, zorder=1.5)
            self.pen.ax.hlines(ys, left, left + wide, colors=LINE, linewidth=0.4, zorder=1.5)
        self.pen.add(Rectangle((left, low), wide, high, fill=False, edgecolor=EDGE, linewidth=0.6, zorder=2))
        for x in labelled(floor.width, unit, text_width(str(floor.width - 1), LETTERS) + 4):
            self.pen.write(left + (x + 0.5) * unit, low - 2, str(x), LETTERS, FAINT, va="top")
        for y in labelled(floor.height, unit, LETTERS + 3):
            self.pen.write(left - 3, low + (y + 0.5) * unit, str(y), LETTERS, FAINT, ha="right")

    def _graph(self, board: Board, floor: DrawnGraph) -> None:
        for edge in floor.edges:
            one, other = floor.nodes[edge.first].at, floor.nodes[edge.second].at
            points = [board.centre(curve(one, edge.through, other, k / 16)) for k in range(17)]
            self.pen.ax.plot(*zip(*points, strict=True), color=WAY, linewidth=0.06 * board.unit, zorder=1)
            if edge.one_way:
                corners = [board.centre(corner) for corner in arrow_head(floor, edge)]
                self.pen.add(Polygon(corners, facecolor=hex_of(palette.ARROW), linewidth=0, zorder=1))
        taken = []
        for node in floor.nodes:
            self.pen.add(
                Circle(board.centre(node.at), 0.17 * board.unit, facecolor=PAPER, edgecolor=EDGE, linewidth=0.7)
            )
            texts = [(-NAME_BELOW - LINE_HEIGHT * (k + 0.5), line, INK) for k, line in enumerate(node.lines)]
            for k, line in enumerate(reversed(self._names_above(board, node.at, node.name))):
                texts.append((NAME_BELOW + 0.1 + LINE_HEIGHT * (k + 0.5), line, FAINT))
            for up, text, ink in texts:
                x, y = board.centre((node.at[0], node.at[1] + up))
                taken.append(_box(x, y, text, NAME_LETTERS * board.unit))
                self.pen.write(x, y, text, NAME_LETTERS * board.unit, ink, outlined=True, zorder=6)
        for label in floor.labels:
            x, y = board.centre(label.at)
            box = _box(x, y, label.text, LABEL_LETTERS * board.unit)
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                self.pen.write(x, y, label.text, LABEL_LETTERS * board.unit, FAINT, outlined=True, zorder=3.5)

    def _names_above(self, board: Board, at: Place, own: str) -> list[str]:
        """Return the lines above a node: at most three names of goals that are reached there, and "..." for more.

        The node is at the position `at` in the graph, and has the name `own`; a goal of the same name is left out.
        """
        marks = []
        if board is self.boards[0]:
            marks += teammate_marks(self.scene)
        if board is self.boards[-1]:
            marks += ego_marks(self.scene)
        goals = dict.fromkeys(goal for mark in marks if mark.at == at for goal in mark.goals)
        names = [name for goal in goals if (name := printable(self.scene.goals[goal].name)) != own]
        return [line for name in names[:3] for line in in_lines(name, 16)] + (["..."] if len(names) > 3 else [])

    # -- marks -------------------------------------------------------------------------------------------------------

    def _marks(self) -> None:
        scene, first, last = self.scene, self.boards[0], self.boards[-1]
        for trail in self.paths:
            self._trail(self.boards[trail.floor], trail)
        for mark in teammate_marks(scene):
            self._goal(first, mark)
        for mark in ego_marks(scene):
            self._ego_goal(last, mark)
        for landmark in scene.landmarks:
            self.pen.landmark(*first.centre(landmark.at), first.mark, printable(landmark.name))
        if scene.goal is not None:
            goal = scene.goals[scene.goal]
            for board, places in ((first, (goal.at, *goal.also)), (last, goal.ego)):
                for place in places:
                    x, y = board.centre(place)
                    self.pen.star(x + 0.36 * board.mark, y + 0.36 * board.mark, 0.24 * board.mark)
        self._agents(first, last)
        counts: dict[Place, int] = {}
        for k, (place, _) in enumerate(self.questions):
            x, y = last.centre(place)
            x += 0.3 * last.mark + 8 * counts.get(place, 0)
            counts[place] = counts.get(place, 0) + 1
            self.pen.bubble(x, y + 0.36 * last.mark, str(k + 1))

    def _agents(self, first: Board, last: Board) -> None:
        scene = self.scene
        apart = 0.18 * first.mark if scene.teammate.at == scene.ego.at and len(self.boards) == 1 else 0.0
        for board, agent, colour, aside in (
            (first, scene.teammate, TEAMMATE, -apart),
            (last, scene.ego, EGO, apart),
        ):
            x, y = board.centre(agent.at)
            self.pen.agent(x + aside, y - aside, (0.36 if apart else 0.42) * board.mark, agent.sign, colour)
        if scene.carried:
            x, y = last.centre(scene.ego.at)
            self.pen.tag(x + 0.34 * last.mark, y - 0.4 * last.mark, last.mark, printable(scene.carried))

    def _goal(self, board: Board, mark: GoalMark) -> None:
        (x, y), size = board.centre(mark.at), board.mark
        p = mark.probability(self.scene)
        if p is not None and p <= 0:
            self.pen.ruled_out(x, y, 0.3 * size)
            return
        fill = palette.NO_BELIEF if p is None else shade(p)
        asked = mark.asked(self.scene)
        self.pen.square(x, y, 0.42 * size, hex_of(fill), EGO if asked else EDGE, 1.8 if asked else 0.6)
        if isinstance(board.floor, Map):
            below = self._box_of(mark) if size >= 15 else ""
            self._name(x, y, mark, 0.78 * size, hex_of(ink_on(fill)), below)

    def _box_of(self, mark: GoalMark) -> str:
        at = self.scene.goals[mark.goals[0]].landmark
        return "" if at is None else printable(self.scene.landmarks[at].name)

    def _ego_goal(self, board: Board, mark: GoalMark) -> None:
        (x, y), size = board.centre(mark.at), board.mark
        aside, half = (0.36 * size, 0.2 * size) if mark.shared else (0.0, 0.5 * size)
        x, y = x - aside, y - aside
        p = mark.probability(self.scene)
        out = p is not None and p <= 0
        fill = OUT if out else hex_of(palette.NO_BELIEF if p is None else shade(p))
        thick = 1.6 if mark.asked(self.scene) else 0.8
        self.pen.diamond(x, y, half, fill, thick)
        if isinstance(board.floor, Map) and not mark.shared and not out:
            ink = INK if p is None else hex_of(ink_on(shade(p)))
            self._name(x, y, mark, 1.3 * half, ink, "")

    def _lines(self, mark: GoalMark) -> tuple[str, ...]:
        if self.numbered:
            return (",".join(str(goal + 1) for goal in mark.goals),)
        name = ", ".join(printable(self.scene.goals[goal].name) for goal in mark.goals)
        return in_lines(name, 9)

    def _name(self, x: float, y: float, mark: GoalMark, room: float, ink: str, below: str) -> None:
        lines = self._lines(mark)
        widest = max(text_width(line, 10) for line in lines)
        size = min(10 * room / widest, room / (len(lines) + (0.8 if below else 0)) / 1.1, 8.0)
        if size < SMALLEST - 1:
            return
        high = size * 1.05
        y += high * (len(lines) - 1) / 2 + (0.36 * size if below else 0)
        for line in lines:
            self.pen.write(x, y, line, size, ink, zorder=5)
            y -= high
        if below:
            self.pen.write(x, y + 0.1 * size, below, 0.72 * size, ink, zorder=5)

    def _needs_numbers(self) -> bool:
        """Return whether some goal's name is too long for its mark, so that numbers have to replace the names.

        As a side effect, `numbered` becomes False.
        """
        self.numbered = False
        for board, marks, room in (
            (self.boards[0], teammate_marks(self.scene), 0.78),
            (self.boards[-1], [mark for mark in ego_marks(self.scene) if not mark.shared], 0.65),
        ):
            if isinstance(board.floor, Map):
                for mark in marks:
                    lines = self._lines(mark)
                    widest = max(text_width(line, 10) for line in lines)
                    if min(10 / widest, 1 / (1.1 * len(lines))) * room * board.mark < SMALLEST:
                        return True
        return False

    def _trail(self, board: Board, trail: Trail) -> None:
        shift = (0.1 if trail.colour == EGO else -0.1) * board.mark if len(self.boards) == 1 else 0.0
        points = [board.centre(place) for place in trail.places]
        moved = [points[0], *(b for a, b in pairwise(points) if a != b)]
        if len(moved) < 2:
            return
        line = [(x + shift, y + shift) for x, y in moved]
        style = {"color": trail.colour, "linewidth": 1.6, "alpha": 0.75, "zorder": 3}
        self.pen.ax.plot(*zip(*line[:-1], strict=True), solid_capstyle="round", **style)  # type: ignore[arg-type]
        arrow = FancyArrowPatch(line[-2], line[-1], arrowstyle="-|>", mutation_scale=7, shrinkA=0, shrinkB=2)
        arrow.set(**style)
        self.pen.add(arrow)

    # -- legend ------------------------------------------------------------------------------------------------------

    def _entries(self) -> list[tuple[str, str]]:
        """Return the entries of the legend, one for each kind of mark that the figure shows.

        An entry is a pair: the kind of the mark, such as ``wall`` (see `VectorPen.sign`), and a text that explains it.
        """
        scene, words, belief = self.scene, self.scene.words, self.scene.belief
        path = ": start and path" if self.paths else ""
        out = any(scene.ruled_out(k) for k in range(len(scene.goals)))
        walls = any(isinstance(floor, Map) and floor.n_walls for floor in scene.floors)
        positive = [] if belief is None else [float(p) for p in belief if p > 0]
        graded = bool(positive) and max(positive) - min(positive) > 1e-9
        equal = words.goal if belief is None else f"{words.goal}, all equally likely"
        possible = [
            ("teammate", scene.teammate.name + path, True),
            ("ego", scene.ego.name + path, True),
            ("landmark", words.landmark, bool(scene.landmarks)),
            ("load", f"{words.load} in hand", bool(scene.carried)),
            ("star", "true goal", scene.goal is not None),
            ("diamond", f"where the {scene.ego.name} goes", bool(ego_marks(scene))),
            ("asked", "in the question", bool(scene.asked)),
            ("out", "ruled out", out),
            ("wall", "wall", walls),
            ("belief", "probability", graded),
            ("goal", equal, not graded),
        ]
        return [(kind, text) for kind, text, shown in possible if shown]

    def _rows(self) -> list[list[tuple[str, str]]]:
        """Return the rows of text below the maps or graphs: the legend, then notes and questions, if any.

        A row is a list of tuples: the kind of a mark (see `VectorPen.sign`; empty for none), and the text to its right.
        """
        scene = self.scene
        found = list(_in_rows(self._entries(), self.width))
        if self.numbered:
            names = [("", f"{k + 1} {printable(goal.name)}") for k, goal in enumerate(scene.goals)]
            found += list(_in_rows(names, self.width))
        found += self._toolbox_rows()
        for note in ego_places(scene):
            found += [[("", line)] for line in _wrapped(note, self.width - 2 * MARGIN)]
        for k, (_, text) in enumerate(self.questions):
            found += [[("", line)] for line in _wrapped(f"{k + 1}: {text}", self.width - 2 * MARGIN)]
        return found

    def _toolbox_rows(self) -> list[list[tuple[str, str]]]:
        """Return rows of text that list the goals of each landmark; no rows if the goals' marks show the landmarks.

        A landmark is a place where the ego agent picks up what some goals need. A row is a list with one pair: an empty
        text, and the text of the row.
        """
        scene = self.scene
        mapped = isinstance(scene.floor, Map)
        if not scene.landmarks or (mapped and self.boards[0].mark >= 15 and not self.numbered):
            return []
        texts = []
        for k, landmark in enumerate(scene.landmarks):
            goals = ", ".join(printable(goal.name) for goal in scene.goals if goal.landmark == k)
            if goals:
                texts += _wrapped(f"{printable(landmark.name)}: {goals}", self.width - 2 * MARGIN)
        return [[("", text)] for text in texts]

    def _legend(self, rows: list[list[tuple[str, str]]], top: float) -> None:
        for k, row in enumerate(rows):
            x, y = MARGIN, top - ROW * (k + 0.5)
            for kind, text in row:
                if kind:
                    self.pen.sign(self.scene, kind, x + 4.5, y)
                after = x + _sign_width(kind)
                self.pen.write(after, y, text, LETTERS, INK, ha="left")
                x += _entry_width(kind, text)

    pen: VectorPen = field(init=False)
    width: float = field(init=False, default=COLUMN)
    boards: list[Board] = field(init=False, default_factory=list)
    numbered: bool = field(init=False, default=False)


def _wanted(floor: Floor) -> float:
    """Return the width, in points (1/72 inch), that a figure needs to make the names in a graph easy to read.

    It is at most `WIDEST`. For a map it is 0, because a map fits into every width.
    """
    return 0.0 if isinstance(floor, Map) else min(WIDEST, floor.width * 5.2 / NAME_LETTERS)


def _board(floor: Floor, width: float) -> Board:
    if isinstance(floor, Map):
        beside = text_width(str(floor.height - 1), LETTERS) + 6
        unit = min(LARGEST_CELL, (width - beside - MARGIN) / floor.width)
        return Board(floor, beside + (width - beside - MARGIN - unit * floor.width) / 2, unit)
    unit = min(24.0, width / floor.width)
    return Board(floor, (width - unit * floor.width) / 2, unit)


def _sign_width(kind: str) -> float:
    return {"": 0.0, "belief": 63.0}.get(kind, 11.0)


def _entry_width(kind: str, text: str) -> float:
    return _sign_width(kind) + text_width(text, LETTERS) + 8


def _in_rows(entries: list[tuple[str, str]], width: float) -> Iterator[list[tuple[str, str]]]:
    row: list[tuple[str, str]] = []
    used = MARGIN
    for entry in entries:
        if row and used + _entry_width(*entry) - 8 > width:
            yield row
            row, used = [], MARGIN
        row.append(entry)
        used += _entry_width(*entry)
    if row:
        yield row


def _wrapped(text: str, width: float) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", LETTERS) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _box(x: float, y: float, text: str, size: float) -> tuple[float, float, float, float]:
    half = text_width(text, size) / 2
    return x - half, y - size / 2, x + half, y + size / 2


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
