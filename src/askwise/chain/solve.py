"""Solving ``(I - Q) V = 1`` for chains with cycles.

Small systems are factorised. Large ones (a grid of a million states fills the factors beyond memory) are
iterated by two methods that complement each other:

- *Gauss-Seidel sweeps*, states in the order of their depth along the likeliest way out. Where the chain mostly
  flows in one direction, each sweep carries the values from the exits all the way up the current.
- *BiCGSTAB corrections*, preconditioned by one such sweep, tried whenever the sweeps alone would take long: they mix
  what no current carries. A correction is kept only if the true residual is smaller with it.

Only the proven bound decides when to stop; a Krylov solver's own success code decides nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from askwise._compiled import compiled
from askwise.chain.absorbing import AbsorbingChain
from askwise.chain.bound import proven_bound
from askwise.types import FloatArray, IntArray

DIRECT_LIMIT = 20_000
"""Systems up to this size are factorised; a planar graph of that size has factors of a few megabytes."""

BLOCK = 20
"""Sweeps between two looks at the residual."""

SLOW = 2000
"""Further sweeps, foretold from the last block, above which a Krylov correction is tried."""

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
    """Iterate until the proven bound is within `tolerance`, or no progress is made; also return the steps."""
    order = _current_order(chain.matrix)
    matrix = chain.matrix[order][:, order]
    matrix.sort_indices()
    correct = _Correction(matrix)

    values = best = np.ones(chain.size)
    smallest, steps, stuck = np.inf, 0, 0
    while steps < max_iterations and stuck < PATIENCE:
        for _ in range(BLOCK):
            _gauss_seidel(matrix.indptr, matrix.indices, matrix.data, values)
        steps += BLOCK
        residual, bound = proven_bound(matrix, values)
        # Once rounding makes up most of the bound, further steps cannot lower it.
        if bound <= tolerance or 10 * residual < bound - residual < np.inf:
            best = values
            break
        rate, stuck = residual / smallest, 0 if residual < smallest else stuck + 1
        if residual < smallest:
            best, smallest = values.copy(), residual
        if np.isinf(bound):
            # The values have not run up the whole current yet: until then the residual foretells nothing.
            stuck = 0
        elif _sweeps_left(rate, residual / tolerance) > SLOW:
            values = correct(values)
            steps += correct.steps
    result = np.empty_like(best)
    result[order] = best
    return result, steps


def _sweeps_left(block_rate: float, reduction: float) -> float:
    """Foretell the sweeps that reduce the residual by the factor `reduction`."""
    return BLOCK * float(np.log(reduction) / -np.log(block_rate)) if 0 < block_rate < 1 else np.inf


class _Correction:
    """Some steps of BiCGSTAB on the error equation ``(I - Q) e = r``."""

    steps = 100

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self.system = sparse.eye_array(matrix.shape[0], format="csr") - matrix
        self.sweep = linalg.LinearOperator(
            self.system.shape, matvec=lambda r: _lower_solve(matrix, r), dtype=np.float64
        )

    def __call__(self, values: FloatArray) -> FloatArray:
        residual = 1 + self.matrix @ values - values
        error, _ = linalg.bicgstab(self.system, residual, M=self.sweep, rtol=1e-3, maxiter=self.steps // 2)
        corrected: FloatArray = values + error
        left = np.abs(1 + self.matrix @ corrected - corrected).max()
        return corrected if left < np.abs(residual).max() else values


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


def _lower_solve(matrix: Any, right: FloatArray) -> FloatArray:
    values = np.array(right, dtype=np.float64).ravel()
    _forward_substitution(matrix.indptr, matrix.indices, matrix.data, values)
    return values


@compiled
def _forward_substitution(indptr: Any, indices: Any, data: Any, values: Any) -> None:
    """Solve ``(I - lower part of Q, diagonal included) x = values`` in place."""
    for s in range(values.size):
        total = values[s]
        own = 0.0
        for k in range(indptr[s], indptr[s + 1]):
            t = indices[k]
            if t < s:
                total += data[k] * values[t]
            elif t == s:
                own = data[k]
        values[s] = total / (1.0 - own)


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
