"""Maps of a million cells and more: time and peak memory, each map in a separate process."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from askwise import Divergence, GridWorld, urop
from benchmarks.tools import cases
from benchmarks.tools.cases import WrongNumbersError
from benchmarks.tools.processes import peak_memory, run_in_child
from benchmarks.tools.report import Column, Table, count, memory, progress, scientific, seconds

MEMORY_LIMIT = 4 * 2**30
TIME_LIMIT = 200.0


def run(quick: bool) -> list[Table]:
    """Measure `edp_at` on large maps, and the UROP of a very large map."""
    return [_one_state_table(quick), _urop_table(quick)]


def _one_state_table(quick: bool) -> Table:
    side, n_goals = (200, 20) if quick else (1000, 200)
    table = Table(
        "Large maps: edp_at at the start state, each in a separate process",
        [
            Column("case"),
            count("states"),
            seconds("building the model"),
            seconds("edp_at, first"),
            seconds("edp_at, second"),
            memory("peak memory"),
            memory("memory before the model"),
            Column("below 4 GiB"),
        ],
        notes=[
            "first: includes a new Divergence and predecessor lists; kernels are compiled before",
            "the start is the free state nearest to the corner, from which most states lie on shortest plans",
        ],
    )
    for walls in (True, False):
        kind = "30% walls" if walls else "open"
        name = f"{side} x {side}, {kind}, {n_goals} goals"
        progress(f"large map: {name}")
        row = run_in_child("scale:one_state", limit=TIME_LIMIT, side=side, n_goals=n_goals, walls=walls)
        table.rows.append(_one_state_row(name, row))
    return table


def _one_state_row(name: str, row: dict[str, Any]) -> list[Any]:
    if "error" in row:
        return [f"{name}: {row['error']}", *[None] * 6, "NO"]
    within = "yes" if row["peak"] <= MEMORY_LIMIT else "NO"
    return [name, *(row[k] for k in ("states", "build", "first", "second", "peak", "before")), within]


def one_state(side: int, n_goals: int, walls: bool) -> dict[str, Any]:
    """Measure `edp_at` on one map; called in a child process."""
    warm = cases.build(12, 5, walls=True)
    Divergence(warm.grid, warm.goals).edp_at(warm.starts[0])
    before = peak_memory()
    start = perf_counter()
    case = cases.build(side, n_goals, walls=walls)
    build = perf_counter() - start
    state = int(min(case.starts, key=lambda s: int(case.grid.cells[s].sum())))
    start = perf_counter()
    family = Divergence(case.grid, case.goals)
    values = family.edp_at(state)
    first = perf_counter() - start
    start = perf_counter()
    family.edp_at(state)
    second = perf_counter() - start
    _check(values)
    return {"states": case.grid.n_states, "build": build, "first": first, "second": second, "before": before}


def _check(values: Any) -> None:
    """Check that all pairs diverge, at step 1 or later up to rounding, and that no goal diverges from itself."""
    off_diagonal = values[~np.eye(len(values), dtype=bool)]
    if not (np.isfinite(off_diagonal).all() and (off_diagonal > 1 - 1e-12).all() and np.isinf(np.diag(values)).all()):
        raise WrongNumbersError("edp_at: an impossible value")


def _urop_table(quick: bool) -> Table:
    side = 300 if quick else 2000
    table = Table(
        f"UROP on an open {side} x {side} grid, compared with |dx| / (|dx| + |dy|)",
        [
            Column("goal"),
            seconds("building the model"),
            seconds("urop"),
            count("nan"),
            scientific("largest deviation"),
            scientific("largest relative deviation"),
            memory("peak memory"),
        ],
    )
    for goal in ((0, 0), (side // 3, side // 2)):
        progress(f"UROP towards {goal} on {side} x {side}")
        row = run_in_child("scale:large_urop", limit=TIME_LIMIT, side=side, goal=goal)
        keys = ("build", "urop", "nan", "deviation", "relative", "peak")
        shown = [None] * len(keys) if "error" in row else [row[k] for k in keys]
        table.rows.append([str(goal) if "error" not in row else f"{goal}: {row['error']}", *shown])
    return table


def large_urop(side: int, goal: list[int]) -> dict[str, Any]:
    """Measure a UROP, and compare it with its closed form; called in a child process."""
    urop(GridWorld(3, 3), (0, 0))
    start = perf_counter()
    grid = GridWorld(side, side)
    build = perf_counter() - start
    start = perf_counter()
    policy = urop(grid, (goal[0], goal[1]))
    took = perf_counter() - start
    dx, dy = (np.abs(grid.cells[:, k] - goal[k]).astype(np.float64) for k in (0, 1))
    moving = dx + dy > 0
    horizontal = policy.probabilities[moving][:, [1, 3]].sum(axis=1)
    vertical = policy.probabilities[moving][:, [0, 2]].sum(axis=1)
    worst = relative = 0.0
    for found, wanted in ((horizontal, dx[moving]), (vertical, dy[moving])):
        truth = wanted / (dx + dy)[moving]
        deviation = np.abs(found - truth)
        worst = max(worst, float(deviation.max()))
        relative = max(relative, float((deviation[truth > 0] / truth[truth > 0]).max()))
    not_numbers = int(np.isnan(policy.probabilities).sum())
    return {"build": build, "urop": took, "nan": not_numbers, "deviation": worst, "relative": relative}
