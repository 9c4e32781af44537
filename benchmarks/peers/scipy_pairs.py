"""scipy's direct sparse solver, one linear system for each pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from askwise.types import FloatArray
from benchmarks.peers.chains import Chains


def pairs(chains: Chains, wanted: Sequence[tuple[int, int]]) -> FloatArray:
    """Return EDP(pi_i | pi_j) at all states for each ``(i, j)``, ``float64 [n_pairs, n_states]``."""
    n = chains.model.n_states
    identity, ones = sparse.eye_array(n, format="csr"), np.ones(n)
    found = np.empty((len(wanted), n))
    for row, (i, j) in zip(found, wanted, strict=True):
        matrix, _ = chains.stacked([i], j)
        row[:] = chains.masked(linalg.spsolve((identity - matrix).tocsc(), ones), j)
    return found
