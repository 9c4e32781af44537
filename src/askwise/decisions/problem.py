"""What a decision is made of: intents with probabilities, actions with losses, questions with likelihoods and prices.

A question is a list of possible answers and a likelihood ``L[a, g] = P(answer a | intent g)`` whose columns sum to 1,
whatever it was made from: a set of intents (yes or no), groups of them (which one?), or any numbers. "No answer" is an
answer like the others. Calling a human and doing nothing are actions like the others.
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
"""Of all questions together. Beyond these sizes nobody can have meant what the numbers say, and tables get large."""


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """A question that may be asked once.

    Attributes:
        name: the question, as it is shown and asked.
        answers: what may be heard.
        likelihood: ``float64 [n_answers, n_intents]``, how probable each intent makes each answer.
        price: what asking costs, answered or not, in the unit of the losses.
    """

    name: str
    answers: tuple[str, ...]
    likelihood: FloatArray
    price: float

    def __post_init__(self) -> None:
        freeze_fields(self, "likelihood")

    def numbered(self, answer: str, field: str = "answer") -> int:
        """Return the number of an answer, by its name."""
        if answer not in self.answers:
            allowed = ", ".join(map(repr, self.answers)) + did_you_mean(str(answer), self.answers)
            raise InputError(field, repr(answer), f"an answer to {self.name!r}: {allowed}")
        return self.answers.index(answer)


@dataclass(frozen=True, slots=True, eq=False)
class DecisionProblem:
    """One decision: what may be meant, what can be done, what can be asked.

    `askwise.decide` makes one from what it is given, `askwise.decisions.problem_input` from a file; they check all.

    Attributes:
        intents: what may be meant, by name.
        belief: ``float64 [n_intents]``, how probable each is; they sum to 1.
        actions: what can be done, by name.
        loss: ``float64 [n_actions, n_intents]``, what doing it costs for each intent.
        questions: what can be asked, each at most once.
        limit: how many questions may be asked at most, None for as many as there are.
        name: what the decision is called.
    """

    intents: tuple[str, ...]
    belief: FloatArray
    actions: tuple[str, ...]
    loss: FloatArray
    questions: tuple[Asking, ...] = ()
    limit: int | None = None
    name: str = ""

    def __post_init__(self) -> None:
        freeze_fields(self, "belief", "loss")

    @property
    def most_questions(self) -> int:
        """How many questions can be asked."""
        n = len(self.questions)
        return n if self.limit is None else min(n, self.limit)

    def question(self, name: str, field: str = "question") -> Asking:
        """Return a question by its name."""
        names = [each.name for each in self.questions]
        if name not in names:
            known = ", ".join(map(repr, names)) if names else "none: there is no question left"
            raise InputError(field, repr(name), f"one of {known}{did_you_mean(str(name), names)}")
        return self.questions[names.index(name)]

    def action(self, name: str, field: str = "action") -> int:
        """Return the number of an action, by its name."""
        if name not in self.actions:
            known = ", ".join(map(repr, self.actions[:20])) + (", ..." if len(self.actions) > 20 else "")
            raise InputError(field, repr(name), f"one of {known}{did_you_mean(str(name), self.actions)}")
        return self.actions.index(name)

    def saw(self, likelihood: Mapping[str, float] | Sequence[float] | FloatArray) -> DecisionProblem:
        """Return what is left after something was seen that each intent makes as probable as stated."""
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
        # Only their ratios matter, and the largest numbers there are must not overflow.
        return factors / factors.max() if factors.max() > 0 else factors

    def heard(self, question: str, answer: str, field: str = "question") -> DecisionProblem:
        """Return what is left after an answer: another belief, one question less."""
        asked = self.question(question, field)
        if answer == NO_ANSWER and answer not in asked.answers:
            return self._without(asked, self.belief)  # nobody expected it; that there is no answer tells nothing
        weights = self.belief * asked.likelihood[asked.numbered(answer, "answer" if field == "question" else field)]
        if not weights.sum() > 0:
            found = f"{answer!r} to {question!r}, which no possible intent explains"
            raise InputError("answer" if field == "question" else field, found, "an answer that fits what is believed")
        return self._without(asked, weights / weights.sum())

    def _without(self, asked: Asking, belief: FloatArray) -> DecisionProblem:
        left = tuple(each for each in self.questions if each is not asked)
        limit = None if self.limit is None else max(self.limit - 1, 0)
        return replace(self, belief=belief, questions=left, limit=limit)
