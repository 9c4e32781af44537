"""Distances, optimal actions and uniformly random optimal policies (UROPs) of several goals in a deterministic model.

One table has the distances from all states to all goals, filled at first use by one search per goal. Large grids in
which each goal is one cell can do without this table: without walls, a distance is the sum of the differences in
columns and rows; with walls, one search starts at each of the first few queried states.

The UROPs form one table if it is small. If it would be large, their probabilities are computed for each queried state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.errors import InputError
from askwise.frozen import Sealed, read_only
from askwise.model.graph import SMALLEST, add_count, breadth_first, breadth_first_into, count_plans, plan_shares, scale
from askwise.model.grid import GridWorld
from askwise.model.model import Model
from askwise.text.reading import check_size
from askwise.types import BoolArray, FloatArray, GoalLike, IntArray, StateLike

POLICY_BYTES = 64 * 2**20
"""Size limit in bytes of the table of all UROPs."""
OPEN_BYTES = 256 * 2**20
"""Size limit in bytes of the table of distances on an open grid."""
EARLY_BYTES = 16 * 2**20
"""Size limit in bytes of a table of distances that is built at the first query; larger ones wait for more queries."""


class Pursuit(Sealed):
    """Distances, optimal actions and UROPs (uniformly random optimal policies) of several goals in one model.

    Args:
        model: a deterministic model.
        targets: for each goal, the indices of its target states, ``int32``.
    """

    def __init__(self, model: Model, targets: Sequence[IntArray]) -> None:
        self.model = model
        self.n_goals = len(targets)
        self._single = all(states.size == 1 for states in targets)
        self._targets = read_only(np.concatenate(targets))
        self._starts = read_only(np.concatenate(([0], np.cumsum([states.size for states in targets]))))
        self._searched: dict[int, IntArray] = {}

    @cached_property
    def distance(self) -> IntArray:
        """Fewest steps from each state to each goal, ``int32 [n_states, n_goals]``, -1 where the goal is out of reach.

        The table is built at first use.
        """
        check_size(self.table_bytes, "steps to goals", f"{self.model.n_states} states and {self.n_goals} goals")
        if self._open:
            table = columns_plus_rows(self._grid, self._targets)
        else:
            table = np.empty((self.model.n_states, self.n_goals), dtype=np.int32)
            fill_distances(*self.model.predecessors, self._targets, self._starts, table)
        return read_only(table)

    @property
    def table_bytes(self) -> int:
        """Size of `distance` in bytes."""
        return 4 * self.model.n_states * self.n_goals

    @property
    def _open(self) -> bool:
        """Whether distances need no search, because each goal is one cell of a grid without walls.

        Then a distance is the difference in columns plus the difference in rows.
        """
        return self._single and isinstance(self.model, GridWorld) and self.model.open

    @property
    def _grid(self) -> GridWorld:
        assert isinstance(self.model, GridWorld)
        return self.model

    @cached_property
    def _kept(self) -> bool:
        """Whether steps are looked up in the table `distance`; if False, they are computed for each query."""
        return not self._open or self.table_bytes <= OPEN_BYTES

    def steps_at(self, state: int) -> IntArray:
        """Return the fewest steps from a state to each goal, ``int32 [n_goals]``.

        The array is read-only; -1 means that the goal is out of reach.
        """
        if "distance" in vars(self):
            return np.asarray(self.distance[state])
        return np.asarray(self.steps_from(np.array([state]))[0])

    def steps_from(self, states: IntArray) -> IntArray:
        """Return the fewest steps from several states to each goal, ``int32 [len(states), n_goals]``.

        The array is read-only; -1 means that the goal is out of reach.
        """
        if not self._kept:
            cells = self._grid.cells
            return read_only(np.abs(cells[states][:, None] - cells[self._targets]).sum(axis=2, dtype=np.int32))
        if self._waits and len(self._searched.keys() | set(states.tolist())) < self.n_goals:
            return read_only(np.array([self._search(state) for state in states.tolist()]))
        return read_only(self.distance[states])

    @property
    def _waits(self) -> bool:
        """Whether steps from a few states are found by searches from these states, without the table `distance`.

        That is so if the table is large and not built yet, and each goal is one cell of a grid.
        """
        known = "distance" in vars(self) or self.table_bytes <= EARLY_BYTES
        return not known and self._single and isinstance(self.model, GridWorld)

    def _search(self, state: int) -> IntArray:
        """Return the steps from a cell to each goal, ``int32 [n_goals]``, by one search that starts at the cell.

        This works because paths in a grid can be reversed.
        """
        if state not in self._searched:
            self._searched[state] = read_only(breadth_first([state], *self._grid.predecessors)[0][self._targets])
        return self._searched[state]

    def _steps_to(self, goal: int) -> tuple[IntArray, int]:
        """Return a table of the fewest steps from all states to goals, and the column that belongs to `goal`.

        The table, ``int32 [n_states, n]``, has a column for each goal, or only one for `goal`.
        """
        if self._kept:
            return self.distance, goal
        return read_only(columns_plus_rows(self._grid, self._targets[goal : goal + 1])), 0

    def around(self, state: int) -> tuple[IntArray, IntArray]:
        """Return small tables for one state and its next states, to be used in place of the tables of the whole model.

        In them, the given state has index 0, and the state after action a has index ``a + 1``.

        Returns:
            The index after each action, ``int32 [1, n_actions]``, -1 for none; and the fewest steps from each state to
            each goal, ``int32 [1 + n_actions, n_goals]``.
        """
        following = self.model.successor[state]
        there = np.where(following >= 0, following, state)
        own = np.where(following >= 0, np.arange(1, following.size + 1), -1).astype(np.int32)
        here = np.concatenate(([state], there))
        return read_only(own[None, :]), read_only(self.distance[here]) if self._kept else self.steps_from(here)

    def optimal_at(self, state: int, *, more_actions: int = 0) -> BoolArray:
        """Return which actions begin a shortest plan to each goal from a state, ``bool [n_goals, n_columns]``.

        `more_actions` is a number of columns to add at the end, for actions that are never optimal.
        """
        optimal = np.zeros((self.n_goals, self.model.n_actions + more_actions), dtype=np.bool_)
        if self._kept:
            _optimal(self.distance, self.model.successor, self.model.stay, state, optimal)
        else:
            successor, distance = self.around(state)
            _optimal(distance, successor, self.model.stay, 0, optimal)
        return optimal

    def policy_at(self, state: int) -> FloatArray:
        """Return the action probabilities of the UROP of each goal in a state, ``float64 [n_goals, n_actions]``.

        A UROP is a uniformly random optimal policy. The probabilities for a goal that is out of reach are all 0.
        """
        if self._policies is not None:
            row: FloatArray = self._policies[state]
            return row
        return self._policy_from_counts(state)

    @cached_property
    def _policies(self) -> FloatArray | None:
        shape = (self.model.n_states, self.n_goals, self.model.n_actions)
        if 8 * int(np.prod(shape)) > POLICY_BYTES:
            return None
        table = np.zeros(shape)
        model = self.model
        _policies(*model.predecessors, self._targets, self._starts, model.successor, model.stay, table)
        return read_only(table)

    def _policy_from_counts(self, state: int) -> FloatArray:
        optimal = self.optimal_at(state)
        shares = np.zeros(optimal.shape)
        work = _Counter(self.model)
        for goal in np.flatnonzero(optimal.any(axis=1)).tolist():
            actions = np.flatnonzero(optimal[goal])
            if actions.size == 1:
                shares[goal, actions] = 1.0
            else:
                shares[goal, actions] = work.shares(state, *self._steps_to(goal), self.model.successor[state, actions])
        return shares


def columns_plus_rows(grid: GridWorld, targets: IntArray) -> IntArray:
    """Return the steps from each cell of a grid without walls to each target state, ``int32 [n_states, n_targets]``.

    `targets`, ``int [n_targets]``, has the indices of the target states.
    """
    x, y = grid.cells[targets].T
    columns = np.abs(np.arange(grid.width, dtype=np.int32)[:, None] - x)
    rows = np.abs(np.arange(grid.height, dtype=np.int32)[:, None] - y)
    return np.asarray((rows[:, None] + columns).reshape(grid.n_states, -1))


def fill_distances(indptr: Any, indices: Any, targets: IntArray, starts: IntArray, table: IntArray) -> None:
    """Fill a table with the fewest steps from each state to each goal, -1 where the goal is out of reach.

    Args:
        indptr: ``int [n_states + 1]``, from `Model.predecessors`.
        indices: predecessors of all states, from `Model.predecessors`.
        targets: target states, one goal after the other.
        starts: ``int [n_goals + 1]``, where each goal begins in `targets`, then the size of `targets`.
        table: ``int32 [n_states, n_goals]``, filled.
    """
    scratch = np.empty((2, table.shape[0]), dtype=np.int32)
    ends = read_only(starts.astype(np.int64))
    _distances(indptr, indices, read_only(targets.copy()), ends, scratch[0], scratch[1], table)


class _Counter:
    """Computes which shares of the shortest plans from a state to a goal begin with a step to each next state.

    The model must be deterministic.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.slot = np.full(model.n_states, -1, dtype=np.int32)

    def shares(self, state: int, distance: IntArray, goal: int, neighbours: Any) -> FloatArray:
        order, mantissa, exponent = _cone_counts(self.model.successor, distance, goal, state, self.slot)
        slots = self.slot[neighbours]
        scales = np.array([scale(int(e - exponent[slots].max())) for e in exponent[slots]])
        counts = np.maximum(mantissa[slots] * scales, SMALLEST)
        self.slot[order] = -1
        return np.asarray(counts / counts.sum())


