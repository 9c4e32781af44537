"""The graph or drawn map of one agent in a problem file: the classes `Graph` and `DrawnMap`.

Each of them has a start, builds the agent's model, and finds the states that a file or a person names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from askwise.errors import InputError, did_you_mean
from askwise.frozen import ArrivesFrozen, freeze_fields
from askwise.model import GridWorld, Model
from askwise.model.builders import rank_tables
from askwise.model.grid import MOST_NAMED, state_text
from askwise.text.data import short_json
from askwise.text.reading import Field, parse_cell, read_name
from askwise.types import BoolArray, IntArray

StateName: TypeAlias = str | int | tuple[int, int]
"""The name of a state: a text, a number, or a cell ``(x, y)``."""

LARGEST_NUMBER = 10**15
STATE = "a state: a text, a whole number of at most 15 digits, or a cell [x, y]"


def read_state_name(given: Field) -> StateName:
    """Return the name of a state that a field of a file holds: a text, a whole number, or a cell ``(x, y)``.

    Raises InputError for any other value.
    """
    value = given.value
    if isinstance(value, str):
        return read_name(given)
    if is_number(value):
        return int(value)
    if is_cell(value):
        return value[0], value[1]
    raise given.refuse(STATE)


def is_number(value: object) -> bool:
    """Return whether `value` can be a number that names a state: an integer from ``-10**15`` to ``10**15``."""
    return type(value) is int and abs(value) <= LARGEST_NUMBER


def is_cell(value: object) -> bool:
    """Return whether `value` can name a cell: a list or tuple of two whole numbers, x and y."""
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(is_number, value))


def state_to_json(name: StateName) -> str | int | list[int]:
    """Return the name of a state as JSON-compatible data: a cell becomes a list, a text or number stays as it is."""
    return list(name) if isinstance(name, tuple) else name


def name_to_json(name: Hashable, field: str) -> Any:
    """Return the name of a state as JSON-compatible data: a text, a number, or a list for a cell.

    Raises InputError if the name is neither a text nor a whole number nor a cell ``(x, y)``. `field` is the name of the
    input in the error message.
    """
    plain = tuple(_plain(each) for each in name) if isinstance(name, tuple) else _plain(name)
    if isinstance(plain, str) or is_number(plain) or is_cell(plain):
        return state_to_json(plain)
    raise InputError(field, f"a state named {name!r}", "states named by texts, whole numbers or cells (x, y)")


def _plain(value: Hashable) -> Any:
    return int(value) if isinstance(value, np.integer) else value


STAY = "STAY"
"""The default name of the action that stays in place."""
WALL, FREE = "#."
LARGE_TABLE = 1_000_000
"""A graph's model has a column for every action if states times actions is at most this."""
NEARLY_EMPTY = 8
"""If a larger table has more than this many entries per edge, its columns are ranks: numbers of actions per state
(`askwise.model.names`).
"""


