"""Optimal policies towards a goal (section "Background" of the paper).

Every action costs 1. ``N_g(s)`` is the number of shortest plans from state `s` to goal `g`. The *uniformly random
optimal policy* (UROP) draws one of them uniformly and takes its first action. An optimal action `a` from `s` to ``s'``
has the probability::

    pi_g(s, a) = N_g(s') / N_g(s)

`uniform_optimal` chooses uniformly among the optimal *actions* instead. Both policies take STAY at the goal, and are
undefined (rows of zeros) where it cannot be reached.

**Stochastic models.** `urop` raises an error. `uniform_optimal` minimises the expected number of steps by policy
iteration:

1. Find the largest set U of states from which the goal can be reached by actions that never leave U.
2. Start from a policy that moves closer to the goal with positive probability in every step.
3. Compute its expected number of steps, and switch to better actions, until nothing improves.

Actions within a relative difference of `TIE` from the best are equally good.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.errors import InputError
from askwise.model.chain import AbsorbingChain, expected_steps
from askwise.model.graph import breadth_first, count_plans, plan_shares
from askwise.model.model import Model
from askwise.model.policy import Policy
from askwise.model.pursuit import goal_states
from askwise.types import BoolArray, FloatArray, GoalLike, IntArray, LazyModule


@dataclass(frozen=True, slots=True)
class Distances:
    """Distances of all states to one goal.

    Attributes:
        to_goal: ``int32 [n_states]``, fewest steps to the goal, -1 where it is out of reach.
        order: ``int32``, indices of the states from which the goal can be reached, nearest first.
    """

    to_goal: IntArray
    order: IntArray


def distances(model: Model, targets: IntArray) -> Distances:
    """Return the distance of every state to the nearest of the states `targets`, in a deterministic model."""
    return Distances(*breadth_first(targets, *model.predecessors))


def reachable(model: Model, start: int) -> BoolArray:
    """Return whether each state of a deterministic model can be reached from the state `start`, ``bool [n_states]``."""
    available = model.available
    indptr = np.concatenate(([0], np.cumsum(available.sum(axis=1))))
    steps = breadth_first([start], indptr, model.successor[available])[0]
    return np.asarray(steps >= 0)


def optimal_actions(model: Model, found: Distances) -> BoolArray:
    """Return for each state and action whether it begins a shortest plan to a goal, ``bool [n_states, n_actions]``.

    In a state at the goal, only STAY is True. `found` has the distances to the goal in the deterministic `model`.
    """
    d = found.to_goal
    # Index -1 (not available) reads the last state; the mask removes it again.
    closer: BoolArray = (d[model.successor] == d[:, None] - 1) & model.available & (d[:, None] > 0)
    closer[d == 0, model.stay] = True
    return closer


def urop(model: Model, goal: GoalLike) -> Policy:
    """Return the UROP (uniformly random optimal policy) towards `goal`: it draws one of all shortest plans uniformly.

    It is undefined in states that cannot reach the goal. Only for deterministic models.
    """
    targets = goal_states(model, goal)
    if not model.deterministic:
        raise InputError(
            "model",
            "stochastic transitions",
            "a deterministic model, whose plans can be counted (uniform_optimal takes stochastic ones)",
        )
    return Policy(model, _urop_table(model, targets), partial=True)


def _urop_table(model: Model, targets: IntArray) -> FloatArray:
    """Return the action probabilities of the UROP towards the states `targets`, ``float64 [n_states, n_actions]``.

    The UROP (uniformly random optimal policy) draws one of all shortest plans uniformly.
    """
    n_states, n_actions = model.n_states, model.n_actions
    found = distances(model, targets)
    reached = found.order.size
    mantissa = np.zeros(n_states)
    exponent = np.zeros(n_states, dtype=np.int32)
    table = np.zeros((n_states, n_actions))
    counted = (found.order, reached, found.to_goal, model.successor, mantissa, exponent)
    count_plans(*counted)
    plan_shares(*counted, model.stay, table)
    table.setflags(write=False)
    return table


def uniform_optimal(model: Model, goal: GoalLike) -> Policy:
    """Return the policy that chooses uniformly among the actions with the fewest expected steps to `goal`.

    It is undefined in states from which no policy reaches the goal with probability 1.
    """
    targets = goal_states(model, goal)
    if model.deterministic:
        chosen = optimal_actions(model, distances(model, targets))
    else:
        chosen = fastest_actions(model, targets)
    return Policy(model, _uniform_over(chosen), partial=True)


def boltzmann(model: Model, goal: GoalLike, beta: float = 2.0) -> Policy:
    """Return the policy that takes an action with probability proportional to ``exp(-beta * steps left after it)``.

    `model` must be deterministic. The steps left are the fewest from the next state to the goal. Actions that put the
    goal out of reach are never taken; STAY is taken only at the goal. For large `beta` the policy approaches
    `uniform_optimal`.
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


sparse = LazyModule("scipy.sparse")

TIE = 1e-9


