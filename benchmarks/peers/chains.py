"""Agreement chains of deterministic models as sparse matrices, and their values by a direct solver of scipy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from askwise import Model
from askwise.types import BoolArray, FloatArray
from benchmarks.peers.numpy_levels import urops


class Chains:
    """The chains ``P'(s, s') = sum over a allowed by pi_i of pi_j(s, a)`` of all pairs of goals of a model."""

    def __init__(self, model: Model, goals: Sequence[int]) -> None:
        self.model = model
        self.policies = urops(model, goals)
        self.supports: BoolArray = self.policies > 0

    def stacked(self, ruled_out: Sequence[int], followed: int) -> tuple[Any, FloatArray]:
        """Return the chains of several goals to rule out, side by side, for one goal that is followed.

        Returns:
            The probabilities of continuing (CSR) and of ending, with a block of states for each goal in `ruled_out`.
        """
        s, a = np.nonzero(self.supports[followed])
        n, blocks = self.model.n_states, np.arange(len(ruled_out))
        continues = self.supports[ruled_out][:, s, a]
        block, edge = np.nonzero(continues)
        weight, target = self.policies[followed][s, a], self.model.successor[s, a]
        where = (block * n + s[edge], block * n + target[edge])
        matrix = sparse.csr_array((weight[edge], where), shape=(blocks.size * n, blocks.size * n))
        matrix.sort_indices()
        ends = np.where(continues, 0.0, weight)
        rows = (blocks[:, None] * n + s).ravel()
        ended = np.bincount(rows, ends.ravel(), minlength=blocks.size * n)
        return matrix, np.asarray(ended, dtype=np.float64)

    def masked(self, values: FloatArray, followed: int) -> FloatArray:
        """Return `values`, ``[..., n_states]``, with nan where the followed goal cannot be reached."""
        return np.where(self.supports[followed].any(axis=1), values, np.nan)


def solve_pairs(chains: Chains, wanted: Sequence[tuple[int, int]]) -> FloatArray:
    """Return EDP(pi_i | pi_j) at all states for each ``(i, j)``, ``float64 [n_pairs, n_states]``.

    scipy solves one sparse linear system for each pair.
    """
    n = chains.model.n_states
    identity, ones = sparse.eye_array(n, format="csr"), np.ones(n)
    found = np.empty((len(wanted), n))
    for row, (i, j) in zip(found, wanted, strict=True):
        matrix, _ = chains.stacked([i], j)
        row[:] = chains.masked(linalg.spsolve((identity - matrix).tocsc(), ones), j)
    return found
