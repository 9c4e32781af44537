"""Compute two tables: how similar the goals of each problem are, and which goals are recognised in each archive.

The table of problems measures similarity in two ways. ``wcd`` is the length of the longest common prefix of optimal
plans for two different goals. ``told_apart`` is the largest number of steps until the actions have ruled out all wrong
goals, or ``inf`` (`askwise.pddl.pairs`).

An archive has one problem and the observed actions of one plan. The table of archives has the results after the last
observed action.
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
from askwise.pddl.grounding import Limits
from askwise.pddl.pairs import pairs_at
from askwise.pddl.recogniser import recognise
from askwise.recognition.archives import Collected, ObservedPlan
from askwise.studies.running.jobs import Row

GRD_VERSION = 3
"""Increase this when the meaning of rows changes, so that stored rows are computed again."""

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
"""The columns of the table of problems."""


@dataclass(frozen=True)
class MeasureJob:
    """A job that measures how similar the goals of a problem are; it makes one row with the columns `GRD_COLUMNS`.

    Attributes:
        problem: the problem and its archives.
        limits: limits of the search for plans.
    """

    problem: Collected
    limits: Limits

    @property
    def key(self) -> str:
        """A text that identifies the result: it changes with the files of the problem and the limits of the search."""
        limits = "-".join(str(value) for value in asdict(self.limits).values())
        return f"grd-{GRD_VERSION}-{self.problem.digest}-{limits}"

    def rows(self) -> list[Row]:
        """Read the problem, search for all optimal plans of its goals, and return a list with the only row."""
        start = time.process_time()
        read = recognition(dict(self.problem.texts), name=self.problem.name, limits=self.limits)
        cones = cones_of(read)
        row = self._row(goals=len(read.goals), facts=len(read.task.facts), operators=read.task.n_operators)
        row |= _sizes(cones)
        if not cones.too_large:
            row |= _alike(cones)
        return [{**row, "seconds": time.process_time() - start, "verdict": verdict(cones)}]

    def failed(self, why: str) -> list[Row]:
        """Return the only row of a failed job, as a list: the name of the problem and the reason `why`."""
        return [self._row(verdict=f"failed: {why}")]

    def _row(self, **known: object) -> Row:
        return {
            **dict.fromkeys(GRD_COLUMNS),
            "problem": self.problem.name,
            "archives": len(self.problem.observed),
            **known,
        }


def _sizes(cones: Cones) -> Row:
    lengths = cones.lengths[cones.lengths >= 0]
    known = {"shortest": int(lengths.min()), "longest": int(lengths.max())} if lengths.size else {}
    return {"unreachable": len(cones.unreachable), "states": cones.model.n_states, **known}


def _alike(cones: Cones) -> Row:
    """Return the columns of `GRD_COLUMNS` that measure how similar the goals are, as a dict.

    It is empty if fewer than two goals can be reached. `cones` has the states on optimal plans for each goal.
    """
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
    """Return the expected number of steps from the initial state until an action rules out one of `goals`.

    The result is ``inf`` (text) if the number is infinite, and None if action names do not determine the states.
    """
    if cones.ambiguous:
        return None
    value = float(ecd(cones.model, [cones.targets[goal].tolist() for goal in goals], at=0))
    return value if math.isfinite(value) else "inf"  # JSON has no infinity


def verdict(cones: Cones) -> str:
    """Return a text that states whether the results for a problem are exact, or why not.

    `cones` has the states on optimal plans for each goal.
    """
    if cones.too_large:
        least = min(cones.found[goal].at_least for goal in cones.too_large)  # holds for each of the goals
        goals = f"{len(cones.too_large)} of {len(cones.goals)} goals"
        return f"too large: {goals} need at least {least} steps, and the search reached its limits"
    if not cones.unreachable:
        return "exact"
    n = len(cones.unreachable)
    return f"exact; {'1 goal' if n == 1 else f'{n} goals'} left out, which no plan reaches"


RECOGNISE_VERSION = 3
"""Increase this when the meaning of rows changes, so that stored rows are computed again."""

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
"""The columns of the table of archives. Goals are numbered from 1."""


@dataclass(frozen=True)
class RecogniseJob:
    """A job that recognises the goal in each archive of one problem; it makes one row for each archive.

    Attributes:
        problem: the problem and its archives.
        limits: limits of the search for plans.
        belief: ``bayes`` if all observed actions are in optimal plans, otherwise ``robust``.
        stray: probability that an observed action is not in the plan; only for ``robust``.
        complete: whether no action before the last observed one was missed.
    """

    problem: Collected
    limits: Limits
    belief: str = "bayes"
    stray: float = 0.1
    complete: bool = False

    @property
    def key(self) -> str:
        """A text that identifies the result: it changes with the files of the problem, the options and the limits."""
        limits = "-".join(str(value) for value in asdict(self.limits).values())
        how = f"{self.belief}-{self.stray if self.belief == 'robust' else 0}-{int(self.complete)}"
        return f"recognise-{RECOGNISE_VERSION}-{self.problem.digest}-{how}-{limits}"

    def rows(self) -> list[Row]:
        """Recognise the goal in each archive, and return a row for each, with the columns `RECOGNISE_COLUMNS`."""
        start = time.process_time()
        cones: Cones | None = None
        rows = []
        for plan in self.problem.observed:
            read = recognition({**dict(self.problem.texts), **dict(plan.texts)}, name=plan.name, limits=self.limits)
            cones = cones_of(read) if cones is None else cones
            number = None if read.true_goal is None else read.true_goal + 1
            row = self._row(plan, seen=len(read.seen), goals=len(read.goals), true_goal=number)
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
            # The plans are computed for the first archive of a problem, whose row includes that time.
            rows.append({**row, "seconds": time.process_time() - start, "verdict": verdict(cones)})
            start = time.process_time()
        return rows

    def failed(self, why: str) -> list[Row]:
        """Return the rows of a failed job: for each archive its name and the reason `why`."""
        return [self._row(plan, verdict=f"failed: {why}") for plan in self.problem.observed]

    def _row(self, plan: ObservedPlan, **known: object) -> Row:
        named = {"archive": plan.name, "problem": self.problem.name, "observability": plan.observability}
        return {**dict.fromkeys(RECOGNISE_COLUMNS), **named, **known}


@dataclass(frozen=True)
class Summary:
    """How well goals are recognised after the last observed action, over all archives of the same observability.

    Attributes:
        observability: the percentage of the plan that was observed, empty if unknown.
        archives: number of archives with a known true goal and a result; only they count below.
        likeliest: archives whose true goal was among the likeliest.
        alone: archives whose true goal was the only likeliest.
        possible: archives whose true goal was still possible.
        contradictions: archives without a possible goal at some step.
        goals: mean number of goals still possible.
    """

    observability: str
    archives: int
    likeliest: int
    alone: int
    possible: int
    contradictions: int
    goals: float


def summaries(rows: Iterable[Row]) -> list[Summary]:
    """Return a `Summary` for each observability (percentage of the plan that was observed), in ascending order.

    Unknown observability comes last. `rows` are the rows of `RecogniseJob`; those without a true goal or a result are
    left out.
    """
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
