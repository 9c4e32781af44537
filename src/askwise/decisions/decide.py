"""`askwise.decide`, which returns a recommendation, and `askwise.Session`, which continues as answers arrive."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.core.questions import Choice
from askwise.decisions.problem import DecisionProblem, read_parts
from askwise.decisions.question import NO, NO_ANSWER, YES
from askwise.decisions.recommendation import Recommendation, recommend
from askwise.decisions.search import BUDGET
from askwise.errors import InputError
from askwise.text.reading import Field
from askwise.types import FloatArray


def decide(
    belief: Any,
    loss: Any = None,
    questions: Any = (),
    *,
    utility: Any = None,
    price: float | Mapping[str, float] | Callable[[Any], float] | None = None,
    answers: AnswerModel | Mapping[str, Any] | None = None,
    limit: int | None = None,
    intents: Sequence[str] | None = None,
    actions: Sequence[str] | None = None,
    name: str | None = None,
    depth: int | None = None,
    budget: float = BUDGET,
) -> Recommendation:
    """Decide whether to act or to ask, and which action or question.

    An intent is one possibility for what is unknown, such as what a user wants. Exactly one intent is true.

    Args:
        belief: probability of each intent: a dict ``{intent: probability}``, an array, or a list of samples, with
            weights (``[("a", 0.4), ("b", 0.1)]``) or without. A `DecisionProblem` replaces all arguments except `depth`
            and `budget`.
        loss: loss of each action given each intent: a dict ``{action: {intent: loss}}`` or an array
            ``[n_actions, n_intents]``. The intent ``"else"`` stands for all not named; a number replaces a dict of
            equal losses. By default, each intent has one action, with loss 0 if it is true and 1 if not.
        questions: a dict ``{question: form}``, or a list of forms. A list of intents, or ``{"about": [...]}``, asks
            whether one of them is true. ``{"groups": {name: [...]}}`` asks which group has the true intent.
            ``{"likelihood": {answer: {intent: p}}}`` gives the probability ``p`` of each answer. Dicts may have a
            ``"price"`` and, without ``"likelihood"``, ``"wrong"`` and ``"refused"``, as in `answers`.
        utility: utility of each action given each intent, instead of `loss`.
        price: price of questions without their own: a number, a function of the question, or a dict with the keys
            ``base``, ``per_goal`` (for each intent named) and ``per_option`` (for each group). None if every question
            has its own.
        answers: an `AnswerModel`, or a dict with ``wrong`` (probability that a given answer is wrong), ``refused``
            (probability of no answer) and ``errors`` (``independent``, or ``persistent`` if asking again gives the same
            answer). None if all answers are true.
        limit: largest number of questions, each asked at most once; None for no limit.
        intents: names of the intents if `belief` is an array.
        actions: names of the actions if `loss` or `utility` is an array.
        name: name of the decision.
        depth: number of questions to look ahead; None for as many as the budget allows.
        budget: work for each attempt to look further ahead, in nanoseconds: an estimate, not a clock limit.

    Returns:
        The first move, its alternatives, the plan, and whether it is optimal.
    """
    check_depth(depth, budget)
    if isinstance(belief, DecisionProblem):
        return recommend(belief, depth=depth, budget=budget)
    given = {
        "belief": _named(belief, intents, "intents"),
        "loss": None if loss is None else _named(loss, actions, "actions"),
        "utility": None if utility is None else _named(utility, actions, "actions"),
        "questions": questions,
        "price": price,
        "answers": answers,
        "limit": limit,
        "name": name,
    }
    parts = {key: Field(key, json_types(value)) for key, value in given.items() if value is not None}
    return recommend(read_parts(parts), depth=depth, budget=budget)


def check_depth(depth: object, budget: object = BUDGET) -> None:
    """Raise `InputError` if `depth` (None or a whole number) or `budget` (a number) is invalid or negative."""
    whole = isinstance(depth, int | np.integer) and not isinstance(depth, bool) and depth >= 0
    if depth is not None and not whole:
        raise InputError("depth", repr(depth), "a whole number from 0, or None")
    number = isinstance(budget, int | float | np.integer | np.floating) and not isinstance(budget, bool)
    if not number or math.isnan(budget) or budget < 0:  # type: ignore[arg-type, operator]
        raise InputError("budget", repr(budget), "a number from 0")


def _named(given: Any, names: Sequence[str] | None, field: str) -> Any:
    """Return the values of an array or a list as a dict with the given names as keys.

    A mapping, or any value if `names` is None, is returned unchanged. Raises an `InputError` about `field` if there are
    too many, too few or repeated names.
    """
    if names is None or isinstance(given, Mapping):
        return given
    rows = list(given)
    if len(names) != len(rows):
        raise InputError(field, f"{len(names)} names", f"{len(rows)}, one for each")
    if len(set(names)) < len(names):
        raise InputError(field, "a repeated name", "a different name for each")
    return dict(zip(names, rows, strict=True))


def json_types(value: Any) -> Any:
    """Return a value in JSON types: arrays, tuples and sets become lists, numpy numbers become Python numbers."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): json_types(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(json_types(each) for each in value)
    if isinstance(value, list | tuple | range) and not isinstance(value, Choice):
        return [json_types(each) for each in value]
    return value


