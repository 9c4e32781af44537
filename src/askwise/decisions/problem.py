"""A decision problem, and how it is read: intents with probabilities, actions with losses, and questions.

A file (``format = "askwise/decision@1"``) is one object with the keys ``belief``, ``loss`` or ``utility``,
``questions``, ``price``, ``answers``, ``limit`` and ``name``, the arguments of `askwise.decide`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.core.question_json import answers_from_json
from askwise.decisions.question import (
    ELSE,
    NO_ANSWER,
    Asking,
    DefaultPrice,
    IntentIndex,
    read_default_price,
    read_question,
    read_row,
)
from askwise.errors import InputError, did_you_mean
from askwise.frozen import freeze_fields
from askwise.text.data import parse_text
from askwise.text.files import find, read_text
from askwise.text.reading import LARGEST_PRICE, Field, check_name, read_finite, read_name
from askwise.types import FloatArray

MOST_INTENTS = 5_000
MOST_ACTIONS = 5_000
MOST_QUESTIONS = 500
MOST_ANSWERS = 2_000
"""Largest number of answers of all questions together. Problems above these four limits are refused."""


@dataclass(frozen=True, slots=True, eq=False)
class DecisionProblem:
    """A decision problem: possible intents, actions with losses, and questions.

    Make it with `askwise.decide` or `read_decision_file`.

    Attributes:
        intents: names of the intents, of which exactly one is true.
        belief: ``float64 [n_intents]``, probability of each intent.
        actions: names of the actions.
        loss: ``float64 [n_actions, n_intents]``, loss of each action given each intent.
        questions: the questions, each asked at most once.
        limit: largest number of questions; None for all.
        name: name of the decision, or empty.
        note: how the given probabilities were changed, such as scaled; empty if they were not.
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
        """Return the question called `name`; raise an `InputError` if there is none.

        `field` is the word for the argument `name` in the error message.
        """
        names = [each.name for each in self.questions]
        if name not in names:
            known = ", ".join(map(repr, names)) if names else "none: there is no question left"
            raise InputError(field, repr(name), f"one of {known}{did_you_mean(str(name), names)}")
        return self.questions[names.index(name)]

    def action(self, name: str, field: str = "action") -> int:
        """Return the index of the action called `name`; raise an `InputError` if there is none.

        `field` is the word for the argument `name` in the error message.
        """
        if name not in self.actions:
            known = ", ".join(map(repr, self.actions[:20])) + (", ..." if len(self.actions) > 20 else "")
            raise InputError(field, repr(name), f"one of {known}{did_you_mean(str(name), self.actions)}")
        return self.actions.index(name)

    def saw(self, likelihood: Mapping[str, float] | Sequence[float] | FloatArray) -> DecisionProblem:
        """Return the problem with the belief after an observation that answers no question.

        `likelihood` is the probability of the observation given each intent, up to a factor: a dict by name, or a
        sequence.
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
        """Return the problem after an answer: with a new belief, without the question, and with `limit` lowered by 1.

        The answer ``no answer`` is always allowed. `field` is the name of `question` in error messages.

        Raises:
            InputError: the question or the answer is unknown, or no possible intent explains the answer.
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


# -- reading -----------------------------------------------------------------------------------------------------

FORMAT = "askwise/decision@1"
OPTIONAL = ("name", "loss", "utility", "questions", "price", "answers", "limit")
SUMS_TO_ONE = 0.01
"""How far from 1 the sum of probabilities may be: people and models round them. Then they are normalised."""
EXACT = 1e-6
"""The difference from 1 up to which this is not mentioned."""
LARGEST_FILE = 20 * 2**20


def parse(text: str, *, toml: bool = False) -> DecisionProblem:
    """Return the decision problem in the text of a decision file: JSON, or TOML if `toml` is true."""
    if len(text) > LARGEST_FILE:
        raise InputError("file", f"{len(text):,} characters", f"at most {LARGEST_FILE:,}")
    return read_decision(Field("", parse_text(text, toml=toml)))


def read_decision_file(path: str | Path) -> DecisionProblem:
    """Return the decision problem in a file: TOML if its name ends in ``.toml``, otherwise JSON."""
    path = find(path)
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        size = 0  # `read_text` below reports the problem
    if size > LARGEST_FILE:
        raise InputError(f"file {str(path)!r}", f"{size:,} bytes", f"at most {LARGEST_FILE:,}")
    return parse(read_text(path), toml=path.suffix.lower() == ".toml")


