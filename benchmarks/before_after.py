"""askwise compared with an earlier version of itself: times and results of the same work in one run.

The source of the earlier revision comes from git. Each version has its own process, which has done all work once before
it is timed. Then they take turns, job by job, and the times of neighbours are compared, so both meet the same load of
the machine. Decisions are made at recorded moments with several possible goals, which are the same for both.

Plain problems are tool-fetching maps written as two models without known structure: the ego agent has a state for each
cell and tool in hand. Comparing them with `ToolFetching` shows how much time its structure saves.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.tools.report import Column, Table, progress, ratio, seconds
from benchmarks.versions.jobs import COMPRESSED, FULL, PLAIN, QUICK
from benchmarks.versions.process import FailedError, VersionProcess, first_use
from benchmarks.versions.trees import BEFORE as BEFORE
from benchmarks.versions.trees import NoRevisionError, Tree, tree_in_use, tree_of_revision

T = TypeVar("T")
SPREAD = (0.1, 0.9)
"""Quantiles of the ratios of neighbours that are shown as their range."""
EMPTY, FILLED = "none", "cached by an earlier process"


@dataclass
class Measured:
    """The times and results of one job in both versions.

    Attributes:
        part: the part of the table that it belongs to.
        name: what one unit of its work is.
        number: its number in the processes.
        samples: seconds per unit, by version; equal positions were measured one after the other.
        digests: digests of the results, by version.
        errors: error messages, by version.
    """

    part: str
    name: str
    number: int = 0
    samples: dict[str, list[float]] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def same(self) -> str | None:
        """``yes`` if the results of both versions are the same, ``NO`` if not, None if one of them is missing."""
        return _same(self.digests.get("before"), self.digests.get("after"))


def run(quick: bool, before: str = BEFORE) -> list[Table]:
    """Compare both versions, then plain with compressed problems in the present version."""
    with tempfile.TemporaryDirectory() as name:
        trees, warnings = _trees(before, Path(name))
        first = _first_uses(trees, quick)
        found = _measure(trees, quick)
    tables = [_versions(found, before), _first_table(first, before), _plain_table(found, quick)]
    for table in tables:
        table.notes = warnings + table.notes + (["a quick run: small sizes, no planners"] if quick else [])
    return tables


def _trees(before: str, folder: Path) -> tuple[list[Tree], list[str]]:
    """Return the versions, the earlier one first, and a warning if it is not available."""
    after = tree_in_use(folder / "after")
    try:
        return [tree_of_revision(before, folder / "before"), after], []
    except NoRevisionError as error:
        progress(f"before and after: {error}")
        return [after], [f"NOT COMPARED: {error}"]


# -- measuring -------------------------------------------------------------------------------------------------------


def _first_uses(trees: Sequence[Tree], quick: bool) -> list[Measured]:
    """Measure a first decision without compiled code, then with all compiled code in the cache."""
    setting = QUICK if quick else FULL
    found = []
    for method in setting.compared:
        # The last method compiles most, so its code goes to the cache of all later work.
        cache = "" if method == setting.compared[-1] else f"-{method}"
        for state, turns in ((EMPTY, 1), (FILLED, 1 if quick else 5)):
            progress(f"before and after: first decision of {method}, {state}")
            found.append(Measured(state, f"first decision of {method}"))
            for turn in range(turns):
                for tree in _ordered(trees, turn):
                    _time_first_use(found[-1], tree, method, cache, (setting.side, setting.stations))
    return found


def _time_first_use(job: Measured, tree: Tree, method: str, cache: str, size: tuple[int, int]) -> None:
    try:
        taken = first_use(tree, method, *size, cache=cache)
    except FailedError as error:
        job.errors[tree.name] = str(error)
    else:
        job.samples.setdefault(tree.name, []).append(taken)


def _measure(trees: Sequence[Tree], quick: bool) -> list[Measured]:
    """Measure all jobs, several times with new processes."""
    generations, turns, size = (1, 2, "quick") if quick else (3, 5, "full")
    progress("before and after: recording moments")
    with VersionProcess(trees[0], size) as recorder:
        moments = recorder.call("record")
    found: list[Measured] = []
    for generation in range(generations):
        with ExitStack() as stack:
            children = [stack.enter_context(VersionProcess(tree, size)) for tree in trees]
            names = [child.call("names", moments=moments) for child in children][-1]
            found = found or [Measured(part, name, number) for number, (part, name) in enumerate(names)]
            for name, jobs in groupby(found, lambda job: job.name):
                progress(f"before and after: processes {generation + 1} of {generations}, {name}")
                _take_turns(list(jobs), children, turns)
    return found


def _take_turns(jobs: Sequence[Measured], children: Sequence[VersionProcess], turns: int) -> None:
    """Time some jobs, which are compared with each other too, in all versions."""
    rivals = [(job, child) for job in jobs for child in children]
    for job, child in rivals:
        try:
            job.digests[child.tree.name] = child.call("warm", job=job.number)
        except FailedError as error:
            job.errors[child.tree.name] = str(error)
    able = [(job, child) for job, child in rivals if child.tree.name not in job.errors]
    for turn in range(turns):
        for job, child in _ordered(able, turn):
            job.samples.setdefault(child.tree.name, []).append(child.call("time", job=job.number))


def _ordered(several: Sequence[T], turn: int) -> Sequence[T]:
    """Return the items in this order, or in reverse order in every second turn, so that none is always first."""
    return several if turn % 2 == 0 else several[::-1]


# -- tables ----------------------------------------------------------------------------------------------------------


def _versions(found: Sequence[Measured], before: str) -> Table:
    table = Table(
        f"Before ({before[:10]}) and after",
        [Column("part"), Column("what"), *_columns("before", "after"), Column("same results")],
    )
    for job in found:
        row = _compared(job.samples.get("before"), job.samples.get("after"))
        table.rows.append([job.part, job.name, *row, job.same])
    table.notes = [
        _verdict(found),
        "same: actions and questions; costs and rewards to ten digits; tables and observations bit for bit",
        "CPU seconds, medians; after / before: median of the ratios of neighbours in time, and the middle 80 % of them",
        "a range that contains 1 shows no difference; garbage of earlier turns is collected outside the measured time",
        "decisions: at recorded moments with several possible goals, the same ones for both",
        *_failures(found),
    ]
    return table


def _first_table(found: Sequence[Measured], before: str) -> Table:
    table = Table(
        f"First use, before ({before[:10]}) and after",
        [Column("what"), Column("compiled code"), *_columns("before", "after")],
    )
    for job in found:
        table.rows.append([job.name, job.part, *_compared(job.samples.get("before"), job.samples.get("after"))])
    table.notes = [
        "CPU seconds of a whole process, from its start to the first decision that considers questions",
        *_failures(found),
    ]
    return table


def _plain_table(found: Sequence[Measured], quick: bool) -> Table:
    side, stations = (QUICK if quick else FULL).plain
    table = Table(
        f"Plain compared with compressed problems, after; {side} x {side}, {stations} stations",
        [Column("what"), *_columns(COMPRESSED, PLAIN), Column("same results")],
        notes=["plain: two models without known structure; compressed: the same maps as ToolFetching"],
    )
    short, long = ([job for job in found if job.part == way] for way in (COMPRESSED, PLAIN))
    for one, other in zip(short, long, strict=True):
        row = _compared(one.samples.get("after"), other.samples.get("after"))
        table.rows.append([one.name, *row, _same(one.digests.get("after"), other.digests.get("after"))])
    return table


def _same(one: str | None, other: str | None) -> str | None:
    return None if one is None or other is None else "yes" if one == other else "NO"


def _columns(first: str, second: str) -> list[Column]:
    return [seconds(first), seconds(second), ratio(f"{second} / {first}"), ratio("from"), ratio("to")]


def _compared(first: Sequence[float] | None, second: Sequence[float] | None) -> list[float | None]:
    """Return both medians, and the median and range of the ratios of neighbours."""
    medians = [statistics.median(each) if each else None for each in (first, second)]
    if not first or not second:
        return [*medians, None, None, None]
    ratios = np.array(second) / np.array(first)
    spread = [float(share) for share in np.quantile(ratios, SPREAD)] if ratios.size > 1 else [None, None]
    return [*medians, float(np.median(ratios)), *spread]


def _verdict(found: Sequence[Measured]) -> str:
    other = [f"{job.part}: {job.name}" for job in found if job.same == "NO"]
    if other:
        return "DIFFERENT RESULTS: " + "; ".join(other)
    compared = sum(job.same == "yes" for job in found)
    return f"the results of all {compared} jobs are the same before and after" if compared else "nothing to compare"


def _failures(found: Sequence[Measured]) -> list[str]:
    return [
        f"{job.part}, {job.name}: {version} failed: {error}" for job in found for version, error in job.errors.items()
    ]
