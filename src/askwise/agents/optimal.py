"""Does what is best, proven: the exact optimum of small problems as an agent.

It assumes that the teammate follows the UROP of its goal, and refuses problems that say how else it does. If a belief
that allows for errors (``robust``) says otherwise, because the teammate has left all shortest plans of a goal that is
still possible, it solves the problem anew from there: as if from now on there were no more errors, with the
probabilities that the belief gives.
"""

from __future__ import annotations

import numpy as np

from askwise.agents.ahead import LooksAhead
from askwise.agents.base import Decision
from askwise.planning.exact.size import MOST_STATES
from askwise.planning.exact.solver import BestMove, Solver
from askwise.planning.tables import tables_of
from askwise.problem import JointState, Problem
from askwise.seeds import Seed
from askwise.types import BoolArray


class Optimal(LooksAhead):
    """Follows the optimal policy; refuses problems that are too large to solve.

    Args:
        belief: ``bayes``, ``robust`` or ``elimination``; the last keeps the same goals as the first.
        tie_break: as of every `BeliefAgent`; plays a part only when one goal is left.
        limit: the most states to solve for one episode, None for any number.
    """

    name = "optimal"
    markov = True

    def __init__(self, *, belief: str = "bayes", tie_break: str = "random", limit: int | None = MOST_STATES) -> None:
        super().__init__(belief=belief, tie_break=tie_break)
        self.limit = limit
        self._home: Solver | None = None  # kept from one episode to the next: solving is all the work

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`; solves the problem."""
        super().reset(problem, seed)
        if self._home is None or self._home.problem is not problem:
            self._home = Solver(problem, limit=self.limit)
            self._home.at(problem.start)
        self.solver = self._home

    def when_torn(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`; for all states in which more than one goal is possible."""
        goals = np.flatnonzero(possible)
        if (self.solver.tables.weight[state.teammate, goals] <= 0).any():
            tables = tables_of(self.problem, prior=np.where(possible, self.probabilities, 0.0), start=state.teammate)
            self.solver = Solver(self.problem, goals=goals.tolist(), tables=tables, limit=self.limit)
        return self._explained(self.solver.at(state, possible), int(goals.size))

    def _explained(self, choice: BestMove, left: int) -> Decision:
        lost = f"not knowing the goal will cost {choice.expected_marginal_cost:.2f} on average, and nothing costs less"
        if choice.ask is not None:
            cost = self.problem.query_cost(choice.ask)
            why = f"Ask about {self.named(choice.ask)}, for a price of {cost:.2f}: {lost}."
            return Decision(ask=choice.ask, considered=choice.ask, cost=cost, why=why, verdict="proven optimal")
        assert choice.action is not None
        waits = choice.action == self.problem.wait
        name = "Wait" if waits else self.problem.describe_ego_action(choice.action)
        return Decision(action=choice.action, why=f"{name}: {left} goals are possible; {lost}.")