def fastest_actions(model: Model, targets: IntArray) -> BoolArray:
    """Return for each state and action whether the action has the fewest expected steps to the states `targets`.

    The result is ``bool [n_states, n_actions]``. In a target, only STAY is True. In a state from which no policy
    reaches a target with probability 1, all actions are False. `targets` has indices, ``int32``. `model` is stochastic.
    """
    at_goal = np.zeros(model.n_states, dtype=bool)
    at_goal[targets] = True
    sure, level = _sure_actions(model, at_goal)
    inside = level >= 0
    choice = _first_choice(model, sure, level)
    while True:
        value = _steps_under(model, choice, at_goal, inside)
        best = _action_values(model, value, sure)
        improved = best.min(axis=1) < value * (1 - TIE)
        improved &= inside & ~at_goal
        if not improved.any():
            break
        choice[improved] = best[improved].argmin(axis=1)
    chosen: BoolArray = sure & (best <= best.min(axis=1, keepdims=True) * (1 + TIE)) & (inside & ~at_goal)[:, None]
    chosen[at_goal, model.stay] = True
    return chosen


def _sure_actions(model: Model, at_goal: BoolArray) -> tuple[BoolArray, IntArray]:
    """Return the actions after which the goal can still be reached with probability 1, and the steps to the goal.

    Returns:
        Whether each action is such an action, ``bool [n_states, n_actions]``; and the fewest steps to the goal by these
        actions with the best luck, ``int32 [n_states]``, -1 where no policy reaches the goal with probability 1.
    """
    inside = np.ones(model.n_states, dtype=bool)
    while True:
        allowed = model.available & ~_may_reach(model, ~inside)
        level = _levels(model, at_goal, allowed)
        if ((level >= 0) == inside).all():
            return allowed & inside[:, None], level
        inside = level >= 0


def _may_reach(model: Model, marked: BoolArray) -> BoolArray:
    """Return for each state and action whether the action may lead into a marked state in one step.

    The result is ``bool [n_states, n_actions]``.

    Args:
        model: the model.
        marked: ``bool [n_states]``, the marked states.
    """
    hits = model.transitions @ marked.astype(np.float64)
    reached: BoolArray = (hits > 0).reshape(model.n_states, model.n_actions)
    return reached


def _levels(model: Model, at_goal: BoolArray, allowed: BoolArray) -> IntArray:
    """Return the fewest steps in which allowed actions can lead to the goal with the best luck, ``int32 [n_states]``.

    The result is -1 for a state from which the allowed actions never lead to the goal. `at_goal` is
    ``bool [n_states]``, `allowed` is ``bool [n_states, n_actions]``.
    """
    backwards = model.mix(allowed).T.tocsr()
    return breadth_first(np.flatnonzero(at_goal), backwards.indptr, backwards.indices)[0]


def _first_choice(model: Model, sure: BoolArray, level: IntArray) -> Any:
    """Return for each state the action that most probably leads closer to the goal, ``int64 [n_states]``.

    The result has no meaning at the goal and in states without an action in `sure`. `sure`,
    ``bool [n_states, n_actions]``, has the actions to choose from. `level`, ``int32 [n_states]``, is the fewest
    possible steps to the goal by these actions.
    """
    law = model.transitions
    wanted = np.repeat(level - 1, model.n_actions).repeat(np.diff(law.indptr))
    closer = np.where(level[law.indices] == wanted, law.data, 0.0)
    chance = sparse.csr_array((closer, law.indices, law.indptr), shape=law.shape).sum(axis=1)
    return np.where(sure, chance.reshape(sure.shape), -1.0).argmax(axis=1)


def _steps_under(model: Model, choice: Any, at_goal: BoolArray, inside: BoolArray) -> FloatArray:
    """Return the expected steps to the goal under a policy with one fixed action in each state, ``float64 [n_states]``.

    `choice`, ``int [n_states]``, has these actions. `at_goal` and `inside` are ``bool [n_states]``. `inside` has the
    states from which arrival is certain; in the others the result is ``inf``.
    """
    states = np.flatnonzero(inside & ~at_goal)
    value = np.where(at_goal, 0.0, np.inf)
    if states.size:
        rows = model.transitions[states * model.n_actions + choice[states]]
        arrives = rows @ at_goal.astype(np.float64) > 0
        value[states], _ = expected_steps(AbsorbingChain(rows[:, states], arrives), tolerance=TIE / 1000)
    return value


def _action_values(model: Model, value: FloatArray, sure: BoolArray) -> FloatArray:
    """Return the expected steps to the goal if an action is taken first, ``float64 [n_states, n_actions]``.

    `value`, ``float64 [n_states]``, has the expected steps to the goal from each state after the first action. The
    result is ``inf`` for actions that are not in `sure`, ``bool [n_states, n_actions]``.
    """
    finite = np.where(np.isfinite(value), value, 0.0)
    after = 1 + (model.transitions @ finite).reshape(model.n_states, model.n_actions)
    return np.where(sure, after, np.inf)
