"""Clocks: several implementations timed in turns, and agents whose decisions are timed.

A busy machine slows down what runs at that moment. So implementations take turns, round after round, and medians are
compared. The minimum shows what a run without disturbance can do.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from askwise.core.problem import Problem
from askwise.methods import Agent, Decision, Observation, make_agent
from askwise.seeds import Seed
from askwise.types import FloatArray
from benchmarks.tools.report import progress


@dataclass(frozen=True)
class Job:
    """One implementation of a task that is timed.

    Attributes:
        name: its name in the table.
        work: the part whose time is multiplied by `factor`; its argument is the result of `prepare`.
        prepare: what the whole task needs once; its time is added once.
        factor: size of the whole task divided by the part that `work` does. Above 1, the time is extrapolated.
        repeats: samples in each round; more for short tasks.
    """

    name: str
    work: Callable[[Any], object]
    prepare: Callable[[], Any] = lambda: None
    factor: float = 1.0
    repeats: int = 1


@dataclass(frozen=True)
class Times:
    """The measured times of a whole task, in seconds."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median of the samples."""
        return statistics.median(self.samples)

    @property
    def minimum(self) -> float:
        """The smallest sample."""
        return min(self.samples)


def time_in_turns(jobs: Sequence[Job], rounds: int) -> dict[str, Times]:
    """Let the jobs take turns for `rounds` rounds, and return their times by name."""
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
    del done  # Memory is freed outside the measured time.
    return middle - start + job.factor * (end - middle)


def growth_exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the exponent of a power of the size that fits `values` best (least squares on logarithms)."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


# -- agents ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TimedDecision:
    """A decision, the seconds that it took, and whether several goals were possible (`undecided`)."""

    seconds: float
    decision: Decision
    undecided: bool


class TimedAgent(Agent):
    """An agent that decides as the method `name` does, and records the time of each decision.

    Args:
        name: name of the method.
        clock: returns the time in seconds.
    """

    def __init__(self, name: str, clock: Callable[[], float] = perf_counter) -> None:
        self.inner = make_agent(name)
        self.name = name
        self.clock = clock
        self.decisions: list[TimedDecision] = []

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem, seed)
        self.inner.reset(problem, seed)

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        start = self.clock()
        decision = self.inner.decide(observation)
        seconds = self.clock() - start
        belief = self.inner.probabilities
        undecided = belief is not None and int(np.count_nonzero(belief)) > 1
        self.decisions.append(TimedDecision(seconds, decision, undecided))
        return decision

    @property
    def probabilities(self) -> FloatArray | None:
        """See `Agent`."""
        return self.inner.probabilities
