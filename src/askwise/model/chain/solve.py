"""Solving ``(I - Q) V = 1`` for chains with cycles.

Small systems are factorised. Large ones (a grid of a million states fills the factors beyond memory) are iterated by
Gauss-Seidel sweeps, states in the order of their depth along the likeliest way out: where the chain mostly flows in
one direction, each sweep carries the values from the exits all the way up the current. LGMRES and BiCGSTAB,
preconditioned by such sweeps, were measured beside them on slippery grids of 1e5 to 1e6 states: slower where there is
a current (slip 0.2 and 0.5), twice as fast at best where there is none (slip 0.9), and several times slower there on a
machine whose cores were busy. That was not worth a second method.

Only the proven bound decides when to stop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.model.chain.absorbing import AbsorbingChain
from askwise.model.chain.bound import proven_bound
from askwise.model.lazy_module import Later
from askwise.types import FloatArray, IntArray

sparse = Later("scipy.sparse")
linalg = Later("scipy.sparse.linalg")

DIRECT_LIMIT = 20_000
"""Systems up to this size are factorised; a planar graph of that size has factors of a few megabytes."""

BLOCK = 20
"""Sweeps between two looks at the residual."""

PATIENCE = 50
"""Blocks without a smaller residual after which the iteration is called stuck."""


def direct_solve(chain: AbsorbingChain) -> FloatArray:
    """Factorise ``I - Q`` and refine the solution once; ``nan`` if rounding has made it singular."""
    system = (sparse.eye_array(chain.size, format="csr") - chain.matrix).tocsc()
    try:
        factors = linalg.splu(system)
    except RuntimeError:  # "Factor is exactly singular": the leak is smaller than what doubles can tell from 0
        return np.full(chain.size, np.nan)
    values: FloatArray = factors.solve(np.ones(chain.size))
    values += factors.solve(1 - system @ values)
    return values


def iterative_solve(chain: AbsorbingChain, tolerance: float, max_iterations: int) -> tuple[FloatArray, int]:
    """Sweep until the proven bound is within `tolerance`, or no progress is made; also return the sweeps."""
    order = _current_order(chain.matrix)
    matrix = chain.matrix[order][:, order]
    matrix.sort_indices()
    values = np.ones(chain.size)
    smallest, sweeps, stuck = np.inf, 0, 0
    while sweeps < max_iterations and stuck < PATIENCE:
        for _ in range(BLOCK):
            _gauss_seidel(matrix.indptr, matrix.indices, matrix.data, values)
        sweeps += BLOCK
        residual, bound = proven_bound(matrix, values)
        # Once rounding makes up most of the bound, further sweeps cannot lower it.
        if bound <= tolerance or 10 * residual < bound - residual < np.inf:
            break
        # Before the values have run up the whole current, no bound can be proven and a standstill means nothing.
        stuck = stuck + 1 if residual >= smallest and np.isfinite(bound) else 0
        smallest = min(smallest, residual)
    result = np.empty_like(values)
    result[order] = values
    return result, sweeps


def _current_order(matrix: Any) -> IntArray:
    """Order the states by their depth along the likeliest way out of the chain."""
    depth = np.empty(matrix.shape[0], dtype=np.int32)
    _depth_of_likeliest_way(matrix.indptr, matrix.indices, matrix.data, depth)
    return np.argsort(depth, kind="stable").astype(np.int32)


@compiled
def _depth_of_likeliest_way(indptr: Any, indices: Any, data: Any, depth: Any) -> None:
    n = depth.size
    onwards = np.full(n, -1, dtype=np.int32)
    for s in range(n):
        leak = 1.0
        best = 0.0
        for k in range(indptr[s], indptr[s + 1]):
            leak -= data[k]
            if data[k] > best and indices[k] != s:
                best = data[k]
                onwards[s] = indices[k]
        if leak >= best:
            onwards[s] = -1
    depth[:] = -1
    path = np.empty(n, dtype=np.int32)
    for start in range(n):
        # Walk to a state of known depth, an exit, or the path itself (a loop, cut there); then number backwards.
        length = 0
        s = start
        while s >= 0 and depth[s] == -1:
            depth[s] = 0
            path[length] = s
            length += 1
            s = onwards[s]
        below = depth[s] if s >= 0 else 0
        for k in range(length - 1, -1, -1):
            below += 1
            depth[path[k]] = below


@compiled
def _gauss_seidel(indptr: Any, indices: Any, data: Any, values: Any) -> None:
    """One sweep of ``V = 1 + Q V`` that uses each new value at once."""
    for s in range(values.size):
        total = 1.0
        own = 0.0
        for k in range(indptr[s], indptr[s + 1]):
            if indices[k] == s:
                own = data[k]
            else:
                total += data[k] * values[indices[k]]
        values[s] = total / (1.0 - own)
