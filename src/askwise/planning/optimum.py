"""The exact optimum: the least expected cost that any way of acting and asking can reach.

`make_solver` picks the solver: `askwise.planning.exact` for any number of yes/no questions with true answers, otherwise
`askwise.planning.exact_noisy`. If answers can be wrong or missing, the number of questions is limited. A lower bound on
the least cost without this limit is then computed, too. It is the least cost if the last of the allowed questions, and
any number of further ones, were answered truthfully.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from askwise.core.answers import TRUTHFUL
from askwise.core.problem import Problem
from askwise.planning.exact import MOST_STATES, OptimalPolicy, Progress, Solver, TooLarge
from askwise.planning.exact_noisy import MOST_QUESTIONS, LimitedSolver
from askwise.planning.questions import MOST_PARTED
from askwise.planning.tables import Tables
from askwise.types import Verdict

METHOD = "optimal over all questions and actions"
NOTHING = 1e-9
"""Gains below this are rounding errors."""


@dataclass(frozen=True)
class Solution:
    """The optimum of a problem.

    Attributes:
        expected_cost: the least expected cost.
        expected_marginal_cost: the same, minus the expected cost of an agent that knows the goal.
        verdict: how the costs were computed, and whether they are exact.
        states: number of solved states.
        splits: number of compared questions.
        policy: the optimal move in each state.
        seconds: computing time.
        questions: how many questions an episode may have, None for any number.
        lower_bound: a lower bound on `expected_marginal_cost` with any number of questions.
    """

    expected_cost: float
    expected_marginal_cost: float
    verdict: Verdict
    states: int
    splits: int
    policy: OptimalPolicy = field(compare=False, repr=False)
    seconds: float = field(compare=False)
    questions: int | None = None
    lower_bound: float | None = None


def solve_problem(
    problem: Problem,
    *,
    questions: int | None = None,
    go_on: bool = False,
    limit: int = MOST_STATES,
    progress: Progress | None = None,
) -> Solution:
    """Return the least expected cost that any policy of acting and asking can reach, and a policy that reaches it.

    Args:
        problem: the problem.
        questions: the most questions in an episode; by default any number if answers are true, otherwise 3.
        go_on: whether `limit` applies only to the lower bound.
        limit: the most states to solve; beyond it `TooLarge` is raised.
        progress: called with the numbers of solved states and compared questions.
    """
    began = time.perf_counter()
    most = most_questions(problem, questions)
    solver = make_solver(problem, most, limit=None if go_on else limit, progress=progress)
    marginal = solver.at(problem.start).expected_marginal_cost
    least = marginal if most is None else _least(problem, most, marginal, limit)
    return Solution(
        expected_cost=marginal + solver.known_cost(problem.start),
        expected_marginal_cost=marginal,
        verdict=Verdict(_method(problem, solver, most, marginal - least)),
        states=solver.states,
        splits=solver.splits,
        policy=solver,
        seconds=time.perf_counter() - began,
        questions=most,
        lower_bound=least,
    )


def most_questions(problem: Problem, questions: int | None) -> int | None:
    """Return the most questions in an episode, None for any number.

    It is `questions` if that is given; by default any number if all answers are true, otherwise 3.
    """
    return MOST_QUESTIONS if questions is None and not problem.answers.truthful else questions


def make_solver(
    problem: Problem,
    most: int | None = None,
    *,
    goals: list[int] | None = None,
    tables: Tables | None = None,
    limit: int | None,
    progress: Progress | None = None,
) -> OptimalPolicy:
    """Return a new solver for a problem with at most `most` questions; its class depends on the problem.

    Args:
        problem: the problem.
        most: how many questions an episode may have. None for any number; then all answers count as true.
        goals: the goals to consider, by default all.
        tables: the problem as arrays, if already computed.
        limit: the most states to solve, None for any number.
        progress: called with the numbers of solved states and compared questions.
    """
    if most is None and problem.query_cost.per_option is None:
        return Solver(problem, goals=goals, tables=tables, limit=limit, progress=progress)
    truthful = most is None
    return LimitedSolver(
        problem, most or 0, truthful=truthful, goals=goals, tables=tables, limit=limit, progress=progress
    )


def _least(problem: Problem, most: int, found: float, limit: int) -> float:
    """Return a lower bound on the expected marginal cost with any number of questions.

    It is the least cost if only the first ``most - 1`` answers could be wrong or missing (fewer, if that takes more
    than `limit` states), but at most `found`, the cost with `most` questions. If even true answers take too many
    states, it is 0.
    """
    for before in () if problem.answers.truthful else range(most - 1, 0, -1):
        try:
            solver = LimitedSolver(problem, before, truthful=True, limit=limit)
        except TooLarge:
            continue
        return min(found, solver.at(problem.start).expected_marginal_cost)
    try:
        truly = make_solver(problem.with_answers(TRUTHFUL), None, limit=limit)
        return min(found, truly.at(problem.start).expected_marginal_cost)
    except TooLarge:
        return 0.0


def _method(problem: Problem, solver: OptimalPolicy, most: int | None, gain: float) -> str:
    sets = problem.query_cost.per_option is None or len(solver.goals) <= MOST_PARTED
    which = "questions" if sets else "questions (of choices: groups, and single goals)"
    if most is None:
        return f"optimal over all {which} and actions"
    method = f"optimal over all actions and at most {most} {which if most != 1 else which.replace('ns', 'n', 1)}"
    if gain < NOTHING:
        return f"{method}; more would not help"
    return f"{method}; more could save at most {gain:.3g}"
