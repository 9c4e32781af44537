"""The exact optimum of an instance or of any problem.

A lower bound on what any method costs on an instance or any problem.
"""

from __future__ import annotations

from askwise.core.problem import Problem
from askwise.errors import InputError
from askwise.model.names import as_int
from askwise.planning.bounds import MOST_STATES as GROUP_STATES
from askwise.planning.bounds import Bound, bound_problem, bound_with_true_answers_after
from askwise.planning.exact import MOST_STATES, Progress
from askwise.planning.groups import Progress as GroupProgress
from askwise.planning.groups import bound_with_groups
from askwise.planning.optimum import Solution, solve_problem


def solve(
    instance: Problem,
    *,
    questions: int | None = None,
    go_on: bool = False,
    limit: int = MOST_STATES,
    progress: Progress | None = None,
) -> Solution:
    """Return the least expected cost that any way of acting and asking can reach, and how to reach it.

    Args:
        instance: a problem; `askwise.solve` also takes an instance of any domain, or the path of its file.
        questions: how many questions may be asked in an episode, answered or not; by default any number where answers
            are true, else 3. The verdict says what more of them could save at most.
        go_on: do not stop at `limit`.
        limit: give up when more states than this are needed; the error says how large the problem is.
        progress: called now and then with the states solved and the questions looked at so far.
    """
    if (as_int(limit) or 0) < 1:
        raise InputError("limit", repr(limit), "a whole number from 1")
    if questions is not None and (as_int(questions) is None or questions < 0):
        raise InputError("questions", repr(questions), "a whole number from 0")
    return solve_problem(instance, questions=questions, go_on=go_on, limit=limit, progress=progress)


TIGHT_STATES = 1_000_000
"""States to solve for a group of goals where the bound is to be tight: some seconds."""


def lower_bound(
    instance: Problem,
    *,
    limit: int = GROUP_STATES,
    questions: int | None = None,
    tight: bool = False,
    seed: int = 0,
    progress: GroupProgress | None = None,
) -> Bound:
    """Return a number that no method's expected marginal cost is below, however many questions it asks.

    Args:
        instance: a problem; `askwise.lower_bound` also takes an instance of any domain, or the path of its file.
        limit: states to solve for each group of goals; more make the bound tighter and take longer.
        questions: where answers may be wrong or missing, let all but the last of so many be so, and all later ones be
            true; by default all are taken to be true, which is quicker. The bound is for any number of questions.
        tight: solve larger groups of goals; and unless that solves the whole problem, also try random groups
            (`askwise.planning.groups`), which tells more where many goals are likely and questions cost by the goals
            they name. For 50 goals it takes from some seconds to a minute, and holds with 95 % confidence if the bound
            comes from random groups: the verdict says so.
        seed: for these groups.
        progress: is told how many of these groups are solved, and of how many.
    """
    if (as_int(limit) or 0) < 1:
        raise InputError("limit", repr(limit), "a whole number from 1")
    if questions is not None and (as_int(questions) is None or questions < 0):
        raise InputError("questions", repr(questions), "a whole number from 0")
    if as_int(seed) is None or seed < 0:
        raise InputError("seed", repr(seed), "a whole number from 0")
    problem = instance
    quick = bound_problem(problem, limit=max(limit, TIGHT_STATES) if tight else limit)
    bounds: list[Bound | None] = [quick]
    if questions is not None:
        bounds.append(bound_with_true_answers_after(problem, questions - 1, limit=limit))
    if tight and not quick.verdict.exact:
        bounds.append(bound_with_groups(problem, seed=seed, progress=progress))
    # The first of equals: what is proven comes before what holds with some confidence.
    return max((bound for bound in bounds if bound is not None), key=lambda bound: bound.value)
