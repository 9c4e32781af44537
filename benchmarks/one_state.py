"""`edp_at`: the matrix of all pairs at one state, which is what a planner asks for in every step."""

from __future__ import annotations

from askwise import Divergence
from benchmarks import cases
from benchmarks.cases import Case
from benchmarks.checks import agree
from benchmarks.report import Column, Table, progress, seconds
from benchmarks.timing import Job, interleaved


def run(quick: bool) -> list[Table]:
    """Measure the first call after a new Divergence, and later calls."""
    table = Table(
        "edp_at: all pairs of goals at one state",
        [
            Column("case"),
            Column("how"),
            seconds("first call"),
            seconds("later calls, median"),
            seconds("later calls, minimum"),
        ],
        notes=[
            "first call: new Divergence, predecessor lists and closed form made anew",
            "later calls: mean over 20 start states, as in an episode",
        ],
    )
    for walls in (False, True):
        table.rows.append(_row(cases.build(20, 10 if quick else 50, walls=walls), 3 if quick else 15))
    return [table]


def _row(case: Case, rounds: int) -> list[object]:
    progress(f"one state on {case.name}")
    family = Divergence(case.grid, case.goals)
    _check(case)
    later = Job("later calls", lambda _: later_calls(family, case), factor=1 / len(case.starts), repeats=3)
    times = interleaved([Job("first call", lambda _: _first_call(case)), later], rounds)
    return [case.name, family.method, times["first call"].median, times[later.name].median, times[later.name].minimum]


def later_calls(family: Divergence, case: Case) -> None:
    for start in case.starts:
        family.edp_at(start)


def _first_call(case: Case) -> None:
    case.forget()
    Divergence(case.grid, case.goals).edp_at(case.starts[0])


def _check(case: Case) -> None:
    """Both the single state and the whole table must say the same."""
    table = Divergence(case.grid, case.goals).edp_table()
    for start in case.starts:
        agree(f"edp_at of state {start}, {case.name}", Divergence(case.grid, case.goals).edp_at(start), table[start])