@dataclass(frozen=True)
class Graph(ArrivesFrozen):
    """A graph of states and labelled edges, in which one agent moves.

    Attributes:
        start: the name of the agent's first state.
        states: the names of all states, by index.
        actions: the names of all actions, by index; staying only if the file's key ``actions`` lists it.
        edges: ``int32 [n_edges, 3]``, for each edge the indices of state, action and next state.
        stay: the name of the action that stays in place.
    """

    start: StateName
    states: tuple[StateName, ...]
    actions: tuple[str, ...]
    edges: IntArray = field(repr=False, compare=False)
    stay: str = STAY

    def __post_init__(self) -> None:
        freeze_fields(self, "edges")

    @cached_property
    def most_actions(self) -> int:
        """The largest number of edges that leave one state."""
        return int(np.bincount(self.edges[:, 0], minlength=1).max())

    @property
    def by_rank(self) -> bool:
        """Whether column k of the model's table of next states stands for the k-th action of each state.

        If False, a column stands for the same action name in every state. True if a table of this second kind would be
        large and nearly empty.
        """
        size = len(self.states) * len(self.actions)
        # By rank there are two tables, successors and labels; staying is always available and has no label.
        empty = size > NEARLY_EMPTY * self.edges.shape[0] and 2 * self.most_actions < len(self.actions)
        return size > LARGE_TABLE and empty and self.stay not in self.actions

    @cached_property
    def model(self) -> Model:
        """The agent's model; a column of its table of next states stands for an action name of the graph.

        If `by_rank` is True, column `r` stands for the `r`-th action of each state, counted from 0. Labels then give
        the action names of each state.
        """
        if self.by_rank:
            source, action, target = self.edges[np.lexsort((self.edges[:, 1], self.edges[:, 0]))].T
            counts = np.bincount(source, minlength=len(self.states))
            successor, labels = rank_tables(counts, target, action)
            return Model(successor, labels=labels, states=self.states, actions=self.actions, stay=self.stay)
        successor = np.full((len(self.states), len(self.actions)), -1, dtype=np.int32)
        successor[self.edges[:, 0], self.edges[:, 1]] = self.edges[:, 2]
        if self.stay in self.actions:
            successor[:, self.actions.index(self.stay)] = np.arange(len(self.states))
        return Model(successor, states=self.states, actions=self.actions, stay=self.stay)

    @cached_property
    def _known(self) -> frozenset[StateName]:
        return frozenset(self.states)

    @cached_property
    def _has_cells(self) -> bool:
        return any(isinstance(name, tuple) for name in self.states)

    def read_state(self, given: Field) -> StateName:
        """Return the name of the state that a field of a file holds; raise InputError if it is not in the graph."""
        name = read_state_name(given)
        if name not in self._known:
            raise given.refuse(self._allowed(given.value))
        return name

    def read_targets(self, given: Field) -> tuple[StateName, ...]:
        """Return the names of a goal's target states from a field of a file.

        The field holds a state or a list of states. Raises InputError if a state is not in the graph, or if the list is
        empty.
        """
        if not isinstance(given.value, list) or (self._has_cells and is_cell(given.value)):
            return (self.read_state(given),)
        return tuple(self.read_state(each) for each in _some(given, "state"))

    def parse(self, text: str, option: str) -> StateName:
        """Return the name of the state that a person typed.

        `text` is a name, or ``X,Y`` for a cell. Raises InputError if there is no such state; the error names the
        command-line option `option`.
        """
        found = self._spoken.get(text, self._spoken.get(text.strip()))
        if found is None:
            raise InputError(option, repr(text), self._allowed(text))
        return found

    @cached_property
    def _spoken(self) -> Mapping[str, StateName]:
        # Texts last, so that they win: if both 3 and "3" are states, typing 3 means the text.
        ordered = sorted(self.states, key=lambda name: isinstance(name, str))
        return {state_text(name): name for name in ordered}

    def _allowed(self, given: object) -> str:
        names = [short_json(name) for name in self.states[:MOST_NAMED]]
        more = ", ..." if len(self.states) > MOST_NAMED else ""
        texts = [name for name in self.states if isinstance(name, str)]
        hint = did_you_mean(given, texts) if isinstance(given, str) else ""
        return f"a state of the graph, {', '.join(names)}{more}{hint}"


