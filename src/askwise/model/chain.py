"""Absorbing Markov chains: the expected number of steps until a chain ends, exactly or with a proven error bound.

**Infinity.** ``Q[s, t]``, in the code `matrix`, is the probability that the chain continues from state `s` to state
`t`. If ``leaks[s]`` is True, it may also end in `s`: the state has a *leak*. `leaks` is given separately because a row
of `Q` may sum to 1 after rounding although the state has a leak. A state is trapped if it cannot reach a leak. The
expected number of steps is infinite exactly in the states that can reach a trapped state.

**Acyclic chains** are solved exactly by one backward pass, each state after all its successors.

**Chains with cycles** solve ``V = 1 + Q V``, where ``V[s]`` is the expected number of steps from `s`. Small systems are
factorised. Large ones take Gauss-Seidel sweeps that begin near the end of the chain.

**Error bound.** Let ``V*`` be the exact solution, ``r = 1 + Q V - V`` the residual of any `V`, and ``eps = max|r|``. If
``V > 0`` and ``eps < 1``, then ``(I - Q) V = 1 - r > 0``. Then ``I - Q`` is a nonsingular M-matrix, with a nonnegative
inverse. Therefore::

    |V - V*| = |(I - Q)^-1 r| <= eps (I - Q)^-1 1 = eps V*

Thus `eps`, plus a bound on rounding errors, bounds the relative error of every value.
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
        matrix: probabilities of continuing from one state (row) to another (column), CSR ``[n, n]``.
        leaks: ``bool [n]``, whether the chain may end in each state. The rounded rows of the matrix cannot show this.
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

    The exact values solve ``V = 1 + matrix @ V``; the residual is the difference between the two sides. The bound is
    ``inf`` if nothing is proven. `matrix` is CSR ``[n, n]``, `values` is ``float64 [n]``.
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

    Returns:
        The expected numbers, ``float64 [n]``, invalid for states that lead into a cycle; and whether each state leads
        into no cycle, ``bool [n]``.
    """
    values, matrix = np.zeros(chain.size), chain.matrix
    order, settled = _successors_first(chain)
    _sums(order, matrix.indptr, matrix.indices, matrix.data, values)
    return values, settled


def longest_path(chain: AbsorbingChain) -> FloatArray:
    """Return the largest number of steps that the chain can take from each state, ``float64 [n]``.

    It is ``inf`` if the chain can run into a cycle, and 1 if it always ends at once.
    """
    values, matrix = np.full(chain.size, np.inf), chain.matrix
    order, _ = _successors_first(chain)
    _maxima(order, matrix.indptr, matrix.indices, values)
    return values


def _successors_first(chain: AbsorbingChain) -> tuple[IntArray, BoolArray]:
    """Return the states that lead into no cycle, each after the states that it leads to.

    Returns:
        The indices of these states, ``int32``; and whether each state of the chain is one of them, ``bool [n]``.
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

    The sweeps stop when the largest change, which bounds the relative error, is at most half of `tolerance`, or after
    `max_iterations` sweeps.

    Returns:
        The expected number of steps from each state, ``float64 [n]``; and the number of sweeps.
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

    The sweeps stop when the relative error is proven to be within `tolerance`, when they make no more progress, or
    after about `max_iterations` sweeps.

    Returns:
        The expected steps from each state, ``float64 [n]``; and the number of sweeps.
    """
    # Krylov methods (LGMRES, BiCGSTAB), preconditioned by such sweeps, were mostly slower on large slippery grids.
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
    """Return the states, ``int32 [n]``, sorted by the number of steps to the end of the chain on the likeliest path.

    `matrix` has the probabilities of continuing, CSR ``[n, n]``.
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

    Row s of the sparse matrix Q has the values ``data[indptr[s]:indptr[s + 1]]``, in the columns
    ``indices[indptr[s]:indptr[s + 1]]``. `values` is ``float64 [n]``.
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
    """Return the expected number of steps until the chain ends, and a verdict on their accuracy.

    The numbers are ``float64 [n]``, ``inf`` for states from which the chain may run forever.

    Args:
        chain: the chain.
        method: ``pass`` (one backward pass, for acyclic chains), ``solve`` (linear equations), ``sweep`` (the paper's
            algorithm), or ``auto`` (``pass`` for acyclic chains, ``solve`` for others).
        tolerance: relative error at which iterations may stop.
        max_iterations: limit on the number of sweeps.
        label: maps a state's index to its name in error messages.

    Raises:
        InputError: the method is ``pass``, but the chain has a cycle.
        NotConvergedError: no error bound can be proven.
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
