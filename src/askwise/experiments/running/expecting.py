"""Expected costs beside the episodes of a task: of methods, exactly, and bounds that no method can beat.

Episodes are samples. Under priors that favour goals near the worker, most episodes cost nothing and a few cost a lot,
and a mean over hundreds of them says little. What a method costs on one instance can be enumerated instead, and a
lower bound says how much is left to gain. Both take seconds, so a study does it for its first instances only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from askwise.evaluation import evaluate, lower_bound
from askwise.experiments.running.problems import Problems
from askwise.experiments.schema.study import Condition, Task
from askwise.experiments.schema.tables import BOUND, Row, in_words
from askwise.problem import Problem

TEAMMATE = "urop"
"""Whom expectations and bounds assume."""
Computed = tuple[float, str, int]
"""Expected marginal cost, verdict, states."""


def expected_rows(task: Task, problems: Problems) -> Iterator[Row]:
    """Yield the rows of all expected costs that the study asks for on this instance."""
    study = task.study
    bounded: set[tuple[object, ...]] = set()
    for condition in task.conditions():
        setting = (condition.prior, condition.answers, condition.base_cost, condition.per_station_cost)
        if task.index < study.bounds and setting not in bounded:
            bounded.add(setting)
            yield _row(task, problems, condition, BOUND, _bound)
        wanted = task.index < study.exact.instances and condition.prior.label in study.exact.priors
        if wanted and condition.teammate == TEAMMATE:
            yield _row(task, problems, condition, condition.method.label, partial(_exact, task, condition))


def _row(
    task: Task, problems: Problems, condition: Condition, method: str, compute: Callable[[Problem], Computed]
) -> Row:
    problem = problems(condition)
    found: tuple[float | None, str | None, int | None] = (None, None, None)
    error = None
    try:
        found = compute(problem)
    except Exception as failure:  # too large, or an agent at fault: the study goes on
        error = in_words(failure)
    return {
        "instance": task.index,
        "prior": condition.prior.label,
        "teammate": replace(condition, teammate=TEAMMATE).teammate_label,
        "method": method,
        "base_cost": problem.query_cost.base,
        "per_station_cost": problem.query_cost.per_goal,
        **dict(zip(("expected", "verdict", "states"), found, strict=True)),
        "error": error,
    }


def _bound(problem: Problem) -> Computed:
    found = lower_bound(problem)
    return found.value, str(found.verdict), found.states


def _exact(task: Task, condition: Condition, problem: Problem) -> Computed:
    found = evaluate(problem, condition.method.make(), exact=True, seed=task.episode_seed(0))
    return found.expected_marginal_cost, str(found.verdict), found.states
