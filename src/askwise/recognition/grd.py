"""One row for each problem: its size, and how alike its goals are at the start.

WCD is the longest common prefix of optimal plans, as in the literature on goal-recognition design; the step that tells
any two goals apart is `told_apart` (`askwise.pddl.pairs`).
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass

import numpy as np

from askwise.divergence.edp import ecd
from askwise.pddl.archive import recognition
from askwise.pddl.cones import Cones, cones_of
from askwise.pddl.limits import Limits
from askwise.pddl.pairs import pairs_at
from askwise.recognition.collecting import Collected
from askwise.studies.running.jobs import Row

VERSION = 3
"""To be raised when rows come to mean something else: what was kept before is worked out again then."""

COLUMNS = (
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
        return f"grd-{VERSION}-{self.problem.digest}-{limits}"

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
        return {**dict.fromkeys(COLUMNS), "problem": self.problem.name, "archives": len(self.problem.watched), **known}


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
