"""The time of EDP of all pairs of goals at one state, and its growth with the grid and the number of goals.

`edp_at` computes the matrix of all pairs of goals at one state, which a method needs in every step; `edp_table`
computes them at all states.

- `run_state` measures the first call on a new `Divergence` object, and later calls.
- `run` measures both functions on growing grids and with growing numbers of goals, and fits a power to the times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askwise import Divergence
from benchmarks.speed import fresh_table
from benchmarks.tools import cases
from benchmarks.tools.cases import Case, check_agreement
from benchmarks.tools.report import Column, Table, count, progress, seconds
from benchmarks.tools.timing import Job, Times, growth_exponent, time_in_turns

# -- one state -------------------------------------------------------------------------------------------------------


def run_state(quick: bool) -> list[Table]:
    """Measure `edp_at` on a grid with and without walls."""
    table = Table(
        "edp_at: all pairs of goals at one state",
        [
            Column("case"),
            Column("method"),
            seconds("first call"),
            seconds("later calls, median"),
            seconds("later calls, minimum"),
        ],
        notes=[
            "first call: a new Divergence; predecessor lists and the closed form are computed anew",
            "later calls: mean over 20 start states, as in an episode",
        ],
    )
    for walls in (False, True):
        table.rows.append(_state_row(cases.build(20, 10 if quick else 50, walls=walls), 3 if quick else 15))
    return [table]


def _state_row(case: Case, rounds: int) -> list[object]:
    progress(f"one state on {case.name}")
    family = Divergence(case.grid, case.goals)
    _check(case)
    later = Job("later calls", lambda _: _all_starts(family, case), factor=1 / len(case.starts), repeats=3)
    times = time_in_turns([Job("first call", lambda _: _first_call(case)), later], rounds)
    return [case.name, family.method, times["first call"].median, times[later.name].median, times[later.name].minimum]


def _all_starts(family: Divergence, case: Case) -> None:
    for start in case.starts:
        family.edp_at(start)


def _first_call(case: Case) -> None:
    case.clear_caches()
    Divergence(case.grid, case.goals).edp_at(case.starts[0])


def _check(case: Case) -> None:
    """Check that `edp_at` and `edp_table` return the same values."""
    table = Divergence(case.grid, case.goals).edp_table()
    for start in case.starts:
        values = Divergence(case.grid, case.goals).edp_at(start)
        check_agreement(f"edp_at of state {start}, {case.name}", values, table[start])


# -- growth ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """The times for one size (states or goals) and the method that askwise chose."""

    size: int
    method: str
    table: Times
    state: Times


def run(quick: bool) -> list[Table]:
    """Vary the side of the grid with 50 goals, then the number of goals on 20 x 20 cells, with and without walls."""
    sides = (10, 20, 40) if quick else (10, 20, 40, 80, 160)
    numbers = (10, 20, 50) if quick else (10, 20, 50, 100, 200)
    n_goals, side, rounds = (10, 20, 2) if quick else (50, 20, 5)
    tables = []
    for walls in (False, True):
        kind = "30% walls" if walls else "open"
        growing = [cases.build(each, n_goals, walls=walls) for each in sides]
        points = [_measure(case, case.grid.n_states, rounds) for case in growing]
        tables.append(_table(f"Growth with the grid, {n_goals} goals, {kind}", "states", sides, points))
        growing = [cases.build(side, each, walls=walls) for each in numbers]
        points = [_measure(case, len(case.goals), rounds) for case in growing]
        tables.append(_table(f"Growth with the goals, {side} x {side}, {kind}", "goals", [side] * len(points), points))
    return tables


def _measure(case: Case, size: int, rounds: int) -> Point:
    progress(f"growth: {case.name}")
    family = Divergence(case.grid, case.goals)
    jobs = [
        Job("edp_table", lambda _: fresh_table(case)),
        Job("edp_at", lambda _: _all_starts(family, case), factor=1 / len(case.starts)),
    ]
    fresh_table(case)  # once untimed: it compiles, and prepares the model for edp_at
    _all_starts(family, case)
    times = time_in_turns(jobs, rounds)
    return Point(size, family.method, times["edp_table"], times["edp_at"])


def _table(title: str, what: str, sides: Sequence[int], points: Sequence[Point]) -> Table:
    table = Table(
        title,
        [
            count("side"),
            count(what),
            seconds("edp_table, median"),
            seconds("edp_table, minimum"),
            seconds("edp_at, median"),
            seconds("edp_at, minimum"),
            Column("method"),
        ],
        [_row(side, point) for side, point in zip(sides, points, strict=True)],
        ["edp_table: a new Divergence each time, as in `speed`; edp_at: later calls, mean over 20 start states"],
    )
    for method in dict.fromkeys(point.method for point in points):
        fitted = [point for point in points if point.method == method]
        if len(fitted) > 1:
            sizes = [point.size for point in fitted]
            # Minima, because disturbances only make a measurement longer.
            whole = growth_exponent(sizes, [point.table.minimum for point in fitted])
            single = growth_exponent(sizes, [point.state.minimum for point in fitted])
            table.notes.append(
                f"{method} ({len(fitted)} sizes): edp_table grows like {what}^{whole:.2f}, edp_at like "
                f"{what}^{single:.2f} (least squares on logarithms of the minima)"
            )
    return table


def _row(side: int, point: Point) -> list[object]:
    table, state = point.table, point.state
    return [side, point.size, table.median, table.minimum, state.median, state.minimum, point.method]
