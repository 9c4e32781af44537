"""Calibration of beliefs: whether goals with a stated probability of 30 % are the true goal in 30 % of all cases.

Methods with the belief `bayes` play episodes with wrong and refused answers and UROP teammates. Before every decision
the belief states a probability for each goal. Goals are put into ten bins by this probability. In each bin, the share
of goals that are the teammate's is compared with the mean stated probability. Moments with one possible goal, and goals
that are impossible, are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from askwise import simulate
from askwise.core.answers import AnswerModel
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.types import FloatArray
from benchmarks.tools.processes import process_pool
from benchmarks.tools.report import Column, Table, count, number, progress

BINS = 10
METHODS = ("baseline", "toolbox", "ezq-local")
WRONG = (0.05, 0.1, 0.2)
REFUSED = (0.0, 0.3)
ERRORS = ("independent", "persistent")
PRIORS = ("far", "uniform", "near")
ENOUGH = 1_000
"""Bins with fewer goals are not judged."""
TOLERANCE = 0.02
"""Largest expected difference between the share and the mean stated probability."""
EPISODES_PER_JOB = 30


@dataclass(frozen=True)
class Job:
    """Some episodes of one method with one answer model and prior."""

    answers: AnswerModel
    method: str
    prior: str
    seed: int
    episodes: int = EPISODES_PER_JOB


@dataclass
class Tally:
    """Stated probabilities and true goals by bin.

    Attributes:
        moments: number of moments.
        stated: ``float64 [BINS]``, the sum of the stated probabilities in each bin.
        true: ``float64 [BINS]``, the number of goals that were the teammate's.
        total: ``float64 [BINS]``, the number of all goals.
    """

    moments: int
    stated: FloatArray
    true: FloatArray
    total: FloatArray

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.moments + other.moments, self.stated + other.stated, self.true + other.true, self.total + other.total
        )

    def difference(self) -> FloatArray:
        """Return the share of true goals minus the mean stated probability, ``float64 [BINS]``."""
        return np.asarray((self.true - self.stated) / np.maximum(self.total, 1))


def empty_tally() -> Tally:
    """Return a tally of no moments."""
    return Tally(0, np.zeros(BINS), np.zeros(BINS), np.zeros(BINS))


def play(job: Job) -> Tally:
    """Return the tally of the episodes of a job."""
    tally = empty_tally()
    for k in range(job.episodes):
        # A new map, goal and path every time, because moments that share these are not independent.
        seed = 1_000 * job.seed + k
        drawn = generate(size=7, stations=6, toolboxes=3, prior=job.prior, query_cost=QueryCost(0.2, 0.02), seed=seed)
        problem = ToolFetching(drawn).with_answers(job.answers)
        episode = simulate(problem, job.method, seed=seed, belief="bayes")
        for step in episode.steps:
            if step.belief is not None and np.count_nonzero(step.belief) > 1:
                tally += _moment(step.belief, episode.goal)
    return tally


def _moment(belief: FloatArray, goal: int) -> Tally:
    goals = np.flatnonzero(belief)
    bins = np.minimum((belief[goals] * BINS).astype(int), BINS - 1)
    return Tally(
        1,
        np.bincount(bins, belief[goals], minlength=BINS).astype(np.float64),
        np.bincount(bins, goals == goal, minlength=BINS).astype(np.float64),
        np.bincount(bins, minlength=BINS).astype(np.float64),
    )


def jobs(rounds: int) -> list[Job]:
    """Return jobs for all answer models, methods and priors, `rounds` times with other seeds."""
    conditions = product(range(rounds), WRONG, REFUSED, ERRORS, METHODS, PRIORS)
    return [
        Job(AnswerModel(wrong, refused, errors), method, prior, seed)
        for seed, (_, wrong, refused, errors, method, prior) in enumerate(conditions)
    ]


def run(quick: bool) -> list[Table]:
    """Play the episodes, and compare stated probabilities with the shares of true goals."""
    tallies: dict[str, Tally] = {}
    chosen = jobs(1)[::9] if quick else jobs(4)
    with process_pool() as pool:
        for k, (job, tally) in enumerate(zip(chosen, pool.map(play, chosen), strict=True)):
            errors = job.answers.errors
            tallies[errors] = tallies.get(errors, empty_tally()) + tally
            if k % 50 == 0:
                progress(f"calibration: job {k} of {len(chosen)}")
    whole = sum(tallies.values(), empty_tally())
    return [_bins(whole), _summary({"all": whole, **tallies})]


def _bins(tally: Tally) -> Table:
    table = Table(
        f"Stated probabilities of goals and the shares of true goals ({tally.moments:,} moments)",
        [Column("stated"), number("mean stated", 4), number("true", 4), number("difference", 4), count("goals")],
        notes=[
            "belief bayes, wrong and refused answers",
            f"expected: difference within {TOLERANCE} in bins with {ENOUGH} goals or more",
        ],
    )
    for k in range(BINS):
        n = max(tally.total[k], 1)
        stated, true = tally.stated[k] / n, tally.true[k] / n
        name = f"{k / BINS:.0%} to {(k + 1) / BINS:.0%}"
        table.rows.append([name, float(stated), float(true), float(true - stated), int(tally.total[k])])
    return table


def _summary(tallies: dict[str, Tally]) -> Table:
    table = Table(
        "Largest difference in any bin",
        [Column("errors"), count("moments"), number("largest difference", 4), Column(f"within {TOLERANCE}")],
    )
    for name, tally in tallies.items():
        largest = largest_difference(tally)
        table.rows.append([name, tally.moments, largest, "yes" if largest <= TOLERANCE else "no"])
    return table


def largest_difference(tally: Tally) -> float:
    """Return the largest absolute difference in a bin that has enough goals; 0 if none has."""
    differences: Sequence[float] = np.abs(tally.difference())[tally.total >= ENOUGH].tolist()
    return max(differences, default=0.0)
