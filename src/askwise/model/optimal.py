"""Optimal policies towards a goal (paper, section "Background").

With ``N_g(s)`` the number of minimal-cost plans from `s` to the goal, the *uniformly random optimal policy*
(UROP) draws one of all these plans uniformly and takes its first action::

    pi_g(s, a) = N_g(s') / N_g(s)      over the actions that are optimal in s

and STAYs at the goal. Choosing uniformly among the optimal *actions* of each step is a different policy,
`uniform_optimal`: it favours plans through states with few choices.

Every action costs 1. From states that cannot reach the goal both policies are undefined (all-zero rows).
For stochastic models plans cannot be counted and `urop` refuses; `uniform_optimal` then minimises the
expected number of steps by policy iteration.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.errors import InputError
from askwise.model import graph as _kernels
from askwise.model.graph import breadth_first
from askwise.model.model import Model
from askwise.model.policy import Policy
from askwise.model.pursuit import goal_states
from askwise.types import BoolArray, FloatArray, GoalLike, IntArray


@dataclass(frozen=True, slots=True)
class Distances:
    """Steps to a goal, ``int32 [n_states]`` (-1: out of reach), and the reached states in that order."""

    to_goal: IntArray
    order: IntArray


def distances(model: Model, targets: IntArray) -> Distances:
    """Breadth-first search backwards from the target states of a deterministic model."""
    return Distances(*breadth_first(targets, *model.predecessors))


def optimal_actions(model: Model, found: Distances) -> BoolArray:
    """``bool [n_states, n_actions]``: the actions that some optimal plan starts with; STAY at the goal."""
    d = found.to_goal
    # Index -1 (not available) reads the last state; the mask removes it again.
    closer: BoolArray = (d[model.successor] == d[:, None] - 1) & model.available & (d[:, None] > 0)
    closer[d == 0, model.stay] = True
    return closer


def urop(model: Model, goal: GoalLike) -> Policy:
    """Return the uniformly random optimal policy towards `goal`, right on maps of any size."""
    targets = goal_states(model, goal)
    if not model.deterministic:
        raise InputError(
            "model",
            "stochastic transitions",
            "a deterministic model, whose plans can be counted (uniform_optimal takes stochastic ones)",
        )
    return Policy(model, _urop_table(model, targets), partial=True)


def _urop_table(model: Model, targets: IntArray) -> FloatArray:
    """``float64 [n_states, n_actions]``: the UROP, final: it needs no copy."""
    n_states, n_actions = model.n_states, model.n_actions
    found = distances(model, targets)
    reached = found.order.size
    mantissa = np.zeros(n_states)
    exponent = np.zeros(n_states, dtype=np.int32)
    table = np.zeros((n_states, n_actions))
    counted = (found.order, reached, found.to_goal, model.successor, mantissa, exponent)
    _kernels.count_plans(*counted)
    _kernels.plan_shares(*counted, model.stay, table)
    table.setflags(write=False)
    return table


def uniform_optimal(model: Model, goal: GoalLike) -> Policy:
    """Return the policy that chooses uniformly among the optimal actions of each step."""
    targets = goal_states(model, goal)
    if model.deterministic:
        chosen = optimal_actions(model, distances(model, targets))
    else:
        from askwise.model.stochastic import fastest_actions

        chosen = fastest_actions(model, targets)
    return Policy(model, _uniform_over(chosen), partial=True)


def boltzmann(model: Model, goal: GoalLike, beta: float = 2.0) -> Policy:
    """Return the policy that does action `a` with probability proportional to ``exp(-beta * steps left after it)``.

    It STAYs at the goal, and nowhere else; actions after which the goal is out of reach are not taken. Deterministic
    models only.

    Args:
        model: the model.
        goal: the goal.
        beta: how much it prefers shorter ways; large numbers come to `uniform_optimal`.
    """
    if not 0 < beta < np.inf:
        raise InputError("beta", beta, "a finite number above 0")
    to_goal = distances(model, goal_states(model, goal)).to_goal
    following = np.where(model.available, model.successor, 0)
    left = np.where(model.available, to_goal[following], -1).astype(np.float64)
    left[:, model.stay] = -1.0
    taken = (left >= 0) & (to_goal[:, None] > 0)
    with np.errstate(over="ignore", under="ignore"):
        table = np.where(taken, np.exp(-beta * (left - (to_goal[:, None] - 1))), 0.0)
    total = table.sum(axis=1, keepdims=True)
    table = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
    table[to_goal == 0, model.stay] = 1.0
    return Policy(model, table, partial=True)


def _uniform_over(chosen: BoolArray) -> FloatArray:
    count = chosen.sum(axis=1, keepdims=True)
    shares: FloatArray = np.divide(chosen, count, out=np.zeros(chosen.shape), where=count > 0)
    return shares
