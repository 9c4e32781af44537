"""The exact optimum: the least expected cost that any way of acting and asking can reach.

It is the recursion of `askwise.planning` with nothing left out that could be better:

- every ontic action: all moves, waiting, taking up every load that may still be needed;
- every split of `A` by a question, asked about its cheaper side.

What is left out are loads of impossible goals, and actions after which a possible goal could never be reached.

**Wrong and refused answers.** Then asking can go on for ever, and the number of questions is limited
(`askwise.planning.exact_noisy`). What is found is the least cost with that many. What more could gain is bounded: the
least cost if the last of these questions, and all after it, were answered truthfully, is below that of any number.

**Choices** are considered where the problem says what an option costs (`askwise.planning.exact_questions`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from askwise.core.answers import TRUTHFUL
from askwise.core.problem import Problem
from askwise.planning.exact import MOST_STATES, Progress, Solver, TooLarge
from askwise.planning.exact_noisy import MOST_QUESTIONS, LimitedSolver
from askwise.planning.exact_questions import MOST_PARTED
from askwise.types import Verdict

METHOD = "optimal over all questions and actions"
NOTHING = 1e-9
"""Gains below this are none."""


@dataclass(frozen=True)
class Solution:
    """The optimum of a problem.

    Attributes:
        expected_cost: the least expected cost.
        expected_marginal_cost: the same less what it would cost if the goal were known.
        verdict: how the numbers were obtained.
        states: states that were solved.
        splits: questions that were looked at.
        policy: what to do in every state.
        seconds: time taken.
        questions: how many questions may be asked in an episode, None for any number.
        lower_bound: no marginal cost is below, however many questions are asked; the same as `expected_marginal_cost`
            where their number is not limited.
    """

    expected_cost: float
    expected_marginal_cost: float
    verdict: Verdict
    states: int
    splits: int
    policy: Solver | LimitedSolver = field(compare=False, repr=False)
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
    """Solve a problem exactly.

    Args:
        problem: any problem whose goals a UROP teammate reaches in states of their own, with prices that add up goal by
            goal.
        questions: how many questions may be asked in an episode, answered or not. By default any number where answers
            are true, else `MOST_QUESTIONS`.
        go_on: do not stop at `limit`.
        limit: give up (`TooLarge`) when more states than this are needed.
        progress: called now and then with the states solved and the questions looked at so far.
    """
    began = time.perf_counter()
    most = most_questions(problem, questions)
    solver = solver_of(problem, most, limit=None if go_on else limit, progress=progress)
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
    """Return how many questions may be asked: as many as given, else any number where answers are true."""
    return MOST_QUESTIONS if questions is None and not problem.answers.truthful else questions


def solver_of(
    problem: Problem, most: int | None, *, limit: int | None, progress: Progress | None = None
) -> Solver | LimitedSolver:
    """Return what solves a problem with at most so many questions, None for any number of truthful ones."""
    if most is not None:
        return LimitedSolver(problem, most, limit=limit, progress=progress)
    if problem.query_cost.per_option is None:
        return Solver(problem, limit=limit, progress=progress)
    return LimitedSolver(problem, 0, truthful=True, limit=limit, progress=progress)


def _least(problem: Problem, most: int, found: float, limit: int) -> float:
    """Return a marginal cost that no number of questions is below: from some question on all answers are true."""
    for before in () if problem.answers.truthful else range(most - 1, 0, -1):
        try:
            solver = LimitedSolver(problem, before, truthful=True, limit=limit)
        except TooLarge:
            continue
        return min(found, solver.at(problem.start).expected_marginal_cost)
    try:
        truly = solver_of(problem.with_answers(TRUTHFUL), None, limit=limit)
        return min(found, truly.at(problem.start).expected_marginal_cost)
    except TooLarge:
        return 0.0


def _method(problem: Problem, solver: Solver | LimitedSolver, most: int | None, gain: float) -> str:
    sets = problem.query_cost.per_option is None or len(solver.goals) <= MOST_PARTED
    which = "questions" if sets else "questions (of choices: groups, and single goals)"
    if most is None:
        return METHOD if sets else f"optimal over all {which} and actions"
    method = f"optimal over all actions and at most {most} {which if most != 1 else which.replace('ns', 'n', 1)}"
    if gain < NOTHING:
        return f"{method}; more would not help"
    return f"{method}; more could save at most {gain:.3g}"
