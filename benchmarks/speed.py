"""The whole job: EDP of all ordered pairs of goals at all states, from the bare model to the finished table.

Everybody starts from a model that exists already and makes distances, UROPs and values anew each time. What askwise
keeps between calls (predecessor lists, the closed form of a grid size) is thrown away before each measurement.
Every way is checked against the others before it is timed: a fast wrong answer is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise import Divergence
from askwise.divergence.everywhere import all_pairs
from askwise.types import FloatArray
from benchmarks import cases
from benchmarks.cases import Case
from benchmarks.checks import agree
from benchmarks.peers import dict_pass, numpy_levels, paper, scipy_pairs, stormpy_peer
from benchmarks.peers.chains import Chains
from benchmarks.peers.plain import plain_world
from benchmarks.report import Column, Table, progress, ratio, seconds, tiny
from benchmarks.timing import Job, Times, interleaved

ASKWISE = "askwise: Divergence.edp_table"
KERNEL = "askwise: one-pass kernel, closed form not used"
PAPER = "the paper's algorithm, sparse dicts"
STORM = "stormpy, one chain per pair"
FILL = "np.full of the same size (no computation)"

PAIRS = 350
"""Pairs that slow ways are timed on. Under the paper's algorithm the cost of a pair has a standard deviation of
half its mean, so with fewer the extrapolated time would be uncertain by more than 3 % (one standard error)."""

EXPECTED: dict[str, tuple[str, bool, float]] = {
    "the paper's algorithm takes at least 15,000 times as long": (PAPER, True, 15_000),
    "stormpy takes at least 150 times as long": (STORM, True, 150),
    "askwise takes at most 25 times as long as the plain fill": (FILL, False, 25),
}
"""In words: beside whom, whether the other one is to be the slower one, and the factor."""


@dataclass(frozen=True)
class Way:
    """A job, how much of the whole it does, and its values in a comparable form.

    `values` returns what was computed and what the finished table says about the same pairs.
    """

    job: Job
    part: str
    values: Callable[[FloatArray], tuple[FloatArray, FloatArray]] | None = None
    tolerance: float = 1e-9


def run(quick: bool) -> list[Table]:
    """Measure an open grid and one with walls."""
    side, n_goals, rounds = (8, 6, 2) if quick else (20, 50, 7)
    found = []
    for walls in (False, True):
        case = cases.build(side, n_goals, walls=walls)
        progress(f"whole job on {case.name}: checking that all ways agree")
        ways = list(_ways(case, sample=10 if quick else PAIRS))
        deviations = _checked(case, ways)
        times = interleaved([way.job for way in ways], rounds)
        found += [_table(case, ways, deviations, times, rounds), _verdicts(case, times, quick)]
    return found


def _ways(case: Case, sample: int) -> Iterator[Way]:
    everything = f"all {len(case.goals) * (len(case.goals) - 1):,} pairs"
    yield Way(Job(ASKWISE, lambda _: fresh_table(case), repeats=5), everything)
    if case.grid.open:
        yield Way(
            Job(KERNEL, lambda _: _kernel(case), repeats=5),
            everything,
            lambda table: (_kernel(case).transpose(1, 2, 0), table),
        )
    yield Way(Job(FILL, lambda _: _fill(case), repeats=5), everything)
    yield Way(
        Job("numpy, level by level", lambda _: numpy_levels.table(case.grid, case.goals), repeats=2),
        everything,
        lambda table: (numpy_levels.table(case.grid, case.goals).transpose(1, 2, 0), table),
    )
    if stormpy_peer.available:
        yield _storm_by_goal(case, 1 + sample // 50)
        yield _by_pairs(case, STORM, stormpy_peer.pairs, _chains(case), sample)
    yield _by_pairs(case, "plain dicts, one backward pass", dict_pass.pairs, _world(case), sample)
    yield _by_pairs(case, "scipy spsolve, one system per pair", scipy_pairs.pairs, _chains(case), sample)
    yield _by_pairs(case, PAPER, paper.pairs, _world(case), sample, tolerance=paper.EPSILON)


# -- the ways -------------------------------------------------------------------------------------------------


def fresh_table(case: Case) -> FloatArray:
    """Do the whole job as a user of askwise would."""
    case.forget()
    return Divergence(case.grid, case.goals).edp_table()


def _kernel(case: Case) -> FloatArray:
    case.forget()
    return all_pairs(case.grid, case.targets, np.arange(len(case.goals) + 1, dtype=np.int32))


def _fill(case: Case) -> FloatArray:
    return np.full((case.grid.n_states, len(case.goals), len(case.goals)), 1.0)


def _world(case: Case) -> Callable[[], Any]:
    return lambda: plain_world(case.grid, case.goals)


def _chains(case: Case) -> Callable[[], Any]:
    return lambda: Chains(case.grid, case.goals)


def _by_pairs(
    case: Case,
    name: str,
    pairs: Callable[[Any, Sequence[tuple[int, int]]], FloatArray],
    prepare: Callable[[], Any],
    sample: int,
    tolerance: float = 1e-9,
) -> Way:
    """Return a way that does a sample of the pairs, each by itself; the preparations are never sampled."""
    everything = [(i, j) for i in range(len(case.goals)) for j in range(len(case.goals)) if i != j]
    chosen = _sample(everything, sample)
    first, second = np.array(chosen).T
    return Way(
        Job(name, lambda prepared: pairs(prepared, chosen), prepare, factor=len(everything) / len(chosen)),
        _part(len(chosen), len(everything), "pairs"),
        lambda table: (pairs(prepare(), chosen), table[:, first, second].T),
        tolerance,
    )


def _storm_by_goal(case: Case, sample: int) -> Way:
    n = len(case.goals)
    chosen = _sample(list(range(n)), sample)
    others = [[i for i in range(n) if i != j] for j in chosen]
    return Way(
        Job(
            "stormpy, one chain per goal",
            lambda chains: stormpy_peer.goals(chains, chosen),
            _chains(case),
            factor=n / len(chosen),
        ),
        _part(len(chosen), n, "goals"),
        lambda table: (
            stormpy_peer.goals(Chains(case.grid, case.goals), chosen),
            np.array([table[:, rows, j].T for rows, j in zip(others, chosen, strict=True)]),
        ),
    )


def _sample(everything: list[Any], size: int) -> list[Any]:
    if size >= len(everything):
        return everything
    return [everything[k] for k in np.random.default_rng(7).choice(len(everything), size, replace=False)]


def _part(done: int, whole: int, what: str) -> str:
    return f"all {whole:,} {what}" if done == whole else f"{done:,} of {whole:,} {what}, extrapolated"


# -- the tables -----------------------------------------------------------------------------------------------


def _checked(case: Case, ways: Sequence[Way]) -> dict[str, float]:
    """Return the largest relative deviation of each way, or refuse to go on."""
    table = fresh_table(case)
    checked = [(way, way.values) for way in ways]
    return {
        way.job.name: agree(f"{way.job.name} on {case.name}", *values(table), way.tolerance)
        for way, values in checked
        if values is not None
    }


def _table(
    case: Case, ways: Sequence[Way], deviations: dict[str, float], times: dict[str, Times], rounds: int
) -> Table:
    table = Table(
        f"Whole job: all states, all pairs; {case.name}",
        [
            Column("way"),
            seconds("median"),
            seconds("minimum"),
            ratio("times askwise"),
            tiny("largest deviation"),
            Column("measured on"),
        ],
    )
    base = times[ASKWISE].median
    for way in ways:
        took = times[way.job.name]
        deviation = deviations.get(way.job.name)
        table.rows.append([way.job.name, took.median, took.minimum, took.median / base, deviation, way.part])
    if not stormpy_peer.available:
        table.rows.append([STORM, None, None, None, None, "stormpy cannot be imported here: not measured"])
    table.notes = [
        f"{case.grid.n_states:,} states; {rounds} rounds, all ways taking turns; ratios compare medians",
        f"askwise chose: {Divergence(case.grid, case.goals).method}",
        "deviation: relative, from Divergence.edp_table, checked before timing",
        "building the model is not counted, everything after it is; extrapolated: preparations in full, pairs in part",
    ]
    return table


def _verdicts(case: Case, times: dict[str, Times], quick: bool) -> Table:
    table = Table(
        f"Expected and measured; {case.name}",
        [Column("way of askwise"), Column("expected"), ratio("measured"), Column("holds")],
    )
    for name in (ASKWISE, KERNEL):
        if name in times:
            table.rows += [[name, words, *_holds(times, name, *rule)] for words, rule in EXPECTED.items()]
    if quick:
        for row in table.rows:
            row[-1] = row[-1] if row[-2] is None else "not judged"
        table.notes.append("the expectations are about 20 x 20 and 50 goals; a quick run is far too small for them")
    return table


def _holds(times: dict[str, Times], own: str, other: str, slower: bool, limit: float) -> tuple[float | None, str]:
    """Compare `other` with `own`: at least `limit` times as slow, or at most `limit` times as fast."""
    if other not in times:
        return None, "not measured"
    if slower:
        measured = times[other].median / times[own].median
        return measured, "yes" if measured >= limit else "NO"
    measured = times[own].median / times[other].median
    return measured, "yes" if measured <= limit else "NO"
