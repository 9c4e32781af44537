"""Agents by the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from askwise.core.problem import Problem
from askwise.methods import Agent, Decision, Observation, make_agent
from askwise.seeds import Seed
from askwise.types import FloatArray


@dataclass(frozen=True)
class Taken:
    """Seconds that a decision took, what it was, and whether several goals were possible."""

    seconds: float
    decision: Decision
    several: bool


class Timed(Agent):
    """Another agent by the clock."""

    def __init__(self, name: str, clock: Callable[[], float] = perf_counter) -> None:
        self.inner = make_agent(name)
        self.name = name
        self.clock = clock
        self.taken: list[Taken] = []

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem, seed)
        self.inner.reset(problem, seed)

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        start = self.clock()
        decision = self.inner.decide(observation)
        seconds = self.clock() - start
        believed = self.inner.probabilities
        self.taken.append(Taken(seconds, decision, believed is not None and int(np.count_nonzero(believed)) > 1))
        return decision

    @property
    def probabilities(self) -> FloatArray | None:
        """See `Agent`."""
        return self.inner.probabilities
