"""Any agent, held to so many questions in an episode: where it would ask one more, it waits instead.

With wrong answers the optimum is known for a limited number of questions. Beside it stand methods that keep to the same
number. Those that can plan with a limited number are told (`Agent.plans_with_questions`).
"""

from __future__ import annotations

import copy
from typing import Any

from askwise.core.decision import Decision
from askwise.core.problem import Problem
from askwise.methods.base import Agent, Observation
from askwise.seeds import Seed
from askwise.types import FloatArray


def held_to(agent: Agent, questions: int) -> Agent:
    """Return an agent that asks at most so many questions in an episode; the one that is given stays as it is."""
    if agent.plans_with_questions:
        agent = copy.copy(agent)
        already = agent.questions  # type: ignore[attr-defined]
        agent.questions = questions if already is None else min(questions, already)  # type: ignore[attr-defined]
        agent.counts_questions = True
    return Sparing(agent, questions)


class Sparing(Agent):
    """An agent that asks at most so many questions in an episode.

    Args:
        agent: who decides.
        questions: how many it may ask, answered or not.
    """

    counts_questions = True

    def __init__(self, agent: Agent, questions: int) -> None:
        self.agent = agent
        self.questions = questions
        self.name = agent.name
        self.markov = agent.markov

    def __getattr__(self, name: str) -> Any:
        if name == "agent":  # not there yet, while it is being copied
            raise AttributeError(name)
        return getattr(self.agent, name)

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        self.problem = problem
        self.agent.reset(problem, seed)
        self.rng = self.agent.rng
        self.asked = 0

    @property
    def probabilities(self) -> FloatArray | None:
        """See `Agent`."""
        return self.agent.probabilities

    def watch(self, observation: Observation) -> None:
        """See `Agent`."""
        self.asked += observation.answer is not None
        self.agent.watch(observation)

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        self.asked += observation.answer is not None
        decision = self.agent.decide(observation)
        if decision.ask is None or self.asked < self.questions:
            return decision
        why = f"Wait: all {self.questions} questions are asked."
        return Decision(action=self.problem.ego.actions.stay, why=why, situation=decision.situation)
