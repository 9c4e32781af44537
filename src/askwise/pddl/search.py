"""All optimal plans to one goal: exact, by two searches that agree.

*Blind*: breadth first, layer by layer, until a layer holds a state of the goal.

*Under a bound*: the same, but a state at depth `d` with at least `h` steps to go (`askwise.pddl.lmcut`) is left out
where ``d + h`` exceeds `B`. Begin with `B` the bound of the first state; where no goal is found, raise `B` to the
least ``d + h`` that was left out, and search again, bounds being remembered. All states on an optimal plan of length
`L` have ``d + h <= L``, so with ``B = L`` none of them is left out, and each is met at its own depth, whatever the
bound did to others. Each `B` that failed proves that no plan is that short.

Then back from the goal, layer by layer: a step from a state of depth `d` to one of depth ``d + 1`` that is on
an optimal plan is itself on one (`askwise.pddl.layers`).

**Both together.** The blind search knows no goal until it meets one, so one such search serves all goals of one kind
(`askwise.pddl.goal_task`); a search under a bound is for one goal. Which is quicker nobody knows beforehand, but what
the blind search will cost can be guessed: no goal that is left is nearer than the bounds proven so far, and layers
grow about as the last one did. Searches under bounds may cost as much as that, all goals together; only then does the
blind search go one layer further, and the guess is made again. So both together cost at most about twice as much as
the blind search alone. Costs are counted in states and bounds, never in seconds: the same problem is answered, or
refused, everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from askwise.pddl.goal_task import GoalTask
from askwise.pddl.layers import FULL, Backwards, backwards, place, regress, walk, watching
from askwise.pddl.limits import Limits
from askwise.pddl.lmcut import NO_WAY, bound_all, graph, workspace_for
from askwise.pddl.task import Bytes, Words
from askwise.types import IntArray

FIRST = 10_000
"""States that a blind search meets before anything else is tried."""
SMALLEST_TABLE = 2**12
LONGEST_TURN = 2**16
"""Bounds for one goal before others have their turn; what takes more is left until the end, one goal after another, so
that only one large table is there at a time."""
MOST_REMEMBERED = 2**28
"""Bytes that the cuts of states may take, for all goals; states beyond that find all their cuts by themselves."""

Progress = Callable[[str], None]
Speaking = Callable[[int, str], None]
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


def search(task: GoalTask, limits: Limits | None = None, progress: Progress | None = None) -> Found:
    """Return all optimal plans of a quest, if the limits allow."""

    def say(_: int, text: str) -> None:
        if progress is not None:
            progress(text)

    return search_together({0: task}, limits, say)[0]


def search_together(
    goal_tasks: Mapping[int, GoalTask], limits: Limits | None = None, progress: Speaking | None = None
) -> dict[int, Found]:
    """Return all optimal plans of quests that differ in nothing but their goals, if the limits allow."""
    return _Together(goal_tasks, limits or Limits(), progress).run()


class _Together:
    """One blind search for all goals, and a search under a bound for each."""

    def __init__(self, goal_tasks: Mapping[int, GoalTask], limits: Limits, progress: Speaking | None) -> None:
        self.limits = limits
        self.progress = progress
        self.open = dict(goal_tasks)
        self.found: dict[int, Found] = {}
        self.bounded: dict[int, Bounded] = {}
        self.spent = 0
        self.remembered = MOST_REMEMBERED // len(goal_tasks)
        self.blind = Blind(next(iter(goal_tasks.values())), self._speaking(min(goal_tasks)))

    def run(self) -> dict[int, Found]:
        while self.open:
            self._look()
            if self.blind.n >= FIRST or self.blind.n >= self.limits.blind:
                self._bound_within(self._predicted())
            if not self.open or self.blind.n >= self.limits.blind:
                break
            self.blind.go_on()
        for goal in list(self.open):
            self._bound(goal, self.limits.evaluations, MOST_REMEMBERED)
            if goal in self.open:
                at_least = max(self.blind.level, self.bounded[goal].least)
                self._settle(goal, Found(-1, False, at_least, "none"))
        return self.found

    def _look(self) -> None:
        """Settle the goals that the blind search has just met."""
        for goal, task in list(self.open.items()):
            found = self.blind.met(task.goal)
            if found is not None:
                self._settle(goal, found)

    def _predicted(self) -> float:
        """Return how many states the blind search meets, at a guess, until it may have met all goals."""
        level = max((self.bounded[goal].least for goal in self.open if goal in self.bounded), default=0)
        return self.blind.predicted(max(level, self.blind.level + 1))

    def _bound_within(self, budget: float) -> None:
        """Search under bounds, all goals in turn and each time further, until that has cost the budget."""
        longest = min(LONGEST_TURN, self.limits.evaluations)
        most = 1
        while self.open and self.spent < budget and most < longest:
            most = min(2 * most, longest)
            for goal in list(self.open):
                if self.spent < budget:
                    self._bound(goal, most, self.remembered)

    def _bound(self, goal: int, most: int, remembered: int) -> None:
        if goal not in self.bounded:
            self.bounded[goal] = Bounded(self.open[goal], self._speaking(goal), remembered)
        bounded = self.bounded[goal]
        bounded.remembered = remembered
        before = bounded.evaluated
        found = bounded.run(most, self.limits.states)
        self.spent += (bounded.evaluated - before) * bounded.each
        if found is not None:
            self._settle(goal, found)

    def _settle(self, goal: int, found: Found) -> None:
        """Write down what was found for a goal, and forget how."""
        bounded = self.bounded.pop(goal, None)
        bounds = (0, 0) if bounded is None else (bounded.n, bounded.evaluated)
        self.found[goal] = replace(found, met=self.blind.n + bounds[0], evaluated=bounds[1])
        del self.open[goal]

    def _speaking(self, goal: int) -> Progress | None:
        say = self.progress
        return None if say is None else lambda text: say(goal, text)


class _Table:
    """The states met so far, and where to find them."""

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
        """Put all states into the hash table, by the same compiled loop that finds them there."""
        place(self.states, self.n, self.slots)

    def _grow(self) -> None:
        size = 2 * self.states.shape[0]
        # A row more for each operator: a state is only worked on where all that comes out of it has room.
        size = max(size, self.n + 2 * self.task.operators.size)
        size = 1 << (size - 1).bit_length()
        self.states = _larger(self.states, size, 0)
        self.depth = _larger(self.depth, size, -1)
        self.slots = np.full(FULL * size, -1, dtype=np.int32)
        self.place_all()

    def next_layer(self, layer: IntArray, level: int) -> IntArray:
        """Return a step to each state one step further, ``[3, n]``; those that have a depth are none of them."""
        out = np.empty((3, max(layer.size, self.task.operators.size) * 2), dtype=np.int32)
        position, filled = 0, 0
        nobody = np.empty(0, dtype=np.bool_)
        while True:
            self.n, position, filled = walk(
                layer, position, level, self.states, self.n, self.slots, self.depth, nobody,
                *self.task.words, *self.watching, self.room, out, filled, False,
            )  # fmt: skip
            if position == layer.size:
                return out[:, :filled].copy()
            if filled + self.task.operators.size > out.shape[1]:
                out = _larger(out.T, 2 * out.shape[1] + self.task.operators.size, 0).T.copy()
            if self.n + self.task.operators.size > self.states.shape[0]:
                self._grow()

    def in_goal(self, layer: IntArray, goal: Words) -> NDArray[np.bool_]:
        return _holding(self.states[layer], goal)

    def back(self, layers: list[IntArray], goal: Words, method: str) -> Found:
        """Return all optimal plans, given the layers from the first state to the goal."""
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
        """Return all steps from states of depth `level` to those of a layer, worked out from these."""
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
        """Return all steps from the states of a layer, all of depth `level`, to some of the next."""
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
        if self.progress is not None:
            self.progress(text)


class Blind(_Table):
    """Breadth first."""

    def __init__(self, task: GoalTask, progress: Progress | None = None) -> None:
        super().__init__(task, progress)
        self.depth[0] = 0
        self.level = 0
        self.layers = [np.zeros(1, dtype=np.int32)]
        self.last = self.states[:1]

    def run(self, most: int) -> Found | None:
        """Go on until the goal is met, there is nothing left, or `most` states have been met; None in the last case."""
        while True:
            found = self.met(self.task.goal)
            if found is not None or self.n >= most:
                return found
            self.go_on()

    def go_on(self) -> None:
        """Meet all states one step further."""
        self.layers.append(self.next_layer(self.layers[-1], self.level)[2])
        self.last = self.states[self.layers[-1]]  # once, and not for each goal
        self.level += 1
        self.say(f"{self.n:,} states")

    def met(self, goal: Words) -> Found | None:
        """Return all optimal plans to a goal if the last layer is the first to meet it, no plan if there is no more."""
        last = self.layers[-1]
        if last.size == 0:
            return Found(-1, True, NO_WAY, "blind")
        return self.back(self.layers, goal, "blind") if _holding(self.last, goal).any() else None

    def predicted(self, level: int) -> float:
        """Return how many states will have been met at a level, if layers go on growing as the last one did."""
        size = float(self.layers[-1].size)
        growth = size / self.layers[-2].size if self.level else 1.0
        total = float(self.n)
        for _ in range(level - self.level):
            size *= growth
            total += size
            if total > NO_WAY * growth:
                break
        return total


class Bounded(_Table):
    """Breadth first under a bound that is raised."""

    def __init__(self, task: GoalTask, progress: Progress | None = None, remembered: int = MOST_REMEMBERED) -> None:
        super().__init__(task, progress)
        self.lists = graph(task)
        self.prices = workspace_for(self.lists)
        self.remembered = remembered
        self.bound, self.n_cuts, self.cuts = self._remembering()
        self.evaluated = 0
        self.least = 0
        self._evaluate(np.array([[-1], [0], [0]], dtype=np.int32))
        self.least = int(self.bound[0])

    @property
    def each(self) -> int:
        """How many states a blind search meets in the time in which one bound is worked out, roughly."""
        entries = self.lists.pre.size + self.lists.add.size
        return 5 + int(entries) // 100

    def run(self, most_evaluated: int, most_states: int) -> Found | None:
        """Go on until all optimal plans are found, it is proven that there is none, or the limits are reached."""
        while self.least < NO_WAY:
            layers, cut_off = self._under(self.least, most_evaluated, most_states)
            if layers is None:
                return None
            if self.in_goal(layers[-1], self.task.goal).any():
                return self.back(layers, self.task.goal, "bounded")
            self.least = cut_off
        return Found(-1, True, NO_WAY, "bounded")

    def within(self, bound: int, most_evaluated: int, most_states: int) -> Words | None:
        """Return all states on walks to the goal of at most `bound` steps, and perhaps others; None beyond limits."""
        layers, _ = self._under(bound, most_evaluated, most_states, through=True)
        return None if layers is None else self.states[np.concatenate(layers)]

    def _under(
        self, bound: int, most_evaluated: int, most_states: int, through: bool = False
    ) -> tuple[list[IntArray] | None, int]:
        """Search under one bound; return the layers, and the least length that was left out.

        The search ends with the first layer that meets the goal, or goes on `through` it.
        """
        self.depth[: self.n] = -1
        self.depth[0] = 0
        layers = [np.zeros(1, dtype=np.int32)]
        cut_off = NO_WAY
        while layers[-1].size and (through or not self.in_goal(layers[-1], self.task.goal).any()):
            level = len(layers)
            steps = self.next_layer(layers[-1], level - 1)
            self._evaluate(steps)
            if self.evaluated > most_evaluated or self.n > most_states:
                return None, cut_off
            following = steps[2]
            whole = self.bound[following] + level
            kept = whole <= bound
            if not kept.all():
                cut_off = min(cut_off, int(whole[~kept].min()))
            layers.append(following[kept])
        return layers, min(cut_off, NO_WAY)

    def _evaluate(self, steps: IntArray) -> None:
        """Work out the bounds of states that have none yet, given a step to each."""
        if self.bound.size < self.states.shape[0]:
            bound, n_cuts, cuts = self.bound, self.n_cuts, self.cuts
            self.bound, self.n_cuts, self.cuts = self._remembering()
            self.bound[: bound.size] = bound
            self.n_cuts[: n_cuts.size] = n_cuts
            self.cuts[: cuts.shape[0]] = cuts
        new = steps[:, self.bound[steps[2]] < 0]
        for start in range(0, new.shape[1], 2**12):
            parent, operator, state = np.ascontiguousarray(new[:, start : start + 2**12])
            bound_all(self.states, state, parent, operator, self.bound, self.cuts, self.n_cuts, self.lists, self.prices)
            self.evaluated += state.size
            self.say(f"{self.n:,} states, no plan of fewer than {self.least} steps")

    def _remembering(self) -> tuple[IntArray, Bytes, Bytes]:
        """Return room for the bounds of all states, and for the cuts of as many as are remembered."""
        size = self.states.shape[0]
        rows = min(size, self.remembered // (self.task.operators.size + 1))
        cuts = np.zeros((rows, self.task.operators.size + 1), dtype=np.uint8)
        return np.full(size, -1, dtype=np.int32), np.zeros(rows, dtype=np.uint8), cuts


def steps_between(task: GoalTask, states: Words) -> IntArray:
    """Return all steps between some states, all different, as ``int32 [3, n]``: source, operator and target."""
    table = _Table(task, None)
    table.n = states.shape[0]
    table.states = np.ascontiguousarray(states)
    table.depth = np.zeros(table.n, dtype=np.int32)
    table.slots = np.full(FULL << (table.n - 1).bit_length(), -1, dtype=np.int32)
    table.place_all()
    everything = np.arange(table.n, dtype=np.int32)
    return table.steps_among(everything, -1, everything)  # all are one step further than level -1


def _holding(states: Words, goal: Words) -> NDArray[np.bool_]:
    """Return ``bool [n]``: in which states all bits of a goal are set."""
    return np.asarray(((states & goal) == goal).all(axis=1))


def _larger(array: _Array, size: int, fill: int) -> _Array:
    more = np.full((size, *array.shape[1:]), fill, dtype=array.dtype)
    more[: array.shape[0]] = array
    return cast(_Array, more)
