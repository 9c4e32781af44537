"""Measuring several ways side by side.

A busy machine slows down whatever runs at that moment. So the ways take turns, round after round, and medians are
compared; the minimum shows what an undisturbed run can do.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from benchmarks.report import progress


@dataclass(frozen=True)
class Job:
    """One way to do the work.

    Attributes:
        name: what the table calls it.
        work: the part whose time is multiplied by `factor`; gets what `prepare` returned.
        prepare: what has to be done once for the whole job; counted once.
        factor: whole job / part of it that `work` does. Above 1 the time is extrapolated.
        repeats: samples in each round; more for short jobs.
    """

    name: str
    work: Callable[[Any], object]
    prepare: Callable[[], Any] = lambda: None
    factor: float = 1.0
    repeats: int = 1


@dataclass(frozen=True)
class Times:
    """Seconds for the whole job."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle sample."""
        return statistics.median(self.samples)

    @property
    def minimum(self) -> float:
        """The best sample."""
        return min(self.samples)


def interleaved(jobs: Sequence[Job], rounds: int) -> dict[str, Times]:
    """Let the jobs take turns for `rounds` rounds and return their times by name."""
    samples: dict[str, list[float]] = {job.name: [] for job in jobs}
    for k in range(rounds):
        progress(f"round {k + 1} of {rounds}: {', '.join(job.name for job in jobs)}")
        for job in jobs:
            samples[job.name].extend(_seconds(job) for _ in range(job.repeats))
    return {name: Times(tuple(taken)) for name, taken in samples.items()}


def _seconds(job: Job) -> float:
    start = perf_counter()
    prepared = job.prepare()
    middle = perf_counter()
    done = job.work(prepared)
    end = perf_counter()
    del done  # Freed outside the measured time, for everybody.
    return middle - start + job.factor * (end - middle)
