"""The one place where what was seen and heard changes a belief.

A `Tracker` follows one episode from the ego agent's side. It is given every `Observation` in order and turns it into
evidence: an action of the teammate has the likelihood that each goal's policy gives it where the teammate was, an
answer the likelihood that the problem's `AnswerModel` gives it. Where that model repeats itself, a question that was
answered before tells nothing. Agents, `askwise.ask`, environments and pages all keep one of these, so that
all of them believe the same of the same experience.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from askwise.core.answers import agreeing, same_question
from askwise.core.belief_kinds import Belief, ContradictoryObservation, make_belief
from askwise.core.problem import JointState, Problem, all_teammate_names
from askwise.core.questions import Answer, Question
from askwise.types import BoolArray, FloatArray


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
