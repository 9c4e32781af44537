"""The optimal policy of a problem, worked out where it is asked for; see `askwise.planning.exact.optimal`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.core.problem import JointState, Problem
from askwise.errors import InputError
from askwise.planning.exact.arrays import (
    MOST_STATES,
    SPLITS_A_STATE,
    Charges,
    arrays_of,
    check_answers,
    check_goals,
    check_teammate,
    size_of,
)
from askwise.planning.exact.memory import NO_CHOICE, find, larger, stack_of, table_of, where_of
from askwise.planning.exact.search import DONE, GO_ON, TABLE_FULL, Start, search
from askwise.planning.tables import Tables, price_for_planning, tables_of
from askwise.text.table_budget import claim
from askwise.types import FloatArray

STATES_A_TURN = 100_000
SPLITS_A_TURN = 20_000_000
"""Work between two reports of progress: less than a second."""
FIRST_SIZE = 1 << 12
"""Places in the table at first; it doubles when it is full."""

Progress = Callable[[int, int], None]
"""Is told the states solved and the questions looked at so far."""


@dataclass(frozen=True, slots=True)
class BestMove:
    """What is optimal in one state.

    Attributes:
        action: the ontic action, None for a question.
        ask: the goals to ask about, None for an action.
        expected_marginal_cost: what is lost from here on, in expectation, by not knowing the goal.
    """

    action: int | None
    ask: tuple[int, ...] | None
    expected_marginal_cost: float


class Solver:
    """The optimal policy of a problem, worked out where it is asked for and remembered.

    Args:
        problem: the problem.
        goals: only these goals, as if an oracle had said that it is one of them; by default all of positive prior.
        tables: the problem's tables, if they are there already.
        limit: the most states to solve, None for any number.
        progress: see `solve_problem`.
        charges: what questions cost in place of the problem's prices.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        goals: Iterable[int] | None = None,
        tables: Tables | None = None,
        limit: int | None = MOST_STATES,
        progress: Progress | None = None,
        charges: Charges | None = None,
    ) -> None:
        self.problem = problem
        if tables is None:
            check_teammate(problem, "the optimum")
            check_answers(problem, "the optimum")
        self.tables = tables_of(problem) if tables is None else tables
        self.goals = check_goals(problem, self.tables) if goals is None else sorted(goals)
        self.limit = limit
        self.progress = progress
        self.states = 0
        self.splits = 0
        price = price_for_planning(problem, "the exact search adds up prices goal by goal")
        self.size = size_of(self.tables, self.goals)
        self.size.refuse_hopeless()
        self.arrays = arrays_of(self.tables, self.goals, price, charges)
        self._stack = stack_of(self.arrays, int(self.tables.steps[self.tables.start].max()))
        self._table = table_of(FIRST_SIZE)
        self._start = GO_ON

    def at(self, state: JointState, possible: Any = None) -> BestMove:
        """Return what is optimal in `state` when only the goals `possible` are left.

        Args:
            state: where both agents are; the teammate is on a shortest plan for a possible goal.
            possible: numbers of goals, or ``bool [n_goals]``; those that the teammate's way rules out may be among
                them. By default all.
        """
        goals = self._mask(state.teammate, possible)
        if not goals & (goals - 1):
            goal = self.goals[goals.bit_length() - 1]
            optimal = self.problem.ego.optimal(state.ego)[goal]
            return BestMove(int(optimal.argmax()) if optimal.any() else self.problem.ego.actions.stay, None, 0.0)
        place, load = self._place_and_load(state.ego)
        regret, choice = self._solved(goals, state.teammate, place, load)
        cost = regret / float(self._weights(goals, state.teammate).sum())
        if choice < 0:
            return BestMove(None, self._listed(-1 - choice), cost)
        return BestMove(self._action(place, choice), None, cost)

    __call__ = at

    def __deepcopy__(self, memo: dict[int, Any]) -> Solver:
        # All it ever does is to remember more of the same: copies of an agent can share it.
        return self

    def known_cost(self, state: JointState, possible: Any = None) -> float:
        """Return the expected cost from `state` if the goal were told right now."""
        weights = self._weights(self._mask(state.teammate, possible), state.teammate)
        steps = np.maximum(self.tables.steps[state.teammate] + 1, self.problem.ego.steps(state.ego))[self.goals]
        return float((weights * steps).sum() / weights.sum())

    def regret(self, state: JointState) -> float:
        """Return the expected marginal cost of all goals from `state`, times their weight there."""
        place, load = self._place_and_load(state.ego)
        goals = int(self.arrays.alive[state.teammate])
        return self._solved(goals, state.teammate, place, load)[0] if goals & (goals - 1) else 0.0

    def _mask(self, w: int, possible: Any) -> int:
        alive = int(self.arrays.alive[w])
        if possible is not None:
            members = np.asarray(possible)
            allowed = set(np.flatnonzero(members).tolist() if members.dtype == bool else members.tolist())
            alive &= sum(1 << k for k, goal in enumerate(self.goals) if goal in allowed)
        if not alive:
            where = self.problem.teammate.model.name(w)
            raise InputError(
                "state", f"the teammate at {where!r}, on no way to a possible goal", "a state on such a way"
            )
        return alive

    def _weights(self, goals: int, w: int) -> FloatArray:
        inside = (goals >> np.arange(len(self.goals), dtype=np.int64)) & 1
        return np.asarray(self.arrays.weight[w] * inside)

    def _place_and_load(self, ego: int) -> tuple[int, int]:
        """Return place and load, the load counted among `goals`; the load of another goal is as good as none."""
        place, load = self.tables.ego.split(ego)
        return place, self.goals.index(load) if load in self.goals else -1

    def _listed(self, goals: int) -> tuple[int, ...]:
        return tuple(goal for k, goal in enumerate(self.goals) if (goals >> k) & 1)

    def _action(self, place: int, choice: int) -> int:
        ego, n_moves = self.tables.ego, len(self.tables.ego.moves)
        return ego.action(place, choice) if choice < n_moves else int(ego.load_actions[self.goals[choice - n_moves]])

    def _solved(self, goals: int, w: int, place: int, load: int) -> tuple[float, int]:
        where = where_of(self.arrays, goals, w, place, load)
        entry = self._table[find(self._table, goals, where)]
        if not (entry["goals"] and entry["choice"] != NO_CHOICE):
            self._start = Start(goals, w, place, load)
            self._work_off()
            entry = self._table[find(self._table, goals, where)]
            assert entry["choice"] != NO_CHOICE
        return float(entry["regret"]), int(entry["choice"])

    def _work_off(self) -> None:
        """Solve what is on the stack."""
        depth, end = 0, -1
        while end != DONE:
            end, depth = self._go_on(depth, self.states + STATES_A_TURN, SPLITS_A_TURN)
            if self.limit is not None and (self.states > self.limit or self.splits > SPLITS_A_STATE * self.limit):
                found = f"not solved after {self.states:,} states and {self.splits:,} questions"
                raise self.size.too_large(f"{found}, all that is tried unless told to go on")
            if self.progress is not None and end != DONE:
                self.progress(self.states, self.splits)

    def _go_on(self, depth: int, most_states: int, most_splits: int) -> tuple[int, int]:
        """Go on up to so many states in all, or so many splits from here; return what ended it, and where."""
        end, depth, self.states, looked = search(
            self.arrays, self._stack, depth, self._table, self.states, most_states, most_splits, self._start
        )
        self._start = GO_ON
        self.splits += looked
        if end == TABLE_FULL:
            sizes = f"{self.states:,} states of {len(self.goals)} goals so far"
            claim(3 * self._table.nbytes, "table of the exact search", sizes, "a smaller problem")
            self._table = larger(self._table)
        return end, depth
