"""The exact optimum of a problem, and lower bounds of the cost of every method."""

from __future__ import annotations

from askwise.core.problem import Problem
from askwise.methods.base import check_count
from askwise.planning.bounds import GROUP_STATES, Bound, bound_problem, bound_with_true_answers_after
from askwise.planning.exact import MOST_STATES, Progress
from askwise.planning.groups import TIGHT_STATES, bound_with_groups
from askwise.planning.optimum import Solution, solve_problem


def solve(
    problem: Problem,
    *,
    questions: int | None = None,
    go_on: bool = False,
    limit: int = MOST_STATES,
    progress: Progress | None = None,
) -> Solution:
    """Return the least expected cost that any policy of acting and asking can reach, and a policy that reaches it.

    Args:
        problem: the problem; `askwise.solve` also takes an instance of any domain, or the path of its file.
        questions: limit of questions per episode, answered or not; by default no limit if answers are true, otherwise
            3. The verdict states how much a higher limit could save at most.
        go_on: ignore `limit`.
        limit: largest number of states to solve; beyond it `TooLarge` is raised with the size of the problem.
        progress: called now and then with the numbers of states solved and of questions searched.
    """
    check_count("limit", limit, 1, optional=False)
    check_count("questions", questions, 0)
    return solve_problem(problem, questions=questions, go_on=go_on, limit=limit, progress=progress)


def lower_bound(
    problem: Problem,
    *,
    limit: int = GROUP_STATES,
    questions: int | None = None,
    tight: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> Bound:
    """Return a lower bound of the expected marginal cost of every method, however many questions it asks.

    The bound is computed from groups of goals that are small enough to be solved exactly.

    Args:
        problem: the problem; `askwise.lower_bound` also takes an instance of any domain, or the path of its file.
        limit: largest number of states to solve for each group of goals; more make the bound tighter and take longer.
        questions: if answers may be wrong or missing, only the answers to the first ``questions - 1`` questions are
            treated as possibly wrong or missing, and all later ones as true. By default all are treated as true, which
            is faster. The bound holds for any number of questions.
        tight: solve larger groups of goals. Unless that solves the whole problem, also try random groups
            (`askwise.planning.groups`), which give a better bound if many goals are likely and prices depend on the
            goals named. For 50 goals this takes from some seconds to a minute. A bound from random groups holds with 95
            % confidence; the verdict says so.
        seed: seed of the random groups.
        progress: called with the number of random groups solved and their total number.
    """
    check_count("limit", limit, 1, optional=False)
    check_count("questions", questions, 0)
    check_count("seed", seed, 0, optional=False)
    quick = bound_problem(problem, limit=max(limit, TIGHT_STATES) if tight else limit)
    bounds: list[Bound | None] = [quick]
    if questions is not None:
        bounds.append(bound_with_true_answers_after(problem, questions - 1, limit=limit))
    if tight and not quick.verdict.exact:
        bounds.append(bound_with_groups(problem, seed=seed, progress=progress))
    # `max` returns the first of equal bounds, so proven ones come before those that hold with some confidence.
    return max((bound for bound in bounds if bound is not None), key=lambda bound: bound.value)
