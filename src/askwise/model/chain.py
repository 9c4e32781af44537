"""A chain that runs until it leaks, and the question whether it ever does.

``matrix[s, s']`` is the probability of going on from `s` to `s'`; ``leaks[s]`` says that the chain may end in
`s`. That flag is kept apart from the numbers: whether a row sums to 1 cannot be told from rounded
probabilities, whether it has a leak can.

The expected number of steps until the leak is infinite exactly where, with positive probability, the chain
gets into a set of states that it cannot leave and that has no leak. Two walks over the graph find these
states: first the states from which no leak can be reached, then all states from which those can be reached.

A proven error bound for any candidate solution of ``V = 1 + Q V``.

Let ``r = 1 + Q V - V``. If ``V > 0`` and ``eps = max|r| < 1``, then ``(I - Q) V = 1 - r > 0`` for a positive
`V`, so ``I - Q`` is a nonsingular M-matrix and its inverse is nonnegative. Therefore

    |V - V*| = |(I - Q)^-1 r| <= eps (I - Q)^-1 1 = eps V*

that is, `eps` bounds the relative error of every value. Nothing is assumed about how `V` was found. The
residual is itself computed with rounding, so what rounding may hide is added to it; that also covers the
rounding of each probability in `Q`.

One backward pass over an acyclic chain: exact, every edge looked at once.

States are taken in an order in which all successors of a state come before it (Kahn's algorithm on the
reversed graph). States that lead into a cycle never become ready, which is how a cycle shows.

The paper's way: sweeps of ``V <- 1 + Q V`` over all states until nothing changes any more.

Started from 0 the values grow towards the truth from below. The change of a sweep is the residual of the
values before it, so stopping at `tolerance` also proves a relative error of about `tolerance`.

Solving ``(I - Q) V = 1`` for chains with cycles.

Small systems are factorised. Large ones (a grid of a million states fills the factors beyond memory) are iterated by
Gauss-Seidel sweeps, states in the order of their depth along the likeliest way out: where the chain mostly flows in
one direction, each sweep carries the values from the exits all the way up the current. LGMRES and BiCGSTAB,
preconditioned by such sweeps, were measured beside them on slippery grids of 1e5 to 1e6 states: slower where there is
a current (slip 0.2 and 0.5), twice as fast at best where there is none (slip 0.9), and several times slower there on a
machine whose cores were busy. That was not worth a second method.

Only the proven bound decides when to stop.

Expected number of steps until an absorbing chain ends, by a chosen or the best fitting method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.errors import InputError, NotConvergedError
from askwise.lazy_module import LazyModule
from askwise.model.graph import breadth_first
from askwise.types import BoolArray, FloatArray, IntArray, Verdict


@dataclass(frozen=True)
class AbsorbingChain:
    """Probabilities of going on, CSR ``[n, n]``, and ``leaks``, ``bool [n]``: where the chain may end."""

    matrix: Any
    leaks: BoolArray

    @property
    def size(self) -> int:
        """Number of states."""
        return int(self.matrix.shape[0])

    @cached_property
    def reverse(self) -> Any:
        """The edges backwards, CSR ``[n, n]``."""
        return self.matrix.T.tocsr()

    @cached_property
    def steps_to_leak(self) -> IntArray:
        """``int32 [n]``: fewest steps to a state with a leak, -1 where none can be reached."""
        return breadth_first(np.flatnonzero(self.leaks), self.reverse.indptr, self.reverse.indices)[0]

    @cached_property
    def trapped(self) -> BoolArray:
        """``bool [n]``: states from which the chain certainly never ends."""
        return self.steps_to_leak < 0

    @cached_property
    def infinite(self) -> BoolArray:
        """``bool [n]``: states from which the chain never ends with positive probability."""
        if not self.trapped.any():
            return self.trapped
        return breadth_first(np.flatnonzero(self.trapped), self.reverse.indptr, self.reverse.indices)[0] >= 0

    def restricted_to(self, states: Any) -> AbsorbingChain:
        """Return the chain on `states` (indices), which must be closed: nothing leads out of them."""
        return AbsorbingChain(self.matrix[states][:, states], self.leaks[states])

    def reachable_from(self, state: int) -> IntArray:
        """Return the states that the chain can get to from `state`, `state` itself first."""
        return breadth_first([state], self.matrix.indptr, self.matrix.indices)[1]


_UNIT = np.finfo(np.float64).eps / 2


def proven_bound(matrix: Any, values: FloatArray) -> tuple[float, float]:
    """Return the largest residual and the proven relative error bound (``inf`` where nothing is proven)."""
    if not (np.isfinite(values).all() and (values > 0).all()):
        return np.inf, np.inf
    carried = matrix @ values
    residual = np.abs(1 + carried - values)
    operations = int(np.diff(matrix.indptr).max(initial=0)) + 5
    rounding = operations * _UNIT * (1 + carried + values)
    bound = float((residual + rounding).max(initial=0.0))
    return float(residual.max(initial=0.0)), bound if bound < 1 else np.inf


def backward_pass(chain: AbsorbingChain) -> tuple[FloatArray, BoolArray]:
    """Return ``V = 1 + Q V``, ``float64 [n]``, and where it is settled: all states if the chain is acyclic."""
    values, matrix = np.zeros(chain.size), chain.matrix
    order, settled = _successors_first(chain)
    _sums(order, matrix.indptr, matrix.indices, matrix.data, values)
    return values, settled


def longest_path(chain: AbsorbingChain) -> FloatArray:
    """Return ``L = 1 + max of L over successors``, ``float64 [n]``; ``inf`` where a cycle can be reached."""
    values, matrix = np.full(chain.size, np.inf), chain.matrix
    order, _ = _successors_first(chain)
    _maxima(order, matrix.indptr, matrix.indices, values)
    return values


def _successors_first(chain: AbsorbingChain) -> tuple[IntArray, BoolArray]:
    """Return the states that lead into no cycle, each after its successors, and a mask of them."""
    waiting = np.diff(chain.matrix.indptr).astype(np.int64)
    order = np.empty(chain.size, dtype=np.int32)
    filled = _order(waiting, chain.reverse.indptr, chain.reverse.indices, order)
    return order[:filled], waiting == 0


@compiled
def _order(waiting: Any, back_indptr: Any, back_indices: Any, order: Any) -> int:
    filled = 0
    for s in range(waiting.size):
        if waiting[s] == 0:
            order[filled] = s
            filled += 1
    head = 0
    while head < filled:
        s = order[head]
        head += 1
        for k in range(back_indptr[s], back_indptr[s + 1]):
            t = back_indices[k]
            waiting[t] -= 1
            if waiting[t] == 0:
                order[filled] = t
                filled += 1
    return filled


@compiled
def _sums(order: Any, indptr: Any, indices: Any, data: Any, values: Any) -> None:
    for s in order:
        total = 1.0
        for k in range(indptr[s], indptr[s + 1]):
            total += data[k] * values[indices[k]]
        values[s] = total


@compiled
def _maxima(order: Any, indptr: Any, indices: Any, values: Any) -> None:
    for s in order:
        longest = 0.0
        for k in range(indptr[s], indptr[s + 1]):
            longest = max(longest, values[indices[k]])
        values[s] = longest + 1.0


def sweep(chain: AbsorbingChain, tolerance: float, max_iterations: int) -> tuple[FloatArray, int]:
    """Sweep until the largest change is well within `tolerance`; also return the number of sweeps."""
    values = np.zeros(chain.size)
    for sweeps in range(1, max_iterations + 1):
        new = 1 + chain.matrix @ values
        change = float(np.abs(new - values).max(initial=0.0))
        values = new
        # Half of it, because the bound that is proven afterwards also counts what rounding may hide.
        if change <= tolerance / 2:
            return values, sweeps
    return values, max_iterations


sparse = LazyModule("scipy.sparse")
linalg = LazyModule("scipy.sparse.linalg")

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


METHODS = ("auto", "pass", "solve", "sweep")


def expected_steps(
    chain: AbsorbingChain,
    *,
    method: str = "auto",
    tolerance: float = 1e-9,
    max_iterations: int = 1_000_000,
    label: Callable[[int], object] = int,
) -> tuple[FloatArray, Verdict]:
    """Return the expected number of steps from each state, ``float64 [n]``, ``inf`` included, and a verdict.

    Args:
        chain: the chain.
        method: ``pass`` (acyclic chains: one backward pass), ``solve`` (a linear system), ``sweep`` (the
            paper's algorithm), or ``auto``: a pass where the chain is acyclic, else a solve.
        tolerance: relative error at which iterations may stop.
        max_iterations: sweeps after which they stop anyway.
        label: how an error names a state of the chain.

    Raises:
        NotConvergedError: the iteration ended with no provable bound at all.
    """
    _check(method, tolerance, max_iterations)
    values = np.full(chain.size, np.inf)
    finite = np.flatnonzero(~chain.infinite)
    if finite.size == 0:
        return values, Verdict("no leak can be reached for certain")
    inner = chain if finite.size == chain.size else chain.restricted_to(finite)
    if method in ("auto", "pass"):
        found, settled = backward_pass(inner)
        if settled.all():
            values[finite] = found
            return values, Verdict("one backward pass")
        if method == "pass":
            state = label(int(finite[np.flatnonzero(~settled)[0]]))
            raise InputError(
                "method 'pass'", f"a chain that can return to itself from state {state!r}", "an acyclic chain"
            )
    values[finite], verdict = _iterate(inner, method, tolerance, max_iterations)
    return values, verdict


def _iterate(chain: AbsorbingChain, method: str, tolerance: float, max_iterations: int) -> tuple[FloatArray, Verdict]:
    if method == "sweep":
        name = "sweeps"
        found, iterations = sweep(chain, tolerance, max_iterations)
    elif chain.size <= DIRECT_LIMIT:
        name, iterations = "sparse factorisation", 1
        found = direct_solve(chain)
    else:
        name = "Gauss-Seidel sweeps"
        found, iterations = iterative_solve(chain, tolerance, max_iterations)
    residual, bound = proven_bound(chain.matrix, found)
    if not np.isfinite(bound):
        raise NotConvergedError(
            f"method {method!r} ({name}) stopped after {iterations} iterations with a residual of {residual:.2g}, "
            "from which no error bound follows; allow more with max_iterations=..., or try another method"
        )
    return found, Verdict(name, False, bound, iterations, residual, bound <= tolerance)


def _check(method: str, tolerance: float, max_iterations: int) -> None:
    if method not in METHODS:
        raise InputError("method", repr(method), "one of " + ", ".join(map(repr, METHODS)))
    if not tolerance > 0:
        raise InputError("tolerance", tolerance, "a number above 0")
    if max_iterations < 1:
        raise InputError("max_iterations", max_iterations, "a whole number from 1")
