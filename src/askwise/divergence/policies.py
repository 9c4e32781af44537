"""Where a policy is expected, a goal may stand for its policy."""

from __future__ import annotations

from askwise.model import Model, Policy, uniform_optimal, urop
from askwise.types import GoalLike


def as_policy(model: Model, given: Policy | GoalLike) -> Policy:
    """Return `given` over `model`; a goal stands for the teammate's best guess of how it will be pursued.

    That is its UROP, or, in stochastic models, where plans cannot be counted, `uniform_optimal`.
    """
    if isinstance(given, Policy):
        return given.on(model)
    return optimal_policy(model, given)


def optimal_policy(model: Model, goal: GoalLike) -> Policy:
    """Return the UROP of `goal`, or `uniform_optimal` in stochastic models."""
    return urop(model, goal) if model.deterministic else uniform_optimal(model, goal)