@dataclass(frozen=True)
class DrawnMap(ArrivesFrozen):
    """A drawn map on which one agent moves.

    ``#`` is a wall, ``.`` a free cell; a letter or digit marks a free cell. Cells are ``(x, y)``, from 0 at the bottom
    left.

    Attributes:
        start: the cell in which the agent starts.
        lines: the lines of the drawing, from the top.
        letters: the cells that each letter or digit marks.
        walls: ``bool [height, width]``, True for walls; row 0 is the bottom line.
    """

    start: tuple[int, int]
    lines: tuple[str, ...]
    letters: Mapping[str, tuple[tuple[int, int], ...]] = field(repr=False, compare=False)
    walls: BoolArray = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        freeze_fields(self, "letters", "walls")

    @cached_property
    def model(self) -> GridWorld:
        """The agent's model; its states are the free cells."""
        height, width = self.walls.shape
        return GridWorld(width, height, self.walls)

    def read_state(self, given: Field) -> tuple[int, int]:
        """Return the cell ``(x, y)`` that a field of a file states.

        The field holds ``[x, y]``, or a letter that marks exactly one cell. Raises InputError if there is no such free
        cell.
        """
        found = self.read_targets(given, listed=False)
        if len(found) > 1:
            raise InputError(given.path, f"{short_json(given.value)}, which is on {len(found)} cells", "one cell")
        return found[0]

    def read_targets(self, given: Field, *, listed: bool = True) -> tuple[tuple[int, int], ...]:
        """Return a goal's target cells from a field of a file.

        Args:
            given: a cell ``[x, y]``, a letter for all cells that it marks, or a list of cells and letters.
            listed: whether a list is accepted.

        Raises:
            InputError: a cell is a wall or outside the map, a letter is not on the map, or the list is empty.
        """
        value = given.value
        if isinstance(value, str):
            if value not in self.letters:
                raise given.refuse(self._allowed(value))
            return self.letters[value]
        if listed and isinstance(value, list) and not _is_one_cell(value):
            return tuple(cell for each in _some(given, "cell") for cell in self.read_targets(each, listed=False))
        return (self._cell(given),)

    def parse(self, text: str, option: str) -> tuple[int, int]:
        """Return the cell ``(x, y)`` that a person typed.

        `text` is ``X,Y``, or a letter that occurs once on the map. Raises InputError if there is no such free cell; the
        error names the command-line option `option`.
        """
        name = text.strip()
        if name in self.letters or "," not in name:
            return self.read_state(Field(option, name))
        return self._free(parse_cell(text, option), option)

    def _cell(self, given: Field) -> tuple[int, int]:
        if not isinstance(given.value, list):
            raise given.refuse(self._allowed(given.value))
        height, width = self.walls.shape
        return self._free(given.cell(width, height), given.path)

    def _free(self, at: tuple[int, int], path: str) -> tuple[int, int]:
        """Return the cell `at` unchanged; raise an InputError if it is outside the map or a wall.

        `path` is the place where the cell was stated, for the error message.
        """
        height, width = self.walls.shape
        if not (0 <= at[0] < width and 0 <= at[1] < height):
            expected = f"x from 0 to {width - 1} and y from 0 to {height - 1}"
            raise InputError(path, f"{list(at)}, outside the map", expected)
        if self.walls[at[1], at[0]]:
            raise InputError(path, f"{list(at)}, which is a wall", "a free cell")
        return at

    def _allowed(self, given: object) -> str:
        names = [short_json(letter) for letter in list(self.letters)[:MOST_NAMED]]
        more = ", ..." if len(self.letters) > MOST_NAMED else ""
        hint = did_you_mean(given, self.letters) if isinstance(given, str) else ""
        letters = f"a letter of the map, {', '.join(names)}{more}, or a cell" if names else "a cell"
        return f"{letters} [x, y]{hint}"


StatedSide: TypeAlias = Graph | DrawnMap
"""The graph or map of one agent."""


def same_model(one: StatedSide, other: StatedSide) -> bool:
    """Return whether two agents move in equal graphs or maps.

    The agents' starts and the letters on the maps are not compared.
    """
    if isinstance(one, Graph) and isinstance(other, Graph):
        alike = (one.states, one.actions, one.stay) == (other.states, other.actions, other.stay)
        return alike and np.array_equal(one.edges, other.edges)
    if isinstance(one, DrawnMap) and isinstance(other, DrawnMap):
        return np.array_equal(one.walls, other.walls)
    return False


def _some(given: Field, what: str) -> Iterable[Field]:
    """Return the elements of a list in a file; raise InputError if the list is empty.

    Args:
        given: the field with the list.
        what: the noun for an element in the error message.
    """
    found = list(given.elements())
    if not found:
        raise given.refuse(f"at least one {what}")
    return found


def _is_one_cell(value: list[object]) -> bool:
    """Return whether a list in a file is meant as one cell: it is not empty, and no element is a text or a list.

    Whether it is a cell of the map is not checked here.
    """
    return bool(value) and not any(isinstance(each, str | list) for each in value)
