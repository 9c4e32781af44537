"""Beliefs: the probabilities of the teammate's goals after observing and asking.

A `Tracker` keeps the ego agent's belief during one episode, and updates it with every `Observation`. There are three
kinds of belief:

- `Elimination` (the paper's): an action that is not optimal for a goal rules the goal out. The remaining goals keep
  their prior odds.
- `Bayes`: an action multiplies the odds of each goal by its probability under the goal's policy.
- `Robust`: like `Bayes`, but the teammate may take any action now and then. So no action rules a goal out for good.

Let the teammate draw one of all shortest plans. Let ``P0`` be the prior, ``s0`` the start, and ``N_g(s)`` the number of
shortest plans from state `s` to goal `g`. Then, for `Bayes`, ``P(g | s)`` is proportional to
``P0(g) N_g(s) / N_g(s0)``.

Answers that cannot be wrong rule out goals. Answers that can be wrong multiply the odds of each goal by their
likelihood; then methods consider only *credible* goals, at least `CREDIBLE` times as probable as the likeliest. A goal
whose probability underflows stays possible. An observation that leaves no goal raises `ContradictoryObservation`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from askwise._compiled import compiled
from askwise.core.answers import CREDIBLE, agreeing, same_question
from askwise.core.problem import JointState, Problem, all_teammate_names
from askwise.core.questions import Answer, Question
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.types import BoolArray, FloatArray

SMALLEST = 1e-300
NEXT_TO_IMPOSSIBLE = 1e-9
"""Where nothing rules a goal out, it is given up below this share of the likeliest goal's probability."""
ACTIONS_IF_UNKNOWN = 6
"""Number of actions that a robust belief assumes by default."""


class ContradictoryObservation(AskwiseError):  # noqa: N818 - it names what happened, as users will read it
    """Raised if an action of the teammate or an answer is impossible for every goal that was still possible."""


class Belief(ABC):
    """The base class of beliefs about the teammate's goal: probabilities that observations and answers change.

    Args:
        prior: ``float64 [n_goals]``, not all 0; goals of prior 0 are impossible. Need not sum to 1.

    Attributes:
        name: the kind of belief, such as ``bayes``.
        weighs_answers: whether answers can be wrong. If so, `possible` leaves out very improbable goals.
        needs_shares: whether `observe` needs the probabilities of an action, not just which are positive.
        rules_out: whether an action can rule out a goal for good.
        state_only: whether only the current state of a teammate that draws one of all shortest plans matters, not its
            path.
        posterior: whether this is the Bayesian posterior for a teammate that draws one of all shortest plans, as
            planners assume.
        way_out: advice at the end of the message of `ContradictoryObservation`.
    """

    name: str
    needs_shares = True
    rules_out = True
    state_only = False
    posterior = False
    way_out = "the teammate does not act as assumed; belief 'robust' allows for that"

    def __init__(self, prior: FloatArray) -> None:
        self._weights = np.array(prior, dtype=np.float64)
        self._allowed: BoolArray = self._weights > 0
        self._n_allowed = np.count_nonzero(self._allowed)
        self._probabilities: FloatArray | None = None  # computed at first use
        self.weighs_answers = False
        if self._n_allowed == 0:
            raise InputError("prior", "no possible goal", "at least one goal of positive probability")
        self._rescale()

    @property
    def possible(self) -> BoolArray:
        """The goals that the ego agent considers, ``bool [n_goals]``: those that are not ruled out.

        If answers can be wrong, goals that are less than a thousandth (`CREDIBLE`) as probable as the likeliest are
        left out, too.
        """
        return self._credible() if self.weighs_answers else self._allowed.copy()

    @property
    def not_ruled_out(self) -> BoolArray:
        """The goals that can still be true, ``bool [n_goals]``, however improbable they are."""
        return self._allowed.copy()

    def _credible(self) -> BoolArray:
        return np.asarray(self._allowed & (self._weights >= CREDIBLE * self._weights.max()))

    @property
    def probabilities(self) -> FloatArray:
        """The probability of each goal, ``float64 [n_goals]``, read-only.

        Goals that are ruled out have probability 0. Improbable goals that `possible` leaves out also have probability
        0, unless answers can be wrong.
        """
        if self._probabilities is None:
            weights = np.where(self._allowed if self.weighs_answers else self.possible, self._weights, 0.0)
            self._probabilities = weights / weights.sum()
            self._probabilities.setflags(write=False)
        return self._probabilities

    @abstractmethod
    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """Update the belief with an action of the teammate.

        Args:
            likelihood: ``float64 [n_goals]``, the probability of the action under each goal's policy. If `needs_shares`
                is False, also ``bool [n_goals]``: whether the probability is positive.

        Raises:
            ContradictoryObservation: no goal is possible any more.
        """

    def learn(self, asked: BoolArray, answer: bool) -> None:
        """Update the belief with a true answer to "is your goal one of `asked`?".

        Args:
            asked: ``bool [n_goals]``, the goals in the question.
            answer: True for yes and False for no.

        Raises:
            ContradictoryObservation: no goal is possible any more.
        """
        self._keep(asked if answer else ~asked, "the answer")

    def weigh(self, likelihood: FloatArray) -> None:
        """Update the belief with an answer that may be wrong.

        Args:
            likelihood: ``float64 [n_goals]``, the probability of the answer under each goal; 0 rules a goal out.

        Raises:
            ContradictoryObservation: no goal is possible any more.
        """
        self._keep(likelihood > 0, "the answer")
        self._weights = self._weights * likelihood
        self._rescale()

    def _keep(self, goals: BoolArray, source: str) -> None:
        left = self._allowed & goals
        n_left = np.count_nonzero(left)
        if n_left == self._n_allowed:
            return
        if n_left == 0:
            raise ContradictoryObservation(
                f"{source} rules out every goal that was still possible under the belief {self.name!r}: {self.way_out}"
            )
        self._allowed, self._n_allowed = left, n_left
        self._rescale()

    def _rescale(self) -> None:
        """Scale the belief's weights (unnormalised probabilities), so that they do not underflow in long episodes.

        Called after each change of the weights; also discards the cached value of `probabilities`.
        """
        self._probabilities = None
        rescale(self._weights, self._allowed)


