"""Beliefs: what is known of the teammate's goal after watching and asking.

- `Elimination` (the paper's): an action that is not optimal for a goal rules it out; the rest keep their prior odds.
- `Bayes`: the odds are also multiplied by how likely each goal's policy was to do what was seen. For a teammate that
  draws its plan uniformly this depends on where it is only: ``P(g | s) ~ P0(g) N_g(s) / N_g(s0)``.
- `Robust`: the teammate is allowed to do anything now and then, so watching never rules a goal out for good.

What is *possible* is kept exactly, apart from the probabilities: a goal whose probability underflows stays
possible, and a goal is known when one is possible, not when a float equals 1. Answers that cannot be wrong rule goals
out in all three; answers that can be multiply the odds by their likelihood. Then methods that work with sets of goals
reckon with those that are *credible*, at least a `CREDIBLE` part as probable as the likeliest; the others keep their
probabilities and can come back. An observation that leaves no goal raises
`ContradictoryObservation`.

The one place where what was seen and heard changes a belief.

A `Tracker` follows one episode from the ego agent's side. It is given every `Observation` in order and turns it into
evidence: an action of the teammate has the likelihood that each goal's policy gives it where the teammate was, an
answer the likelihood that the problem's `AnswerModel` gives it. Where that model repeats itself, a question that was
answered before tells nothing. Agents, `askwise.ask`, environments and pages all keep one of these, so that
all of them believe the same of the same experience.
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
"""How probable a goal has to be beside the likeliest one not to be given up for good, where nothing rules it out."""
ACTIONS_IF_UNKNOWN = 6
"""Among how many actions a teammate that errs chooses, if nobody says."""


class ContradictoryObservation(AskwiseError):  # noqa: N818 - it names what happened, as users will read it
    """Nothing that the belief thought possible explains what was seen or heard."""


class Belief(ABC):
    """Probabilities of the goals.

    Args:
        prior: ``float64 [n_goals]``, not all 0; goals of prior 0 are impossible.

    Attributes:
        weighs_answers: whether answers can be wrong; then the goals that are still credible are taken for possible.
    """

    name: str
    needs_shares = True
    """Whether it matters how probable an action was, or only whether it was possible."""
    way_out = "the teammate does not act as assumed; belief 'robust' allows for that"

    def __init__(self, prior: FloatArray) -> None:
        self._weights = np.array(prior, dtype=np.float64)
        self._allowed: BoolArray = self._weights > 0
        self._n_allowed = np.count_nonzero(self._allowed)
        self._probabilities: FloatArray | None = None  # kept until something is learnt
        self.weighs_answers = False
        if self._n_allowed == 0:
            raise InputError("prior", "no possible goal", "at least one goal of positive probability")
        self._rescale()

    @property
    def possible(self) -> BoolArray:
        """``bool [n_goals]``: the goals that are still possible; where answers can be wrong, those still credible."""
        return self._credible() if self.weighs_answers else self._allowed.copy()

    @property
    def not_ruled_out(self) -> BoolArray:
        """``bool [n_goals]``: the goals that it would be wrong to give up for good, however little credible."""
        return self._allowed.copy()

    def _credible(self) -> BoolArray:
        return np.asarray(self._allowed & (self._weights >= CREDIBLE * self._weights.max()))

    @property
    def probabilities(self) -> FloatArray:
        """``float64 [n_goals]``: probability of each goal, 0 for impossible ones."""
        if self._probabilities is None:
            weights = np.where(self._allowed if self.weighs_answers else self.possible, self._weights, 0.0)
            self._probabilities = weights / weights.sum()
            self._probabilities.setflags(write=False)
        return self._probabilities

    @abstractmethod
    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """Learn from an action of the teammate; ``likelihood[g]`` is how probable goal `g` made it.

        A belief that does not need the shares (`needs_shares`) only looks at what is above 0.
        """

    def learn(self, asked: BoolArray, answer: bool) -> None:
        """Learn the answer to "is your goal among `asked`?", which is true."""
        self._keep(asked if answer else ~asked, "the answer")

    def weigh(self, likelihood: FloatArray) -> None:
        """Learn from an answer that may be wrong; ``likelihood[g]`` is how probable goal `g` made it."""
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
        """Keep the largest weight at 1 and possible ones above 0, however long the episode gets."""
        self._probabilities = None
        rescale(self._weights, self._allowed)


@compiled(work=lambda given: 2 * given.weights.size)
def rescale(weights: Any, allowed: Any) -> None:
    """Divide the weights of allowed goals by the largest, none of them to less than `SMALLEST`; set the others to 0."""
    largest = SMALLEST
    for goal in range(weights.size):
        if allowed[goal]:
            largest = max(largest, weights[goal])
    for goal in range(weights.size):
        weights[goal] = max(max(weights[goal], SMALLEST) / largest, SMALLEST) if allowed[goal] else 0.0


class Elimination(Belief):
    """Rule out what cannot be, keep the prior odds of the rest."""

    name = "elimination"
    needs_shares = False

    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """See `Belief`."""
        self._keep(likelihood > 0, "an action of the teammate")


class Bayes(Belief):
    """Multiply the odds by the likelihood of every action."""

    name = "bayes"

    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """See `Belief`."""
        self._keep(likelihood > 0, "an action of the teammate")
        self._weights = self._weights * likelihood
        self._rescale()


class Robust(Belief):
    """Bayes with a doubt: with probability `noise` the teammate does just anything.

    Args:
        prior: as for every belief.
        noise: how often it does.
        n_actions: among how many actions it chooses then.
        doubt: goals that explain what was seen less than this share of the best explanation are set aside. They are
            not ruled out: what the teammate does next can bring them back. The prior plays no part in that: an
            unlikely goal is set aside for what the teammate does, not for being unlikely.
    """

    name = "robust"
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
        """``bool [n_goals]``: the goals that have to be reckoned with now."""
        if self.weighs_answers:
            # What was seen and what was heard may speak for different goals: only both together count.
            return self._credible()
        best = self._evidence[self._allowed].max()
        return np.asarray(self._allowed & (self._evidence >= self.doubt * best))

    @property
    def not_ruled_out(self) -> BoolArray:
        """See `Belief`; nothing is ever impossible here, so what is next to impossible is left out."""
        return np.asarray(self._allowed & (self._weights >= NEXT_TO_IMPOSSIBLE * self._weights.max()))

    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """See `Belief`."""
        explained = (1 - self.noise) * likelihood + self._slip
        self._weights = self._weights * explained
        evidence = np.where(self._allowed, self._evidence * explained, 0.0)
        self._evidence = np.maximum(evidence / evidence.max(), SMALLEST)
        self._rescale()


BELIEFS: dict[str, type[Belief]] = {kind.name: kind for kind in (Elimination, Bayes, Robust)}


def make_belief(
    name: str, prior: FloatArray, *, n_actions: int = ACTIONS_IF_UNKNOWN, weighs_answers: bool = False
) -> Belief:
    """Return a new belief of that name: ``elimination``, ``bayes`` or ``robust``.

    Args:
        name: the kind of belief.
        prior: as for every belief.
        n_actions: for ``robust``, among how many actions a teammate that errs chooses.
        weighs_answers: whether answers can be wrong.
    """
    kind = belief_kind(name)
    belief = kind(prior, n_actions=n_actions) if issubclass(kind, Robust) else kind(prior)
    belief.weighs_answers = weighs_answers
    return belief


def belief_kind(name: str) -> type[Belief]:
    """Return the kind of belief of that name."""
    if name not in BELIEFS:
        allowed = "one of " + ", ".join(map(repr, BELIEFS))
        raise InputError("belief", repr(name), allowed + did_you_mean(str(name), BELIEFS))
    return BELIEFS[name]


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


Event: TypeAlias = tuple[int, int] | Answer
"""What can change a belief: a state of the teammate with what it did there, or an answer."""


class Tracker:
    """What is believed after all that was seen and heard.

    Args:
        problem: what is played.
        belief: the kind of belief, ``elimination``, ``bayes`` or ``robust``.
        fallback: the kind to go on with, as if it had been there from the start, when nothing that the first one thinks
            possible explains what was seen or heard; by default that is an error.

    Attributes:
        answers: all that was asked and answered so far, refusals included.
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
        """The kind of belief that is kept now."""
        return self.belief.name

    @property
    def possible(self) -> BoolArray:
        """``bool [n_goals]``: the goals that are still possible."""
        return self.belief.possible

    @property
    def probabilities(self) -> FloatArray:
        """``float64 [n_goals]``: probability of each goal, 0 for impossible ones."""
        return self.belief.probabilities

    def update(self, observation: Observation) -> None:
        """Take in what is seen after a step, or at the start."""
        last, self._last = self._last, observation.state
        action = observation.teammate_action
        if observation.answer is not None:
            self._take_in(observation.answer)
        elif action is not None and last is not None:
            self._take_in((last.teammate, action))

    def saw(self, teammate: int, action: int) -> None:
        """Take in that the teammate did `action` in the state `teammate`."""
        self._take_in((teammate, action))

    def heard(self, answer: Answer) -> None:
        """Take in an answer."""
        self._take_in(answer)

    def tells_nothing(self, asked: Question) -> bool:
        """Whether a question would only be answered as before: it was asked, and errors are persistent."""
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
        elif event.reply is not None:  # who does not know says nothing about the goal
            self._hear(event)

    def _hear(self, answer: Answer) -> None:
        n_goals, model = len(self.problem.goals), self.problem.answers
        if model.wrong == 0:
            self.belief.learn(agreeing(answer, n_goals), True)
        else:
            self.belief.weigh(model.likelihood(answer, n_goals))

    def _likelihood(self, teammate: int, action: int) -> FloatArray | BoolArray:
        """Return how probable each goal made what the teammate did; where support is enough, if it could be."""
        if self.belief.needs_shares:
            return self.problem.teammate.policy(teammate)[:, action]
        return self.problem.teammate.optimal(teammate)[:, action]

    def _new(self, kind: str) -> Belief:
        problem = self.problem
        errs = problem.answers.wrong > 0
        return make_belief(kind, problem.prior, n_actions=len(all_teammate_names(problem)), weighs_answers=errs)


def joint_with(problem: Problem, belief: FloatArray, answer: Answer) -> FloatArray:
    """``float64 [n_goals]``: how probable each goal and this answer are together."""
    return np.asarray(belief * problem.answers.likelihood(answer, len(problem.goals)))


def belief_after(problem: Problem, belief: FloatArray, answer: Answer) -> FloatArray:
    """``float64 [n_goals]``: the probabilities of the goals after an answer; all 0 if no possible goal allows it."""
    weights = joint_with(problem, belief, answer)
    total = float(weights.sum())
    return np.asarray(weights / total if total > 0 else weights)
