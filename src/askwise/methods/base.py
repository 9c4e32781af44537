"""The base classes of agents.

An `Agent` sees a `Problem`, receives observations, and decides to act or to ask. A `BeliefAgent` also keeps a belief
about the teammate's goal, and asks only if no action is optimal for all possible goals. A `PlanningAgent` may ask even
then. `QuestionLimit` limits an agent's questions per episode.
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
from askwise.errors import InputError
from askwise.model.names import as_int
from askwise.seeds import Seed, generator
from askwise.types import BoolArray, FloatArray


class Agent(ABC):
    """The base class of ego agents: call `reset` before each episode, then `decide` before each step.

    Attributes:
        name: name of the method; by default the class name in lower case.
        markov: whether decisions depend only on the belief and both agents' states. An exact evaluation may then merge
            episodes with equal belief and states.
        counts_questions: whether decisions also depend on the number of questions asked so far.
        plans_with_questions: whether the agent plans with a limit on the questions per episode, its attribute
            `questions` (None for no limit).
    """

    name: str = "agent"
    markov: bool = False
    counts_questions: bool = False
    plans_with_questions: bool = False

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls):
            cls.name = cls.__name__.lower()

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """Start an episode of `problem`; `seed` determines the agent's random choices."""
        self.problem = problem
        self.rng = generator(seed)

    @abstractmethod
    def decide(self, observation: Observation) -> Decision:
        """Return the decision for this step: an action or a question.

        Args:
            observation: the states of both agents now, and what happened since the last decision.
        """

    def watch(self, observation: Observation) -> None:
        """Process an observation without deciding, because another agent or a person decides in this step.

        By default, this calls `decide` and ignores the decision.
        """
        # An agent of unknown kind is only known to process observations when it decides.
        self.decide(observation)

    @property
    def probabilities(self) -> FloatArray | None:
        """The agent's belief, the probability of each goal, ``float64 [n_goals]``; None if the agent shows none."""
        return None

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


@runtime_checkable
class KnowsGoal(Protocol):
    """The protocol of agents that are given the teammate's goal at the start of an episode, such as `Informed`.

    The costs of other agents are compared with the costs of such an agent.
    """

    def set_goal(self, goal: int) -> None:
        """Give the agent the index of the teammate's goal in this episode."""


