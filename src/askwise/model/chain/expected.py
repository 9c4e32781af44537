"""Expected number of steps until an absorbing chain ends, by a chosen or the best fitting method."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from askwise.errors import InputError, NotConvergedError
from askwise.model.chain.absorbing import AbsorbingChain
from askwise.model.chain.bound import proven_bound
from askwise.model.chain.one_pass import backward_pass
from askwise.model.chain.solve import DIRECT_LIMIT, direct_solve, iterative_solve
from askwise.model.chain.sweep import sweep
from askwise.types import FloatArray, Verdict

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
