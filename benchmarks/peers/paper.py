"""The paper's algorithm (appendix, "Calculate EDP"): sweeps over all states until nothing changes any more.

Written with sparse dictionaries: the sums run over the actions and next states that have a probability. Read to
the letter, the inner sum runs over all states, which takes about fifty times as long.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.types import FloatArray
from benchmarks.peers.plain import DictPolicy, PlainWorld

EPSILON = 1e-6


def pairs(world: PlainWorld, wanted: Sequence[tuple[int, int]]) -> FloatArray:
    """Return EDP(pi_i | pi_j) at all states for each ``(i, j)``, ``float64 [n_pairs, n_states]``."""
    found = np.full((len(wanted), world.n_states), np.nan)
    for row, (i, j) in zip(found, wanted, strict=True):
        values = _calculate_edp(world, world.policies[i], world.policies[j])
        row[list(values)] = list(values.values())
    return found


def _calculate_edp(world: PlainWorld, pi_1: DictPolicy, pi_2: DictPolicy) -> dict[int, float]:
    edp = dict.fromkeys(pi_2, 0.0)
    error = float("inf")
    while error > EPSILON:
        error = 0.0
        old = edp.copy()
        for s, moves in pi_2.items():
            allowed = [a for a in pi_1.get(s, ()) if a in moves]
            value = 1.0 - sum(moves[a] for a in allowed)
            for a in allowed:
                value += moves[a] * sum(p * (1.0 + old[t]) for t, p in world.transitions[s][a].items())
            edp[s] = value
            error = max(error, abs(value - old[s]))
    return edp