class BeliefAgent(Agent):
    """A base class of agents that keep a belief about the teammate's goal.

    The agent takes an action that is optimal for all possible goals. If there is none, the method `ask_or_wait`
    decides.

    Args:
        belief: ``elimination`` rules out goals under which the teammate would never take the observed action. ``bayes``
            uses Bayes' rule. ``robust`` uses it for a teammate that sometimes acts at random.

    Attributes:
        fallback: kind of belief to switch to if observations contradict the current belief; None to raise an error.
    """

    fallback: str | None = None

    def __init__(self, *, belief: str = "elimination") -> None:
        find_belief(belief)  # refuses an unknown name now, not in the middle of a study
        self.belief_kind = belief

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """Start an episode of `problem` with the prior as the belief; `seed` determines the agent's random choices."""
        super().reset(problem, seed)
        self.tracker = Tracker(problem, self.belief_kind, fallback=self.fallback)

    @property
    def belief(self) -> Belief:
        """The current belief about the teammate's goal."""
        return self.tracker.belief

    @property
    def probabilities(self) -> FloatArray:
        """The agent's belief, ``float64 [n_goals]``: the probability of each goal."""
        return self.belief.probabilities

    def watch(self, observation: Observation) -> None:
        """Update the belief with an observation, without deciding."""
        self.tracker.update(observation)

    def decide(self, observation: Observation) -> Decision:
        """Update the belief with an observation, and return the decision for this step.

        If some actions are optimal for all possible goals, the agent takes one that puts no other goal out of reach
        (`without_loss`), or waits if there is none. Otherwise, `ask_or_wait` decides. If no possible goal can be
        reached, the agent waits.
        """
        self.tracker.update(observation)
        state, belief = observation.state, self.tracker.belief
        possible, optimal = belief.possible, self.problem.ego.optimal(state.ego)
        common = common_actions(optimal, possible)
        if not common.size and (not belief.rules_out or some_out_of_reach(optimal, possible)):
            possible = self.within_reach(state, possible, optimal)
            common = common_actions(optimal, possible)
            if not optimal[possible].any():  # after a wrong answer the agent may have gone where no path leads back
                return self.wait("Wait: no possible goal can be reached any more.")
        situation = Situation(self.problem, state, belief.probabilities)
        if common.size:
            kept = self.without_loss(common, state.ego)
            if not kept.size:
                return self.wait("Wait: no path leads back from there to a goal that is not ruled out yet.")
            return self._act(kept, possible, situation)
        return self.heed(self.ask_or_wait(state, possible)).made_at(situation)

    def heed(self, decision: Decision) -> Decision:
        """Return `decision`, or the decision to wait if `decision` is a question whose answer is known already.

        The answer is known if the question was asked before and repeated questions get the same answer
        (`AnswerModel.persistent`).
        """
        if decision.ask is None or not self.tracker.tells_nothing(decision.ask):
            return decision
        return self.wait("Wait: the same question was asked before and would get the same answer.")

    def without_loss(self, actions: Any, ego: int) -> Any:
        """Return those of `actions` after which the ego agent can still reach every goal that is not ruled out.

        Goals already out of reach are ignored. If answers are never wrong, all of `actions` are returned.

        Args:
            actions: ``int [k]``, actions that are optimal for all possible goals, of which very improbable ones may be
                left out.
            ego: index of the ego agent's state.
        """
        if not self.problem.answers.fallible:
            return actions
        at_stake = self.belief.not_ruled_out & (self.problem.ego.steps(ego) >= 0)
        after = [self.problem.ego.steps(self.problem.ego.next(ego, int(action))) for action in actions]
        return actions[[bool((steps[at_stake] >= 0).all()) for steps in after]]

    def within_reach(self, state: JointState, possible: BoolArray, optimal: BoolArray) -> BoolArray:
        """Return the possible goals that both agents can still reach, ``bool [n_goals]``.

        If there are none, all possible goals are returned.

        Args:
            state: the states of both agents.
            possible: ``bool [n_goals]``, the possible goals.
            optimal: ``bool [n_goals, n_actions]``, the ego agent's optimal actions for each goal; a goal out of reach
                has none.
        """
        left = possible & optimal.any(axis=1) & (self.problem.teammate.steps(state.teammate) >= 0)
        return left if left.any() else possible

    @abstractmethod
    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """Return the decision in a step in which no action is optimal for all possible goals: to ask, or to wait.

        Args:
            state: the states of both agents.
            possible: ``bool [n_goals]``, the possible goals.
        """

    def wait(self, why: str) -> Decision:
        """Return the decision to wait; `why` is the reason for the decision, a sentence for users."""
        return Decision(action=self.problem.ego.actions.stay, why=why)

    def ask(self, goals: Any, why: str) -> Decision:
        """Return the decision to ask whether the teammate's goal is one of `goals`.

        Args:
            goals: indices of the goals, in any order.
            why: the reason, a sentence for users.
        """
        asked = tuple(sorted(int(goal) for goal in goals))
        return Decision(ask=asked, considered=asked, cost=self.problem.query_cost(asked), why=why)

    def named(self, goals: Any, most: int = 6) -> str:
        """Return the names of goals as a list for a sentence, such as "A, B and 3 more".

        Args:
            goals: indices of the goals.
            most: largest number of names; for further goals, only their number is given.
        """
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