def read_decision(given: Field) -> DecisionProblem:
    """Return the decision problem in the parsed contents of a decision file; raise `InputError` if they are invalid."""
    given.object(["format"])
    stated = given.child("format")
    if str(stated.value).startswith("askwise/") and not str(stated.value).startswith(FORMAT.partition("@")[0]):
        raise stated.refuse("a decision file (askwise ask takes problems with two agents)")
    stated.text([FORMAT])  # first, because a file of another format lacks other keys as well
    given.object(["format", "belief"], OPTIONAL)
    return read_parts({key: given.child(key) for key in given.value if key != "format"})


def read_parts(parts: Mapping[str, Field]) -> DecisionProblem:
    """Return the decision problem given by its parts; raise `InputError` if they are invalid.

    `parts` maps keys of a decision file (``belief``, ``loss`` or ``utility``, ``price``, ``answers``, ``questions``,
    ``limit``, ``name``) to their values; only ``belief`` is required.
    """
    intents, belief, note = read_belief(parts["belief"])
    if "loss" in parts and "utility" in parts:
        raise InputError("utility", "it together with 'loss'", "one of them")
    key = "utility" if "utility" in parts else "loss"
    index_of = {name: k for k, name in enumerate(intents)}
    actions, loss = read_losses(parts.get(key), index_of)
    default = read_default_price(parts["price"]) if "price" in parts else None
    model = _answers(parts.get("answers"))
    questions = read_questions(parts.get("questions"), index_of, default, model)
    limit = parts["limit"].whole(0) if "limit" in parts else None
    name = read_name(parts["name"]) if "name" in parts else ""
    return DecisionProblem(intents, belief, actions, -loss if key == "utility" else loss, questions, limit, name, note)


def _answers(given: Field | None) -> AnswerModel:
    if given is None:
        return AnswerModel()
    return given.value if isinstance(given.value, AnswerModel) else answers_from_json(given)


# -- belief ------------------------------------------------------------------------------------------------------


def read_belief(given: Field) -> tuple[tuple[str, ...], FloatArray, str]:
    """Return the names of the intents, their probabilities, ``float64 [n_intents]``, and a note.

    The note says how the given probabilities were changed; it may be empty.

    Args:
        given: a dict from intents to probabilities; a list of probabilities, for ``intent 1``, ``intent 2`` and so on;
            or a list of samples (intents, with or without weights), which are counted.
    """
    value = given.value
    if isinstance(value, list) and value and not _is_number(value[0]):
        return (*_counted(given), "")
    if isinstance(value, list):
        numbers = [(f"intent {k + 1}", each) for k, each in enumerate(given.elements())]
    else:
        numbers = list(given.items())
    _check_count(given, len(numbers), MOST_INTENTS, "intents")
    names = tuple(_intent(name, given) for name, _ in numbers)
    weights = np.array([each.number() for _, each in numbers])
    total = math.fsum(weights)
    if not abs(total - 1.0) <= SUMS_TO_ONE + EXACT:
        hint = "; samples with weights, [[intent, weight], ...], need not" if total > 0 else ""
        raise InputError(given.path, f"probabilities that sum to {total:.6g}", f"probabilities that sum to 1{hint}")
    changed = abs(total - 1.0) > EXACT
    note = f"the probabilities of the intents sum to {total:.6g}; they were divided by this" if changed else ""
    return names, weights / total, note


def _intent(name: str, given: Field) -> str:
    if name == ELSE:
        raise InputError(given.path, f"an intent called {ELSE!r}", f"another name: {ELSE!r} stands for all the others")
    return check_name(name, given.path)


def _counted(given: Field) -> tuple[tuple[str, ...], FloatArray]:
    """Return the intents in a list of samples, in the order of first occurrence, and their shares of the total weight.

    A sample is an intent, with weight 1, or a pair ``[intent, weight]``, or a dict with the key ``intent`` and the
    optional key ``weight``.
    """
    counts: Counter[str] = Counter()
    for each in given.elements():
        name, weight = _sample(each)
        counts[name] += weight  # type: ignore[assignment] # weights are numbers of any kind
    _check_count(given, len(counts), MOST_INTENTS, "intents")
    total = math.fsum(counts.values())
    if not 0 < total < math.inf:
        raise InputError(given.path, f"weights that sum to {total:g}", "a finite sum above 0")
    return tuple(counts), np.array([weight / total for weight in counts.values()])


