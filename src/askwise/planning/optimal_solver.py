"""The optimal policy of a problem, worked out where it is asked for; see `askwise.planning.optimal` for the theory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.errors import InputError
from askwise.planning.optimal_arrays import arrays_of, check_goals
from askwise.planning.optimal_search import (
    DONE,
    EMPTY,
    FULL,
    NO_CHOICE,
    Arrays,
    Stack,
    Table,
    find,
    key_of,
    push,
    refill,
    search,
)
from askwise.planning.optimal_size import MOST_STATES, SPLITS_A_STATE, size_of
from askwise.planning.view import View, view_of
from askwise.problem import JointState, Problem
from askwise.types import FloatArray

STATES_A_TURN = 100_000
SPLITS_A_TURN = 20_000_000
"""Work between two reports of progress: less than a second."""

Progress = Callable[[int, int], None]
"""Is told the states solved and the questions looked at so far."""


@dataclass(frozen=True, slots=True)
class Choice:
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
        view: the problem's view, if it is there already.
        limit: the most states to solve, None for any number.
        progress: see `solve_problem`.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        goals: Iterable[int] | None = None,
        view: View | None = None,
        limit: int | None = MOST_STATES,
        progress: Progress | None = None,
    ) -> None:
        self.problem = problem
        self.view = view_of(problem) if view is None else view
        self.goals = check_goals(problem, self.view) if goals is None else sorted(goals)
        self.limit = limit
        self.progress = progress
        self.states = 0
        self.splits = 0
        self.size = size_of(self.view, self.goals)
        self.size.refuse_hopeless(limit)
        self.arrays = arrays_of(self.view, self.goals, problem.query_cost)
        self._stack = _stack(self.arrays, int(self.view.steps[self.view.start].max()))
        self._table = _table(1 << 12)

    def at(self, state: JointState, possible: Any = None) -> Choice:
        """Return what is optimal in `state` when only the goals `possible` are left.

        Args:
            state: where both agents are; the teammate is on a shortest plan for a possible goal.
            possible: numbers of goals, or ``bool [n_goals]``; those that the teammate's way rules out may be among
                them. By default all.
        """
        mask = self._mask(state.teammate, possible)
        if not mask & (mask - 1):
            goal = self.goals[mask.bit_length() - 1]
            action = int(self.problem.ego_optimal(state.ego)[goal].argmax())
            return Choice(action, None, 0.0)
        position, tool = self._hand(state.ego)
        loss, choice = self._solved(mask, state.teammate, position, tool)
        cost = loss / float(self._weights(mask, state.teammate).sum())
        if choice < 0:
            return Choice(None, self._listed(-1 - choice), cost)
        return Choice(self._action(choice), None, cost)

    __call__ = at

    def __deepcopy__(self, memo: dict[int, Any]) -> Solver:
        # All it ever does is to remember more of the same: copies of an agent can share it.
        return self

    def known_cost(self, state: JointState, possible: Any = None) -> float:
        """Return the expected cost from `state` if the goal were told right now."""
        weights = self._weights(self._mask(state.teammate, possible), state.teammate)
        steps = np.maximum(self.view.steps[state.teammate] + 1, self.problem.ego_steps(state.ego))[self.goals]
        return float((weights * steps).sum() / weights.sum())

    def loss(self, state: JointState) -> float:
        """Return the expected marginal cost of all goals from `state`, times the prior weight of the goals."""
        position, tool = self._hand(state.ego)
        mask = int(self.arrays.alive[state.teammate])
        return self._solved(mask, state.teammate, position, tool)[0] if mask & (mask - 1) else 0.0

    def _mask(self, worker: int, possible: Any) -> int:
        alive = int(self.arrays.alive[worker])
        if possible is not None:
            members = np.asarray(possible)
            allowed = set(np.flatnonzero(members).tolist() if members.dtype == bool else members.tolist())
            alive &= sum(1 << k for k, goal in enumerate(self.goals) if goal in allowed)
        if not alive:
            where = self.problem.teammate_model.name(worker)
            raise InputError(
                "state", f"the teammate at {where!r}, on no way to a possible goal", "a state on such a way"
            )
        return alive

    def _weights(self, mask: int, worker: int) -> FloatArray:
        inside = (mask >> np.arange(len(self.goals), dtype=np.int64)) & 1
        return np.asarray(self.arrays.weight[worker] * inside)

    def _hand(self, ego: int) -> tuple[int, int]:
        """Return position and tool, the tool counted among `goals`; the tool of another goal is as good as none."""
        position, tool = self.view.ego.split(ego)
        return position, self.goals.index(tool) if tool in self.goals else -1

    def _listed(self, mask: int) -> tuple[int, ...]:
        return tuple(goal for k, goal in enumerate(self.goals) if (mask >> k) & 1)

    def _action(self, choice: int) -> int:
        moves = self.view.ego.moves
        return int(
            moves[choice] if choice < len(moves) else self.view.ego.load_actions[self.goals[choice - len(moves)]]
        )

    def _solved(self, mask: int, worker: int, position: int, tool: int) -> tuple[float, int]:
        key = key_of(self.arrays, mask, worker, position, tool)
        slot = find(self._table.keys, key)
        if self._table.keys[slot] == EMPTY or self._table.choices[slot] == NO_CHOICE:
            push(self.arrays, self._stack, 0, mask, worker, position, tool, np.inf)
            self._work_off()
            slot = find(self._table.keys, key)
            assert self._table.choices[slot] != NO_CHOICE
        return float(self._table.losses[slot]), int(self._table.choices[slot])

    def _work_off(self) -> None:
        depth, end = 0, -1
        while end != DONE:
            until = self.states + STATES_A_TURN
            end, depth, self.states, looked = search(
                self.arrays, self._stack, depth, self._table, self.states, until, SPLITS_A_TURN
            )
            self.splits += looked
            if end == FULL:
                larger = _table(2 * self._table.keys.size)
                refill(self._table, larger)
                self._table = larger
            if self.limit is not None and (self.states > self.limit or self.splits > SPLITS_A_STATE * self.limit):
                raise self.size.too_large(f"not solved after {self.states:,} states and {self.splits:,} questions")
            if self.progress is not None and end != DONE:
                self.progress(self.states, self.splits)


def _stack(arrays: Arrays, steps: int) -> Stack:
    """Return room for the deepest chain of states: every step of the teammate, and a question for each goal."""
    n_goals = arrays.weight.shape[1]
    depth, n_options = steps + n_goals + 2, arrays.next.shape[1] + n_goals
    return Stack(
        np.zeros((depth, 9), dtype=np.int64),
        np.zeros((depth, 2)),
        np.zeros((depth, n_options), dtype=np.int64),
        np.zeros((depth, n_options)),
    )


def _table(size: int) -> Table:
    return Table(np.full(size, EMPTY, dtype=np.int64), np.empty(size), np.empty(size, dtype=np.int64))
