"""A decision problem: intents with probabilities, actions with losses, questions with likelihoods and prices.

A question is a list of possible answers and a likelihood ``L[a, g] = P(answer a | intent g)`` whose columns sum to 1.
It is made from a set of intents (yes or no), from groups of intents (which one?), or from any likelihoods. "No answer"
is an answer like the others. Calling a human and doing nothing are actions like the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from askwise.errors import InputError, did_you_mean
from askwise.frozen import freeze_fields
from askwise.types import FloatArray

YES, NO = "yes", "no"
NO_ANSWER = "no answer"
MOST_INTENTS = 5_000
MOST_ACTIONS = 5_000
MOST_QUESTIONS = 500
MOST_ANSWERS = 2_000
"""Largest number of answers of all questions together. Problems above these four limits are refused."""


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """A question that may be asked once.

    Attributes:
        name: the text of the question.
        answers: the possible answers.
        likelihood: ``float64 [n_answers, n_intents]``, probability of each answer given each intent.
        price: the price of asking, answered or not, in the unit of the losses.
    """

    name: str
    answers: tuple[str, ...]
    likelihood: FloatArray
    price: float

    def __post_init__(self) -> None:
        freeze_fields(self, "likelihood")

    def numbered(self, answer: str, field: str = "answer") -> int:
        """Return the index of an answer given by name; raise `InputError` for `field` if there is none of this name."""
        if answer not in self.answers:
            allowed = ", ".join(map(repr, self.answers)) + did_you_mean(str(answer), self.answers)
            raise InputError(field, repr(answer), f"an answer to {self.name!r}: {allowed}")
        return self.answers.index(answer)


@dataclass(frozen=True, slots=True, eq=False)
class DecisionProblem:
    """A decision problem: possible intents, actions with losses, and questions.

    `askwise.decide` makes it from its arguments, `askwise.decisions.problem_input` from a file; both check it.

    Attributes:
        intents: names of the possible intents, exactly one of which is true.
        belief: ``float64 [n_intents]``, probability of each intent; they sum to 1.
        actions: names of the actions.
        loss: ``float64 [n_actions, n_intents]``, loss of each action given each intent.
        questions: the questions, each of which may be asked once.
        limit: largest number of questions; None for all of them.
        name: name of the decision, may be empty.
        note: a text that says how the given probabilities were changed, for example scaled to sum to 1; empty if they
            were not.
    """

    intents: tuple[str, ...]
    belief: FloatArray
    actions: tuple[str, ...]
    loss: FloatArray
    questions: tuple[Asking, ...] = ()
    limit: int | None = None
    name: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        freeze_fields(self, "belief", "loss")

    @property
    def most_questions(self) -> int:
        """Largest number of questions that can be asked: all questions, or `limit` if that is less."""
        n = len(self.questions)
        return n if self.limit is None else min(n, self.limit)

    def question(self, name: str, field: str = "question") -> Asking:
        """Return the question called `name`; raise `InputError` for `field` if there is none."""
        names = [each.name for each in self.questions]
        if name not in names:
            known = ", ".join(map(repr, names)) if names else "none: there is no question left"
            raise InputError(field, repr(name), f"one of {known}{did_you_mean(str(name), names)}")
        return self.questions[names.index(name)]

    def action(self, name: str, field: str = "action") -> int:
        """Return the index of the action called `name`; raise `InputError` for `field` if there is none."""
        if name not in self.actions:
            known = ", ".join(map(repr, self.actions[:20])) + (", ..." if len(self.actions) > 20 else "")
            raise InputError(field, repr(name), f"one of {known}{did_you_mean(str(name), self.actions)}")
        return self.actions.index(name)

    def saw(self, likelihood: Mapping[str, float] | Sequence[float] | FloatArray) -> DecisionProblem:
        """Return the problem with the belief after an observation that answers no question.

        Args:
            likelihood: the probability of the observation given each intent, up to a common factor: by name, or in the
                order of `intents`.
        """
        factors = self._factors(likelihood)
        weights = self.belief * factors
        if not weights.sum() > 0:
            raise InputError("likelihood", "0 for every intent that is possible", "a number above 0 for one of them")
        return replace(self, belief=weights / weights.sum())

    def _factors(self, likelihood: Mapping[str, float] | Sequence[float] | FloatArray) -> FloatArray:
        if isinstance(likelihood, Mapping):
            for name in likelihood:
                if name not in self.intents:
                    raise InputError("likelihood", repr(name), f"an intent{did_you_mean(str(name), self.intents)}")
            missing = next((name for name in self.intents if name not in likelihood), None)
            if missing is not None:
                raise InputError(f"likelihood.{missing}", "nothing", "a number for each intent")
            likelihood = [likelihood[name] for name in self.intents]
        try:
            factors = np.asarray(likelihood, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("likelihood", repr(likelihood), "numbers from 0") from None
        if factors.shape != (len(self.intents),):
            raise InputError("likelihood", f"an array of shape {factors.shape}", f"({len(self.intents)},)")
        if not (np.isfinite(factors).all() and (factors >= 0).all()):
            raise InputError("likelihood", "a number that is negative or not finite", "finite numbers from 0")
        # Only ratios matter; dividing by the largest keeps large numbers from overflowing.
        return factors / factors.max() if factors.max() > 0 else factors

    def heard(self, question: str, answer: str, field: str = "question") -> DecisionProblem:
        """Return the problem after an answer to a question: with the new belief, and without that question.

        Raises `InputError` if the question or the answer is unknown, or if no possible intent explains the answer;
        `field` is the name of the question in the message.
        """
        asked = self.question(question, field)
        if answer == NO_ANSWER and answer not in asked.answers:
            return self._without(asked, self.belief)  # a refusal that the likelihood does not model is uninformative
        weights = self.belief * asked.likelihood[asked.numbered(answer, "answer" if field == "question" else field)]
        if not weights.sum() > 0:
            found = f"{answer!r} to {question!r}, which no possible intent explains"
            raise InputError("answer" if field == "question" else field, found, "an answer that fits what is believed")
        return self._without(asked, weights / weights.sum())

    def _without(self, asked: Asking, belief: FloatArray) -> DecisionProblem:
        left = tuple(each for each in self.questions if each is not asked)
        limit = None if self.limit is None else max(self.limit - 1, 0)
        return replace(self, belief=belief, questions=left, limit=limit)
