"""Recorded moments: what an agent saw, step by step, while several goals were possible.

Each method's moments come from episodes of its own. They are recorded once and handed to both versions as plain
values, so that both decide at the very same moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time
from typing import Any, TypeAlias

import numpy as np

from askwise import Agent, Answer, Decision, JointState, Observation, Problem, simulate
from askwise.seeds import Seed
from askwise.types import FloatArray
from benchmarks.versions import methods
from benchmarks.versions.work import Done, Go

Moments: TypeAlias = dict[str, list[list[list[Any]]]]
"""Observations as plain values, by episode, by what they were recorded for."""


class Recorder(Agent):
    """Another agent, and what it saw while several goals were possible."""

    def __init__(self, name: str) -> None:
        self.inner: Agent = methods().make_agent(name)
        self.name = name
        self.seen: list[list[Any]] = []

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem, seed)
        self.inner.reset(problem, seed)

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        decision = self.inner.decide(observation)
        believed = self.inner.probabilities
        if believed is not None and np.count_nonzero(believed) > 1:
            self.seen.append(_told(observation))
        return decision

    @property
    def probabilities(self) -> FloatArray | None:
        """See `Agent`."""
        return self.inner.probabilities


def recorded(method: str, problems: Sequence[Problem]) -> list[list[list[Any]]]:
    """Play one episode on each problem and return what was seen."""
    found = []
    for seed, problem in enumerate(problems):
        agent = Recorder(method)
        simulate(problem, agent, seed=seed)
        found.append(agent.seen)
    return found


def decisions(problems: Sequence[Problem], method: str, told: Sequence[Sequence[Sequence[Any]]]) -> Go:
    """Return the work of deciding at all these moments; a piece is a decision."""
    watched = [[_observation(each) for each in episode] for episode in told]
    agent = methods().make_agent(method)

    def go() -> Done:
        seconds, outcome = 0.0, []
        for seed, (problem, episode) in enumerate(zip(problems, watched, strict=True)):
            agent.reset(problem, seed)
            start = process_time()
            made = [agent.decide(observation) for observation in episode]
            seconds += process_time() - start
            outcome += [(decision.action, decision.ask) for decision in made]
        return Done(seconds, len(outcome), outcome)

    return go


def _told(observation: Observation) -> list[Any]:
    state, answer = observation.state, observation.answer
    heard = None if answer is None else [list(map(int, answer.asked)), bool(answer.yes)]
    done = observation.teammate_action
    return [int(state.teammate), int(state.ego), None if done is None else int(done), heard]


def _observation(told: Sequence[Any]) -> Observation:
    teammate, ego, done, heard = told
    answer = None if heard is None else Answer(tuple(heard[0]), heard[1])
    return Observation(JointState(teammate, ego), done, answer)