class PlanningAgent(BeliefAgent):
    """A base class of agents that may ask even where some action is optimal for all possible goals.

    While more than one goal is possible, the method `ask_or_wait` decides every step.
    """

    def decide(self, observation: Observation) -> Decision:
        """Update the belief with an observation, and return the result of `ask_or_wait`.

        If only one goal is possible, return an optimal action instead.
        """
        self.tracker.update(observation)
        state = observation.state
        possible = self.considered_goals() & (self.problem.teammate.steps(state.teammate) >= 0)
        if possible.sum() > 1:
            return self.ask_or_wait(state, possible)
        actions = np.flatnonzero(self.problem.ego.optimal(state.ego)[possible].any(axis=0))
        if not actions.size:
            return self.wait("Wait: no possible goal can be reached any more.")
        return self._act(self.tied_actions(actions), possible, Situation(self.problem, state, self.probabilities))

    def considered_goals(self) -> BoolArray:
        """Return the goals to plan for, ``bool [n_goals]``.

        By default, these are the possible goals (`Belief.possible`). If answers can be wrong, very improbable goals do
        not count as possible, but subclasses may still plan for them.
        """
        return self.belief.possible

    def tied_actions(self, actions: Any) -> Any:
        """Return the actions among which the agent chooses at random when only one goal is possible: by default, all.

        `actions` is ``int [k]``, indices of all actions that are optimal for this goal.
        """
        return actions


def limit_questions(agent: Agent, questions: int) -> Agent:
    """Return an agent that decides like `agent` but asks at most `questions` questions per episode.

    Beyond the limit, the returned agent waits. It also plans with the limit if `agent` can do so
    (`Agent.plans_with_questions`). `agent` itself is not changed.
    """
    if isinstance(agent, QuestionLimit):
        questions = min(questions, agent.questions)
        agent = agent.agent
    if agent.plans_with_questions:
        agent = copy.copy(agent)
        already = agent.questions  # type: ignore[attr-defined]
        agent.questions = questions if already is None else min(questions, already)  # type: ignore[attr-defined]
        agent.counts_questions = True
    return QuestionLimit(agent, questions)


class QuestionLimit(Agent):
    """An agent that decides like an inner agent, but waits where the inner agent would ask too many questions.

    Args:
        agent: the inner agent.
        questions: largest number of questions per episode, including questions that get no answer.
    """

    counts_questions = True

    def __init__(self, agent: Agent, questions: int) -> None:
        self.agent = agent
        self.questions = questions
        self.name = agent.name
        self.markov = agent.markov

    def __getattr__(self, name: str) -> Any:
        if name == "agent":  # not set yet while the object is being copied
            raise AttributeError(name)
        return getattr(self.agent, name)

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """Start an episode, in which no questions have been asked yet.

        `seed` determines the random choices of the inner agent.
        """
        self.problem = problem
        self.agent.reset(problem, seed)
        self.rng = self.agent.rng
        self.asked = 0

    @property
    def probabilities(self) -> FloatArray | None:
        """The belief of the inner agent, ``float64 [n_goals]``; None if the inner agent shows no belief."""
        return self.agent.probabilities

    def watch(self, observation: Observation) -> None:
        """Pass an observation on to the inner agent's `watch`; if it contains an answer, count one question."""
        self.asked += observation.answer is not None
        self.agent.watch(observation)

    def decide(self, observation: Observation) -> Decision:
        """Return the decision of the inner agent; if this is a question beyond the limit, return the decision to wait.

        Each observation that contains an answer, even a refusal, adds one to the number of questions asked.
        """
        self.asked += observation.answer is not None
        decision = self.agent.decide(observation)
        if decision.ask is None or self.asked < self.questions:
            return decision
        why = f"Wait: the limit of {self.questions} question{'' if self.questions == 1 else 's'} is reached."
        return Decision(action=self.problem.ego.actions.stay, why=why, situation=decision.situation)


def check_count(field: str, number: object, least: int, *, optional: bool = True) -> None:
    """Raise `InputError` unless `number` is a whole number of at least `least`; None is allowed if `optional`.

    `field` is the name of the number in the error message.
    """
    if number is None and optional:
        return
    whole = as_int(number)
    if whole is None or whole < least:
        raise InputError(field, repr(number), f"a whole number from {least}")
