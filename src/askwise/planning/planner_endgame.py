"""The optimum once few goals are left, if it can be had for a given amount of work.

This is the search of `askwise.planning.optimal` on the goals that are left, stopped where the work is used up. What it
has found is remembered: all later states of a solved one are answered without further search.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.planning.optimal_search import DONE, EMPTY, FULL, Table, refill, search
from askwise.planning.optimal_size import TooLarge
from askwise.planning.optimal_solver import Choice, Solver
from askwise.planning.view import View
from askwise.problem import JointState, Problem

SPLITS_A_STATE = 40
"""Questions that may be looked at for each state that may be solved."""


def endgame_of(problem: Problem, view: View, goals: Sequence[int], *, states: int) -> Endgame | None:
    """Return the exact search on these goals, None where it cannot number the states."""
    try:
        return Endgame(problem, view, goals, states=states)
    except TooLarge:
        return None


class Endgame(Solver):
    """The exact search on some of the goals, for at most so many states in all."""

    def __init__(self, problem: Problem, view: View, goals: Sequence[int], *, states: int) -> None:
        super().__init__(problem, goals=goals, view=view, limit=None)
        self.most_states = states
        self.gave_up = False

    def best(self, state: JointState, possible: Sequence[int]) -> Choice | None:
        """Return what is optimal with the goals `possible` left, None if the work was not enough to find out."""
        if self.gave_up:
            return None
        try:
            return self.at(state, list(possible))
        except TooLarge:
            self.gave_up = True
            return None

    def _work_off(self) -> None:
        depth, end, most = 0, -1, SPLITS_A_STATE * self.most_states
        while end != DONE:
            end, depth, self.states, looked = search(
                self.arrays, self._stack, depth, self._table, self.states, self.most_states, most - self.splits
            )
            self.splits += looked
            if end == FULL:
                size = 2 * self._table.keys.size
                larger = Table(np.full(size, EMPTY, dtype=np.int64), np.empty(size), np.empty(size, dtype=np.int64))
                refill(self._table, larger)
                self._table = larger
            elif end != DONE:
                raise self.size.too_large("the planner goes on without")