# -- sessions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heard:
    """A question that was asked in a `Session`, its answer, and the price paid for it."""

    question: str
    answer: str
    price: float


class Session:
    """A conversation about one decision, in which questions are answered one after the other.

    Call ``next()`` for a recommendation, ``heard(answer)`` after an answer, ``saw(likelihood)`` after any other
    observation.

    Args:
        problem: the decision problem at the start.
        depth: number of questions to look ahead; None for as many as the budget allows.
        budget: work for each attempt to look further ahead, in nanoseconds: an estimate, not a clock limit.

    Attributes:
        start: the decision problem at the start.
        problem: the problem now, with the questions left.
        history: questions asked so far, with answers and prices.
    """

    def __init__(self, problem: DecisionProblem, *, depth: int | None = None, budget: float = BUDGET) -> None:
        self.start = problem
        self.problem = problem
        self.history: list[Heard] = []
        self._depth, self._budget = depth, budget
        self._next: Recommendation | None = None

    @property
    def belief(self) -> dict[str, float]:
        """Current probability of each intent, by name."""
        return {name: float(p) for name, p in zip(self.problem.intents, self.problem.belief, strict=True)}

    @property
    def paid(self) -> float:
        """Sum of the prices of all questions asked so far."""
        return sum(each.price for each in self.history)

    def next(self) -> Recommendation:
        """Return the recommendation, to act or to ask, after all answers and observations so far."""
        if self._next is None:
            self._next = recommend(self.problem, depth=self._depth, budget=self._budget, asked=bool(self.history))
        return self._next

    def heard(self, answer: str | bool | None, question: str | None = None) -> Session:
        """Record the answer to a question, and return the session itself.

        The question cannot be asked again.

        Args:
            answer: one of the question's answers. True and False stand for yes and no, None for no answer.
            question: the question that was asked; by default the question that `next` recommends.
        """
        name = question
        if name is None:
            name = self.next().ask
        if name is None:
            expected = "the name of the question that was asked; the recommendation was to act"
            raise InputError("question", "nothing", expected)
        self._refuse_again(name, "question")
        asked = self.problem.question(name)
        said = {True: YES, False: NO, None: NO_ANSWER}.get(answer, answer) if not isinstance(answer, str) else answer
        self._move_to(self.problem.heard(name, str(said)))
        self.history.append(Heard(name, str(said), asked.price))
        return self

    def heard_text(self, text: str, field: str) -> Session:
        """Record an answer given as the text ``QUESTION=ANSWER``, and return the session itself.

        If the text fits several questions, the one with the longest name is taken.

        Args:
            text: the text, such as ``Is it urgent?=yes``.
            field: name of the text in error messages.
        """
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
        """Update the belief by an observation that answers no question, and return the session itself.

        `likelihood` is the probability of the observation given each intent, up to a factor: a dict by name, or a
        sequence.
        """
        self._move_to(self.problem.saw(likelihood))
        return self

    def _refuse_again(self, question: str, field: str) -> None:
        if any(each.question == question for each in self.history):
            raise InputError(field, f"{question!r} once more", "each question once; it was answered already")

    def _move_to(self, problem: DecisionProblem) -> None:
        self.problem, self._next = problem, None
