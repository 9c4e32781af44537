"""What an agent is: it sees a `Problem`, hears what happens, and decides to act or to ask.

An agent's own knowledge of the teammate is its belief, kept up to date here from what it observes. Subclasses decide.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from askwise.problem import JointState, Problem
from askwise.query.beliefs import Belief, make_belief
from askwise.seeds import Seed, generator
from askwise.types import BoolArray, FloatArray


@dataclass(frozen=True, slots=True)
class Answer:
    """A question that was asked, goals by number, and the truthful answer to it."""

    asked: tuple[int, ...]
    yes: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """What the ego agent sees before it decides.

    Attributes:
        state: where both agents are.
        teammate_action: what the teammate did in the last step, None at the start and after a question.
        answer: the answer to the question just asked, None if the last step was not a question.
    """

    state: JointState
    teammate_action: int | None = None
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """An ontic action, or a question about some goals, and why.

    Attributes:
        action: the ontic action, None for a question.
        ask: the goals to ask about, None for an action.
        why: one sentence.
        value: what the question is expected to save, before its cost.
        cost: what the question costs.
    """

    action: int | None = None
    ask: tuple[int, ...] | None = None
    why: str = ""
    value: float | None = None
    cost: float | None = None


class Agent(ABC):
    """An ego agent. `reset` before each episode, then `decide` before each step."""

    name: str

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """Begin an episode."""
        self.problem = problem
        self.rng = generator(seed)

    @abstractmethod
    def decide(self, observation: Observation) -> Decision:
        """Return what to do now."""

    @property
    def probabilities(self) -> FloatArray | None:
        """``float64 [n_goals]``: what the agent believes, None if it has no belief to show."""
        return None

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


@runtime_checkable
class KnowsGoal(Protocol):
    """An agent that is told the goal at the start: a yardstick, not a contender."""

    def told(self, goal: int) -> None:
        """Be told the goal."""


class BeliefAgent(Agent):
    """An agent that keeps a belief.

    Args:
        belief: ``elimination`` (the paper's), ``bayes`` or ``robust``.
    """

    def __init__(self, *, belief: str = "elimination") -> None:
        self.belief_kind = belief

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem, seed)
        self.belief: Belief = make_belief(self.belief_kind, problem.prior)
        self._last: JointState | None = None

    @property
    def probabilities(self) -> FloatArray:
        """See `Agent`."""
        return self.belief.probabilities

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        self._update(observation)
        possible = self.belief.possible
        optimal = self.problem.ego_optimal(observation.state.ego)
        common = np.flatnonzero(optimal[possible].all(axis=0))
        if common.size:
            return self._act(common, possible, observation.state)
        return self.when_torn(observation.state, possible)

    @abstractmethod
    def when_torn(self, state: JointState, possible: BoolArray) -> Decision:
        """Decide where no action is optimal for all possible goals: ask, or wait."""

    def choose_common(self, actions: Any, state: JointState) -> int:  # noqa: ARG002 - for subclasses
        """Choose among the actions that are optimal for all possible goals: at random, as the paper's agents do."""
        return int(actions[0]) if actions.size == 1 else int(self.rng.choice(actions))

    def wait(self, why: str) -> Decision:
        """Return the decision to do nothing."""
        return Decision(action=self.problem.wait, why=why)

    def _act(self, common: Any, possible: BoolArray, state: JointState) -> Decision:
        action = self.choose_common(common, state)
        name = self.problem.describe_ego_action(action)
        left = int(possible.sum())
        if left == 1:
            goal = self.problem.goals[int(possible.argmax())]
            return Decision(action=action, why=f"{name}: only {goal} is possible.")
        return Decision(action=action, why=f"{name}: optimal for all {left} possible goals.")

    def _update(self, observation: Observation) -> None:
        if observation.answer is not None:
            asked = np.zeros(len(self.problem.goals), dtype=bool)
            asked[list(observation.answer.asked)] = True
            self.belief.learn(asked, observation.answer.yes)
        elif observation.teammate_action is not None and self._last is not None:
            policy = self.problem.teammate_policy(self._last.teammate)
            self.belief.observe(policy[:, observation.teammate_action])
        self._last = observation.state
