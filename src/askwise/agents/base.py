"""What an agent is: it sees a `Problem`, hears what happens, and decides to act or to ask.

An agent's own knowledge of the teammate is its belief, kept up to date here from what it observes. Subclasses decide.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from askwise.errors import InputError, did_you_mean
from askwise.problem import JointState, Problem
from askwise.query.beliefs import Belief, make_belief
from askwise.query.gate import common_actions
from askwise.seeds import Seed, generator
from askwise.types import BoolArray, FloatArray

TIE_BREAKS = ("random", "late")


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
        value: what the question (asked, or considered and not asked) is expected to save, before its cost.
        cost: what that question costs.
        considered: the question that was considered, the one asked included.
        runner_up: the best other question that the method knows of, with its net value.
        verdict: how sure the method is that it found its best question.
    """

    action: int | None = None
    ask: tuple[int, ...] | None = None
    why: str = ""
    value: float | None = None
    cost: float | None = None
    considered: tuple[int, ...] | None = None
    runner_up: tuple[tuple[int, ...], float] | None = None
    verdict: str = ""

    @property
    def net(self) -> float | None:
        """Value of the question less its cost."""
        return None if self.value is None or self.cost is None else self.value - self.cost


class Agent(ABC):
    """An ego agent. `reset` before each episode, then `decide` before each step.

    A subclass that gives itself no `name` is known by that of its class.
    """

    name: str = "agent"
    markov: bool = False
    """Whether its decisions depend on nothing but its belief and where everybody is. Then an exact evaluation follows
    ways that meet only once; an agent that draws lots draws once for each such situation."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls):
            cls.name = cls.__name__.lower()

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
        tie_break: how to choose among actions that are optimal for all possible goals: ``random`` (the paper's), or
            ``late``, the one that keeps the steps at which plans must branch as late as possible. On open grids both
            come to the same (see `docs/what-the-paper-leaves-open.md`).
    """

    def __init__(self, *, belief: str = "elimination", tie_break: str = "random") -> None:
        if tie_break not in TIE_BREAKS:
            allowed = "one of " + ", ".join(map(repr, TIE_BREAKS))
            raise InputError("tie_break", repr(tie_break), allowed + did_you_mean(str(tie_break), TIE_BREAKS))
        self.belief_kind = belief
        self.tie_break = tie_break

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
        common = common_actions(optimal, possible)
        if common.size:
            return self._act(common, possible, observation.state)
        return self.when_torn(observation.state, possible)

    @abstractmethod
    def when_torn(self, state: JointState, possible: BoolArray) -> Decision:
        """Decide where no action is optimal for all possible goals: ask, or wait."""

    def choose_common(self, actions: Any, possible: BoolArray, state: JointState) -> int:
        """Choose among the actions that are optimal for all possible goals."""
        if actions.size > 1 and self.tie_break == "late" and possible.sum() > 1:
            actions = actions[self._branching_after(actions, possible, state)]
        return int(actions[0] if actions.size == 1 else actions[self.rng.integers(actions.size)])

    def _branching_after(self, actions: Any, possible: BoolArray, state: JointState) -> BoolArray:
        """Mark the actions after which the first step at which some plans must branch comes latest."""
        inside = np.ix_(possible, possible)
        weights = self.probabilities[possible]
        pairs = weights[:, None] + weights
        np.fill_diagonal(pairs, 0.0)
        later = []
        for action in actions:
            branching = self.problem.ego_matrices(self.problem.ego_next(state.ego, int(action)))[1][inside]
            later.append((np.where(np.isfinite(branching), branching, 0.0) * pairs).sum())
        return np.asarray(np.array(later) >= max(later) - 1e-9)

    def wait(self, why: str) -> Decision:
        """Return the decision to do nothing."""
        return Decision(action=self.problem.wait, why=why)

    def ask(self, goals: Any, why: str) -> Decision:
        """Return the decision to ask about `goals` (numbers)."""
        asked = tuple(sorted(int(goal) for goal in goals))
        return Decision(ask=asked, considered=asked, cost=self.problem.query_cost(asked), why=why)

    def named(self, goals: Any, most: int = 6) -> str:
        """Return the names of goals for a sentence, the first few of many."""
        names = [self.problem.goals[int(goal)] for goal in goals]
        return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")

    def _act(self, common: Any, possible: BoolArray, state: JointState) -> Decision:
        action = self.choose_common(common, possible, state)
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
            self.belief.observe(self._likelihood(self._last.teammate, observation.teammate_action))
        self._last = observation.state

    def _likelihood(self, teammate: int, action: int) -> FloatArray:
        """Return how probable each goal made what the teammate did; where support is enough, just 0 or 1."""
        if self.belief.needs_shares:
            return self.problem.teammate_policy(teammate)[:, action]
        return self.problem.teammate_optimal(teammate)[:, action].astype(np.float64)
