"""A lower bound on what any method costs on an instance or any problem."""

from __future__ import annotations

from askwise.domains.registry import as_problem
from askwise.errors import InputError
from askwise.model.names import as_int
from askwise.planning.bounds import MOST_STATES, Bound, bound_problem


def lower_bound(instance: object, *, limit: int = MOST_STATES) -> Bound:
    """Return a number that no method's expected marginal cost is below.

    Args:
        instance: an instance, its file, or a problem whose goals the teammate reaches in states of their own.
        limit: states to solve for each group of goals; more make the bound tighter and take longer.
    """
    if (as_int(limit) or 0) < 1:
        raise InputError("limit", repr(limit), "a whole number from 1")
    return bound_problem(as_problem(instance), limit=limit)
