"""Search for all optimal plans of one or several goals, exactly, by two combined algorithms.

*Blind search* is breadth first, until a layer contains a goal state.

*Bounded search* is also breadth first, but omits states with ``d + h > B``. `d` is the depth of the state, `h` a lower
bound on the steps left (`askwise.pddl.lmcut`), and `B` the length of plans that is allowed: at first, the lower bound
of the initial state. If no goal state is found, the search is repeated with `B` raised to the smallest ``d + h`` of an
omitted state.

After either search, plans are collected backwards from the goal (`askwise.pddl.table`).

**Combination.** A blind search serves all goals with the same relevant operators (`askwise.pddl.task`), a bounded
search only one goal. Bounded searches run until they have cost as much as the blind search will probably cost. Then the
blind search expands one more layer, and so on. Costs count states and lower bounds: the result does not depend on the
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from askwise.pddl.grounding import Limits
from askwise.pddl.lmcut import NO_WAY, bound_all, graph, workspace_for
from askwise.pddl.table import Found, Progress, StateTable, holding
from askwise.pddl.task import Bytes, GoalTask, Words
from askwise.types import IntArray

FIRST = 10_000
"""Number of states of the blind search before bounded searches start."""
LONGEST_TURN = 2**16
"""Maximal number of bounds for one goal while goals take turns. Goals that need more are searched at the end, one after
another, so that only one large table exists at a time."""
MOST_REMEMBERED = 2**28
"""Memory in bytes for the stored cuts of all goals; further states compute their cuts from scratch."""

Speaking = Callable[[int, str], None]


def search(task: GoalTask, limits: Limits | None = None, progress: Progress | None = None) -> Found:
    """Search for all optimal plans of one goal; if a limit is exceeded, the result is not exact.

    Args:
        task: the task of the goal.
        limits: limits on numbers of states; None for the defaults.
        progress: called with a line of text from time to time.
    """

    def say(_: int, text: str) -> None:
        if progress is not None:
            progress(text)

    return search_together({0: task}, limits, say)[0]


def search_together(
    goal_tasks: Mapping[int, GoalTask], limits: Limits | None = None, progress: Speaking | None = None
) -> dict[int, Found]:
    """Search for all optimal plans of several goals; a result is not exact if a limit was exceeded.

    Args:
        goal_tasks: the task of each goal; tasks may differ only in the goal (`goal_tasks_by_kind`).
        limits: limits on numbers of states; None for the defaults.
        progress: called with the index of a goal and a line of text.

    Returns:
        the result for each goal.
    """
    return _Together(goal_tasks, limits or Limits(), progress).run()


class _Together:
    """A search for the optimal plans of several goals that alternates between two kinds of searches.

    One breadth-first (blind) search serves all goals; each goal also has a bounded search, which omits states. The
    tasks may differ only in the goal. `progress` is called with the index of a goal and a line of text.
    """

    def __init__(self, goal_tasks: Mapping[int, GoalTask], limits: Limits, progress: Speaking | None) -> None:
        self.limits = limits
        self.progress = progress
        self.open = dict(goal_tasks)
        self.found: dict[int, Found] = {}
        self.bounded: dict[int, BoundedSearch] = {}
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
            self.blind.expand()
        for goal in list(self.open):
            self._bound(goal, self.limits.evaluations, MOST_REMEMBERED)
            if goal in self.open:
                at_least = max(self.blind.level, self.bounded[goal].least)
                self._settle(goal, Found(-1, False, at_least, "none"))
        return self.found

    def _look(self) -> None:
        """Store the results of the goals that are true in a state of the last layer of the breadth-first search.

        If the layer is empty, all remaining goals get the result that they have no plan.
        """
        for goal, task in list(self.open.items()):
            found = self.blind.met(task.goal)
            if found is not None:
                self._settle(goal, found)

    def _predicted(self) -> float:
        """Predict how many states the breadth-first search will have found when it has reached all goals.

        The last goal is assumed to be as near as the known lower bounds on plan lengths allow.
        """
        level = max((self.bounded[goal].least for goal in self.open if goal in self.bounded), default=0)
        return self.blind.predicted(max(level, self.blind.level + 1))

    def _bound_within(self, budget: float) -> None:
        """Run the bounded searches of the remaining goals in turns until their total cost reaches a budget.

        The total cost includes earlier calls; finding a state by breadth-first search costs 1. Each round allows each
        goal twice as many lower bounds as the last. After a round with `LONGEST_TURN` bounds, the function returns in
        any case.
        """
        longest = min(LONGEST_TURN, self.limits.evaluations)
        most = 1
        while self.open and self.spent < budget and most < longest:
            most = min(2 * most, longest)
            for goal in list(self.open):
                if self.spent < budget:
                    self._bound(goal, most, self.remembered)

    def _bound(self, goal: int, most: int, remembered: int) -> None:
        if goal not in self.bounded:
            self.bounded[goal] = BoundedSearch(self.open[goal], self._speaking(goal), remembered)
        bounded = self.bounded[goal]
        bounded.remembered = remembered
        before = bounded.evaluated
        found = bounded.run(most, self.limits.states)
        self.spent += (bounded.evaluated - before) * bounded.each
        if found is not None:
            self._settle(goal, found)

    def _settle(self, goal: int, found: Found) -> None:
        """Store the final result of a goal, and free the memory of the bounded search for this goal."""
        bounded = self.bounded.pop(goal, None)
        bounds = (0, 0) if bounded is None else (bounded.n, bounded.evaluated)
        self.found[goal] = replace(found, met=self.blind.n + bounds[0], evaluated=bounds[1])
        del self.open[goal]

    def _speaking(self, goal: int) -> Progress | None:
        say = self.progress
        return None if say is None else lambda text: say(goal, text)


class Blind(StateTable):
    """A blind search for plans: breadth first, layer by layer, without any estimate of the steps left.

    Args:
        task: the task of the goal.
        progress: called with a line of text after each layer; None for no calls.
    """

    def __init__(self, task: GoalTask, progress: Progress | None = None) -> None:
        super().__init__(task, progress)
        self.depth[0] = 0
        self.level = 0
        self.layers = [np.zeros(1, dtype=np.int32)]
        self.last = self.states[:1]

    def run(self, most: int) -> Found | None:
        """Search until the goal is reached or no states are left; return None if `most` states are found first."""
        while True:
            found = self.met(self.task.goal)
            if found is not None or self.n >= most:
                return found
            self.expand()

    def expand(self) -> None:
        """Find the next layer: the states that are one step farther from the start than the last layer."""
        self.layers.append(self.next_layer(self.layers[-1], self.level)[2])
        self.last = self.states[self.layers[-1]]  # computed once for all goals
        self.level += 1
        self.say(f"{self.n:,} states")

    def met(self, goal: Words) -> Found | None:
        """Return the result for a goal if the last layer contains a goal state or is empty, otherwise None.

        An empty layer means that the goal has no plan. `goal` is ``uint64 [n_words]``, the bits that the goal requires.
        """
        last = self.layers[-1]
        if last.size == 0:
            return Found(-1, True, NO_WAY, "blind")
        return self.back(self.layers, goal, "blind") if holding(self.last, goal).any() else None

    def predicted(self, level: int) -> float:
        """Predict the number of states within `level` steps of the start if layers keep growing like the last layer."""
        size = float(self.layers[-1].size)
        growth = size / self.layers[-2].size if self.level else 1.0
        total = float(self.n)
        for _ in range(level - self.level):
            size *= growth
            total += size
            if total > NO_WAY * growth:
                break
        return total


class BoundedSearch(StateTable):
    """A breadth-first search that omits states from which every plan would be too long.

    A state is omitted if its depth, plus a lower bound on the steps left (LM-cut), exceeds the allowed length. If no
    plan is found, this length is raised, and the search is repeated. `remembered` is memory in bytes for intermediate
    results of lower bounds.
    """

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
        """Approximate cost of computing one lower bound on the steps left; finding a state by blind search costs 1."""
        entries = self.lists.pre.size + self.lists.add.size
        return 5 + int(entries) // 100

    def run(self, most_evaluated: int, most_states: int) -> Found | None:
        """Search until all optimal plans are found or there is provably none; return the result.

        The result is None if all calls together compute more than `most_evaluated` lower bounds, or find more than
        `most_states` states. Later calls reuse the bounds.
        """
        while self.least < NO_WAY:
            layers, cut_off = self._under(self.least, most_evaluated, most_states)
            if layers is None:
                return None
            if self.in_goal(layers[-1], self.task.goal).any():
                return self.back(layers, self.task.goal, "bounded")
            self.least = cut_off
        return Found(-1, True, NO_WAY, "bounded")

    def within(self, bound: int, most_evaluated: int, most_states: int) -> Words | None:
        """Return all states on paths of at most `bound` steps from the start to the goal, and possibly some others.

        The result is ``uint64 [n, n_words]``. It is None if, in all calls together, lower bounds of more than
        `most_evaluated` states are computed, or more than `most_states` states are found.
        """
        layers, _ = self._under(bound, most_evaluated, most_states, through=True)
        return None if layers is None else self.states[np.concatenate(layers)]

    def _under(
        self, bound: int, most_evaluated: int, most_states: int, through: bool = False
    ) -> tuple[list[IntArray] | None, int]:
        """Search breadth first, but omit states through which every plan provably has more than `bound` steps.

        If `through`, continue after the first layer with a goal state. Returns the states at each depth (None beyond
        `most_evaluated` lower bounds or `most_states` states), and a lower bound on the length of plans through omitted
        states, `NO_WAY` for none.
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
        """Compute the missing lower bounds (LM-cut) of some states, and store them in `self.bound`.

        Args:
            steps: ``int32 [3, n]``, for each of the states a transition that leads to it: source, operator and target
                (the state itself).
        """
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
        """Allocate arrays for the lower bounds of all states, and for LM-cut's cuts of as many states as memory allows.

        Returns:
            the lower bounds, ``int32 [n_states]``, -1 for unknown; each state's number of cuts, ``uint8 [n_stored]``;
                and the number of the cut with each operator (the goal last), ``uint8 [n_stored, n_operators + 1]``, 0
                for none.
        """
        size = self.states.shape[0]
        rows = min(size, self.remembered // (self.task.operators.size + 1))
        cuts = np.zeros((rows, self.task.operators.size + 1), dtype=np.uint8)
        return np.full(size, -1, dtype=np.int32), np.zeros(rows, dtype=np.uint8), cuts
