"""What an agent is: it sees a `Problem`, hears what happens, and decides to act or to ask.

An agent's own knowledge of the teammate is its belief, kept up to date here from what it observes. Subclasses decide.

Any agent, held to so many questions in an episode: where it would ask one more, it waits instead.

With wrong answers the optimum is known for a limited number of questions. Beside it stand methods that keep to the same
number. Those that can plan with a limited number are told (`Agent.plans_with_questions`).
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Any, Protocol, runtime_checkable

import numpy as np

from askwise.core.belief import Belief, Tracker, find_belief
from askwise.core.belief import Observation as Observation
from askwise.core.decision import Decision, Situation, common_actions, some_out_of_reach
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer as Answer
from askwise.planning.tables import within_reach
from askwise.seeds import Seed, generator
from askwise.types import BoolArray, FloatArray


class Agent(ABC):
    """An ego agent. `reset` before each episode, then `decide` before each step.

    A subclass that gives itself no `name` is known by that of its class.
    """

    name: str = "agent"
    markov: bool = False
    """Whether its decisions depend on nothing but its belief and where everybody is. Then an exact evaluation follows
    ways that meet only once; an agent that chooses at random chooses once for each such situation."""
    counts_questions: bool = False
    """Whether its decisions also depend on how many questions it has asked, where answers may be wrong or missing."""
    plans_with_questions: bool = False
    """Whether it has an attribute `questions`, the most that it may ask in an episode, None for any number."""

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

    def watch(self, observation: Observation) -> None:
        """Take in what is seen in a step in which somebody else decides."""
        # All that is known of an agent is that it takes in what it sees when it decides.
        self.decide(observation)

    @property
    def probabilities(self) -> FloatArray | None:
        """``float64 [n_goals]``: what the agent believes, None if it has no belief to show."""
        return None

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


@runtime_checkable
class KnowsGoal(Protocol):
    """An agent that is told the goal at the start: a yardstick, not a contender."""

    def set_goal(self, goal: int) -> None:
        """Be told the goal."""


class BeliefAgent(Agent):
    """An agent that keeps a belief.

    Args:
        belief: ``elimination`` (the paper's), ``bayes`` or ``robust``.
    """

    fallback: str | None = None
    """The kind of belief to go on with when the first one is contradicted; None: that is an error."""

    def __init__(self, *, belief: str = "elimination") -> None:
        find_belief(belief)  # a name that is none is refused now, not in the middle of a study
        self.belief_kind = belief

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem, seed)
        self.tracker = Tracker(problem, self.belief_kind, fallback=self.fallback)

    @property
    def belief(self) -> Belief:
        """What it believes now."""
        return self.tracker.belief

    @property
    def probabilities(self) -> FloatArray:
        """See `Agent`."""
        return self.belief.probabilities

    def watch(self, observation: Observation) -> None:
        """See `Agent`."""
        self.tracker.update(observation)

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        self.tracker.update(observation)
        state, belief = observation.state, self.tracker.belief
        possible, optimal = belief.possible, self.problem.ego.optimal(state.ego)
        common = common_actions(optimal, possible)
        if not common.size and (not belief.rules_out or some_out_of_reach(optimal, possible)):
            possible = self.within_reach(state, possible, optimal)
            common = common_actions(optimal, possible)
            if not optimal[possible].any():  # who believed a wrong answer may have gone where no way leads back
                return self.wait("Wait: no possible goal can be reached any more.")
        situation = Situation(self.problem, state, belief.probabilities)
        if common.size:
            kept = self.without_loss(common, state.ego)
            if not kept.size:
                return self.wait("Wait: no way leads back from there to a goal that is not ruled out yet.")
            return self._act(kept, possible, situation)
        return self.heed(self.ask_or_wait(state, possible)).made_at(situation)

    def heed(self, decision: Decision) -> Decision:
        """Return a decision, or waiting in its place if it is to ask what would only be answered as before."""
        if decision.ask is None or not self.tracker.tells_nothing(decision.ask):
            return decision
        return self.wait("Wait: the question was asked already, and would be answered the same.")

    def without_loss(self, actions: Any, ego: int) -> Any:
        """Leave out actions after which a goal that is not ruled out could never be reached any more.

        They matter only where answers can be wrong: else such a goal is possible, and no action that loses it is
        optimal for it. Who waits instead learns better at the latest when the teammate has arrived.
        """
        if not self.problem.answers.fallible:
            return actions
        at_stake = self.belief.not_ruled_out & (self.problem.ego.steps(ego) >= 0)
        after = [self.problem.ego.steps(self.problem.ego.next(ego, int(action))) for action in actions]
        return actions[[bool((steps[at_stake] >= 0).all()) for steps in after]]

    def within_reach(self, state: JointState, possible: BoolArray, optimal: BoolArray) -> BoolArray:
        """Leave out goals that one of the agents can no longer reach: nothing can be done for them.

        The ego agent has no optimal action for what it cannot reach. The teammate's own goal is always within its
        reach, so only a belief that allows for errors may think a goal possible that is not.
        """
        left = possible & optimal.any(axis=1) & (self.problem.teammate.steps(state.teammate) >= 0)
        return left if left.any() else possible

    @abstractmethod
    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """Decide where no action is optimal for all possible goals: ask, or wait."""

    def wait(self, why: str) -> Decision:
        """Return the decision to do nothing."""
        return Decision(action=self.problem.ego.actions.stay, why=why)

    def ask(self, goals: Any, why: str) -> Decision:
        """Return the decision to ask about `goals` (numbers)."""
        asked = tuple(sorted(int(goal) for goal in goals))
        return Decision(ask=asked, considered=asked, cost=self.problem.query_cost(asked), why=why)

    def named(self, goals: Any, most: int = 6) -> str:
        """Return the names of goals for a sentence, the first few of many."""
        names = [self.problem.goals[int(goal)] for goal in goals]
        return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")

    def _act(self, common: Any, possible: BoolArray, situation: Situation) -> Decision:
        action = int(common[0] if common.size == 1 else common[self.rng.integers(common.size)])
        name = self.problem.ego.actions.names[action]
        left = np.count_nonzero(possible)
        if left == 1:
            goal = self.problem.goals[int(possible.argmax())]
            return Decision(action=action, why=f"{name}: only {goal} is possible.", situation=situation)
        why = f"{name}: optimal for all {left} possible goals."
        return Decision(action=action, why=why, situation=situation)


# -- agents that look ahead: they decide by a plan wherever several goals are possibl ------------------------------


class PlanningAgent(BeliefAgent):
    """A `BeliefAgent` whose `ask_or_wait` is asked in every moment in which more than one goal is possible.

    The paper's methods need it only where no action is optimal for all possible goals; a plan may do better than such
    an action, by asking before it.
    """

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        self.tracker.update(observation)
        state = observation.state
        possible = within_reach(self.problem, state.teammate, self.considered_goals())
        if possible.sum() > 1:
            return self.ask_or_wait(state, possible)
        actions = np.flatnonzero(self.problem.ego.optimal(state.ego)[possible].any(axis=0))
        if not actions.size:
            return self.wait("Wait: no possible goal can be reached any more.")
        return self._act(self.tied_actions(actions), possible, Situation(self.problem, state, self.probabilities))

    def considered_goals(self) -> BoolArray:
        """Return the goals to reckon with: those that are possible, or still credible where answers can be wrong."""
        return self.belief.possible

    def tied_actions(self, actions: Any) -> Any:
        """Return those of the optimal actions from which one is drawn at random when one goal is left."""
        return actions


def limit_questions(agent: Agent, questions: int) -> Agent:
    """Return an agent that asks at most so many questions in an episode; the one that is given stays as it is."""
    if agent.plans_with_questions:
        agent = copy.copy(agent)
        already = agent.questions  # type: ignore[attr-defined]
        agent.questions = questions if already is None else min(questions, already)  # type: ignore[attr-defined]
        agent.counts_questions = True
    return QuestionLimit(agent, questions)


class QuestionLimit(Agent):
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
