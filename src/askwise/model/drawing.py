"""Maps drawn as text: one character for each cell, the top line is the highest row.

``#`` is a wall, ``.`` a free cell, ``W`` the start of the teammate (the worker), ``F`` that of the ego agent (the
fetcher). Any other letter or digit is a goal of that name; the same character twice is one goal with two target
cells::

    ....#...B
    .W..#....
    ........A
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from askwise.errors import InputError
from askwise.frozen import freeze_fields
from askwise.model.grid import GridWorld

Cell = tuple[int, int]

WALL, FREE, TEAMMATE, EGO = "#.WF"


@dataclass(frozen=True)
class Drawing:
    """A map drawn as text: a grid with goals and the start cells of both agents.

    Attributes:
        grid: the grid.
        goals: from the name of each goal to its target cells, ``(x, y)``.
        teammate: the teammate's cell, None if it is not drawn.
        ego: the ego agent's cell, None if it is not drawn.
    """

    grid: GridWorld
    goals: Mapping[str, list[Cell]] = field(default_factory=dict)
    teammate: Cell | None = None
    ego: Cell | None = None

    def __post_init__(self) -> None:
        freeze_fields(self, "goals")

    @classmethod
    def parse(cls, text: str) -> Drawing:
        """Read a map from a text with one character for each cell, the top line being the highest row.

        ``#`` is a wall, ``.`` a free cell, ``W`` the teammate's start, ``F`` the ego agent's; another letter or digit
        is a goal. Blank lines before and after the map are ignored.
        """
        lines = [line.rstrip() for line in text.strip("\n").splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        while lines and not lines[0]:
            lines.pop(0)
        if not lines:
            raise InputError("drawing", "no lines", "at least one line of cells")
        _check_lines(lines)
        walls: list[Cell] = []
        goals: dict[str, list[Cell]] = {}
        agents: dict[str, Cell] = {}
        for y, line in enumerate(reversed(lines)):
            for x, mark in enumerate(line):
                if mark == WALL:
                    walls.append((x, y))
                elif mark in (TEAMMATE, EGO):
                    _place_once(agents, mark, (x, y))
                elif mark != FREE:
                    goals.setdefault(mark, []).append((x, y))
        grid = GridWorld(len(lines[0]), len(lines), walls)
        return cls(grid, dict(sorted(goals.items())), agents.get(TEAMMATE), agents.get(EGO))

    def __str__(self) -> str:
        """Return the drawing as text; `parse` turns the text into an equal drawing."""
        rows = [[WALL if wall else FREE for wall in row] for row in self.grid.walls]
        marks = [(name, cell) for name, cells in self.goals.items() for cell in cells]
        marks += [(mark, cell) for mark, cell in ((TEAMMATE, self.teammate), (EGO, self.ego)) if cell]
        for mark, (x, y) in marks:
            rows[y][x] = mark
        return "\n".join("".join(row) for row in reversed(rows))


def _check_lines(lines: list[str]) -> None:
    for number, line in enumerate(lines, start=1):
        if len(line) != len(lines[0]):
            raise InputError(
                f"drawing, line {number}",
                f"{len(line)} cells",
                f"{len(lines[0])}, as in line 1 (every line has the same length)",
            )
        for column, mark in enumerate(line, start=1):
            if mark not in (WALL, FREE) and not (mark.isascii() and mark.isalnum()):
                raise InputError(
                    f"drawing, line {number}, column {column}",
                    repr(mark),
                    "'#' (wall), '.' (free), 'W' (teammate), 'F' (ego agent), or another letter or digit (a goal)",
                )


def _place_once(agents: dict[str, Cell], mark: str, cell: Cell) -> None:
    if mark in agents:
        raise InputError("drawing", f"{mark!r} at {agents[mark]} and at {cell}", "at most one")
    agents[mark] = cell