@compiled(work=lambda given: given.optimal.size)
def _optimal(distance: Any, successor: Any, stay: int, state: int, optimal: Any) -> None:
    for a in range(successor.shape[1]):
        t = successor[state, a]
        for goal in range(optimal.shape[0]):
            here = distance[state, goal]
            optimal[goal, a] = a == stay if here == 0 else t >= 0 and here > 0 and distance[t, goal] == here - 1


@compiled(work=lambda given: given.table.size)
def _distances(indptr: Any, indices: Any, targets: Any, starts: Any, distance: Any, order: Any, table: Any) -> None:
    n_states, n_goals = table.shape
    for goal in range(n_goals):
        breadth_first_into(targets[starts[goal] : starts[goal + 1]], indptr, indices, distance, order)
        for s in range(n_states):
            table[s, goal] = distance[s]


@compiled(work=lambda given: given.table.size)
def _policies(indptr: Any, indices: Any, targets: Any, starts: Any, successor: Any, stay: int, table: Any) -> None:
    n_states, n_actions = successor.shape
    distance = np.empty(n_states, dtype=np.int32)
    order = np.empty(n_states, dtype=np.int32)
    mantissa = np.empty(n_states)
    exponent = np.empty(n_states, dtype=np.int32)
    shares = np.empty((n_states, n_actions))
    for goal in range(starts.size - 1):
        own = targets[starts[goal] : starts[goal + 1]]
        reached = breadth_first_into(own, indptr, indices, distance, order)
        shares[:] = 0.0
        count_plans(order, reached, distance, successor, mantissa, exponent)
        plan_shares(order, reached, distance, successor, mantissa, exponent, stay, shares)
        for s in range(n_states):
            for a in range(n_actions):
                table[s, goal, a] = shares[s, a]


