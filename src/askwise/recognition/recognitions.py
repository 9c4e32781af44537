"""One row for each archive: what is known of the goal after the last action seen; and a summary by observability."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from askwise.pddl.archive import recognition
from askwise.pddl.cones import Cones, cones_of
from askwise.pddl.limits import Limits
from askwise.pddl.recognising import recognise
from askwise.recognition.collecting import Collected, Watching
from askwise.recognition.grd import verdict
from askwise.studies.running.jobs import Row

VERSION = 3
"""To be raised when rows come to mean something else: what was kept before is worked out again then."""

COLUMNS = (
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
        return f"recognise-{VERSION}-{self.problem.digest}-{how}-{limits}"

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
        return {**dict.fromkeys(COLUMNS), **named, **known}


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