def _sample(given: Field) -> tuple[str, float]:
    value = given.value
    if isinstance(value, str):
        return _intent(value, given), 1.0
    if isinstance(value, dict):
        given.object(["intent"], ["weight"])
        weight = given.child("weight").number() if given.has("weight") else 1.0
        return _intent(given.child("intent").text(), given), weight
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        return _intent(value[0], given), Field(f"{given.path}[1]", value[1]).number()
    raise given.refuse("an intent by name, [intent, weight], or {intent, weight}")


# -- losses ------------------------------------------------------------------------------------------------------


def read_losses(given: Field | None, index_of: IntentIndex) -> tuple[tuple[str, ...], FloatArray]:
    """Return the names of the actions and their losses or utilities, ``float64 [n_actions, n_intents]``.

    Args:
        given: losses of each action: a dict by name, or a list for ``action 1``, ``action 2`` and so on. The losses of
            one action are a number for all intents, a list, or a dict by intent, in which ``else`` stands for intents
            not named. None for one action per intent, with loss 0 if the intent is true and 1 if not.
        index_of: index of each intent.
    """
    n = len(index_of)
    if given is None:
        return tuple(index_of), 1.0 - np.eye(n)
    if isinstance(given.value, list):
        rows = [(f"action {k + 1}", each) for k, each in enumerate(given.elements())]
    else:
        rows = list(given.items())
    _check_count(given, len(rows), MOST_ACTIONS, "actions")
    losses = np.array([read_row(each, index_of, _loss) for _, each in rows])
    return tuple(check_name(name, given.path) for name, _ in rows), losses.reshape(len(rows), n)


def _loss(given: Field) -> float:
    number = read_finite(given)
    if abs(number) > LARGEST_PRICE:
        raise given.refuse(f"a number from {-LARGEST_PRICE:g} to {LARGEST_PRICE:g}")
    return number


# -- questions ---------------------------------------------------------------------------------------------------


def read_questions(
    given: Field | None, index_of: IntentIndex, default: DefaultPrice, model: AnswerModel
) -> tuple[Asking, ...]:
    """Return the questions of a decision problem; raise `InputError` if they are invalid.

    Args:
        given: a dict from names to questions, or a list of questions; None for no questions.
        index_of: index of each intent, by name.
        default: price of questions that state none; None if each must state one.
        model: how often answers are wrong or missing.
    """
    if given is None or (isinstance(given.value, list | dict) and not given.value):
        return ()
    if isinstance(given.value, list):
        named = [(f"question {k + 1}", each) for k, each in enumerate(given.elements())]
    else:
        named = list(given.items())
    _check_count(given, len(named), MOST_QUESTIONS, "questions")
    found = [read_question(check_name(name, given.path), each, index_of, default, model) for name, each in named]
    _refuse_twice(found, given)
    if model.persistent:
        _refuse_same(found, given)
    total = sum(len(each.answers) for each in found)
    _check_count(given, total, MOST_ANSWERS, "answers")
    return tuple(found)


def _refuse_twice(found: list[Asking], given: Field) -> None:
    names = [each.name for each in found]
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise InputError(given.path, f"two questions called {twice!r}", "a different name for each")


def _refuse_same(found: list[Asking], given: Field) -> None:
    """Raise `InputError` if the answers to two questions have the same likelihoods, in any order.

    Call it if errors are persistent: the second question would get the same answer as the first, which is nothing new.
    """
    seen: dict[bytes, str] = {}
    for each in found:
        rows = sorted(row.tobytes() for row in each.likelihood)
        key = b"".join(rows)
        if key in seen:
            what = f"{each.name!r}, the same question as {seen[key]!r}"
            raise InputError(given.path, what, "each question once, since errors are persistent")
        seen[key] = each.name


def _check_count(given: Field, n: int, most: int, what: str) -> None:
    if not 1 <= n <= most:
        raise InputError(given.path, f"{n:,} {what}", f"1 to {most:,}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