@compiled
def _cone_counts(successor: Any, distance: Any, goal: int, state: int, slot: Any) -> tuple[Any, Any, Any]:
    """Count the shortest plans to a goal from `state`, and from all other states on these plans.

    `goal` is a column of `distance`, the fewest steps to goals. `slot`, ``int32 [n_states]``, all -1, gets the index
    of each of these states in the result.

    Returns:
        The states, nearest first; and mantissas and exponents: a number of plans is ``mantissa * BASE ** exponent``.
    """
    n_actions = successor.shape[1]
    order = np.empty(distance.shape[0], dtype=np.int32)
    order[0] = state
    slot[state] = 0
    head, filled = 0, 1
    while head < filled:
        s = order[head]
        head += 1
        for a in range(n_actions):
            t = successor[s, a]
            if t >= 0 and distance[t, goal] == distance[s, goal] - 1 and slot[t] < 0:
                slot[t] = filled
                order[filled] = t
                filled += 1
    mantissa = np.zeros(filled)
    exponent = np.zeros(filled, dtype=np.int32)
    for k in range(filled - 1, -1, -1):
        s = order[k]
        if distance[s, goal] == 0:
            mantissa[k] = 1.0
            continue
        for a in range(n_actions):
            t = successor[s, a]
            if t >= 0 and distance[t, goal] == distance[s, goal] - 1:
                add_count(mantissa, exponent, k, slot[t])
    return order[:filled], mantissa, exponent


# -- goals: sets of target states --------------------------------------------------------------------------------------


def goal_states(model: Model, goal: GoalLike, field: str = "goal") -> IntArray:
    """Return the indices of the target states of a goal, ``int32``, ascending, without duplicates, read-only.

    `goal` is one target state (a tuple, a string or a number), by name or index, or an iterable of several, such as a
    list or a set. `field` is the name of the input in error messages.
    """
    if isinstance(goal, tuple | str) or not isinstance(goal, Iterable):
        return read_only(np.array([model.state(goal, field)], dtype=np.int32))
    states = np.unique(np.array([model.state(state, field) for state in goal], dtype=np.int32))
    if states.size == 0:
        raise InputError(field, "no states", "at least one target state")
    return read_only(states)


def state_names(model: Model, states: Iterable[int]) -> list[StateLike]:
    """Return the names of states given by index.

    Where both names and indices are accepted, it is safer to pass names: if some names are integers, an index could be
    read as a name.
    """
    return [model.name(int(state)) for state in states]


def goal_list(model: Model, goals: Any) -> tuple[tuple[str, ...] | None, tuple[IntArray, ...]]:
    """Return the names of goals, or None if they have none; and the indices of each goal's target states, ``int32``.

    `goals` is a mapping from names to goals, or a sequence of goals without names. A goal is one target state or
    several, by name or index (see `goal_states`).
    """
    names = None
    if isinstance(goals, Mapping):
        named = [(str(name), goal) for name, goal in goals.items()]
        targets = tuple(goal_states(model, goal, f"goal {name!r}") for name, goal in named)
        names = tuple(name for name, _ in named)
    else:
        targets = tuple(goal_states(model, goal, f"goal {k}") for k, goal in enumerate(goals))
    if not targets:
        raise InputError("goals", "an empty list", "at least one goal")
    return names, targets
