"""One agent's side of a problem, as a file states it: a graph of edges, or a drawn map.

Both turn into a model, know where the agent starts, and find the states that a file or a person names.
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
from askwise.model.graph import breadth_first
from askwise.model.grid import MOST_NAMED, state_text
from askwise.text.data import short_json
from askwise.text.reading import Field, parse_cell, read_name
from askwise.types import BoolArray, IntArray

StateName: TypeAlias = str | int | tuple[int, int]
"""What a state is called: a text, a number, or a cell ``(x, y)``."""

LARGEST_NUMBER = 10**15
STATE = "a state: a text, a whole number of at most 15 digits, or a cell [x, y]"


def read_state_name(given: Field) -> StateName:
    """Return what a state is called."""
    value = given.value
    if isinstance(value, str):
        return read_name(given)
    if is_number(value):
        return int(value)
    if is_cell(value):
        return value[0], value[1]
    raise given.refuse(STATE)


def is_number(value: object) -> bool:
    """Whether something is a whole number that may name a state."""
    return type(value) is int and abs(value) <= LARGEST_NUMBER


def is_cell(value: object) -> bool:
    """Whether something is a cell ``[x, y]``."""
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(is_number, value))


def state_to_json(name: StateName) -> str | int | list[int]:
    """Return a state's name as files hold it."""
    return list(name) if isinstance(name, tuple) else name


def name_to_json(name: Hashable, field: str) -> Any:
    """Return a state's name as a file holds it."""
    plain = tuple(_plain(each) for each in name) if isinstance(name, tuple) else _plain(name)
    if isinstance(plain, str) or is_number(plain) or is_cell(plain):
        return state_to_json(plain)
    raise InputError(field, f"a state called {name!r}", "states called by texts, whole numbers or cells (x, y)")


def _plain(value: Hashable) -> Any:
    return int(value) if isinstance(value, np.integer) else value


# ------------------------------------------------------------------------------------------------------------------


STAY = "STAY"
"""What staying in place is called, unless a graph says otherwise."""
WALL, FREE = "#."
LARGE_TABLE = 1_000_000
"""States times actions of a graph, up to which its model has a column for every action."""
NEARLY_EMPTY = 8
"""Entries of such a table for each edge, above which columns are ranks instead (`askwise.model.names`)."""


@dataclass(frozen=True)
class Graph(ArrivesFrozen):
    """States and what leads from one to another; numbered in the order in which they are listed or first met.

    Attributes:
        start: where the agent begins.
        states: all states.
        actions: all actions but staying, or with it if it has a number of its own.
        edges: ``int [n_edges, 3]``, numbers of state, action and next state.
        stay: what staying in place is called.
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
        """How many actions the state has that has most."""
        return int(np.bincount(self.edges[:, 0], minlength=1).max())

    @property
    def by_rank(self) -> bool:
        """Whether a column for every action would make a table that is large and nearly empty."""
        size = len(self.states) * len(self.actions)
        # Two tables, of successors and of labels; staying is always there, and has no label of its own.
        empty = size > NEARLY_EMPTY * self.edges.shape[0] and 2 * self.most_actions < len(self.actions)
        return size > LARGE_TABLE and empty and self.stay not in self.actions

    @cached_property
    def model(self) -> Model:
        """The agent's model; that of a large graph with many actions has labels."""
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
        """Return the state that a field names."""
        name = read_state_name(given)
        if name not in self._known:
            raise given.refuse(self._allowed(given.value))
        return name

    def read_targets(self, given: Field) -> tuple[StateName, ...]:
        """Return the states that a field names: one, or a list of them."""
        if not isinstance(given.value, list) or (self._has_cells and is_cell(given.value)):
            return (self.read_state(given),)
        return tuple(self.read_state(each) for each in _some(given, "state"))

    def parse(self, text: str, option: str) -> StateName:
        """Return the state that somebody typed: by its name, a cell as ``X,Y``."""
        found = self._spoken.get(text, self._spoken.get(text.strip()))
        if found is None:
            raise InputError(option, repr(text), self._allowed(text))
        return found

    @cached_property
    def _spoken(self) -> Mapping[str, StateName]:
        # Text first: where the state 3 and the state "3" are two, the text is what was typed.
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
    """A drawn map: its lines, the top one first. ``#`` is a wall, ``.`` free, anything else a letter on a free cell.

    Attributes:
        start: the cell where the agent begins.
        lines: the lines, all of one length.
        letters: the cells of each letter.
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
        """Return the cell that a field names, by a letter that is there once or by its coordinates."""
        found = self.read_targets(given, listed=False)
        if len(found) > 1:
            raise InputError(given.path, f"{short_json(given.value)}, which is on {len(found)} cells", "one cell")
        return found[0]

    def read_targets(self, given: Field, *, listed: bool = True) -> tuple[tuple[int, int], ...]:
        """Return the cells that a field names: a letter, a cell, or, if `listed`, a list of both."""
        value = given.value
        if isinstance(value, str):
            if value not in self.letters:
                raise given.refuse(self._allowed(value))
            return self.letters[value]
        if listed and isinstance(value, list) and not _is_one_cell(value):
            return tuple(cell for each in _some(given, "cell") for cell in self.read_targets(each, listed=False))
        return (self._cell(given),)

    def parse(self, text: str, option: str) -> tuple[int, int]:
        """Return the cell that somebody typed: ``X,Y``, or a letter that is there once."""
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
        """Return a cell that is on the map and free."""
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
"""One agent's side."""


def same_model(one: StatedSide, other: StatedSide) -> bool:
    """Whether both agents move in the same model, wherever they start and whatever letters are drawn on it."""
    if isinstance(one, Graph) and isinstance(other, Graph):
        alike = (one.states, one.actions, one.stay) == (other.states, other.actions, other.stay)
        return alike and np.array_equal(one.edges, other.edges)
    if isinstance(one, DrawnMap) and isinstance(other, DrawnMap):
        return np.array_equal(one.walls, other.walls)
    return False


def reachable(model: Model, start: int) -> BoolArray:
    """``bool [n_states]``: where one can get to from a state."""
    available = model.available
    indptr = np.concatenate(([0], np.cumsum(available.sum(axis=1))))
    steps = breadth_first([start], indptr, model.successor[available])[0]
    return np.asarray(steps >= 0)


def _some(given: Field, what: str) -> Iterable[Field]:
    """Return the elements of a list that is not empty."""
    found = list(given.elements())
    if not found:
        raise given.refuse(f"at least one {what}")
    return found


def _is_one_cell(value: list[object]) -> bool:
    """Whether a list can only be meant as one cell: lists of targets hold letters and cells."""
    return bool(value) and not any(isinstance(each, str | list) for each in value)
