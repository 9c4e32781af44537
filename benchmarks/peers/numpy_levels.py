"""EDP of all pairs in numpy: all goals together, one level of distance to the goal after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise import Model
from askwise.types import BoolArray, FloatArray, IntArray


def table(model: Model, goals: Sequence[int]) -> FloatArray:
    """Return EDP of all pairs of goals, ``float64 [n_goals (followed), n_states, n_goals (ruled out)]``."""
    distance, after = _distances(model, goals)
    policies = _urops(distance, after, model.stay)
    optimal = np.ascontiguousarray((policies > 0).transpose(1, 2, 0))
    n_goals, n_states = distance.shape[0], distance.shape[1] - 1
    values = np.full((n_goals, n_states + 1, n_goals), np.nan)
    values[np.arange(n_goals), goals] = 1.0
    values[np.arange(n_goals), goals, np.arange(n_goals)] = np.inf
    for level in range(1, distance.max() + 1):
        g, s = np.nonzero(distance[:, :-1] == level)
        rows = np.ones((g.size, n_goals))
        for a in range(after.shape[1]):
            share = policies[g, s, a][:, None]
            # Masked before multiplying, because 0 times nan is nan.
            rows += share * np.where(optimal[s, a] & (share > 0), values[g, after[s, a]], 0.0)
        values[g, s] = rows
    return values[:, :-1]


def urops(model: Model, goals: Sequence[int]) -> FloatArray:
    """Return the UROPs of `goals`, ``float64 [n_goals, n_states, n_actions]``."""
    return _urops(*_distances(model, goals), model.stay)


def _distances(model: Model, goals: Sequence[int]) -> tuple[IntArray, IntArray]:
    """Return steps to each goal, ``int32 [n_goals, n_states + 1]``, and the next states.

    Actions that are not available lead to an additional state that cannot reach any goal, so that no index is -1.
    """
    n_states = model.n_states
    after = np.where(model.successor < 0, n_states, model.successor)
    distance = np.full((len(goals), n_states + 1), -1, dtype=np.int32)
    distance[np.arange(len(goals)), goals] = 0
    level, growing = 0, True
    while growing:
        touched: BoolArray = (distance[:, after] == level).any(axis=2) & (distance[:, :-1] < 0)
        level += 1
        distance[:, :-1][touched] = level
        growing = bool(touched.any())
    return distance, after


def _urops(distance: IntArray, after: IntArray, stay: int) -> FloatArray:
    plans = (distance == 0).astype(np.float64)
    closer = distance[:, after] == distance[:, :-1, None] - 1
    closer &= distance[:, :-1, None] > 0
    for level in range(1, distance.max() + 1):
        g, s = np.nonzero(distance[:, :-1] == level)
        plans[g, s] = (plans[g[:, None], after[s]] * closer[g, s]).sum(axis=1)
    shares = np.where(closer, plans[:, after], 0.0)
    policies: FloatArray = np.divide(shares, plans[:, :-1, None], out=shares, where=closer)
    policies[..., stay][distance[:, :-1] == 0] = 1.0
    return policies
