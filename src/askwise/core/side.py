"""Sides: what one agent can do, and how far it is from each goal.

A `Problem` has two sides, the teammate's and the ego agent's. A side gives the next state after an action, the steps to
each goal, the first actions of shortest plans (`Side.optimal`), and the step at which the agent's actions reveal which
of two goals it pursues (`Side.divergence`).

`ModelSide` is the side of an agent that carries nothing. If an agent carries things, a state is a place and a load. As
these states may be too many to list, the domain implements `Side` itself. `CarrierTable` holds the steps to each goal
with and without the goal's load.

States, actions and goals are integers. A matrix ``[n_goals, n_goals]`` has an entry for each pair of goals: ``inf`` on
the diagonal, and ``nan`` if a goal is out of reach.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from askwise.divergence import Divergence
from askwise.errors import InputError
from askwise.frozen import Sealed, freeze_fields, read_only
from askwise.model import Model, Policy, Pursuit, state_names
from askwise.model.names import as_int
from askwise.types import BoolArray, FloatArray, IntArray, StateLike

FAR = 2**30
"""Steps to a goal that cannot be reached: more than any path has, small enough to add to in 32 bits."""

BLOCK = 2**11
"""Number of places that `finite_steps` processes at a time."""


class Actions(NamedTuple):
    """The actions of one agent; everywhere else, an action is an index into `names`.

    Attributes:
        names: the name of each action.
        stay: index of the action that changes nothing.
        moves: indices of the actions that move the agent, without waiting or picking up a load.
    """

    names: tuple[str, ...]
    stay: int
    moves: tuple[int, ...]


@runtime_checkable
class Side(Protocol):
    """The interface of one agent's side of a problem: where the agent can move, and how it reaches the goals.

    States, actions and goals are integers. A state is a place, or a place and a load if the agent carries things.
    """

    @property
    def actions(self) -> Actions:
        """The agent's actions: first the actions of its model of moves, then any others, such as picking up a load."""

    @property
    def model(self) -> Model:
        """The model of the agent's moves. Its states are the places; they do not include what the agent carries."""

    @property
    def loads(self) -> int:
        """Number of different things that the agent can carry, equal to the number of goals; 0 if it carries nothing.

        Each goal needs its own load, which has the goal's index; -1 is no load. The agent's state is
        ``place * (loads + 1) + load + 1``. If `loads` is 0, the state is the place.
        """

    def targets(self, goal: int) -> IntArray:
        """Return the states in which the agent has reached a goal, ``int32 [n_targets]``."""

    def next(self, state: int, action: int) -> int:
        """Return the state after an action, -1 if the action is not available in `state`."""

    def steps(self, state: Any) -> IntArray:
        """Return the fewest steps to each goal, ``int [n_goals]``, -1 if the goal is out of reach.

        Args:
            state: one state, or an array of n states; for an array the result is ``int [n, n_goals]``.
        """

    def optimal(self, state: int) -> BoolArray:
        """Return which actions have positive probability under each goal's policy, ``bool [n_goals, n_actions]``.

        If the agent draws one of all shortest plans, these are the first actions of these plans. This method is faster
        than `policy`.
        """

    def policy(self, state: int) -> FloatArray:
        """Return the probability of each action in a state under each goal's policy, ``float64 [n_goals, n_actions]``.

        The probabilities of a goal that is out of reach are all 0.
        """

    def divergence(self, state: int) -> tuple[FloatArray, FloatArray]:
        """Return the EDP and the WCD of all pairs of goals at a state, each ``float64 [n_goals, n_goals]``.

        Entry ``[i, j]`` is the expected step (EDP) or the latest step (WCD) at which an observer rules out goal `i` if
        the agent pursues goal `j`. Steps are counted from 1. Entries are ``inf`` on the diagonal, and ``nan`` if a goal
        is out of reach.
        """

    def table(self) -> CarrierTable:
        """Return the arrays that planners use: the place after each move, and each place's steps to each goal."""