@compiled(work=lambda given: 2 * given.weights.size)
def rescale(weights: Any, allowed: Any) -> None:
    """Scale unnormalised probabilities in place, so that the largest becomes 1.

    Args:
        weights: ``float64 [n_goals]``, the probabilities, which are changed.
        allowed: ``bool [n_goals]``, the goals that are not ruled out; their weights stay at least 1e-300 (`SMALLEST`),
            all others become 0.
    """
    largest = SMALLEST
    for goal in range(weights.size):
        if allowed[goal]:
            largest = max(largest, weights[goal])
    for goal in range(weights.size):
        weights[goal] = max(max(weights[goal], SMALLEST) / largest, SMALLEST) if allowed[goal] else 0.0


class Elimination(Belief):
    """A belief that rules out goals whose policy never takes the observed action; other goals keep their prior odds."""

    name = "elimination"
    needs_shares = False
    state_only = True

    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """Rule out the goals whose policy never takes the observed action.

        Args:
            likelihood: the probability of the action under each goal's policy, ``float64 [n_goals]``; or whether it is
                positive, ``bool [n_goals]``.

        Raises:
            ContradictoryObservation: no goal is possible any more.
        """
        self._keep(likelihood > 0, "an action of the teammate")


class Bayes(Belief):
    """A belief that multiplies each goal's odds by the action's probability under that goal's policy (Bayes' rule)."""

    name = "bayes"
    state_only = True
    posterior = True

    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """Multiply the odds of each goal by the probability of the observed action under the goal's policy.

        Args:
            likelihood: ``float64 [n_goals]``, this probability; 0 rules the goal out.

        Raises:
            ContradictoryObservation: no goal is possible any more.
        """
        self._keep(likelihood > 0, "an action of the teammate")
        self._weights = self._weights * likelihood
        self._rescale()


