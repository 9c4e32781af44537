"""The exact optimum of an instance or of any problem."""

from __future__ import annotations

from askwise.core.problem import Problem
from askwise.errors import InputError
from askwise.model.names import as_int
from askwise.planning.exact import MOST_STATES, Progress
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
