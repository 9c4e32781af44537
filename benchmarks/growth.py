"""How times grow with the size of the grid and with the number of goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askwise import Divergence
from benchmarks import cases
from benchmarks.cases import Case
from benchmarks.one_state import later_calls
from benchmarks.report import Column, Table, count, progress, seconds
from benchmarks.speed import fresh_table
from benchmarks.timing import Job, Times, interleaved


@dataclass(frozen=True)
class Point:
    """One measured size."""

    size: int
    how: str
    table: Times
    state: Times


def run(quick: bool) -> list[Table]:
    """Vary the side of the grid at 50 goals, then the goals on 20 x 20, open and with walls."""
    sides = (10, 20, 40) if quick else (10, 20, 40, 80, 160)
    numbers = (10, 20, 50) if quick else (10, 20, 50, 100, 200)
    n_goals, side, rounds = (10, 20, 2) if quick else (50, 20, 5)
    tables = []
    for walls in (False, True):
        kind = "30% walls" if walls else "open"
        growing = [cases.build(each, n_goals, walls=walls) for each in sides]
        points = [_measured(case, case.grid.n_states, rounds) for case in growing]
        tables.append(_table(f"Growth with the grid, {n_goals} goals, {kind}", "states", sides, points))
        growing = [cases.build(side, each, walls=walls) for each in numbers]
        points = [_measured(case, len(case.goals), rounds) for case in growing]
        tables.append(_table(f"Growth with the goals, {side} x {side}, {kind}", "goals", [side] * len(points), points))
    return tables


def _measured(case: Case, size: int, rounds: int) -> Point:
    progress(f"growth: {case.name}")
    family = Divergence(case.grid, case.goals)
    jobs = [
        Job("edp_table", lambda _: fresh_table(case)),
        Job("edp_at", lambda _: later_calls(family, case), factor=1 / len(case.starts)),
    ]
    fresh_table(case)  # Once untimed: compiles, and prepares the model for edp_at.
    later_calls(family, case)
    times = interleaved(jobs, rounds)
    return Point(size, family.method, times["edp_table"], times["edp_at"])


def _table(title: str, what: str, sides: Sequence[int], points: Sequence[Point]) -> Table:
    table = Table(
        title,
        [
            count("side"),
            count(what),
            seconds("edp_table, median"),
            seconds("minimum"),
            seconds("edp_at, median"),
            seconds("its minimum"),
            Column("how"),
        ],
        [_row(side, point) for side, point in zip(sides, points, strict=True)],
        ["edp_table: the whole job, as in the part on speed; edp_at: later calls, mean over 20 start states"],
    )
    for how in dict.fromkeys(point.how for point in points):
        fitted = [point for point in points if point.how == how]
        if len(fitted) > 1:
            sizes = [point.size for point in fitted]
            whole = _exponent(sizes, [point.table for point in fitted])
            single = _exponent(sizes, [point.state for point in fitted])
            table.notes.append(
                f"{how} ({len(fitted)} sizes): edp_table grows like {what}^{whole:.2f}, edp_at like "
                f"{what}^{single:.2f} (least squares on logarithms of the minima)"
            )
    return table


def _row(side: int, point: Point) -> list[object]:
    table, state = point.table, point.state
    return [side, point.size, table.median, table.minimum, state.median, state.minimum, point.how]


def _exponent(sizes: Sequence[int], times: Sequence[Times]) -> float:
    """Return the slope of log time over log size. Minima: whatever disturbs a measurement only adds to it."""
    return float(np.polyfit(np.log(sizes), np.log([taken.minimum for taken in times]), 1)[0])
