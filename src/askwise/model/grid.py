"""Rectangular grids with walls, and drawings of them. Cells are ``(x, y)``, x to the right, y up, counted from 0.

States are the free cells, numbered row by row from ``(0, 0)``. No move leads into a wall or over the edge.

A drawing is a map as text, one character for each cell, the highest row on top. ``#`` is a wall, ``.`` a free cell,
``W`` the start of the teammate (worker), ``F`` that of the ego agent (fetcher). Any other letter or digit is a goal of
that name. The same character twice is one goal with two target cells::

    ....#...B
    .W..#....
    ........A
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askwise.errors import InputError, did_you_mean
from askwise.frozen import freeze_fields, read_only
from askwise.model.model import Model
from askwise.model.names import Names, as_int
from askwise.text.reading import check_size, parse_cell
from askwise.types import BoolArray, IntArray, LazyModule

sparse = LazyModule("scipy.sparse")

MOVES = {"NORTH": (0, 1), "EAST": (1, 0), "SOUTH": (0, -1), "WEST": (-1, 0)}
WALL, FREE, TEAMMATE, EGO = "#.WF"
"""The characters of a drawing that do not stand for goals."""
Cell = tuple[int, int]
BYTES_PER_CELL = 62
"""Memory needed to build a grid: indices, cells and names of its states, and the table of its moves."""


class GridWorld(Model):
    """A grid of `width` x `height` cells, in which an agent moves NORTH, EAST, SOUTH or WEST, or stays (STAY).

    `walls` are cells that cannot be entered: pairs ``(x, y)``, or a mask ``bool [height, width]``.
    """

    def __init__(self, width: int, height: int, walls: Iterable[tuple[int, int]] | BoolArray = ()) -> None:
        self.width = _side(width, "width")
        self.height = _side(height, "height")
        check_size(BYTES_PER_CELL * self.width * self.height, "grid", f"{self.width} x {self.height} cells")
        self.walls = self._wall_mask(walls)
        if self.walls.all():
            raise InputError("walls", "a wall in every cell", "at least one free cell")
        cells = CellNames(self.walls)
        super().__init__(_neighbours(cells), states=cells, actions=MOVES, stay="STAY")
        self.cells = cells.cells
        """``int32 [n_states, 2]``: x and y of each state."""

    @classmethod
    def from_drawing(cls, text: str) -> GridWorld:
        """Build a grid from the cells and walls of a drawing (see `askwise.Drawing`); agents and goals are ignored."""
        return Drawing.parse(text).grid

    @property
    def open(self) -> bool:
        """Whether the grid has no walls."""
        return self.n_states == self.width * self.height

    def states(self, cells: Any) -> list[int]:
        """Return the state index of each of many cells; raise an `InputError` for a wall or a cell off the grid.

        Args:
            cells: ``int [n, 2]``, x and y of each cell.
        """
        names = self._states
        assert isinstance(names, CellNames)
        x, y = np.asarray(cells).reshape(-1, 2).T
        inside = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
        found = names.state_of_cell[np.where(inside, y, 0), np.where(inside, x, 0)]
        wrong = np.flatnonzero(~inside | (found < 0))
        if wrong.size:
            self.state((int(x[wrong[0]]), int(y[wrong[0]])))  # raises an error that says why
        return list(found.tolist())

    def on_map(self, values: Any, fill: float = np.nan) -> Any:
        """Return one value for each state as an array in the shape of the map, ``[height, width]``, bottom row first.

        Args:
            values: ``[n_states]``, the values.
            fill: the value in the walls.
        """
        values = np.asarray(values)
        laid_out = np.full(self.walls.shape, fill, dtype=np.result_type(values.dtype, type(fill)))
        laid_out[~self.walls] = values
        return laid_out

    def slippery(self, slip: float) -> Model:
        """Return a stochastic model of the grid in which a move sometimes goes to the left or right of its direction.

        Each side has the probability ``slip / 2``. If the cell on that side is blocked, the agent stays in place.
        """
        if not 0 <= slip <= 1:
            raise InputError("slip", slip, "a number from 0 to 1")
        return Model(
            transitions=[self._slipping(move, slip) for move in range(len(MOVES))],
            states=self._states,
            actions=MOVES,
            stay="STAY",
        )

    def _slipping(self, move: int, slip: float) -> Any:
        """Return the transition probabilities of one slippery move, sparse ``[n_states (from), n_states (to)]``.

        `move` is an index in `MOVES`. `slip` is the probability that the agent moves to the left or right instead.
        """
        own = np.arange(self.n_states)
        can = self.available[:, move]
        n_moves = len(MOVES)
        outcomes = [(move, 1 - slip), ((move + 1) % n_moves, slip / 2), ((move - 1) % n_moves, slip / 2)]
        rows, columns, data = [], [], []
        for actual, probability in outcomes:
            target = self.successor[:, actual]
            rows.append(own[can])
            columns.append(np.where(target >= 0, target, own)[can])
            data.append(np.full(np.count_nonzero(can), probability))
        where = (np.concatenate(rows), np.concatenate(columns))
        return sparse.coo_array((np.concatenate(data), where), shape=(self.n_states, self.n_states))

    def _wall_mask(self, walls: Any) -> BoolArray:
        if isinstance(walls, np.ndarray) and walls.dtype == np.bool_:
            if walls.shape != (self.height, self.width):
                raise InputError("walls", f"a mask of shape {walls.shape}", f"{(self.height, self.width)}")
            mask = walls.copy()
        else:
            mask = np.zeros((self.height, self.width), dtype=np.bool_)
            x, y = self._wall_cells(walls).T
            mask[y, x] = True
        return read_only(mask)

    def _wall_cells(self, walls: Iterable[Any]) -> IntArray:
        """Return the wall cells that a user listed, as an array ``int [n_walls, 2]`` of x and y.

        Raises an `InputError` for anything that is not a cell of the grid.
        """
        cells = walls if isinstance(walls, list | tuple) else list(walls)
        # Pairs of ints are converted all at once: there may be millions of them.
        plain = all(type(cell) is tuple and len(cell) == 2 and type(cell[0]) is type(cell[1]) is int for cell in cells)
        if plain and cells:
            found = np.array(cells)
            if found.dtype != object and (found >= 0).all() and (found < (self.width, self.height)).all():
                return found
        return np.array([self._wall(cell, k) for k, cell in enumerate(cells)], dtype=np.int32).reshape(-1, 2)

    def _wall(self, cell: Any, k: int) -> tuple[int, int]:
        pair = as_cell(cell)
        if pair is None or not (0 <= pair[0] < self.width and 0 <= pair[1] < self.height):
            raise InputError(
                f"wall {k}",
                repr(cell),
                f"a cell (x, y) with x from 0 to {self.width - 1} and y from 0 to {self.height - 1}",
            )
        return pair


class CellNames(Names):
    """The names of a grid's states, which are their cells ``(x, y)``.

    `walls` is ``bool [height, width]``, True for walls. The states are the other cells, numbered row by row.
    """

    def __init__(self, walls: BoolArray) -> None:
        self.walls = walls
        free = np.flatnonzero(~walls)
        cells: IntArray = np.empty((free.size, 2), dtype=np.int32)
        cells[:, 1], cells[:, 0] = free // walls.shape[1], free % walls.shape[1]
        self.cells = read_only(cells)
        state_of_cell: IntArray = np.full(walls.shape, -1, dtype=np.int32)
        state_of_cell[~walls] = np.arange(free.size, dtype=np.int32)
        self.state_of_cell = read_only(state_of_cell)
        super().__init__("state", free.size)

    def index(self, name: Hashable, field: str | None = None) -> int:
        """Return the index of the state at a cell; raise an `InputError` for a wall or a cell outside the grid.

        `name` is a cell ``(x, y)``, or the index of a state. `field` is the name of the input in error messages; None
        for ``cell``.
        """
        field = field or "cell"
        if (index := as_int(name)) is not None:
            return super().index(index, field)
        height, width = self.walls.shape
        pair = as_cell(name)
        if pair is None:
            raise InputError(field, repr(name), f"a cell (x, y), or a state from 0 to {self.n - 1}")
        x, y = pair
        if not (0 <= x < width and 0 <= y < height):
            raise InputError(
                field,
                f"({x}, {y}), outside the {width} x {height} grid",
                f"x from 0 to {width - 1} and y from 0 to {height - 1}",
            )
        if self.walls[y, x]:
            raise InputError(field, f"({x}, {y}), a wall", "a free cell")
        return int(self.state_of_cell[y, x])

    def name(self, index: int) -> Hashable:
        """Return the cell ``(x, y)`` of a state."""
        x, y = self.cells[index]
        return int(x), int(y)


def as_cell(value: object) -> tuple[int, int] | None:
    """Return `value` as ``(x, y)`` if it is a pair of integers, else None."""
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != 2:
        return None
    x, y = as_int(value[0]), as_int(value[1])
    return None if x is None or y is None else (x, y)


def _neighbours(cells: CellNames) -> IntArray:
    """Return the table of moves of a grid, ``int32 [n_states, 4]``: the next state, -1 where the move is blocked.

    The columns are the moves in the order of `MOVES`.
    """
    height, width = cells.walls.shape
    padded = np.full((height + 2, width + 2), -1, dtype=np.int32)
    padded[1:-1, 1:-1] = cells.state_of_cell
    free = ~cells.walls
    table = np.empty((cells.n, len(MOVES)), dtype=np.int32)
    for move, (dx, dy) in enumerate(MOVES.values()):
        table[:, move] = padded[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width][free]
    return table


def _side(value: Any, field: str) -> int:
    side = as_int(value)
    if side is None or side < 1:
        raise InputError(field, repr(value), "a whole number from 1")
    return side


def same_model(one: Model, other: Model) -> bool:
    """Return whether two deterministic models have the same states, actions and transitions.

    The names must be the same, too, and in the same order.
    """
    if one is other:
        return True
    if one.labels is not None or other.labels is not None:
        return _named_steps(one) == _named_steps(other)
    if isinstance(one, GridWorld) != isinstance(other, GridWorld) or one.actions != other.actions:
        return False
    if isinstance(one, GridWorld) and isinstance(other, GridWorld):
        return np.array_equal(one.walls, other.walls)
    return np.array_equal(one.successor, other.successor) and all(
        one.name(state) == other.name(state) for state in range(one.n_states)
    )


def _named_steps(model: Model) -> list[tuple[object, object, object]]:
    """Return all transitions of a deterministic model as triples of names: state, action, next state."""
    places, columns = (each.tolist() for each in np.nonzero(model.available))
    return [
        (model.name(s), model.action_name(s, a), model.name(int(model.successor[s, a])))
        for s, a in zip(places, columns, strict=True)
    ]


MOST_NAMED = 20
"""Number of names that an error message lists."""


def state_text(name: Hashable) -> str:
    """Return the name of a state as users type it, for example ``3,4`` for the cell ``(3, 4)``."""
    return ",".join(map(str, name)) if isinstance(name, tuple) else str(name)


def state_from_text(model: Model, text: str, option: str) -> Hashable:
    """Return the name of the state that a user typed, for example the cell ``(3, 4)`` for ``3,4``.

    `option` is the name of the input in error messages.
    """
    if isinstance(model, GridWorld):
        return parse_cell(text, option)
    names = {state_text(model.name(state)): model.name(state) for state in range(model.n_states)}
    if text not in names:
        listed = ", ".join(map(repr, list(names)[:MOST_NAMED])) + (", ..." if len(names) > MOST_NAMED else "")
        raise InputError(option, repr(text), f"one of {listed}{did_you_mean(text, names)}")
    return names[text]


# -- drawings ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawing:
    """A map drawn as text: a grid with goals and the start cells of both agents.

    Attributes:
        grid: the grid.
        goals: the target cells ``(x, y)`` of each goal, by name.
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
        """Read a drawn map from a text with one character for each cell; the first line is the highest row.

        ``#`` is a wall, ``.`` a free cell, ``W`` the teammate's start, ``F`` the ego agent's start. Any other letter or
        digit marks a target cell of the goal with this name.
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
