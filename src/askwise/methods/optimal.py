"""The exact optimum of small problems as an agent.

It assumes that the teammate follows the UROP of its goal, and refuses problems that state other policies. With the
belief ``robust``, the teammate may leave all shortest plans of a goal that is still possible. Then the agent solves the
problem again from there, as if the teammate made no more errors, with the belief as the prior.

If answers may be wrong or missing, it is the optimum with a limited number of questions (`questions`). Then it plans
for every goal that is not ruled out, however improbable. Its solution covers all answers to its own questions. After
answers to other questions, which another agent asked, it solves the problem again.
"""

from __future__ import annotations

import numpy as np

from askwise.core.decision import Decision
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Choice, Question
from askwise.methods.base import PlanningAgent, check_count
from askwise.planning.exact import MOST_STATES, BestMove, OffTheMap, OptimalPolicy
from askwise.planning.optimum import make_solver, most_questions
from askwise.planning.tables import tables_of
from askwise.seeds import Seed
from askwise.types import BoolArray


class Optimal(PlanningAgent):
    """An agent that follows the optimal policy.

    Its method `reset` raises `TooLarge` if the problem cannot be solved.

    Args:
        belief: ``bayes``, ``robust`` or ``elimination``, which considers the same goals possible as ``bayes``.
        limit: largest number of states to solve for one episode; None for no limit.
        questions: limit of questions per episode; by default no limit if answers are true, otherwise 3.
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
        check_count("questions", questions, 0)
        self.limit = limit
        self.questions = questions
        self._home_most: int | None = None
        self._home: OptimalPolicy | None = None  # kept for the next episode, because solving takes long

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """Start an episode, and solve the problem unless that was done for an earlier episode.

        Raises `TooLarge` if the problem has too many states.
        """
        super().reset(problem, seed)
        self._most = most_questions(problem, self.questions)
        self._irreversible = problem.answers.fallible and bool(problem.ego.table().cut_off().any())
        if self._home is None or self._home.problem is not problem or self._home_most != self._most:
            self._home, self._home_most = make_solver(problem, self._most, limit=self.limit), self._most
            self._home.at(problem.start)
        self.solver = self._home
        self._heard_before = 0  # number of the first answers that the solver's prior already includes

    def considered_goals(self) -> BoolArray:
        """Return the goals to plan for, ``bool [n_goals]``: the possible ones.

        If answers may be wrong, these are all goals that are not ruled out, including very improbable ones.
        """
        if self.solver.follows_answers and (self.belief.rules_out or self._irreversible):
            return self.belief.not_ruled_out
        return super().considered_goals()

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """Return the optimal decision, to act or to ask, in a state in which more than one goal is possible."""
        goals = np.flatnonzero(possible)
        off = bool((self.solver.tables.weight[state.teammate, goals] <= 0).any())
        return self._explained(self._best_move(state, possible, off=off), int(goals.size))

    def _best_move(self, state: JointState, possible: BoolArray, *, off: bool) -> BestMove:
        """Return the optimal move; if the solution does not cover the state, first solve the problem from there.

        Args:
            state: the states of both agents.
            possible: ``bool [n_goals]``, the goals to plan for.
            off: whether the teammate has left all shortest plans for one of these goals.
        """
        answers = self.tracker.answers
        if not off:
            try:
                return self.solver.move(state, possible, answers[self._heard_before :])
            except OffTheMap:
                pass
        assert self._home is not None
        tables = tables_of(self.problem, prior=np.where(possible, self.probabilities, 0.0), start=state.teammate)
        goals = np.flatnonzero(possible).tolist()
        self.solver = self._home.begun_at(tables, goals, ego=state.ego, answers=answers, limit=self.limit)
        self._heard_before = len(answers)
        return self.solver.at(state)

    def _explained(self, choice: BestMove, left: int) -> Decision:
        lost = f"you lose {choice.expected_marginal_cost:.2f} steps on average, and no other decision loses less"
        if choice.ask is not None:
            cost = self.problem.query_cost(choice.ask)
            why = f"Ask {self._question_text(choice.ask)}, for a price of {cost:.2f}: price included, {lost}."
            return Decision(ask=choice.ask, considered=choice.ask, cost=cost, why=why, verdict="proven optimal")
        assert choice.action is not None
        waits = choice.action == self.problem.ego.actions.stay
        name = "Wait" if waits else self.problem.ego.actions.names[choice.action]
        return Decision(action=choice.action, why=f"{name}: {left} goals are possible; {lost}.")

    def _question_text(self, asked: Question) -> str:
        if not isinstance(asked, Choice):
            return f"about {self.named(asked)}"
        groups = [self.named(group) for group in asked.groups]
        if asked.names:
            groups = [f"{name} ({goals})" for name, goals in zip(asked.names, groups, strict=True)]
        return f"which of these it is: {'; '.join(groups)}"
