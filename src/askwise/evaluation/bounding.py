"""A lower bound on what any method costs on an instance or any problem."""

from __future__ import annotations

from askwise.domains.tool_fetching import Instance
from askwise.planning.bounds import Bound, bound_problem
from askwise.problem import Problem
from askwise.simulation import as_problem


def lower_bound(instance: Instance | Problem) -> Bound:
    """Return a number that no method's expected marginal cost is below."""
    return bound_problem(as_problem(instance))
