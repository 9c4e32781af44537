"""Agreement chains of deterministic models, ready for general solvers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from askwise import Model
from askwise.types import BoolArray, FloatArray
from benchmarks.peers.numpy_levels import urops


class Chains:
    """The chains ``P'(s, s') = sum over a allowed by pi_i of pi_j(s, a)`` of all pairs of goals."""

    def __init__(self, model: Model, goals: Sequence[int]) -> None:
        self.model = model
        self.policies = urops(model, goals)
        self.supports: BoolArray = self.policies > 0

    def stacked(self, ruled_out: Sequence[int], followed: int) -> tuple[Any, FloatArray]:
        """Return the chains of several pairs side by side: probabilities of going on (CSR) and of ending."""
        s, a = np.nonzero(self.supports[followed])
        n, blocks = self.model.n_states, np.arange(len(ruled_out))
        goes_on = self.supports[ruled_out][:, s, a]
        block, edge = np.nonzero(goes_on)
        weight, target = self.policies[followed][s, a], self.model.successor[s, a]
        where = (block * n + s[edge], block * n + target[edge])
        matrix = sparse.csr_array((weight[edge], where), shape=(blocks.size * n, blocks.size * n))
        matrix.sort_indices()
        ends = np.where(goes_on, 0.0, weight)
        rows = (blocks[:, None] * n + s).ravel()
        ended = np.bincount(rows, ends.ravel(), minlength=blocks.size * n)
        return matrix, np.asarray(ended, dtype=np.float64)

    def masked(self, values: FloatArray, followed: int) -> FloatArray:
        """Write ``nan`` where the followed goal cannot be reached; `values` are ``[..., n_states]``."""
        return np.where(self.supports[followed].any(axis=1), values, np.nan)
