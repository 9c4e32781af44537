"""Whether beliefs mean what they say: of all goals that were given 30 %, three in ten should be the goal.

Episodes with answers that may be wrong or missing are played by methods that keep the belief `bayes`, beside teammates
that take one of their shortest plans. Before every decision the belief gives each goal a probability; the goals are put
into ten bins by it, and the share of those in a bin that are the teammate's goal is compared with the mean of what was
said of them. Moments in which one goal is left, and goals that are impossible, say nothing and are left out.
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
from benchmarks.pool import process_pool
from benchmarks.report import Column, Table, count, number, progress

BINS = 10
METHODS = ("baseline", "toolbox", "ezq-local")
WRONG = (0.05, 0.1, 0.2)
REFUSED = (0.0, 0.3)
ERRORS = ("independent", "persistent")
PRIORS = ("far", "uniform", "near")
MOMENTS = 50_000
ENOUGH = 1_000
"""Goals in a bin from which on its share says something."""
WITHIN = 0.02
EPISODES_A_JOB = 30


@dataclass(frozen=True)
class Job:
    """Some episodes under one kind of answers."""

    answers: AnswerModel
    method: str
    prior: str
    seed: int
    episodes: int = EPISODES_A_JOB


@dataclass
class Tally:
    """What was said and what was true, by bin.

    Attributes:
        moments: moments looked at.
        said: ``float64 [BINS]``, the sum of the probabilities in each bin.
        true: ``float64 [BINS]``, how many of these were the goal.
        total: ``float64 [BINS]``, how many there were.
    """

    moments: int
    said: FloatArray
    true: FloatArray
    total: FloatArray

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.moments + other.moments, self.said + other.said, self.true + other.true, self.total + other.total
        )

    def off(self) -> FloatArray:
        """``float64 [BINS]``: how far the share of the true ones is from what was said."""
        return np.asarray((self.true - self.said) / np.maximum(self.total, 1))


def nothing() -> Tally:
    """Return a tally of nothing."""
    return Tally(0, np.zeros(BINS), np.zeros(BINS), np.zeros(BINS))


def played(job: Job) -> Tally:
    """Play some episodes; return what was said and what was true."""
    tally = nothing()
    for k in range(job.episodes):
        # A new map, goal and path every time: moments that share these have much in common.
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
    """Return one job for each kind of answers, method and prior, so many times over."""
    cells = product(range(rounds), WRONG, REFUSED, ERRORS, METHODS, PRIORS)
    return [
        Job(AnswerModel(wrong, refused, errors), method, prior, seed)
        for seed, (_, wrong, refused, errors, method, prior) in enumerate(cells)
    ]


def run(quick: bool) -> list[Table]:
    """Play, and compare what was said with what was true."""
    tallies: dict[str, Tally] = {}
    chosen = jobs(1)[::9] if quick else jobs(4)
    with process_pool() as pool:
        for k, (job, tally) in enumerate(zip(chosen, pool.map(played, chosen), strict=True)):
            errors = job.answers.errors
            tallies[errors] = tallies.get(errors, nothing()) + tally
            if k % 50 == 0:
                progress(f"calibration: job {k} of {len(chosen)}")
    whole = sum(tallies.values(), nothing())
    return [_bins(whole), _summary({"all": whole, **tallies})]


def _bins(tally: Tally) -> Table:
    table = Table(
        f"Probabilities of goals beside how often they were true ({tally.moments:,} moments)",
        [Column("said"), number("mean said", 4), number("true", 4), number("difference", 4), count("goals")],
        notes=[f"belief bayes, wrong and refused answers; expected: within {WITHIN} where there are {ENOUGH} goals"],
    )
    for k in range(BINS):
        n = max(tally.total[k], 1)
        said, true = tally.said[k] / n, tally.true[k] / n
        name = f"{k / BINS:.0%} to {(k + 1) / BINS:.0%}"
        table.rows.append([name, float(said), float(true), float(true - said), int(tally.total[k])])
    return table


def _summary(tallies: dict[str, Tally]) -> Table:
    table = Table(
        "Largest difference in any bin",
        [Column("errors"), count("moments"), number("largest difference", 4), Column("within 0.02")],
    )
    for name, tally in tallies.items():
        largest = worst(tally)
        table.rows.append([name, tally.moments, largest, "yes" if largest <= WITHIN else "no"])
    return table


def worst(tally: Tally, enough: float = ENOUGH) -> float:
    """Return the largest difference in a bin that has enough goals."""
    off: Sequence[float] = np.abs(tally.off())[tally.total >= enough].tolist()
    return max(off, default=0.0)
