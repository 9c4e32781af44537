"""What questions cost, in the form that planning needs: a sum over the goals named, nothing below 0.

Planning looks at many questions and bounds those that it does not look at. Both rest on two facts: the price of a
question is the sum of what its goals add, and to leave goals out of a question never makes it dearer.
"""

from __future__ import annotations

from collections.abc import Sequence

from askwise.core.problem import Problem
from askwise.core.questions import AdditivePrice, additive_price
from askwise.errors import InputError

ROUNDING = 1e-12
"""A price that was given as a function is taken apart by subtraction: parts this little below 0 are 0."""


def price_for_planning(problem: Problem, who: str) -> AdditivePrice:
    """Return a problem's price of questions as a sum over goals; refuse one that `who` cannot plan with."""
    price = additive_price(problem.query_cost, len(problem.goals), who)
    added = price.per_goal + price.extra
    least = min(float(added.min()), price.base + float(added.min()))
    if least < -ROUNDING:
        raise InputError("query cost", f"{least:g} for a question or a goal in it", f"nothing below 0: {who}")
    return price


def cheapest(price: AdditivePrice, goals: Sequence[int]) -> float:
    """Return what a question about some of these goals costs at least."""
    return float(price.base + (price.per_goal + price.extra[list(goals)].min()))
