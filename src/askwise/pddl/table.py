"""A hash table of the states that a search has found, and the optimal plans that are collected from it.

Plans are collected backwards from the goal, layer by layer: if a state at depth ``d + 1`` is on an optimal plan, every
transition to this state from depth `d` is, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from askwise.pddl.layers import FULL, Backwards, backwards, place, regress, walk, watching
from askwise.pddl.task import GoalTask, Words
from askwise.types import IntArray

SMALLEST_TABLE = 2**12

Progress = Callable[[str], None]
_Array = TypeVar("_Array", bound=NDArray[Any])


@dataclass(frozen=True, eq=False)
class Plans:
    """All optimal plans of one goal, as transitions between states; bits and operators are those of the `GoalTask`.

    Attributes:
        states: ``uint64 [n, n_words]``, states as bits, the start first.
        depth: ``int32 [n]``, steps from the start, ascending.
        source: ``int32 [n_edges]``, state before each transition.
        operator: ``int32 [n_edges]``, operator of each transition.
        target: ``int32 [n_edges]``, state after each transition.
    """

    states: Words
    depth: IntArray
    source: IntArray
    operator: IntArray
    target: IntArray


@dataclass(frozen=True, eq=False)
class Found:
    """The result of the search for the optimal plans of one goal.

    Attributes:
        length: length of an optimal plan; -1 if none was found.
        exact: whether all optimal plans were found, or there is provably none.
        at_least: a lower bound on the length of plans; `NO_WAY` if there is provably none.
        method: ``blind`` (breadth first), ``bounded`` (with lower bounds), or ``none`` if both failed or none was
            needed.
        plans: all optimal plans; None if none were found.
        met: number of found states.
        evaluated: number of computed lower bounds.
    """

    length: int
    exact: bool
    at_least: int
    method: str
    plans: Plans | None = None
    met: int = 0
    evaluated: int = 0


class StateTable:
    """A hash table of the states that a search has found so far, with their depth: the steps from the start."""

    def __init__(self, task: GoalTask, progress: Progress | None) -> None:
        self.task = task
        self.progress = progress
        self.watching = watching(task.pre, task.bits.size)
        self.room = np.empty(task.n_words, dtype=np.uint64)
        self.n = 1
        self.states = np.zeros((SMALLEST_TABLE, task.n_words), dtype=np.uint64)
        self.states[0] = task.initial
        self.depth = np.full(SMALLEST_TABLE, -1, dtype=np.int32)
        self.slots = np.full(FULL * SMALLEST_TABLE, -1, dtype=np.int32)
        self.place_all()

    def place_all(self) -> None:
        """Insert all states found so far into the hash table, which must be empty."""
        place(self.states, self.n, self.slots)

    def _grow(self) -> None:
        size = 2 * self.states.shape[0]
        # With one more row per operator: a state is expanded only if all its successors fit.
        size = max(size, self.n + 2 * self.task.operators.size)
        size = 1 << (size - 1).bit_length()
        self.states = _larger(self.states, size, 0)
        self.depth = _larger(self.depth, size, -1)
        self.slots = np.full(FULL * size, -1, dtype=np.int32)
        self.place_all()

    def next_layer(self, layer: IntArray, level: int) -> IntArray:
        """Find the states of the next layer, give them a depth, and return a transition to each of them.

        `layer` has the indices of states of depth `level`. The next layer has the states that follow them and have no
        depth yet. The result is ``int32 [3, n]``: source, operator and target of each transition.
        """
        out = np.empty((3, max(layer.size, self.task.operators.size) * 2), dtype=np.int32)
        position, filled = 0, 0
        unmarked = np.empty(0, dtype=np.bool_)
        while True:
            self.n, position, filled = walk(
                layer, position, level, self.states, self.n, self.slots, self.depth, unmarked,
                *self.task.words, *self.watching, self.room, out, filled, False,
            )  # fmt: skip
            if position == layer.size:
                return out[:, :filled].copy()
            if filled + self.task.operators.size > out.shape[1]:
                out = _larger(out.T, 2 * out.shape[1] + self.task.operators.size, 0).T.copy()
            if self.n + self.task.operators.size > self.states.shape[0]:
                self._grow()

    def in_goal(self, layer: IntArray, goal: Words) -> NDArray[np.bool_]:
        """Return ``bool [n]``: in which of the states with the indices `layer` the goal is true.

        `goal` is ``uint64 [n_words]``, the atoms that the goal requires, one bit for each.
        """
        return holding(self.states[layer], goal)

    def back(self, layers: list[IntArray], goal: Words, method: str) -> Found:
        """Collect all optimal plans backwards from the goal, and return them as the result of the search `method`.

        `layers` are the indices of the states at each depth; the last layer has goal states. `goal` is
        ``uint64 [n_words]``, the bits that the goal requires.
        """
        last = layers[-1][self.in_goal(layers[-1], goal)]
        behind = backwards(self.task)
        kept, edges = [last], []
        for level in range(len(layers) - 2, -1, -1):
            if behind is None:
                steps = self.steps_among(layers[level], level, kept[-1])
            else:
                steps = self._steps_to(kept[-1], level, behind)
            edges.append(steps)
            kept.append(np.unique(steps[0]))
        source, operator, target = np.concatenate([np.empty((3, 0), dtype=np.int32), *edges], axis=1)
        inside = np.concatenate(kept[::-1])
        number = np.full(self.n, -1, dtype=np.int32)
        number[inside] = np.arange(inside.size, dtype=np.int32)
        length = len(layers) - 1
        plans = Plans(self.states[inside], self.depth[inside], number[source], operator, number[target])
        return Found(length, True, length, method, plans)

    def _steps_to(self, layer: IntArray, level: int, behind: Backwards) -> IntArray:
        """Return all transitions to the states of `layer` from states of depth `level`, computed backwards.

        `behind` has the operators, prepared for going back. The result is ``int32 [3, n]``: source, operator and target
        of each transition.
        """
        most = int((1 << np.bitwise_count(behind.unknown).sum(axis=1, dtype=np.int64)).sum())
        out = np.empty((3, most + 1024), dtype=np.int32)
        position, filled = 0, 0
        while True:
            position, filled = regress(
                layer, position, level, self.states, self.slots, self.depth, *behind, self.room, out, filled, most
            )
            if position == layer.size:
                return out[:, :filled].copy()
            out = _larger(out.T, 2 * out.shape[1], 0).T.copy()

    def steps_among(self, layer: IntArray, level: int, targets: IntArray) -> IntArray:
        """Return all transitions from the states of `layer` to the states `targets`.

        `layer` and `targets` are indices of states, of depth `level` and ``level + 1``. The result is ``int32 [3, n]``:
        source, operator and target of each transition.
        """
        marked = np.zeros(self.states.shape[0], dtype=np.bool_)
        marked[targets] = True
        out = np.empty((3, 4 * self.task.operators.size + 1024), dtype=np.int32)
        position, filled = 0, 0
        while True:
            _, position, filled = walk(
                layer, position, level, self.states, self.n, self.slots, self.depth, marked,
                *self.task.words, *self.watching, self.room, out, filled, True,
            )  # fmt: skip
            if position == layer.size:
                return out[:, :filled].copy()
            out = _larger(out.T, 2 * out.shape[1], 0).T.copy()

    def say(self, text: str) -> None:
        """Call `progress`, if there is one, with a line of text."""
        if self.progress is not None:
            self.progress(text)


def steps_between(task: GoalTask, states: Words) -> IntArray:
    """Return all transitions between given states, ``int32 [3, n]``: source, operator and target of each.

    Args:
        task: the task with the operators.
        states: ``uint64 [n_states, n_words]``, distinct. Sources and targets are indices of these states.
    """
    table = StateTable(task, None)
    table.n = states.shape[0]
    table.states = np.ascontiguousarray(states)
    table.depth = np.zeros(table.n, dtype=np.int32)
    table.slots = np.full(FULL << (table.n - 1).bit_length(), -1, dtype=np.int32)
    table.place_all()
    everything = np.arange(table.n, dtype=np.int32)
    return table.steps_among(everything, -1, everything)  # all states have depth 0, one more than level -1


def holding(states: Words, goal: Words) -> NDArray[np.bool_]:
    """Return ``bool [n]``: in which of the given states the goal is true.

    Args:
        states: ``uint64 [n, n_words]``, the bits of each state.
        goal: ``uint64 [n_words]``, the atoms that the goal requires, one bit for each.
    """
    return np.asarray(((states & goal) == goal).all(axis=1))


def _larger(array: _Array, size: int, fill: int) -> _Array:
    more = np.full((size, *array.shape[1:]), fill, dtype=array.dtype)
    more[: array.shape[0]] = array
    return cast(_Array, more)
