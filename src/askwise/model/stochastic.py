"""Fastest ways to a goal where moves are uncertain: least expected number of steps, by policy iteration.

1. `_sure_actions`: which actions keep a certain arrival possible. The largest set of states U such that every
   state in U can reach the goal by actions that never leave U (two nested fixed points).
2. Start from a policy that moves towards the goal with positive probability in every step: it arrives.
3. Evaluate it exactly (an absorbing chain), switch to better actions, repeat until there is none.

Values are rounded numbers, so actions within `TIE` of the best count as equally good.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.model.chain import AbsorbingChain, expected_steps
from askwise.model.graph import breadth_first
from askwise.model.lazy_module import Later
from askwise.model.model import Model
from askwise.types import BoolArray, FloatArray, IntArray

sparse = Later("scipy.sparse")

TIE = 1e-9


def fastest_actions(model: Model, targets: IntArray) -> BoolArray:
    """``bool [n_states, n_actions]``: the actions of least expected time to the goal, none where it is unsure."""
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
    """Return the actions that keep arrival certain and each state's level (steps to the goal, -1 outside)."""
    inside = np.ones(model.n_states, dtype=bool)
    while True:
        allowed = model.available & ~_may_reach(model, ~inside)
        level = _levels(model, at_goal, allowed)
        if ((level >= 0) == inside).all():
            return allowed & inside[:, None], level
        inside = level >= 0


def _may_reach(model: Model, marked: BoolArray) -> BoolArray:
    """``bool [n_states, n_actions]``: whether the action may lead into `marked` states."""
    hits = model.transitions @ marked.astype(np.float64)
    reached: BoolArray = (hits > 0).reshape(model.n_states, model.n_actions)
    return reached


def _levels(model: Model, at_goal: BoolArray, allowed: BoolArray) -> IntArray:
    """``int32 [n_states]``: fewest steps to the goal if luck helps, by allowed actions only."""
    backwards = model.mix(allowed).T.tocsr()
    return breadth_first(np.flatnonzero(at_goal), backwards.indptr, backwards.indices)[0]


def _first_choice(model: Model, sure: BoolArray, level: IntArray) -> Any:
    """Return for each state the allowed action that most probably leads one level closer to the goal.

    Any that may do so would arrive, but one that does it by a rare slip only could take longer than doubles can tell.
    """
    law = model.transitions
    wanted = np.repeat(level - 1, model.n_actions).repeat(np.diff(law.indptr))
    closer = np.where(level[law.indices] == wanted, law.data, 0.0)
    chance = sparse.csr_array((closer, law.indices, law.indptr), shape=law.shape).sum(axis=1)
    return np.where(sure, chance.reshape(sure.shape), -1.0).argmax(axis=1)


def _steps_under(model: Model, choice: Any, at_goal: BoolArray, inside: BoolArray) -> FloatArray:
    """Return the expected steps to the goal when each state does its `choice`; ``inf`` outside."""
    states = np.flatnonzero(inside & ~at_goal)
    value = np.where(at_goal, 0.0, np.inf)
    if states.size:
        rows = model.transitions[states * model.n_actions + choice[states]]
        arrives = rows @ at_goal.astype(np.float64) > 0
        value[states], _ = expected_steps(AbsorbingChain(rows[:, states], arrives), tolerance=TIE / 1000)
    return value


def _action_values(model: Model, value: FloatArray, sure: BoolArray) -> FloatArray:
    """``float64 [n_states, n_actions]``: one step plus what follows; ``inf`` for actions not allowed."""
    finite = np.where(np.isfinite(value), value, 0.0)
    after = 1 + (model.transitions @ finite).reshape(model.n_states, model.n_actions)
    return np.where(sure, after, np.inf)
