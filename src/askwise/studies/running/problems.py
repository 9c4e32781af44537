"""The problems of a task: its instance under every prior and price that the study plays."""

from __future__ import annotations

import time

from askwise._compiled import compile_all
from askwise.api import as_problem
from askwise.core.answers import AnswerModel
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.studies.schema.domain import studies_of
from askwise.studies.schema.study import Condition, StudyPrior, Task


class Problems:
    """The problems of a task: one for each prior and price, all on the tables of one instance."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._plain: Problem | None = None
        self.setup_seconds = 0.0
        self._made: dict[tuple[StudyPrior, QueryCost], Problem] = {}
        compile_all()  # numba is loaded now: what that takes belongs to no decision that is timed
        self._answering: dict[tuple[StudyPrior, QueryCost, AnswerModel], Problem] = {}

    def __call__(self, condition: Condition) -> Problem:
        """Return the problem that is played in a condition."""
        if self._plain is None:
            instance, start = self._task.instance(), time.perf_counter()
            self._plain = as_problem(instance)
            self._plain.teammate.divergence(self._plain.start.teammate)
            self._plain.ego.divergence(self._plain.start.ego)
            self.setup_seconds = time.perf_counter() - start
        prior, cost = condition.prior, condition.query_cost(self._plain.query_cost)
        if (prior, cost) not in self._made:
            self._made[prior, cost] = studies_of(self._task.study.domain).with_terms(
                self._plain, prior.chosen_kind, prior.temperature, cost
            )
        made = self._made[prior, cost]
        if condition.answers is None:
            return made
        key = prior, cost, condition.answers
        if key not in self._answering:
            self._answering[key] = made.with_answers(condition.answers)
        return self._answering[key]