class Robust(Belief):
    """A belief that assumes that the teammate takes a uniformly random action with probability `noise`.

    Args:
        prior: ``float64 [n_goals]``, not all 0; goals of prior 0 are impossible.
        noise: probability of a random action, above 0 and below 1.
        n_actions: number of actions that a random action is drawn from.
        doubt: a goal is left out of `possible` if the observed actions are less than `doubt` times as probable under it
            as under another goal. Above 0 and below 1; not used if answers can be wrong.
    """

    name = "robust"
    rules_out = False
    way_out = "the answers contradict each other"

    def __init__(
        self, prior: FloatArray, *, noise: float = 0.1, n_actions: int = ACTIONS_IF_UNKNOWN, doubt: float = 1e-3
    ) -> None:
        super().__init__(prior)
        if not 0 < noise < 1:
            raise InputError("noise", noise, "a number above 0 and below 1")
        if not 0 < doubt < 1:
            raise InputError("doubt", doubt, "a number above 0 and below 1")
        self.noise = noise
        self.doubt = doubt
        self._slip = noise / n_actions
        self._evidence = np.ones(self._weights.size)

    @property
    def possible(self) -> BoolArray:
        """The goals that the ego agent considers, ``bool [n_goals]``: goals that explain the teammate's actions well.

        The observed actions must be at least `doubt` times as probable under such a goal as under any other goal. If
        answers can be wrong, the goal must instead be at least a thousandth as probable as the likeliest.
        """
        if self.weighs_answers:
            # Actions and answers may support different goals; only their combination counts.
            return self._credible()
        best = self._evidence[self._allowed].max()
        return np.asarray(self._allowed & (self._evidence >= self.doubt * best))

    @property
    def not_ruled_out(self) -> BoolArray:
        """The goals that can still be true, ``bool [n_goals]``, even if `possible` leaves them out.

        A goal counts as ruled out if its probability is below 1e-9 (`NEXT_TO_IMPOSSIBLE`) times that of the likeliest
        goal.
        """
        return np.asarray(self._allowed & (self._weights >= NEXT_TO_IMPOSSIBLE * self._weights.max()))

    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """Multiply the odds of each goal by the probability of the observed action, allowing for random actions.

        Args:
            likelihood: ``float64 [n_goals]``, this probability without random actions.
        """
        explained = (1 - self.noise) * likelihood + self._slip
        self._weights = self._weights * explained
        evidence = np.where(self._allowed, self._evidence * explained, 0.0)
        self._evidence = np.maximum(evidence / evidence.max(), SMALLEST)
        self._rescale()


BELIEFS: dict[str, type[Belief]] = {kind.name: kind for kind in (Elimination, Bayes, Robust)}


def make_belief(
    name: str, prior: FloatArray, *, n_actions: int = ACTIONS_IF_UNKNOWN, weighs_answers: bool = False
) -> Belief:
    """Return a new belief of the kind that `name` states; raise an `InputError` if there is no such kind.

    Args:
        name: ``elimination``, ``bayes`` or ``robust``.
        prior: ``float64 [n_goals]``, not all 0; goals of prior 0 are impossible.
        n_actions: for ``robust``, the number of actions that a random action is drawn from.
        weighs_answers: whether answers can be wrong.
    """
    kind = find_belief(name)
    belief = kind(prior, n_actions=n_actions) if issubclass(kind, Robust) else kind(prior)
    belief.weighs_answers = weighs_answers
    return belief


def find_belief(name: str) -> type[Belief]:
    """Return the class of the belief called `name`, such as ``bayes``; raise an `InputError` if there is none."""
    if name not in BELIEFS:
        allowed = "one of " + ", ".join(map(repr, BELIEFS))
        raise InputError("belief", repr(name), allowed + did_you_mean(str(name), BELIEFS))
    return BELIEFS[name]


@dataclass(frozen=True, slots=True)
class Observation:
    """What the ego agent observes before it decides.

    Attributes:
        state: the current states of both agents.
        teammate_action: index of the teammate's last action; None at the start and after a question.
        answer: the answer to the question in the last step; None if there was none.
    """

    state: JointState
    teammate_action: int | None = None
    answer: Answer | None = None


Event: TypeAlias = tuple[int, int] | Answer
"""Something that changes a belief: a pair of the teammate's state and its action there, or an answer."""


