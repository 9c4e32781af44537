"""EDP on chains with cycles: a slippery floor of up to a million states, with proven error bounds.

The policies are UROPs of the dry floor, so an agent that slips may return to a state. The two goals lie near the same
corner, so from most of the floor their policies agree for long. Each row shows the *proven* error of the values
(`askwise.model.chain`), which does not depend on what the solver reports.
"""

from __future__ import annotations

from math import isqrt
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from askwise import AskwiseError, GridWorld, Model, Policy, edp, urop
from askwise.divergence.agreement import agreement
from askwise.model.chain import DIRECT_LIMIT, proven_bound
from benchmarks.tools.cases import relative_deviation
from benchmarks.tools.processes import run_in_child
from benchmarks.tools.report import Column, Table, count, memory, number, progress, scientific, seconds

TOLERANCE = 1e-9
REFERENCE = 1e-11
TIME_LIMIT = 150.0
NO_ANSWER = "no answer, see below"


def run(quick: bool) -> list[Table]:
    """Measure large systems, then compare smaller ones with scipy's BiCGSTAB."""
    large, small = (150, 60) if quick else (1000, 316)
    tables = [_large(large, slip) for slip in (0.2, 0.5)]
    return [*tables, _compare_with_bicgstab(small, 1 if quick else 3)]


def _large(side: int, slip: float) -> Table:
    table = Table(
        f"Slippery floor, {side} x {side} ({side * side:,} states), slip {slip}: one pair, all states",
        [
            Column("method"),
            Column("solver"),
            seconds("time"),
            count("iterations"),
            scientific("proven relative error"),
            Column("tolerance 1e-9 reached"),
            number("value at (0, 0)", 12),
            seconds("model"),
            memory("peak memory"),
        ],
        notes=[
            "one run each, in a separate process; model: building the floor and both policies, not included in the time"
        ],
    )
    for method in ("solve", "sweep"):
        progress(f"slippery floor {side} x {side}, slip {slip}: {method}")
        row = run_in_child("cyclic:solve_pair", limit=TIME_LIMIT, side=side, slip=slip, method=method)
        if "error" in row:
            table.notes.append(f"{method}: {row['error']}")
            table.rows.append([method, NO_ANSWER, *[None] * 3, "NO", None, None, row.get("peak")])
        else:
            keys = ("name", "time", "iterations", "bound", "converged", "value", "build", "peak")
            table.rows.append([method, *(row[k] for k in keys)])
    return table


def solve_pair(side: int, slip: float, method: str) -> dict[str, Any]:
    """Solve one pair and measure it; called in a child process."""
    _warm(method)
    start = perf_counter()
    floor, pi1, pi2 = _problem(side, slip)
    build = perf_counter() - start
    start = perf_counter()
    try:
        result = edp(floor, pi1, pi2, method=method, tolerance=TOLERANCE)
    except AskwiseError as error:
        return {"error": f"{type(error).__name__} after {perf_counter() - start:.0f} s: {error}"}
    took = perf_counter() - start
    verdict = result.verdict
    return {
        "name": verdict.method,
        "time": took,
        "iterations": verdict.iterations,
        "bound": verdict.error_bound,
        "converged": "yes" if verdict.converged else "NO",
        "reports": "converged" if verdict.converged else "tolerance not reached",
        "value": float(np.asarray(result)[0]),
        "build": build,
    }


def _compare_with_bicgstab(side: int, rounds: int) -> Table:
    table = Table(
        f"Slippery floor, {side} x {side}: askwise compared with scipy's BiCGSTAB without preconditioner (rtol 1e-9)",
        [
            number("slip"),
            Column("solver"),
            seconds("time"),
            count("iterations"),
            Column("reports"),
            scientific("proven relative error"),
            scientific("largest deviation"),
            number("value at (0, 0)", 12),
        ],
        notes=[
            "proven relative error inf: nothing is proven about the returned values",
            f"times: medians of {rounds}; each run in a separate process, on one core",
            f"largest deviation: relative, from sweeps with a tolerance of {REFERENCE:g}",
        ],
    )
    for slip in (0.2, 0.5, 0.9):
        progress(f"slippery floor {side} x {side}, slip {slip}: solve, sweep, BiCGSTAB in turns")
        found: dict[str, list[dict[str, Any]]] = {}
        for _ in range(rounds):
            for method in ("solve", "sweep"):
                row = run_in_child("cyclic:solve_pair", limit=TIME_LIMIT, side=side, slip=slip, method=method)
                found.setdefault(f"askwise {method}", []).append(row)
            row = run_in_child("cyclic:bicgstab", limit=TIME_LIMIT, side=side, slip=slip)
            found.setdefault("scipy bicgstab", []).append(row)
        table.rows += [_small_row(slip, name, _middle(rows), table.notes) for name, rows in found.items()]
    return table


def _middle(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the run of median time, or the first failed run if one failed."""
    failed = [row for row in rows if "error" in row]
    return failed[0] if failed else sorted(rows, key=lambda row: float(row["time"]))[len(rows) // 2]


def _small_row(slip: float, name: str, row: dict[str, Any], notes: list[str]) -> list[Any]:
    if "error" in row:
        notes.append(f"slip {slip}, {name}: {row['error']}")
        return [slip, name, None, None, NO_ANSWER, None, None, None]
    return [slip, name, *(row.get(k) for k in ("time", "iterations", "reports", "bound", "deviation", "value"))]


def bicgstab(side: int, slip: float) -> dict[str, Any]:
    """Solve the same system by scipy and measure it; called in a child process."""
    floor, pi1, pi2 = _problem(side, slip)
    chain = agreement(floor, pi2.probabilities, pi1.support, None).chain
    system = sparse.eye_array(chain.size, format="csr") - chain.matrix
    steps = [0]

    def step(_: Any) -> None:
        steps[0] += 1

    start = perf_counter()
    with np.errstate(all="ignore"):
        values, code = linalg.bicgstab(system, np.ones(chain.size), rtol=TOLERANCE, maxiter=20_000, callback=step)
    took = perf_counter() - start
    reports = "success (code 0)" if code == 0 else f"failure (code {code})"
    truth = np.asarray(edp(floor, pi1, pi2, method="sweep", tolerance=REFERENCE))
    return {
        "time": took,
        "iterations": steps[0],
        "reports": reports,
        "bound": proven_bound(chain.matrix, values)[1],
        "deviation": relative_deviation(values, truth),
        "value": float(values[0]),
    }


def _problem(side: int, slip: float) -> tuple[Model, Policy, Policy]:
    dry = GridWorld(side, side)
    floor = dry.slippery(slip)
    near = 7 * side // 10
    return floor, urop(dry, (side - 1, near)).on(floor), urop(dry, (near, side - 1)).on(floor)


def _warm(method: str) -> None:
    """Compile the kernels on a floor just large enough for the iterative solver instead of the direct one."""
    side = isqrt(DIRECT_LIMIT) + 1 if method == "solve" else 10
    edp(*_problem(side, 0.1), method=method, tolerance=1e-3)
