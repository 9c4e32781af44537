"""Absorbing Markov chains: the expected number of steps until a chain ends, exactly or with a proven error bound.

**Infinity.** ``matrix[s, t]`` is the probability that the chain continues from state `s` to state `t`. If ``leaks[s]``
is True, the chain may also end in `s`: the state has a *leak*. The flag is separate from the numbers because rounded
probabilities cannot show whether a row sums to 1. The expected number of steps from a state is infinite exactly if the
chain can get from there to a state from which no leak can be reached. Two graph searches find these states: the first
finds all trapped states, from which no leak can be reached; the second finds all states from which the chain can get to
a trapped state.

**Acyclic chains** are solved exactly by one backward pass. Each state is processed after all its successors (Kahn's
algorithm on the reversed graph). States that lead into a cycle are never processed, which is how a cycle is detected.

**Chains with cycles** need ``V = 1 + Q V`` to be solved. Small systems are factorised. Large ones are solved by
Gauss-Seidel sweeps (the factors of a grid of a million states do not fit in memory). States are ordered by their number
of steps to the end of the chain along the likeliest path, nearest first. So if the chain mostly moves in one direction,
a single sweep carries the values from the end of the chain to all other states. Krylov methods (LGMRES and BiCGSTAB,
preconditioned by such sweeps) are not used: on slippery grids of 1e5 to 1e6 states, they were mostly slower, and at
best twice as fast. The paper's method, sweeps of ``V <- 1 + Q V`` from 0, is available too.

**Error bound.** Let ``V*`` be the exact solution, and ``r = 1 + Q V - V`` the residual of any values `V`. Let
``eps = max|r|``. If ``V > 0`` and ``eps < 1``, then ``(I - Q) V = 1 - r > 0``. So ``I - Q`` is a nonsingular M-matrix,
and its inverse is nonnegative. Therefore::

    |V - V*| = |(I - Q)^-1 r| <= eps (I - Q)^-1 1 = eps V*

So `eps` bounds the relative error of every value. Nothing is assumed about how `V` was found. The residual is computed
with rounding, so a bound on its rounding error is added to `eps`; it also covers the rounding of the probabilities in
`Q`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.errors import InputError, NotConvergedError
from askwise.model.graph import breadth_first
from askwise.types import BoolArray, FloatArray, IntArray, LazyModule, Verdict


@dataclass(frozen=True)
class AbsorbingChain:
    """A Markov chain of `n` states that may end: in some states, it continues with a probability below 1.

    Attributes:
        matrix: probabilities of continuing from one state (row) to another (column), CSR ``[n, n]``. Where a row sums
            to less than 1, the chain ends with the remaining probability.
        leaks: ``bool [n]``, whether the chain may end in each state; such a state is said to have a leak. The matrix
            cannot show this, because its rows are rounded.
    """

    matrix: Any
    leaks: BoolArray

    @property
    def size(self) -> int:
        """Number of states."""
        return int(self.matrix.shape[0])

    @cached_property
    def reverse(self) -> Any:
        """The transpose of `matrix`, CSR ``[n, n]``; row s lists the states from which the chain may continue to s."""
        return self.matrix.T.tocsr()

    @cached_property
    def steps_to_leak(self) -> IntArray:
        """Fewest steps from each state to a state in which the chain may end, ``int32 [n]``, -1 if there is none."""
        return breadth_first(np.flatnonzero(self.leaks), self.reverse.indptr, self.reverse.indices)[0]

    @cached_property
    def trapped(self) -> BoolArray:
        """States from which the chain certainly never ends, ``bool [n]``."""
        return self.steps_to_leak < 0

    @cached_property
    def infinite(self) -> BoolArray:
        """States from which the chain runs forever with positive probability, ``bool [n]``."""
        if not self.trapped.any():
            return self.trapped
        return breadth_first(np.flatnonzero(self.trapped), self.reverse.indptr, self.reverse.indices)[0] >= 0

    def restricted_to(self, states: Any) -> AbsorbingChain:
        """Return the chain that has only the given states, in the given order.

        There must be no transition from one of these states to a state that is left out.

        Args:
            states: indices of the given states.
        """
        return AbsorbingChain(self.matrix[states][:, states], self.leaks[states])

    def reachable_from(self, state: int) -> IntArray:
        """Return the indices of the states that can be reached from `state`, ``int32``; `state` itself comes first."""
        return breadth_first([state], self.matrix.indptr, self.matrix.indices)[1]


_UNIT = np.finfo(np.float64).eps / 2


def proven_bound(matrix: Any, values: FloatArray) -> tuple[float, float]:
    """Return the largest residual of `values`, and a proven bound on the relative error of each value.

    The exact values solve ``V = 1 + matrix @ V``. The residual of a value is the difference between the two sides of
    this equation. The bound is ``inf`` if nothing is proven.

    Args:
        matrix: probabilities of continuing, CSR ``[n, n]``.
        values: ``float64 [n]``, the expected number of steps from each state, computed in any way.
    """
    if not (np.isfinite(values).all() and (values > 0).all()):
        return np.inf, np.inf
    carried = matrix @ values
    residual = np.abs(1 + carried - values)
    operations = int(np.diff(matrix.indptr).max(initial=0)) + 5
    rounding = operations * _UNIT * (1 + carried + values)
    bound = float((residual + rounding).max(initial=0.0))
    return float(residual.max(initial=0.0)), bound if bound < 1 else np.inf


def backward_pass(chain: AbsorbingChain) -> tuple[FloatArray, BoolArray]:
    """Return the expected number of steps until the chain ends, for all states that lead into no cycle.

    One pass is enough: each state is computed after the states that it leads to.

    Returns:
        the expected numbers, ``float64 [n]``; and whether each state leads into no cycle, ``bool [n]``. The numbers of
        states that lead into a cycle are invalid.
    """
    values, matrix = np.zeros(chain.size), chain.matrix
    order, settled = _successors_first(chain)
    _sums(order, matrix.indptr, matrix.indices, matrix.data, values)
    return values, settled


def longest_path(chain: AbsorbingChain) -> FloatArray:
    """Return the largest number of steps that the chain can take from each state, ``float64 [n]``.

    It is ``inf`` for a state from which the chain can run into a cycle, and 1 for a state in which the chain always
    ends at once.
    """
    values, matrix = np.full(chain.size, np.inf), chain.matrix
    order, _ = _successors_first(chain)
    _maxima(order, matrix.indptr, matrix.indices, values)
    return values


def _successors_first(chain: AbsorbingChain) -> tuple[IntArray, BoolArray]:
    """Return the states that lead into no cycle, sorted so that each state comes after the states that it leads to.

    Returns:
        the indices of these states, ``int32``; and whether each state of the chain is one of them, ``bool [n]``.
    """
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
    """Compute the expected number of steps until the chain ends by repeating ``V <- 1 + matrix @ V`` from 0.

    The values grow towards the solution from below. The largest change of a value in a sweep is a bound on the relative
    error. The sweeps stop when it is at most half of `tolerance`.

    Args:
        chain: the chain.
        tolerance: relative error at which to stop.
        max_iterations: limit on the number of sweeps.

    Returns:
        the expected number of steps from each state, ``float64 [n]``; and the number of sweeps.
    """
    values = np.zeros(chain.size)
    for sweeps in range(1, max_iterations + 1):
        new = 1 + chain.matrix @ values
        change = float(np.abs(new - values).max(initial=0.0))
        values = new
        # Half of the tolerance: the bound that is proven afterwards adds the rounding error of the residual.
        if change <= tolerance / 2:
            return values, sweeps
    return values, max_iterations


sparse = LazyModule("scipy.sparse")
linalg = LazyModule("scipy.sparse.linalg")

DIRECT_LIMIT = 20_000
"""Size limit for factorisation; the factors of a planar graph of this size take a few megabytes."""

BLOCK = 20
"""Sweeps between two checks of the residual."""

PATIENCE = 50
"""Blocks of sweeps without a smaller residual after which the iteration stops."""


def direct_solve(chain: AbsorbingChain) -> FloatArray:
    """Return the expected number of steps until the chain ends, by factorising ``(I - matrix) V = 1``.

    The result is ``float64 [n]``. All values are ``nan`` if rounding made the system singular.
    """
    system = (sparse.eye_array(chain.size, format="csr") - chain.matrix).tocsc()
    try:
        factors = linalg.splu(system)
    except RuntimeError:  # "Factor is exactly singular": in double precision the leak cannot be told from 0
        return np.full(chain.size, np.nan)
    values: FloatArray = factors.solve(np.ones(chain.size))
    values += factors.solve(1 - system @ values)
    return values


def iterative_solve(chain: AbsorbingChain, tolerance: float, max_iterations: int) -> tuple[FloatArray, int]:
    """Compute the expected number of steps until the chain ends by Gauss-Seidel sweeps of ``V = 1 + matrix @ V``.

    The sweeps stop when the relative error is proven to be within `tolerance`, or when they make no more progress.

    Args:
        chain: the chain.
        tolerance: relative error at which to stop.
        max_iterations: limit on the number of sweeps, checked after every 20 sweeps.

    Returns:
        the expected number of steps from each state, ``float64 [n]``; and the number of sweeps.
    """
    order = _exit_order(chain.matrix)
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
        # Until values have propagated through the whole chain, no bound can be proven and a standstill means nothing.
        stuck = stuck + 1 if residual >= smallest and np.isfinite(bound) else 0
        smallest = min(smallest, residual)
    result = np.empty_like(values)
    result[order] = values
    return result, sweeps


def _exit_order(matrix: Any) -> IntArray:
    """Return the indices of all states, ``int32 [n]``, sorted by how many steps away the end of the chain is.

    States near the end come first. The steps are counted on the likeliest path from the state out of the chain.

    Args:
        matrix: probabilities of continuing, CSR ``[n, n]``; with the remaining probability the chain ends.
    """
    depth = np.empty(matrix.shape[0], dtype=np.int32)
    _likeliest_depth(matrix.indptr, matrix.indices, matrix.data, depth)
    return np.argsort(depth, kind="stable").astype(np.int32)


@compiled
def _likeliest_depth(indptr: Any, indices: Any, data: Any, depth: Any) -> None:
    n = depth.size
    following = np.full(n, -1, dtype=np.int32)
    for s in range(n):
        leak = 1.0
        best = 0.0
        for k in range(indptr[s], indptr[s + 1]):
            leak -= data[k]
            if data[k] > best and indices[k] != s:
                best = data[k]
                following[s] = indices[k]
        if leak >= best:
            following[s] = -1
    depth[:] = -1
    path = np.empty(n, dtype=np.int32)
    for start in range(n):
        # Follow the path to a state of known depth, an exit or itself (a loop is cut there); then number it backwards.
        length = 0
        s = start
        while s >= 0 and depth[s] == -1:
            depth[s] = 0
            path[length] = s
            length += 1
            s = following[s]
        below = depth[s] if s >= 0 else 0
        for k in range(length - 1, -1, -1):
            below += 1
            depth[path[k]] = below


@compiled
def _gauss_seidel(indptr: Any, indices: Any, data: Any, values: Any) -> None:
    """Perform one Gauss-Seidel sweep of ``V = 1 + Q V``: update the values V in place, one state after the other.

    Args:
        indptr: ``int [n + 1]``, row s of the sparse matrix Q has the entries from ``indptr[s]`` to
            ``indptr[s + 1] - 1``.
        indices: ``int [n_entries]``, the column of each entry of Q.
        data: ``float64 [n_entries]``, the value of each entry of Q.
        values: ``float64 [n]``, the values V.
    """
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
    """Return the expected number of steps until the chain ends, and a verdict on how accurate the numbers are.

    The numbers are ``float64 [n]``, ``inf`` for states from which the chain may run forever.

    Args:
        chain: the chain.
        method: ``pass`` (one backward pass, for acyclic chains), ``solve`` (a system of linear equations), ``sweep``
            (the paper's algorithm), or ``auto``: ``pass`` if the chain is acyclic, otherwise ``solve``.
        tolerance: relative error at which iterations may stop.
        max_iterations: limit on the number of sweeps.
        label: maps the index of a state to the name that an error message uses.

    Raises:
        NotConvergedError: the iteration stopped without any provable error bound.
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