class Tracker:
    """The ego agent's belief during one episode, updated with each observation.

    Args:
        problem: the problem.
        belief: the kind of belief, ``elimination``, ``bayes`` or ``robust``.
        fallback: the kind to change to when an observation is impossible under `belief`; None to raise
            `ContradictoryObservation`.

    Attributes:
        problem: the problem.
        fallback: the argument `fallback`; None after the change.
        belief: the current belief.
        answers: all answers so far, missing ones included.
    """

    def __init__(self, problem: Problem, belief: str = "elimination", *, fallback: str | None = None) -> None:
        self.problem = problem
        self.fallback = fallback
        self.belief = self._new(belief)
        self._events: list[Event] = []
        self._answered: set[Hashable] = set()
        self.answers: list[Answer] = []
        self._last: JointState | None = None

    @property
    def kind(self) -> str:
        """The name of the current kind of belief, such as ``bayes``."""
        return self.belief.name

    @property
    def possible(self) -> BoolArray:
        """The goals that the ego agent considers, ``bool [n_goals]``: neither ruled out nor too improbable.

        The kind of belief decides which goals are too improbable (`Belief.possible`, `Robust.possible`).
        """
        return self.belief.possible

    @property
    def probabilities(self) -> FloatArray:
        """The probability of each goal, ``float64 [n_goals]``, read-only; 0 for goals that are ruled out."""
        return self.belief.probabilities

    def update(self, observation: Observation) -> None:
        """Update the belief with an observation, in the order of the episode.

        Raises:
            ContradictoryObservation: no possible goal explains the observation, even under the `fallback`.
        """
        last, self._last = self._last, observation.state
        action = observation.teammate_action
        if observation.answer is not None:
            self._take_in(observation.answer)
        elif action is not None and last is not None:
            self._take_in((last.teammate, action))

    def saw(self, teammate: int, action: int) -> None:
        """Update the belief with an action that the teammate took.

        Args:
            teammate: index of the teammate's state before the action.
            action: index of the action.
        """
        self._take_in((teammate, action))

    def heard(self, answer: Answer) -> None:
        """Update the belief with an answer, which may be missing."""
        self._take_in(answer)

    def tells_nothing(self, asked: Question) -> bool:
        """Return whether a question would get the same answer as before: it was asked, and errors are persistent."""
        return bool(self._answered) and same_question(asked, len(self.problem.goals)) in self._answered

    def _take_in(self, event: Event) -> None:
        if isinstance(event, Answer):
            self.answers.append(event)
        if isinstance(event, Answer) and self.problem.answers.persistent:
            if self.tells_nothing(event.asked):
                return
            self._answered.add(same_question(event.asked, len(self.problem.goals)))
        if self.fallback is None:
            self._learn(event)
            return
        self._events.append(event)
        try:
            self._learn(event)
        except ContradictoryObservation:
            self._fall_back()

    def _fall_back(self) -> None:
        assert self.fallback is not None
        self.belief, self.fallback = self._new(self.fallback), None
        for event in self._events:
            self._learn(event)

    def _learn(self, event: Event) -> None:
        if not isinstance(event, Answer):
            self.belief.observe(self._likelihood(*event))
        elif event.reply is not None:  # a missing answer says nothing about the goal
            self._hear(event)

    def _hear(self, answer: Answer) -> None:
        n_goals, model = len(self.problem.goals), self.problem.answers
        if not model.fallible:
            self.belief.learn(agreeing(answer, n_goals), True)
        else:
            self.belief.weigh(model.likelihood(answer, n_goals))

    def _likelihood(self, teammate: int, action: int) -> FloatArray | BoolArray:
        """Return the probability of an action of the teammate under each goal's policy, ``float64 [n_goals]``.

        If the belief does not need probabilities, return whether each is positive, ``bool [n_goals]``.
        """
        if self.belief.needs_shares:
            return self.problem.teammate.policy(teammate)[:, action]
        return self.problem.teammate.optimal(teammate)[:, action]

    def _new(self, kind: str) -> Belief:
        problem = self.problem
        return make_belief(
            kind, problem.prior, n_actions=len(all_teammate_names(problem)), weighs_answers=problem.answers.fallible
        )


def joint_with(problem: Problem, belief: FloatArray, answer: Answer) -> FloatArray:
    """Return ``P(goal) * P(answer | goal)`` for each goal, ``float64 [n_goals]``.

    `belief` has the probabilities before the answer, ``float64 [n_goals]``.
    """
    return np.asarray(belief * problem.answers.likelihood(answer, len(problem.goals)))


def belief_after(problem: Problem, belief: FloatArray, answer: Answer) -> FloatArray:
    """Return the probabilities of the goals after an answer, ``float64 [n_goals]``; all 0 if the answer is impossible.

    `belief` has the probabilities before the answer, ``float64 [n_goals]``.
    """
    weights = joint_with(problem, belief, answer)
    total = float(weights.sum())
    return np.asarray(weights / total if total > 0 else weights)
