"""The optimum once few goals are left, if it can be had for a given amount of work.

This is the search of `askwise.planning.exact` on the goals that are left, stopped where the work is used up. What it
has found is remembered: all later states of a solved one are answered without further search.
"""

from __future__ import annotations

from collections.abc import Sequence

from askwise.core.problem import JointState, Problem
from askwise.planning.exact.arrays import TooLarge
from askwise.planning.exact.search import DONE, TABLE_FULL
from askwise.planning.exact.solver import BestMove, Solver
from askwise.planning.tables import Tables

SPLITS_A_STATE = 40
"""Questions that may be looked at for each state that may be solved."""


def endgame_of(problem: Problem, tables: Tables, goals: Sequence[int], *, states: int) -> Endgame | None:
    """Return the exact search on these goals, None where it cannot number the states."""
    try:
        return Endgame(problem, tables, goals, states=states)
    except TooLarge:
        return None


class Endgame(Solver):
    """The exact search on some of the goals, for at most so many states in all."""

    def __init__(self, problem: Problem, tables: Tables, goals: Sequence[int], *, states: int) -> None:
        super().__init__(problem, goals=goals, tables=tables, limit=None)
        self.most_states = states
        self.gave_up = False

    def best(self, state: JointState, possible: Sequence[int]) -> BestMove | None:
        """Return what is optimal with the goals `possible` left, None if the work was not enough to find out."""
        if self.gave_up:
            return None
        try:
            return self.at(state, list(possible))
        except TooLarge:
            self.gave_up = True
            return None

    def _work_off(self) -> None:
        depth, end, most_splits = 0, -1, SPLITS_A_STATE * self.most_states
        while end != DONE:
            end, depth = self._go_on(depth, self.most_states, most_splits - self.splits)
            if end not in (DONE, TABLE_FULL):
                raise self.size.too_large("the planner goes on without")
