"""A conversation: ask or act, hear an answer, see something, decide again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from askwise.decisions.problem import NO, NO_ANSWER, YES, DecisionProblem
from askwise.decisions.recommendation import Recommendation, recommend
from askwise.decisions.search import BUDGET
from askwise.errors import InputError
from askwise.types import FloatArray


@dataclass(frozen=True, slots=True)
class Heard:
    """A question that was asked, the answer, and its price."""

    question: str
    answer: str
    price: float


class Session:
    """The conversation about one decision.

    ``next()`` says what to do; after a question, ``heard(answer)`` takes the answer, and ``next()`` goes on. What is
    noticed without asking is told by ``saw(likelihood)``.

    Args:
        problem: the decision at the start.
        depth: how many questions to look ahead each time; None for as many as the budget allows.
        budget: how much work each attempt to look further may take, about as many nanoseconds.
    """

    def __init__(self, problem: DecisionProblem, *, depth: int | None = None, budget: float = BUDGET) -> None:
        self.start = problem
        self.problem = problem
        self.history: list[Heard] = []
        self._depth, self._budget = depth, budget
        self._next: Recommendation | None = None

    @property
    def belief(self) -> dict[str, float]:
        """How probable each intent is by now."""
        return {name: float(p) for name, p in zip(self.problem.intents, self.problem.belief, strict=True)}

    @property
    def paid(self) -> float:
        """What the questions so far have cost."""
        return sum(each.price for each in self.history)

    def next(self) -> Recommendation:
        """Return what to do now."""
        if self._next is None:
            self._next = recommend(self.problem, depth=self._depth, budget=self._budget, asked=bool(self.history))
        return self._next

    def heard(self, answer: str | bool | None, question: str | None = None) -> Session:
        """Take an answer to a question, by default to the one that `next` recommends.

        Args:
            answer: one of the question's answers; True and False stand for yes and no, None for no answer, which
                changes no belief, but the question is used up.
            question: the question that was asked.
        """
        name = question
        if name is None:
            name = self.next().ask
        if name is None:
            expected = "the name of the question that was asked; the advice was to act"
            raise InputError("question", "nothing", expected)
        self._refuse_again(name, "question")
        asked = self.problem.question(name)
        said = {True: YES, False: NO, None: NO_ANSWER}.get(answer, answer) if not isinstance(answer, str) else answer
        self._move_to(self.problem.heard(name, str(said)))
        self.history.append(Heard(name, str(said), asked.price))
        return self

    def heard_text(self, text: str, field: str) -> Session:
        """Take ``QUESTION=ANSWER``, as it is typed; both may hold further equals signs."""
        names = [each.name for each in self.problem.questions]
        fits = [(name, text[len(name) + 1 :]) for name in names if text.startswith(f"{name}=")]
        if not fits:
            asked, equals, _ = text.partition("=")
            if not equals:
                raise InputError(field, repr(text), "QUESTION=ANSWER")
            self._refuse_again(asked, field)
            self.problem.question(asked, field)
        question, answer = max(fits, key=lambda pair: len(pair[0]))
        price = self.problem.question(question).price
        self._move_to(self.problem.heard(question, answer, field))
        self.history.append(Heard(question, answer, price))
        return self

    def saw(self, likelihood: Mapping[str, float] | Sequence[float] | FloatArray) -> Session:
        """Take something that was noticed: how probable each intent makes it, up to a common factor."""
        self._move_to(self.problem.saw(likelihood))
        return self

    def _refuse_again(self, question: str, field: str) -> None:
        if any(each.question == question for each in self.history):
            raise InputError(field, f"{question!r} once more", "each question once; it was answered already")

    def _move_to(self, problem: DecisionProblem) -> None:
        self.problem, self._next = problem, None
