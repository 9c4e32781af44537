"""The judge ``planner``: decisions valued by the planner's own plans, on problems of any size.

The value of what is known after a decision is that of the best plan found from there, each with the planner's full
budget. So a question and an action are compared as deeply as each other, whichever was taken.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from askwise.audits.moments import Best, Lookout, Moment
from askwise.core.problem import Problem, credible_goals
from askwise.planning.planner import Plan, Planner, make_planner
from askwise.planning.tables import Tables, tables_of


class PlannerJudge:
    """The planner of one problem; it remembers what it has planned.

    Args:
        problem: the problem.
    """

    name = "planner"
    verdict = "planner, the best that it found"

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._home: Planner | None = None
        self._values: dict[Hashable, float] = {}

    def lookout(self, moment: Moment) -> Lookout:
        """Return what decisions cost at a moment."""
        if moment.explained and self.problem.policies is None:
            if self._home is None:
                self._home = self._new_planner(tables_of(self.problem))
            return PlannerLookout(self.problem, self._home, moment, self._values)
        tables = tables_of(self.problem, prior=moment.belief, start=moment.state.teammate)
        return PlannerLookout(self.problem, self._new_planner(tables), moment, {})

    def _new_planner(self, tables: Tables) -> Planner:
        return make_planner(self.problem, tables)


class PlannerLookout(Lookout):
    """A moment, valued by plans.

    Args:
        problem: what was played.
        planner: plans with tables that reach this moment.
        moment: the moment.
        values: what it has planned before.
    """

    def __init__(self, problem: Problem, planner: Planner, moment: Moment, values: dict[Hashable, float]) -> None:
        super().__init__(problem, planner.tables, moment)
        self.planner = planner
        self._values = values

    def value(self, moment: Moment) -> float:
        """See `Lookout`."""
        key = moment.key(self.problem)
        if key not in self._values:
            plan = self._plan(moment)
            self._values[key] = 0.0 if plan is None else min(plan.act, plan.ask)
        return self._values[key]

    def proposed(self) -> Best:
        """See `Lookout`."""
        plan = None if self.certain else self._plan(Moment(self.moment.state, self.belief, self.moment.answers))
        if plan is None or plan.question is None:
            return None, math.inf
        return plan.question, self.asking(plan.question)

    def least_question(self, at_most: float) -> float:
        """See `Lookout`; the planner thinks of no others than the one that it proposes."""
        cost = self.proposed()[1]
        return cost if cost <= at_most else math.inf

    def _plan(self, moment: Moment) -> Plan | None:
        """Return the best plan, None if there is nothing to find out any more."""
        state, answers = moment.state, self.problem.answers
        kept = moment.belief > 0
        if answers.wrong > 0 and not self.problem.ego.table().cut_off().any():
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
