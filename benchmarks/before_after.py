"""askwise beside an earlier version of itself: the same work by both, in one run, and whether the same comes out.

The source of the earlier revision comes from git. Each version has a process of its own that has done everything once;
then they take turns, job by job, and times of neighbours are compared, so that both meet the same moments of a busy
machine. Decisions are made at recorded moments with several possible goals, the same ones for both.

Plain problems are the same tool-fetching maps written as two models, of whose structure nothing is known: a fetcher's
state for each cell and tool in hand. What `ToolFetching` saves by its structure is the ratio of both.
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

from benchmarks.report import Column, Table, progress, ratio, seconds
from benchmarks.versions.child import Child, FailedError, first_use
from benchmarks.versions.jobs import COMPRESSED, FULL, PLAIN, QUICK
from benchmarks.versions.trees import BEFORE as BEFORE
from benchmarks.versions.trees import NoRevisionError, Tree, tree_in_use, tree_of_revision

T = TypeVar("T")
SPREAD = (0.1, 0.9)
"""Of the ratios of neighbours in time those between these quantiles are shown."""
EMPTY, FILLED = "none yet", "from an earlier process"


@dataclass
class Measured:
    """One job in both versions.

    Attributes:
        part: the part of the table it belongs to.
        name: what one piece of it is.
        number: by which the processes know it.
        samples: seconds for a piece, by version; neighbours in time are at the same place.
        digests: of what came out, by version.
        errors: what went wrong, by version.
    """

    part: str
    name: str
    number: int = 0
    samples: dict[str, list[float]] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def same(self) -> str | None:
        """Whether the same came out in both versions; None if one of them has nothing to show."""
        return _same(self.digests.get("before"), self.digests.get("after"))


def run(quick: bool, before: str = BEFORE) -> list[Table]:
    """Measure both versions, then plain problems beside compressed ones in this one."""
    with tempfile.TemporaryDirectory() as name:
        trees, trouble = _trees(before, Path(name))
        first = _first_uses(trees, quick)
        found = _measured(trees, quick)
    tables = [_versions(found, before), _first_table(first, before), _plain_table(found, quick)]
    for table in tables:
        table.notes = trouble + table.notes + (["a quick run: small sizes, no planners"] if quick else [])
    return tables


def _trees(before: str, folder: Path) -> tuple[list[Tree], list[str]]:
    """Return the versions, the earlier one first, and why it is missing if it is."""
    after = tree_in_use(folder / "after")
    try:
        return [tree_of_revision(before, folder / "before"), after], []
    except NoRevisionError as error:
        progress(f"before and after: {error}")
        return [after], [f"NOT COMPARED: {error}"]


# -- measuring -------------------------------------------------------------------------------------------------------


def _first_uses(trees: Sequence[Tree], quick: bool) -> list[Measured]:
    """Measure a first decision with nothing compiled, then with everything in the cache."""
    setting = QUICK if quick else FULL
    found = []
    for method in setting.compared:
        # The last method compiles most: its code is kept where all later work looks for it.
        cache = "" if method == setting.compared[-1] else f"-{method}"
        for state, turns in ((EMPTY, 1), (FILLED, 1 if quick else 5)):
            progress(f"before and after: first decision of {method}, {state}")
            found.append(Measured(state, f"first decision of {method}"))
            for turn in range(turns):
                for tree in _in_turn(trees, turn):
                    _use(found[-1], tree, method, cache, (setting.side, setting.stations))
    return found


def _use(job: Measured, tree: Tree, method: str, cache: str, size: tuple[int, int]) -> None:
    try:
        taken = first_use(tree, method, *size, cache=cache)
    except FailedError as error:
        job.errors[tree.name] = str(error)
    else:
        job.samples.setdefault(tree.name, []).append(taken)


def _measured(trees: Sequence[Tree], quick: bool) -> list[Measured]:
    """Measure all jobs, in several generations of processes."""
    generations, turns, size = (1, 2, "quick") if quick else (3, 5, "full")
    progress("before and after: recording moments")
    with Child(trees[0], size) as recorder:
        moments = recorder.order("record")
    found: list[Measured] = []
    for generation in range(generations):
        with ExitStack() as stack:
            children = [stack.enter_context(Child(tree, size)) for tree in trees]
            names = [child.order("names", moments=moments) for child in children][-1]
            found = found or [Measured(part, name, number) for number, (part, name) in enumerate(names)]
            for name, jobs in groupby(found, lambda job: job.name):
                progress(f"before and after: processes {generation + 1} of {generations}, {name}")
                _take_turns(list(jobs), children, turns)
    return found


def _take_turns(jobs: Sequence[Measured], children: Sequence[Child], turns: int) -> None:
    """Let all versions do some jobs, which are compared with each other too."""
    rivals = [(job, child) for job in jobs for child in children]
    for job, child in rivals:
        try:
            job.digests[child.tree.name] = child.order("warm", job=job.number)
        except FailedError as error:
            job.errors[child.tree.name] = str(error)
    able = [(job, child) for job, child in rivals if child.tree.name not in job.errors]
    for turn in range(turns):
        for job, child in _in_turn(able, turn):
            job.samples.setdefault(child.tree.name, []).append(child.order("time", job=job.number))


def _in_turn(several: Sequence[T], turn: int) -> Sequence[T]:
    """Return them forwards, then backwards, and so on: nobody is always the first."""
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
        "same: actions and questions; costs and rewards in ten digits; tables and observations in every bit",
        "seconds on a core, medians; after / before: the median of ratios of neighbours in time, and the middle 80 %",
        "a spread that contains 1 shows no difference; garbage of earlier turns is collected outside the clock",
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
        "seconds on a core of a whole process, from its start to the first decision that weighs questions",
        *_failures(found),
    ]
    return table


def _plain_table(found: Sequence[Measured], quick: bool) -> Table:
    side, stations = (QUICK if quick else FULL).plain
    table = Table(
        f"Plain problems beside compressed ones, after; {side} x {side}, {stations} stations",
        [Column("what"), *_columns(COMPRESSED, PLAIN), Column("same results")],
        notes=["plain: two models of whose structure nothing is known; compressed: the same maps as ToolFetching"],
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
    """Return both medians, and the median and the spread of the ratios of neighbours."""
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
    return f"in all {compared} jobs the same came out before and after" if compared else "nothing to compare"


def _failures(found: Sequence[Measured]) -> list[str]:
    return [
        f"{job.part}, {job.name}: {version} failed: {error}" for job in found for version, error in job.errors.items()
    ]
