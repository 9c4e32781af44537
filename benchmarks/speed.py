"""The time of EDP of all ordered pairs of goals at all states, from a model to the finished table.

All implementations start from an existing model, and compute distances, UROPs and values anew each time. What askwise
keeps between calls (predecessor lists, the closed form of a grid size) is deleted before each measurement. Before they
are timed, all implementations are checked against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise import Divergence
from askwise.divergence.edp_tables import all_pairs
from askwise.types import FloatArray
from benchmarks.peers import chains, dictionaries, numpy_levels, stormpy_peer
from benchmarks.peers.chains import Chains
from benchmarks.tools import cases
from benchmarks.tools.cases import Case, check_agreement
from benchmarks.tools.report import Column, Table, progress, ratio, scientific, seconds
from benchmarks.tools.timing import Job, Times, time_in_turns

ASKWISE = "askwise: Divergence.edp_table"
KERNEL = "askwise: one-pass kernel, closed form not used"
PAPER = "the paper's algorithm, sparse dicts"
STORM = "stormpy, one chain per pair"
FILL = "np.full of the same size (no computation)"

PAIRS = 350
"""Pairs on which slow implementations are timed.

Under the paper's algorithm the time of a pair has a standard deviation of half its mean, so with fewer pairs the
standard error of the extrapolated time would be above 3 %.
"""

EXPECTED: dict[str, tuple[str, bool, float]] = {
    "the paper's algorithm takes at least 15,000 times as long": (PAPER, True, 15_000),
    "stormpy takes at least 150 times as long": (STORM, True, 150),
    "askwise takes at most 25 times as long as filling the table": (FILL, False, 25),
}
"""For each expectation: the other implementation, whether it is expected to be slower than askwise, and the factor."""


@dataclass(frozen=True)
class Implementation:
    """An implementation, the part of the task that it is timed on, and its values.

    Attributes:
        job: what is timed.
        part: the part of the task, in words.
        values: from the finished table of askwise, returns the computed values and those of the table for the same
            pairs; None if nothing is checked.
        tolerance: largest relative deviation between the two.
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
        progress(f"speed on {case.name}: checking that all implementations agree")
        peers = list(_implementations(case, sample=10 if quick else PAIRS))
        deviations = _check(case, peers)
        times = time_in_turns([peer.job for peer in peers], rounds)
        found += [_table(case, peers, deviations, times, rounds), _verdicts(case, times, quick)]
    return found