class ModelSide(Sealed):
    """A side given by a deterministic model: the states are those of the model, and the agent carries nothing.

    Args:
        model: the agent's model.
        targets: for each goal, the states in which it is reached, ``int32 [n_targets]``.
        policies: the agent's policy for each goal; None if it draws one of all shortest plans (UROP).
        moves: names of the actions that move the agent; None for all except staying.
        by_label: whether the index of an action is that of its label (name) in the model, not that of its column in the
            model's table. Needed if a column stands for different actions in different states.
    """

    loads = 0

    def __init__(
        self,
        model: Model,
        targets: Sequence[IntArray],
        policies: tuple[Policy, ...] | None = None,
        *,
        moves: Sequence[Hashable] | None = None,
        by_label: bool = False,
    ) -> None:
        self.model = model
        self.policies = policies
        self._labels = labels = model.labels if by_label else None
        names = tuple(str(name) for name in (model.actions if labels is None else model.all_actions))
        stay = model.stay if labels is None else labels.names.n - 1
        number = model.action if labels is None else labels.names.index
        towards = [a for a in range(len(names)) if a != stay]
        if moves is not None:
            towards = [number(name, "ego_moves") for name in moves]
        self.actions = Actions(names, stay, tuple(towards))
        self._targets = tuple(targets)
        self._pursuit = Pursuit(model, targets)

    def targets(self, goal: int) -> IntArray:
        """Return the states in which the agent has reached a goal, ``int32 [n_targets]``."""
        return self._targets[goal]

    def next(self, state: int, action: int) -> int:
        """Return the state after an action, -1 if the action is not available in `state`."""
        labels = self._labels
        if labels is None:
            return int(self.model.successor[state, action])
        columns = np.flatnonzero(labels.table[state] == action)
        return int(self.model.successor[state, columns[0]]) if columns.size else -1

    def steps(self, state: Any) -> IntArray:
        """Return the fewest steps to each goal, ``int [n_goals]``, -1 if the goal is out of reach.

        Args:
            state: one state, or an array of n states; for an array the result is ``int [n, n_goals]``.
        """
        return self._pursuit.steps_from(state) if isinstance(state, np.ndarray) else self._pursuit.steps_at(state)

    def optimal(self, state: int) -> BoolArray:
        """Return which actions have positive probability under each goal's policy, ``bool [n_goals, n_actions]``.

        If the side was made without policies, these actions are the first actions of the shortest plans from `state` to
        each goal.
        """
        if self._policy_table is not None:
            return np.asarray(self._by_label(state, self._policy_table[:, state] > 0))
        return np.asarray(self._by_label(state, self._pursuit.optimal_at(state)))

    def policy(self, state: int) -> FloatArray:
        """Return the probability of each action in a state under each goal's policy, ``float64 [n_goals, n_actions]``.

        The probabilities of a goal that is out of reach are all 0.
        """
        if self._policy_table is not None:
            return np.asarray(self._by_label(state, self._policy_table[:, state]))
        return np.asarray(self._by_label(state, self._pursuit.policy_at(state)))

    @cached_property
    def _policy_table(self) -> FloatArray | None:
        """The agent's probability of each action for each goal and state, ``float64 [n_goals, n_states, n_actions]``.

        None if the agent follows UROPs (uniformly random optimal policies), which need no table.
        """
        if self.policies is None:
            return None
        return read_only(np.array([policy.probabilities for policy in self.policies]))

    def _by_label(self, state: int, by_column: Any) -> Any:
        """Convert values of the actions in a state from the order of the model's columns to the order of its labels.

        Labels are names of actions. `by_column` is ``[n_goals, n_columns]``, and the result ``[n_goals, n_labels]``, 0
        for unavailable labels. If actions are numbered by column, the result is `by_column`.
        """
        labels = self._labels
        if labels is None:
            return by_column
        found = np.zeros((by_column.shape[0], labels.names.n), dtype=by_column.dtype)
        there = labels.table[state] >= 0
        found[:, labels.table[state, there]] = by_column[:, there]
        return found

    @cached_property
    def family(self) -> Divergence:
        """EDP and WCD of all pairs of goals: the expected and the latest step at which goals can be told apart."""
        goals = [state_names(self.model, states) for states in self._targets]
        return Divergence(self.model, goals, policies=self.policies)

    def divergence(self, state: int) -> tuple[FloatArray, FloatArray]:
        """Return the EDP and the WCD of all pairs of goals at a state, each ``float64 [n_goals, n_goals]``.

        Entry ``[i, j]`` is the expected step (EDP) or the latest step (WCD) at which an observer rules out goal `i` if
        the agent pursues goal `j`. Steps are counted from 1. Entries are ``inf`` on the diagonal, and ``nan`` if a goal
        is out of reach.
        """
        return self.family.matrices_at(self.model.name(state), partial=True)

    def table(self) -> CarrierTable:
        """Return the arrays that planners use: the place after each move, and each place's steps to each goal."""
        return self._table

    @cached_property
    def _table(self) -> CarrierTable:
        steps = finite_steps(self._pursuit.distance)
        none = np.full(len(self._targets), -1, dtype=np.int32)
        moves, labels = tuple(range(self.model.n_actions)), self._labels
        return CarrierTable(
            self.model.successor, moves, steps, steps, none, none, labels=None if labels is None else labels.table
        )


def place_and_load(side: Side, state: int) -> tuple[int, int]:
    """Return the place and the load of a state, both as indices.

    The load is the thing that the agent carries. Its index is the index of the goal that needs it, or -1 if the agent
    carries nothing.
    """
    place, load = divmod(state, side.loads + 1)
    return place, load - 1 if side.loads else -1


def state_at(side: Side, place: int, load: int = -1) -> int:
    """Return the index of the state of an agent that is at `place` with a `load`.

    The load is the index of the goal that needs it, or -1 for none.
    """
    return place * (side.loads + 1) + load + 1 if side.loads else place


