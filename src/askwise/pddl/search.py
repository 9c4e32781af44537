"""All optimal plans to one goal: exact, by two searches that agree.

*Blind*: breadth first, layer by layer, until a layer holds a state of the goal.

*Under a bound*: the same, but a state at depth `d` with at least `h` steps to go (`askwise.pddl.lmcut`) is left out
where ``d + h`` exceeds `B`. Begin with `B` the bound of the first state; where no goal is found, raise `B` to the
least ``d + h`` that was left out, and search again, bounds being remembered. All states on an optimal plan of length
`L` have ``d + h <= L``, so with ``B = L`` none of them is left out, and each is met at its own depth, whatever the
bound did to others. Each `B` that failed proves that no plan is that short.

Then back from the goal, layer by layer: a step from a state of depth `d` to one of depth ``d + 1`` that is on
an optimal plan is itself on one.

Which search is quicker nobody knows beforehand. They take turns, each with more room than before (`TURNS`), counted in
states and never in seconds: so the same problem is answered, or refused, everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from askwise.pddl.limits import Limits
from askwise.pddl.lmcut import NO_WAY, bound_all, graph, room_for
from askwise.pddl.relevance import Quest
from askwise.pddl.sets import Words
from askwise.pddl.walking import FULL, place, walk, watching
from askwise.types import IntArray

TURNS = (10_000, 40_000, 160_000, 640_000)
"""States of the blind search in its first turns; it is given all that the limits allow in its last."""
EACH_BOUND = 10
"""States that a blind search meets in the time in which one bound is worked out, roughly."""
SMALLEST_TABLE = 2**12

Progress = Callable[[str], None]
_Array = TypeVar("_Array", bound=NDArray[Any])


@dataclass(frozen=True, eq=False)
class Plans:
    """All optimal plans to one goal, as steps between states, in the bits and operators of a quest.

    Attributes:
        states: ``uint64 [n, n_words]``, the states on optimal plans, the start first.
        depth: ``int32 [n]``, steps from the start, in ascending order.
        source: ``int32 [n_edges]``, where each step begins.
        operator: ``int32 [n_edges]``, the operator of each step.
        target: ``int32 [n_edges]``, where each step leads.
    """

    states: Words
    depth: IntArray
    source: IntArray
    operator: IntArray
    target: IntArray


@dataclass(frozen=True, eq=False)
class Found:
    """What a search for one goal found.

    Attributes:
        length: steps of an optimal plan; -1 where there is none, or none was found.
        exact: whether that is proven: all optimal plans were found, or there is no plan.
        at_least: no plan is shorter than this.
        method: the search that ended it, ``blind`` or ``bounded``; ``none`` if neither did.
        plans: all optimal plans, where there are any and they were found.
        met: states that were met, by both searches.
        evaluated: bounds that were worked out.
    """

    length: int
    exact: bool
    at_least: int
    method: str
    plans: Plans | None = None
    met: int = 0
    evaluated: int = 0


def search(quest: Quest, limits: Limits | None = None, progress: Progress | None = None) -> Found:
    """Return all optimal plans of a quest, if the limits allow."""
    limits = limits or Limits()
    blind = Blind(quest, progress)
    bounded: Bounded | None = None  # only where it is needed: its first bound takes a while in large problems
    found: Found | None = None
    for turn in (*TURNS, limits.blind):
        most = min(turn, limits.blind)
        found = blind.run(most)
        if found is None:
            bounded = bounded or Bounded(quest, progress)
            found = bounded.run(min(most // EACH_BOUND, limits.evaluations), limits.states)
        if found is not None:
            break
    if found is None:
        bounded = bounded or Bounded(quest, progress)
        found = bounded.run(limits.evaluations, limits.states)
        found = found or Found(-1, False, max(blind.level, bounded.least), "none")
    bounds = (0, 0) if bounded is None else (bounded.n, bounded.evaluated)
    return replace(found, met=blind.n + bounds[0], evaluated=bounds[1])


class _Table:
    """The states met so far, and where to find them."""

    def __init__(self, quest: Quest, progress: Progress | None) -> None:
        self.quest = quest
        self.progress = progress
        self.watching = watching(quest)
        self.room = np.empty(quest.n_words, dtype=np.uint64)
        self.n = 1
        self.states = np.zeros((SMALLEST_TABLE, quest.n_words), dtype=np.uint64)
        self.states[0] = quest.initial
        self.depth = np.full(SMALLEST_TABLE, -1, dtype=np.int32)
        self.slots = np.full(FULL * SMALLEST_TABLE, -1, dtype=np.int32)
        self._place_all()

    def _place_all(self) -> None:
        """Put all states into the hash table, by the same compiled loop that finds them there."""
        place(self.states, self.n, self.slots)

    def _grow(self) -> None:
        size = 2 * self.states.shape[0]
        # A row more for each operator: a state is only worked on where all that comes out of it has room.
        size = max(size, self.n + 2 * self.quest.operators.size)
        size = 1 << (size - 1).bit_length()
        self.states = _larger(self.states, size, 0)
        self.depth = _larger(self.depth, size, -1)
        self.slots = np.full(FULL * size, -1, dtype=np.int32)
        self._place_all()

    def next_layer(self, layer: IntArray, level: int) -> IntArray:
        """Return the states one step further; those that have a depth already are none of them."""
        out = np.empty((1, max(layer.size, self.quest.operators.size) * 2), dtype=np.int32)
        position, filled = 0, 0
        nobody = np.empty(0, dtype=np.bool_)
        while True:
            self.n, position, filled = walk(
                layer, position, level, self.states, self.n, self.slots, self.depth, nobody,
                *self.quest.words, *self.watching, self.room, out, filled, False,
            )  # fmt: skip
            if position == layer.size:
                return out[0, :filled].copy()
            if filled + self.quest.operators.size > out.shape[1]:
                out = _larger(out.T, 2 * out.shape[1] + self.quest.operators.size, 0).T.copy()
            if self.n + self.quest.operators.size > self.states.shape[0]:
                self._grow()

    def in_goal(self, layer: IntArray) -> NDArray[np.bool_]:
        goal = self.quest.goal
        return np.asarray(((self.states[layer] & goal) == goal).all(axis=1))

    def back(self, layers: list[IntArray], method: str) -> Found:
        """Return all optimal plans, given the layers from the first state to the goal."""
        marked = np.zeros(self.states.shape[0], dtype=np.bool_)
        last = layers[-1]
        marked[last[self.in_goal(last)]] = True
        edges = [self._steps_back(layers[level], level, marked) for level in range(len(layers) - 2, -1, -1)]
        source, operator, target = np.concatenate([np.empty((3, 0), dtype=np.int32), *edges], axis=1)
        kept = np.concatenate([layer[marked[layer]] for layer in layers])
        number = np.full(self.n, -1, dtype=np.int32)
        number[kept] = np.arange(kept.size, dtype=np.int32)
        length = len(layers) - 1
        plans = Plans(self.states[kept], self.depth[kept], number[source], operator, number[target])
        return Found(length, True, length, method, plans)

    def _steps_back(self, layer: IntArray, level: int, marked: NDArray[np.bool_]) -> IntArray:
        out = np.empty((3, 4 * self.quest.operators.size + 1024), dtype=np.int32)
        position, filled = 0, 0
        while True:
            _, position, filled = walk(
                layer, position, level, self.states, self.n, self.slots, self.depth, marked,
                *self.quest.words, *self.watching, self.room, out, filled, True,
            )  # fmt: skip
            if position == layer.size:
                return out[:, :filled].copy()
            out = _larger(out.T, 2 * out.shape[1], 0).T.copy()

    def say(self, text: str) -> None:
        if self.progress is not None:
            self.progress(text)


class Blind(_Table):
    """Breadth first."""

    def __init__(self, quest: Quest, progress: Progress | None = None) -> None:
        super().__init__(quest, progress)
        self.depth[0] = 0
        self.level = 0
        self.layers = [np.zeros(1, dtype=np.int32)]

    def run(self, most: int) -> Found | None:
        """Go on until a goal is found, there is nothing left, or `most` states have been met; None in the last case."""
        while not self.in_goal(self.layers[-1]).any():
            if self.layers[-1].size == 0:
                return Found(-1, True, NO_WAY, "blind")
            if self.n >= most:
                return None
            self.layers.append(self.next_layer(self.layers[-1], self.level))
            self.level += 1
            self.say(f"{self.n:,} states")
        return self.back(self.layers, "blind")


class Bounded(_Table):
    """Breadth first under a bound that is raised."""

    def __init__(self, quest: Quest, progress: Progress | None = None) -> None:
        super().__init__(quest, progress)
        self.lists = graph(quest)
        self.prices = room_for(self.lists)
        self.bound = np.full(self.states.shape[0], -1, dtype=np.int32)
        self.evaluated = 0
        self.least = 0
        self._evaluate(np.zeros(1, dtype=np.int32))
        self.least = int(self.bound[0])

    def run(self, most_evaluated: int, most_states: int) -> Found | None:
        """Go on until all optimal plans are found, it is proven that there is none, or the limits are reached."""
        while self.least < NO_WAY:
            layers, cut_off = self._under(self.least, most_evaluated, most_states)
            if layers is None:
                return None
            if self.in_goal(layers[-1]).any():
                return self.back(layers, "bounded")
            self.least = cut_off
        return Found(-1, True, NO_WAY, "bounded")

    def _under(self, bound: int, most_evaluated: int, most_states: int) -> tuple[list[IntArray] | None, int]:
        """Search under one bound; return the layers, and the least length that was left out."""
        self.depth[: self.n] = -1
        self.depth[0] = 0
        layers = [np.zeros(1, dtype=np.int32)]
        cut_off = NO_WAY
        while layers[-1].size and not self.in_goal(layers[-1]).any():
            level = len(layers)
            following = self.next_layer(layers[-1], level - 1)
            self._evaluate(following)
            if self.evaluated > most_evaluated or self.n > most_states:
                return None, cut_off
            whole = self.bound[following] + level
            kept = whole <= bound
            if not kept.all():
                cut_off = min(cut_off, int(whole[~kept].min()))
            layers.append(following[kept])
        return layers, min(cut_off, NO_WAY)

    def _evaluate(self, layer: IntArray) -> None:
        """Work out the bounds of states that have none yet."""
        if self.bound.size < self.states.shape[0]:
            self.bound = _larger(self.bound, self.states.shape[0], -1)
        new = layer[self.bound[layer] < 0]
        for start in range(0, new.size, 2**12):
            part = new[start : start + 2**12]
            bound_all(self.states, part, self.bound, self.lists, self.prices)
            self.evaluated += part.size
            self.say(f"{self.n:,} states, no plan of fewer than {self.least} steps")


def _larger(array: _Array, size: int, fill: int) -> _Array:
    more = np.full((size, *array.shape[1:]), fill, dtype=array.dtype)
    more[: array.shape[0]] = array
    return cast(_Array, more)