def _implementations(case: Case, sample: int) -> Iterator[Implementation]:
    everything = f"all {len(case.goals) * (len(case.goals) - 1):,} pairs"
    yield Implementation(Job(ASKWISE, lambda _: fresh_table(case), repeats=5), everything)
    if case.grid.open:
        yield Implementation(
            Job(KERNEL, lambda _: _kernel(case), repeats=5),
            everything,
            lambda table: (_kernel(case).transpose(1, 2, 0), table),
        )
    yield Implementation(Job(FILL, lambda _: _fill(case), repeats=5), everything)
    yield Implementation(
        Job("numpy, level by level", lambda _: numpy_levels.table(case.grid, case.goals), repeats=2),
        everything,
        lambda table: (numpy_levels.table(case.grid, case.goals).transpose(1, 2, 0), table),
    )
    if stormpy_peer.available:
        yield _storm_by_goal(case, 1 + sample // 50)
        yield _by_pairs(case, STORM, stormpy_peer.pairs, _chains(case), sample)
    yield _by_pairs(case, "simple dicts, one backward pass", dictionaries.backward_pass, _world(case), sample)
    yield _by_pairs(case, "scipy spsolve, one system per pair", chains.solve_pairs, _chains(case), sample)
    yield _by_pairs(case, PAPER, dictionaries.paper, _world(case), sample, tolerance=dictionaries.EPSILON)


# -- implementations -------------------------------------------------------------------------------------------------


def fresh_table(case: Case) -> FloatArray:
    """Compute the whole table as a user of askwise would, without anything kept from earlier calls."""
    case.clear_caches()
    return Divergence(case.grid, case.goals).edp_table()


def _kernel(case: Case) -> FloatArray:
    case.clear_caches()
    return all_pairs(case.grid, case.targets, np.arange(len(case.goals) + 1, dtype=np.int32))


def _fill(case: Case) -> FloatArray:
    return np.full((case.grid.n_states, len(case.goals), len(case.goals)), 1.0)


def _world(case: Case) -> Callable[[], Any]:
    return lambda: dictionaries.make_world(case.grid, case.goals)


def _chains(case: Case) -> Callable[[], Any]:
    return lambda: Chains(case.grid, case.goals)


def _by_pairs(
    case: Case,
    name: str,
    pairs: Callable[[Any, Sequence[tuple[int, int]]], FloatArray],
    prepare: Callable[[], Any],
    sample: int,
    tolerance: float = 1e-9,
) -> Implementation:
    """Return an implementation that is timed on a sample of the pairs, one by one, after all preparations."""
    everything = [(i, j) for i in range(len(case.goals)) for j in range(len(case.goals)) if i != j]
    chosen = _sample(everything, sample)
    first, second = np.array(chosen).T
    return Implementation(
        Job(name, lambda prepared: pairs(prepared, chosen), prepare, factor=len(everything) / len(chosen)),
        _part(len(chosen), len(everything), "pairs"),
        lambda table: (pairs(prepare(), chosen), table[:, first, second].T),
        tolerance,
    )


def _storm_by_goal(case: Case, sample: int) -> Implementation:
    n = len(case.goals)
    chosen = _sample(list(range(n)), sample)
    others = [[i for i in range(n) if i != j] for j in chosen]
    return Implementation(
        Job(
            "stormpy, one chain per goal",
            lambda prepared: stormpy_peer.goals(prepared, chosen),
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


# -- tables ----------------------------------------------------------------------------------------------------------


def _check(case: Case, peers: Sequence[Implementation]) -> dict[str, float]:
    """Return the largest relative deviation of each implementation; raise an error if one is too large."""
    table = fresh_table(case)
    return {
        peer.job.name: check_agreement(f"{peer.job.name} on {case.name}", *peer.values(table), peer.tolerance)
        for peer in peers
        if peer.values is not None
    }


def _table(
    case: Case, peers: Sequence[Implementation], deviations: dict[str, float], times: dict[str, Times], rounds: int
) -> Table:
    table = Table(
        f"EDP of all pairs at all states; {case.name}",
        [
            Column("implementation"),
            seconds("median"),
            seconds("minimum"),
            ratio("compared with askwise"),
            scientific("largest deviation"),
            Column("measured on"),
        ],
    )
    base = times[ASKWISE].median
    for peer in peers:
        took = times[peer.job.name]
        deviation = deviations.get(peer.job.name)
        table.rows.append([peer.job.name, took.median, took.minimum, took.median / base, deviation, peer.part])
    if not stormpy_peer.available:
        table.rows.append([STORM, None, None, None, None, "stormpy cannot be imported here: not measured"])
    table.notes = [
        f"{case.grid.n_states:,} states; {rounds} rounds in turns; ratios are those of medians",
        f"method that askwise chose: {Divergence(case.grid, case.goals).method}",
        "deviation: relative, from Divergence.edp_table, before timing",
        "times begin after building the model; extrapolated times include all preparations and a sample of pairs",
    ]
    return table


def _verdicts(case: Case, times: dict[str, Times], quick: bool) -> Table:
    table = Table(
        f"Expected and measured; {case.name}",
        [Column("implementation"), Column("expected"), ratio("measured"), Column("holds")],
    )
    for name in (ASKWISE, KERNEL):
        if name in times:
            table.rows += [[name, words, *_holds(times, name, *rule)] for words, rule in EXPECTED.items()]
    if quick:
        for row in table.rows:
            row[-1] = row[-1] if row[-2] is None else "not judged"
        table.notes.append("expectations are for 20 x 20 cells and 50 goals, not for the sizes of a quick run")
    return table


def _holds(times: dict[str, Times], own: str, other: str, slower: bool, limit: float) -> tuple[float | None, str]:
    """Return the ratio of the medians, and whether it meets the expectation.

    If `slower`, the ratio is `other` / `own`, at least `limit`; otherwise `own` / `other`, at most `limit`.
    """
    if other not in times:
        return None, "not measured"
    if slower:
        measured = times[other].median / times[own].median
        return measured, "yes" if measured >= limit else "NO"
    measured = times[own].median / times[other].median
    return measured, "yes" if measured <= limit else "NO"
