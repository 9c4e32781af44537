"""One row for each problem: its size, and how alike its goals are at the start.

WCD is the longest common prefix of optimal plans, as in the literature on goal-recognition design; the step that tells
any two goals apart is `told_apart` (`askwise.pddl.pairs`).

One row for each archive: what is known of the goal after the last action seen; and a summary by observability.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import numpy as np

from askwise.divergence.edp import ecd
from askwise.pddl.archive import recognition
from askwise.pddl.cones import Cones, cones_of
from askwise.pddl.limits import Limits
from askwise.pddl.pairs import pairs_at
from askwise.pddl.recognising import recognise
from askwise.recognition.archives import Collected, Watching
from askwise.studies.running.jobs import Row

GRD_VERSION = 3
"""To be raised when rows come to mean something else: what was kept before is worked out again then."""

GRD_COLUMNS = (
    "problem",
    "archives",
    "goals",
    "unreachable",
    "facts",
    "operators",
    "states",
    "shortest",
    "longest",
    "wcd",
    "told_apart",
    "mean_edp",
    "largest_edp",
    "mean_capped_edp",
    "never_apart",
    "ecd",
    "seconds",
    "verdict",
)
"""The columns of the table, see `docs/how-to/goal-recognition.md`."""


@dataclass(frozen=True)
class MeasureJob:
    """One problem to be measured."""

    problem: Collected
    limits: Limits

    @property
    def key(self) -> str:
        """See `Job`."""
        limits = "-".join(str(value) for value in asdict(self.limits).values())
        return f"grd-{GRD_VERSION}-{self.problem.digest}-{limits}"

    def rows(self) -> list[Row]:
        """See `Job`."""
        start = time.process_time()
        read = recognition(dict(self.problem.texts), name=self.problem.name, limits=self.limits)
        cones = cones_of(read)
        row = self._row(goals=len(read.goals), facts=len(read.task.facts), operators=read.task.n_operators)
        row |= _sizes(cones)
        if not cones.too_large:
            row |= _alike(cones)
        return [{**row, "seconds": time.process_time() - start, "verdict": verdict(cones)}]

    def failed(self, why: str) -> list[Row]:
        """See `Job`."""
        return [self._row(verdict=f"failed: {why}")]

    def _row(self, **known: object) -> Row:
        return {
            **dict.fromkeys(GRD_COLUMNS),
            "problem": self.problem.name,
            "archives": len(self.problem.watched),
            **known,
        }


def _sizes(cones: Cones) -> Row:
    lengths = cones.lengths[cones.lengths >= 0]
    known = {"shortest": int(lengths.min()), "longest": int(lengths.max())} if lengths.size else {}
    return {"unreachable": len(cones.unreachable), "states": cones.model.n_states, **known}


def _alike(cones: Cones) -> Row:
    """Return how alike the goals are at the start."""
    pairs = pairs_at(cones)
    n = len(pairs.goals)
    if n < 2:
        return {}
    apart = ~np.eye(n, dtype=bool)
    edp, told_apart = pairs.edp[apart], float(pairs.told_apart[apart].max())
    finite = edp[np.isfinite(edp)]
    return {
        "wcd": int(pairs.wcd[apart].max()),
        "told_apart": int(told_apart) if math.isfinite(told_apart) else "inf",
        "mean_edp": float(finite.mean()) if finite.size else None,
        "largest_edp": float(finite.max()) if finite.size else None,
        "mean_capped_edp": float(pairs.capped[apart].mean()),
        "never_apart": int(edp.size - finite.size),
        "ecd": _expected_case(cones, pairs.goals),
    }


def _expected_case(cones: Cones, goals: tuple[int, ...]) -> float | str | None:
    """Return the ECD of all goals, None where names do not tell the states that it is about."""
    if cones.ambiguous:
        return None
    value = float(ecd(cones.model, [cones.targets[goal].tolist() for goal in goals], at=0))
    return value if math.isfinite(value) else "inf"  # JSON knows no infinity


def verdict(cones: Cones) -> str:
    """Return in words how much of a problem is known."""
    if cones.too_large:
        least = min(cones.found[goal].at_least for goal in cones.too_large)  # so that it is true of each
        goals = f"{len(cones.too_large)} of {len(cones.goals)} goals"
        return f"too large: {goals} with plans of at least {least} steps, as far as the limits reach"
    if not cones.unreachable:
        return "exact"
    n = len(cones.unreachable)
    return f"exact; {n} goal{'s' if n > 1 else ''} that no plan reaches left out"


RECOGNISE_VERSION = 3
"""To be raised when rows come to mean something else: what was kept before is worked out again then."""

RECOGNISE_COLUMNS = (
    "archive",
    "problem",
    "observability",
    "seen",
    "goals",
    "true_goal",
    "possible",
    "likeliest",
    "true_possible",
    "true_likeliest",
    "true_probability",
    "contradiction",
    "seconds",
    "verdict",
)
"""The columns of the table, in which goals are numbered from 1; see `docs/how-to/goal-recognition.md`."""


@dataclass(frozen=True)
class RecogniseJob:
    """One problem, and all archives that are about it."""

    problem: Collected
    limits: Limits
    belief: str = "bayes"
    stray: float = 0.1
    complete: bool = False

    @property
    def key(self) -> str:
        """See `Job`."""
        limits = "-".join(str(value) for value in asdict(self.limits).values())
        how = f"{self.belief}-{self.stray if self.belief == 'robust' else 0}-{int(self.complete)}"
        return f"recognise-{RECOGNISE_VERSION}-{self.problem.digest}-{how}-{limits}"

    def rows(self) -> list[Row]:
        """See `Job`."""
        start = time.process_time()
        cones: Cones | None = None
        rows = []
        for watching in self.problem.watched:
            read = recognition(
                {**dict(self.problem.texts), **dict(watching.texts)}, name=watching.name, limits=self.limits
            )
            cones = cones_of(read) if cones is None else cones
            number = None if read.true_goal is None else read.true_goal + 1
            row = self._row(watching, seen=len(read.seen), goals=len(read.goals), true_goal=number)
            if not cones.too_large:
                found = recognise(read, belief=self.belief, stray=self.stray, complete=self.complete, cones=cones)
                row |= {
                    "possible": int(found.possible[-1].sum()),
                    "likeliest": [goal + 1 for goal in found.likeliest()],
                    "contradiction": found.contradiction,
                }
                if read.true_goal is not None:
                    row |= {
                        "true_possible": bool(found.possible[-1, read.true_goal]),
                        "true_likeliest": read.true_goal in found.likeliest(),
                        "true_probability": float(found.probabilities[-1, read.true_goal]),
                    }
            # The plans are worked out for the first archive of a problem, and its row says how long that took.
            rows.append({**row, "seconds": time.process_time() - start, "verdict": verdict(cones)})
            start = time.process_time()
        return rows

    def failed(self, why: str) -> list[Row]:
        """See `Job`."""
        return [self._row(watching, verdict=f"failed: {why}") for watching in self.problem.watched]

    def _row(self, watching: Watching, **known: object) -> Row:
        named = {"archive": watching.name, "problem": self.problem.name, "observability": watching.observability}
        return {**dict.fromkeys(RECOGNISE_COLUMNS), **named, **known}


@dataclass(frozen=True)
class Summary:
    """How well goals were recognised, over all archives in which as much of the plan was seen.

    Attributes:
        observability: how much that is, in per cent, or empty if nobody says.
        archives: how many archives whose true goal is known were answered.
        likeliest: how many times the true goal was among the likeliest.
        alone: how many times it was the only likeliest.
        possible: how many times it was not ruled out.
        contradictions: how many times every goal was ruled out: the actor is not optimal.
        goals: the mean number of goals that were still possible.
    """

    observability: str
    archives: int
    likeliest: int
    alone: int
    possible: int
    contradictions: int
    goals: float


def summaries(rows: Iterable[Row]) -> list[Summary]:
    """Return the summary of each observability, the lowest first."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row["true_likeliest"] is not None:
            groups.setdefault(row["observability"], []).append(row)
    order = sorted(groups, key=lambda name: (name == "", int(name or 0)))
    return [_summary(name, groups[name]) for name in order]


def _summary(name: str, rows: list[Row]) -> Summary:
    return Summary(
        name,
        len(rows),
        sum(row["true_likeliest"] for row in rows),
        sum(row["true_likeliest"] and len(row["likeliest"]) == 1 for row in rows),
        sum(row["true_possible"] for row in rows),
        sum(row["contradiction"] is not None for row in rows),
        sum(row["possible"] for row in rows) / len(rows),
    )
