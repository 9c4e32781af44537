"""A lower bound on what any method costs on an instance or any problem."""

from __future__ import annotations

from askwise.domains.registry import as_problem
from askwise.errors import InputError
from askwise.model.names import as_int
from askwise.planning.bounds import MOST_STATES, Bound, bound_problem, bound_with_true_answers_after


def lower_bound(instance: object, *, limit: int = MOST_STATES, questions: int | None = None) -> Bound:
    """Return a number that no method's expected marginal cost is below, however many questions it asks.

    Args:
        instance: an instance, its file, or a problem whose goals the teammate reaches in states of their own.
        limit: states to solve for each group of goals; more make the bound tighter and take longer.
        questions: where answers may be wrong or missing, let all but the last of so many be so, and all later ones be
            true; by default all are taken to be true, which is quicker. The bound is for any number of questions.
    """
    if (as_int(limit) or 0) < 1:
        raise InputError("limit", repr(limit), "a whole number from 1")
    if questions is not None and (as_int(questions) is None or questions < 0):
        raise InputError("questions", repr(questions), "a whole number from 0")
    problem = as_problem(instance)
    bound = bound_problem(problem, limit=limit)
    tighter = None if questions is None else bound_with_true_answers_after(problem, questions - 1, limit=limit)
    return bound if tighter is None or tighter.value <= bound.value else tighter
