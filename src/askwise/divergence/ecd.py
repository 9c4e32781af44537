"""Expected case distinctiveness (Wayllace et al., 2017), as the paper uses it.

The observed agent is not tied to one goal: in each state an action weighs the prior mass of the goals for
which it is optimal, normalised over the actions. ECD is the expected number of steps until it takes an action
that is not optimal for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.divergence.agreement import agreement
from askwise.divergence.edp import as_result
from askwise.divergence.policies import as_policy
from askwise.errors import InputError
from askwise.model import Model, Policy
from askwise.model.chain import expected_steps
from askwise.model.policy import as_numbers
from askwise.types import FloatArray, GoalLike, Result, StateLike

SMALLEST = 1e-300


def ecd(
    model: Model,
    goals: Sequence[Policy | GoalLike],
    at: StateLike | None = None,
    *,
    prior: Sequence[float] | None = None,
) -> Result:
    """Return the expected case distinctiveness of `goals` at one state or at all, with its verdict.

    Args:
        model: the model of the agent that is watched.
        goals: goals (or policies, of which only the support matters), at least one.
        at: one state; by default all.
        prior: weights of the goals, by default equal. Goals of weight 0 are not considered.
    """
    if len(goals) == 0:
        raise InputError("goals", "an empty list", "at least one goal")
    weights = prior_weights(prior, len(goals))
    mass = np.zeros((model.n_states, model.n_actions))
    common = np.ones((model.n_states, model.n_actions), dtype=bool)
    for weight, goal in zip(weights, goals, strict=True):
        if weight > 0:
            support = as_policy(model, goal).support
            mass += weight * support
            common &= support
    total = mass.sum(axis=1, keepdims=True)
    acting = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
    doubt = agreement(model, acting, common, at)
    if at is not None and not doubt.defined[0]:
        raise InputError("at", model.name(int(doubt.states[0])), "a state from which a goal can be reached")
    values, verdict = expected_steps(doubt.chain)
    return as_result(doubt, values, verdict, at)


def prior_weights(prior: Sequence[float] | None, n_goals: int) -> FloatArray:
    """Return the prior, ``float64 [n_goals]``, normalised; uniform by default."""
    if prior is None:
        return np.full(n_goals, 1 / n_goals)
    weights = as_numbers(prior, "prior")
    if weights.shape != (n_goals,):
        raise InputError("prior", f"{weights.size} weights", f"{n_goals}, one for each goal")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        raise InputError(f"prior of goal {wrong[0]}", float(weights[wrong[0]]), "a finite number from 0")
    if weights.max() == 0:
        raise InputError("prior", "weights that are all 0", "at least one weight above 0")
    return normalised(weights)


def normalised(weights: FloatArray) -> FloatArray:
    """Return weights, not all 0, as probabilities; neither huge nor tiny ones make a possible goal impossible."""
    scaled = weights / weights.max()  # first, so that the sum cannot overflow
    np.maximum(scaled, SMALLEST, out=scaled, where=weights > 0)
    return np.asarray(scaled / scaled.sum())
