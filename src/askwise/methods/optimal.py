"""Does what is best, proven: the exact optimum of small problems as an agent.

It assumes that the teammate follows the UROP of its goal, and refuses problems that say how else it does. If a belief
that allows for errors (``robust``) says otherwise, because the teammate has left all shortest plans of a goal that is
still possible, it solves the problem anew from there: as if from now on there were no more errors, with the
probabilities that the belief gives.

Where answers may be wrong or missing it is the optimum with a limited number of questions (`questions`). Then it
reckons with every goal that is not impossible, however little credible; and it knows what to do after all answers that
its own questions can have. After others (somebody else asked) it solves the problem anew, too.
"""

from __future__ import annotations

import numpy as np

from askwise.core.decision import Decision
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Choice, Question
from askwise.errors import InputError
from askwise.methods.base import PlanningAgent
from askwise.model.names import as_int
from askwise.planning.exact import MOST_STATES, BestMove, Solver
from askwise.planning.exact_noisy import LimitedSolver, Move, OffTheMap
from askwise.planning.optimum import most_questions, solver_of
from askwise.planning.tables import tables_of
from askwise.seeds import Seed
from askwise.types import BoolArray


class Optimal(PlanningAgent):
    """Follows the optimal policy; refuses problems that are too large to solve.

    Args:
        belief: ``bayes``, ``robust`` or ``elimination``; the last keeps the same goals as the first.
        limit: the most states to solve for one episode, None for any number.
        questions: how many questions it may ask in an episode; by default any number where answers are true, else 3.
    """

    name = "optimal"
    markov = True
    plans_with_questions = True
    counts_questions = True

    def __init__(
        self,
        *,
        belief: str = "bayes",
        limit: int | None = MOST_STATES,
        questions: int | None = None,
    ) -> None:
        super().__init__(belief=belief)
        if questions is not None and (as_int(questions) is None or questions < 0):
            raise InputError("questions", repr(questions), "a whole number from 0")
        self.limit = limit
        self.questions = questions
        self._home_most: int | None = None
        self._home: Solver | LimitedSolver | None = None  # kept from one episode to the next: solving is all the work

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`; solves the problem."""
        super().reset(problem, seed)
        self._most = most_questions(problem, self.questions)
        self._ways_of_no_return = problem.answers.fallible and bool(problem.ego.table().cut_off().any())
        if self._home is None or self._home.problem is not problem or self._home_most != self._most:
            self._home, self._home_most = solver_of(problem, self._most, limit=self.limit), self._most
            self._home.at(problem.start)
        self.solver = self._home
        self._heard_before = 0  # answers that the solver was told as probabilities of goals

    def considered_goals(self) -> BoolArray:
        """See `PlanningAgent`; where answers may be wrong, what is next to impossible is not impossible."""
        if isinstance(self.solver, LimitedSolver) and (self.belief.rules_out or self._ways_of_no_return):
            return self.belief.not_ruled_out
        return super().considered_goals()

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`; for all states in which more than one goal is possible."""
        goals = np.flatnonzero(possible)
        off = bool((self.solver.tables.weight[state.teammate, goals] <= 0).any())
        if isinstance(self.solver, LimitedSolver):
            return self._explained(self._limited(state, possible, off=off), int(goals.size))
        if off:
            tables = tables_of(self.problem, prior=np.where(possible, self.probabilities, 0.0), start=state.teammate)
            self.solver = Solver(self.problem, goals=goals.tolist(), tables=tables, limit=self.limit)
        return self._explained(self.solver.at(state, possible), int(goals.size))

    def _limited(self, state: JointState, possible: BoolArray, *, off: bool) -> Move:
        """Return what is best with the questions left, solving anew where the solver has never been."""
        assert isinstance(self.solver, LimitedSolver)
        answers = self.tracker.answers
        if not off:
            try:
                return self.solver.at(state, answers[self._heard_before :])
            except OffTheMap:
                pass
        self.solver = LimitedSolver(
            self.problem,
            0 if self._most is None else max(0, self._most - len(answers)),
            truthful=self._most is None,
            goals=np.flatnonzero(possible).tolist(),
            tables=tables_of(self.problem, prior=np.where(possible, self.probabilities, 0.0), start=state.teammate),
            ego=state.ego,
            asked=[answer.asked for answer in answers],
            limit=self.limit,
        )
        self._heard_before = len(answers)
        return self.solver.at(state)

    def _explained(self, choice: BestMove | Move, left: int) -> Decision:
        lost = f"not knowing the goal will cost {choice.expected_marginal_cost:.2f} on average, and nothing costs less"
        if choice.ask is not None:
            cost = self.problem.query_cost(choice.ask)
            why = f"Ask {self._worded(choice.ask)}, for a price of {cost:.2f}: {lost}."
            return Decision(ask=choice.ask, considered=choice.ask, cost=cost, why=why, verdict="proven optimal")
        assert choice.action is not None
        waits = choice.action == self.problem.ego.actions.stay
        name = "Wait" if waits else self.problem.ego.actions.names[choice.action]
        return Decision(action=choice.action, why=f"{name}: {left} goals are possible; {lost}.")

    def _worded(self, asked: Question) -> str:
        if not isinstance(asked, Choice):
            return f"about {self.named(asked)}"
        groups = [self.named(group) for group in asked.groups]
        if asked.names:
            groups = [f"{name} ({goals})" for name, goals in zip(asked.names, groups, strict=True)]
        return f"which of these it is: {'; '.join(groups)}"
