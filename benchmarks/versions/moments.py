"""Recorded moments: the observations of an agent, step by step, while several goals were possible.

The moments of each method come from episodes that it plays. They are recorded once and passed to both versions as plain
values, so both decide at the same moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time
from typing import Any, TypeAlias

import numpy as np

import askwise
from askwise import Agent, Decision, JointState, Observation, Problem, simulate
from askwise.seeds import Seed
from askwise.types import FloatArray
from benchmarks.versions import methods
from benchmarks.versions.work import Done, Go

Answer: Any = getattr(askwise, "Answer", None) or methods().Answer
"""The class of answers, which the earlier version exports from another module."""
Moments: TypeAlias = dict[str, list[list[list[Any]]]]
"""Recorded observations as plain values, for each purpose a list of episodes."""


class Recorder(Agent):
    """An agent that decides as a method does, and records its observations while several goals are possible.

    Args:
        name: name of the method.
    """

    def __init__(self, name: str) -> None:
        self.inner: Agent = methods().make_agent(name)
        self.name = name
        self.recorded: list[list[Any]] = []

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem, seed)
        self.inner.reset(problem, seed)

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        decision = self.inner.decide(observation)
        belief = self.inner.probabilities
        if belief is not None and np.count_nonzero(belief) > 1:
            self.recorded.append(_to_values(observation))
        return decision

    @property
    def probabilities(self) -> FloatArray | None:
        """See `Agent`."""
        return self.inner.probabilities


def record(method: str, problems: Sequence[Problem]) -> list[list[list[Any]]]:
    """Play one episode on each problem, and return the recorded observations of each."""
    found = []
    for seed, problem in enumerate(problems):
        agent = Recorder(method)
        simulate(problem, agent, seed=seed)
        found.append(agent.recorded)
    return found


def decisions(problems: Sequence[Problem], method: str, recorded: Sequence[Sequence[Sequence[Any]]]) -> Go:
    """Return the work of deciding at all these moments; a unit is a decision."""
    episodes = [[_from_values(each) for each in episode] for episode in recorded]
    agent = methods().make_agent(method)

    def go() -> Done:
        seconds, outcome = 0.0, []
        for seed, (problem, episode) in enumerate(zip(problems, episodes, strict=True)):
            agent.reset(problem, seed)
            start = process_time()
            made = [agent.decide(observation) for observation in episode]
            seconds += process_time() - start
            outcome += [(decision.action, decision.ask) for decision in made]
        return Done(seconds, len(outcome), outcome)

    return go


def _to_values(observation: Observation) -> list[Any]:
    state, answer = observation.state, observation.answer
    heard = None if answer is None else [list(map(int, answer.asked)), bool(answer.yes)]
    done = observation.teammate_action
    return [int(state.teammate), int(state.ego), None if done is None else int(done), heard]


def _from_values(values: Sequence[Any]) -> Observation:
    teammate, ego, done, heard = values
    answer = None if heard is None else Answer(tuple(heard[0]), heard[1])
    return Observation(JointState(teammate, ego), done, answer)
