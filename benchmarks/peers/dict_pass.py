"""One backward pass for each pair with plain dictionaries: the right algorithm in an interpreter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.types import FloatArray
from benchmarks.peers.plain import DictPolicy, PlainWorld


def pairs(world: PlainWorld, wanted: Sequence[tuple[int, int]]) -> FloatArray:
    """Return EDP(pi_i | pi_j) at all states for each ``(i, j)``, ``float64 [n_pairs, n_states]``."""
    found = np.full((len(wanted), world.n_states), np.nan)
    for row, (i, j) in zip(found, wanted, strict=True):
        values = _one_pass(world, world.policies[i], world.policies[j])
        row[list(values)] = list(values.values())
    return found


def _one_pass(world: PlainWorld, pi_1: DictPolicy, pi_2: DictPolicy) -> dict[int, float]:
    values: dict[int, float] = {}
    for s, moves in pi_2.items():  # In the order of the distance to the goal: what is needed is there.
        allowed, successor = pi_1.get(s, {}), world.successor[s]
        values[s] = 1.0 + sum(p * values[successor[a]] for a, p in moves.items() if a in allowed)
    return values