def place_name(side: Side, state: int) -> Any:
    """Return the name of the place where the agent is in a state, for example a cell ``(x, y)``."""
    return side.model.name(place_and_load(side, state)[0])


def find_state(side: Side, given: StateLike, goals: Sequence[str], field: str) -> int:
    """Return the index of a state given by index or name.

    Args:
        side: the agent's side.
        given: the index; the name of a place; or, for an agent with a load, the place and the goal that needs the load.
        goals: names of the goals.
        field: name of the input in error messages.
    """
    if not side.loads:
        return side.model.state(given, field)
    n_loads, number = side.loads + 1, as_int(given)
    if number is not None:
        n_states = side.model.n_states * n_loads
        if not 0 <= number < n_states:
            raise InputError(field, given, f"a number from 0 to {n_states - 1}")
        return number
    place, load = given, -1
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], tuple):
        place, goal = given
        if goal not in goals:
            allowed = f"one of {', '.join(map(repr, goals[:5]))}" + (", ..." if len(goals) > 5 else "")
            raise InputError(f"{field}: load in hand", repr(goal), allowed)
        load = goals.index(goal)
    return state_at(side, side.model.state(place, field), load)


@dataclass(frozen=True, slots=True, eq=False)
class CarrierTable:
    """One agent's side of a problem as arrays, for planners: the agent's next places, and its steps to each goal.

    A load is a thing that the agent picks up at one place and carries to the goal that needs it. A move is any action
    that changes no load, waiting included. `FAR`, a very large number, means out of reach. All arrays are made
    read-only.

    Attributes:
        next: ``int32 [n_places, n_moves]``, place after each move, -1 if the move is not available.
        moves: index of the action for each column of `next`; not used if there are `labels`.
        unloaded: ``int32 [n_places, n_goals]``, steps to each goal for an agent without load, or `FAR`. They include
            the way to the goal's load and one step to pick it up. Equal to `loaded` for a goal that needs no load.
        loaded: ``int32 [n_places, n_goals]``, steps to each goal for an agent with the goal's load, or `FAR`.
        load_actions: ``int32 [n_goals]``, index of the action that picks up the goal's load, -1 for no load.
        load_at: ``int32 [n_goals]``, place of the goal's load, -1 for no load.
        states_per_place: 1 if there are no loads, otherwise the number of goals plus 1.
        labels: ``int32 [n_places, n_moves]``, index of the action for each place and column of `next`; None if a column
            is the same action everywhere.
    """

    next: IntArray
    moves: tuple[int, ...]
    unloaded: IntArray
    loaded: IntArray
    load_actions: IntArray
    load_at: IntArray
    states_per_place: int = 1
    labels: IntArray | None = None

    def __post_init__(self) -> None:
        freeze_fields(self, "next", "unloaded", "loaded", "load_actions", "load_at")
        if self.labels is not None:
            freeze_fields(self, "labels")

    def __reduce__(self) -> tuple[type[CarrierTable], tuple[Any, ...]]:
        return CarrierTable, tuple(getattr(self, each.name) for each in fields(self))

    def action(self, place: int, column: int) -> int:
        """Return the index of the action that a column of the array `next` stands for at a place."""
        return int(self.moves[column] if self.labels is None else self.labels[place, column])

    def split(self, state: int) -> tuple[int, int]:
        """Return the place and the load of a state, both as indices.

        The load is the thing that the agent carries. Its index is the index of the goal that needs it, or -1 if the
        agent carries nothing.
        """
        if self.states_per_place == 1:
            return state, -1
        place, load = divmod(state, self.states_per_place)
        return place, load - 1

    def cut_off(self) -> BoolArray:
        """Return whether some goal is out of reach from each place, with or without its load, ``bool [n_places]``."""
        return np.asarray((self.unloaded >= FAR).any(axis=1) | (self.loaded >= FAR).any(axis=1))


def finite_steps(distance: IntArray, columns: IntArray | None = None, more: IntArray | None = None) -> IntArray:
    """Return the steps from each place to each goal, ``int32 [n_places, n_goals]``, `FAR` if the goal is out of reach.

    The way to a goal leads over its waypoint: the place where the agent picks up the goal's load, or the goal itself.

    Args:
        distance: ``int32 [n_places, n_waypoints]``, steps from each place to each waypoint, -1 if out of reach.
        columns: ``int [n_goals]``, the column of `distance` for each goal; None if column k is for goal k.
        more: ``int [n_goals]``, steps from each goal's waypoint to the goal; None for 0.
    """
    n_places = distance.shape[0]
    n_goals = distance.shape[1] if columns is None else columns.size
    steps = np.empty((n_places, n_goals), dtype=np.int32)
    for start in range(0, n_places, BLOCK):  # in blocks, so that temporary arrays stay small
        part = distance[start : start + BLOCK]
        part = part if columns is None else part[:, columns]
        steps[start : start + BLOCK] = np.where(part < 0, FAR, part if more is None else part + more)
    return steps
