"""The two judges, which compute what decisions of the ego agent cost.

The judge ``optimal`` uses the exact optimum. The judge ``planner`` takes problems of any size: it plans anew from every
situation that can follow a decision.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from askwise.audits.moments import BestDecision, Moment, MomentValues
from askwise.core.answers import same_question
from askwise.core.problem import Problem, credible_goals
from askwise.planning.exact import MOST_STATES, OffTheMap, OptimalPolicy
from askwise.planning.optimum import make_solver, most_questions
from askwise.planning.planner import Plan, Planner, make_planner
from askwise.planning.questions import Questions
from askwise.planning.tables import Tables, tables_of

MOST_LISTED = 12
"""With up to this many goals (2,047 splits) all questions are valued, to tell over-asking from a wrong question. With
more goals, only the question that was asked and the one that the optimum proposes are valued."""


class ExactJudge:
    """The judge ``optimal``: it computes the costs of decisions from the exact optimum, and caches the results.

    Args:
        problem: the problem.
        questions: limit of questions per episode. None: no limit if answers are true, otherwise 3.
        limit: the most states that the search may solve.

    Raises:
        TooLarge: the search needs more states than `limit`.
        InputError: the optimum cannot be computed for such a teammate or such answers.

    Attributes:
        most: limit of questions per episode; None for no limit.
        home: computes the optimum from the start of the problem.
    """

    name = "optimal"

    def __init__(self, problem: Problem, *, questions: int | None = None, limit: int = MOST_STATES) -> None:
        self.problem = problem
        self.limit = limit
        self.most = most_questions(problem, questions)
        self.home = make_solver(problem, self.most, limit=limit)
        self.home.solve_everywhere()
        self._anew: dict[Hashable, OptimalPolicy] = {}

    @property
    def verdict(self) -> str:
        """The judge as a text for users, such as "optimal, exact" or "optimal with at most 3 questions, exact"."""
        if self.most is None:
            return "optimal, exact"
        return f"optimal with at most {self.most} question{'' if self.most == 1 else 's'}, exact"

    def values_at(self, moment: Moment) -> MomentValues:
        """Return an object that computes the costs of all decisions in one step of an episode.

        This method and the methods of the result raise `TooLarge` if the rest of the episode has too many states.

        Args:
            moment: what the ego agent knew before the step.
        """
        if not moment.explained or self.problem.policies is not None:
            return ExactValues(self, self.from_here(moment), moment, len(moment.answers))
        return ExactValues(self, self.home, moment, 0)

    def spent(self, moment: Moment) -> bool:
        """Return whether the questions asked before a step have used up the limit of questions per episode.

        Args:
            moment: what the ego agent knew before the step, with all answers.
        """
        return self.most is not None and len(moment.answers) >= self.most

    def from_here(self, moment: Moment) -> OptimalPolicy:
        """Return a cached solver for the rest of an episode, with the questions that may still be asked.

        Args:
            moment: what the ego agent knows where the rest begins.

        Raises:
            TooLarge: the rest of the episode has too many states.
        """
        key = moment.key(self.problem)
        if key not in self._anew:
            self._anew[key] = self._new_solver(moment)
        return self._anew[key]

    def _new_solver(self, moment: Moment) -> OptimalPolicy:
        tables = tables_of(self.problem, prior=moment.belief, start=moment.state.teammate)
        goals = np.flatnonzero(tables.weight[moment.state.teammate] > 0).tolist()
        return self.home.begun_at(tables, goals, ego=moment.state.ego, answers=moment.answers, limit=self.limit)


class ExactValues(MomentValues):
    """The costs of all decisions in one step of an episode, according to the exact optimum.

    Args:
        judge: the exact judge of the problem.
        solver: computes the optimum from the start of the episode or from this step.
        moment: what the ego agent knew before the step.
        heard: number of answers before the time at which `solver` begins.
    """

    def __init__(self, judge: ExactJudge, solver: OptimalPolicy, moment: Moment, heard: int) -> None:
        super().__init__(judge.problem, solver.tables, moment)
        self.judge = judge
        self.solver = solver
        self.heard = heard

    def value(self, moment: Moment) -> float:
        """Return the least expected cost from a moment to the end, beyond that of an agent that knows the goal.

        Args:
            moment: what the ego agent knows after this step. At least two goals must be possible.
        """
        try:
            return self.solver.move(
                moment.state, moment.belief > 0, moment.answers[self.heard :]
            ).expected_marginal_cost
        except OffTheMap:
            return self.judge.from_here(moment).at(moment.state).expected_marginal_cost

    def proposed(self) -> BestDecision:
        """Return the question that the exact optimum asks now, and its expected cost; ``(None, inf)`` if it acts.

        The cost includes the price and everything later, beyond what an agent that knows the goal would pay.
        """
        if self.certain:
            return None, math.inf
        try:
            asked = self.solver.move(self.moment.state, self.belief > 0, self.moment.answers[self.heard :]).ask
        except OffTheMap:
            asked = self.judge.from_here(self.moment).at(self.moment.state).ask
        return (None, math.inf) if asked is None else (asked, self.asking(asked))

    def least_question(self, at_most: float) -> float:
        """Return the expected cost of asking the best question now; infinity if it is above `at_most`.

        It is also infinity if no question is left, or if more than `MOST_LISTED` (12) goals are possible.
        """
        if self.judge.spent(self.moment):
            return math.inf
        persistent, n_goals = self.problem.answers.persistent, len(self.problem.goals)
        given = (same_question(answer.asked, n_goals) for answer in self.moment.answers if persistent)
        return _least_question_cost(self, at_most, frozenset(given))


def _least_question_cost(values_at: MomentValues, at_most: float, asked: frozenset[Hashable]) -> float:
    """Return the expected cost of asking the best question that is not in `asked`; infinity if it is above `at_most`.

    It is also infinity if more than `MOST_LISTED` (12) goals are possible. `asked` has the questions to leave out, as
    keys (`same_question`).
    """
    goals = np.flatnonzero(values_at.belief > 0).tolist()
    if not 1 < len(goals) <= MOST_LISTED:
        return math.inf
    least = at_most
    found = math.inf
    for option in Questions(values_at.problem, goals).about((1 << len(goals)) - 1, asked):
        if option.price > least:
            break  # questions are sorted by price, a lower bound of their cost
        cost = values_at.asking(option.asked, least)
        if cost <= least:
            least = found = cost
    return found


class PlannerJudge:
    """The judge ``planner``: it computes the costs of decisions from the best plans that the planner finds.

    The results are cached.
    """

    name = "planner"
    verdict = "planner, the best that it found"

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._home: Planner | None = None
        self._values: dict[Hashable, float] = {}

    def values_at(self, moment: Moment) -> MomentValues:
        """Return an object that computes the costs of all decisions in one step of an episode, using the planner.

        Args:
            moment: what the ego agent knew before the step.
        """
        if moment.explained and self.problem.policies is None:
            if self._home is None:
                self._home = self._new_planner(tables_of(self.problem))
            return PlannerValues(self.problem, self._home, moment, self._values)
        tables = tables_of(self.problem, prior=moment.belief, start=moment.state.teammate)
        return PlannerValues(self.problem, self._new_planner(tables), moment, {})

    def _new_planner(self, tables: Tables) -> Planner:
        return make_planner(self.problem, tables)


class PlannerValues(MomentValues):
    """The costs of all decisions in one step of an episode, according to the planner.

    Args:
        problem: the problem that was played.
        planner: a planner whose arrays (`Planner.tables`) cover the teammate's current state.
        moment: what the ego agent knew before the step.
        values: a cache from moments (`Moment.key`) to expected costs, to which new ones are added.
    """

    def __init__(self, problem: Problem, planner: Planner, moment: Moment, values: dict[Hashable, float]) -> None:
        super().__init__(problem, planner.tables, moment)
        self.planner = planner
        self._values = values

    def value(self, moment: Moment) -> float:
        """Return the expected cost of the planner's plan from a moment to the end of the episode.

        The cost is beyond that of an agent that knows the goal; 0 if fewer than two goals are possible.
        """
        key = moment.key(self.problem)
        if key not in self._values:
            plan = self._plan(moment)
            self._values[key] = 0.0 if plan is None else min(plan.act, plan.ask)
        return self._values[key]

    def proposed(self) -> BestDecision:
        """Return the best question in the planner's plan, and its expected cost; ``(None, inf)`` if there is none.

        The cost includes the price and everything later, beyond what an agent that knows the goal would pay.
        """
        plan = None if self.certain else self._plan(Moment(self.moment.state, self.belief, self.moment.answers))
        if plan is None or plan.question is None:
            return None, math.inf
        return plan.question, self.asking(plan.question)

    def least_question(self, at_most: float) -> float:
        """Return the expected cost of the question that the planner proposes now; infinity if it is above `at_most`.

        It is also infinity if the planner proposes no question. Other questions are not considered.
        """
        cost = self.proposed()[1]
        return cost if cost <= at_most else math.inf

    def _plan(self, moment: Moment) -> Plan | None:
        """Return the planner's plan from a moment on; None if the planner considers fewer than two goals possible.

        Args:
            moment: what the ego agent knows at that time.
        """
        state, answers = moment.state, self.problem.answers
        kept = moment.belief > 0
        if answers.fallible and not self.problem.ego.table().cut_off().any():
            kept = credible_goals(self.problem, moment.belief)
        kept &= self.tables.weight[state.teammate] > 0
        if np.count_nonzero(kept) < 2:
            return None
        return self.planner.plan(
            np.where(kept, moment.belief, 0.0),
            state.teammate,
            state.ego,
            asked=[answer.asked for answer in moment.answers],
        )
