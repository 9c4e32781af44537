"""Expected costs beside the episodes of a task: of methods, exactly, and bounds that no method can beat.

Episodes are samples. Under priors that favour goals near the worker, most episodes cost nothing and a few cost a lot,
and a mean over hundreds of them says little. What a method costs on one instance can be enumerated instead, and a
lower bound says how much is left to gain. Both take seconds, so a study does it for its first instances only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from askwise.core.problem import Problem
from askwise.play.evaluation.bounding import lower_bound
from askwise.play.evaluation.evaluating import evaluate
from askwise.studies.running.problems import Problems
from askwise.studies.running.rows import PriceColumns, Rows, Unit
from askwise.studies.schema.study import Condition, Method, Task
from askwise.studies.schema.tables import BOUND, Row, in_words
from askwise.workers import heartbeat

TEAMMATE = "urop"
"""Whom expectations and bounds assume."""
Computed = tuple[float, str, int]
"""Expected marginal cost, verdict, states."""


def expected_units(task: Task) -> Iterator[Unit]:
    """Iterate over all expected costs that the study asks for on this instance."""
    study = task.study
    bounded: set[tuple[object, ...]] = set()
    for condition in task.conditions():
        setting = (condition.prior, condition.answers, condition.base_cost, condition.per_station_cost)
        if task.index < study.bounds and setting not in bounded:
            bounded.add(setting)
            yield Expected(condition, bound=True)
        wanted = task.index < study.exact.instances and condition.prior.label in study.exact.priors
        if wanted and condition.teammate == TEAMMATE:
            yield Expected(condition, bound=False)


@dataclass(frozen=True)
class Expected:
    """One expected cost: that of a condition's method, or the bound for all methods."""

    condition: Condition
    bound: bool

    @property
    def method(self) -> Method | None:
        """See `Unit`."""
        return None if self.bound else self.condition.method

    def play(self, task: Task, problems: Problems) -> Rows:
        """See `Unit`."""
        prices: PriceColumns = (None, None)
        try:
            problem = problems(self.condition)
            prices = problem.query_cost.base, problem.query_cost.per_goal
            heartbeat.own.set_prices(problem.query_cost.base, problem.query_cost.per_goal)
            found = self._compute(task, problem)
        except KeyboardInterrupt:
            raise
        except BaseException as failure:  # too large, or an agent at fault: the study goes on
            return self.failed(task, in_words(failure), prices)
        values = dict(zip(("expected", "verdict", "states"), found, strict=True))
        return Rows(expected=[{**self._key(task, prices), **values, "error": None}])

    def failed(self, task: Task, error: str, prices: PriceColumns = (None, None)) -> Rows:
        """See `Unit`."""
        nothing = dict.fromkeys(("expected", "verdict", "states"))
        return Rows(expected=[{**self._key(task, prices), **nothing, "error": error}])

    def _compute(self, task: Task, problem: Problem) -> Computed:
        if self.bound:
            least = lower_bound(problem)
            return least.value, str(least.verdict), least.states
        found = evaluate(problem, self.condition.method.make(), exact=True, seed=task.episode_seed(0))
        return found.expected_marginal_cost, str(found.verdict), found.states

    def _key(self, task: Task, prices: PriceColumns) -> Row:
        condition, (base, per_station) = self.condition, prices
        return {
            "instance": task.index,
            "prior": condition.prior.label,
            "teammate": replace(condition, teammate=TEAMMATE).teammate_label,
            "method": BOUND if self.bound else condition.method.label,
            "base_cost": condition.base_cost if base is None else base,
            "per_station_cost": condition.per_station_cost if per_station is None else per_station,
        }
