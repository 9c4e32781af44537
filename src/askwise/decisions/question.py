"""One question of a decision problem, and how it is read.

A question has likelihoods ``L[a, g]``, the probability of answer ``a`` if intent ``g`` is true. The question is given
in one of three forms: a list of intents (is one of these true?), groups of intents (which group has the true intent?),
or likelihoods. In each form, it may state its price; in the first two, how often answers are ``wrong`` or ``refused``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from askwise.core.answers import NONE_OF_THESE, AnswerModel, likelihood_of, most_wrong, n_answers
from askwise.core.questions import Answer, Choice, QueryCost
from askwise.errors import InputError, did_you_mean
from askwise.frozen import freeze_fields
from askwise.text.data import short_json
from askwise.text.reading import LARGEST_PRICE, Field, check_name, read_price
from askwise.types import FloatArray

YES, NO = "yes", "no"
NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """A question that may be asked once.

    Attributes:
        name: the text of the question.
        answers: the possible answers.
        likelihood: ``float64 [n_answers, n_intents]``, probability of each answer given each intent.
        price: the price of asking, answered or not.
    """

    name: str
    answers: tuple[str, ...]
    likelihood: FloatArray
    price: float

    def __post_init__(self) -> None:
        freeze_fields(self, "likelihood")

    def numbered(self, answer: str, field: str = "answer") -> int:
        """Return the index of an answer given by name; raise an `InputError` if there is none of this name.

        `field` is the word for the argument `answer` in the error message.
        """
        if answer not in self.answers:
            allowed = ", ".join(map(repr, self.answers)) + did_you_mean(str(answer), self.answers)
            raise InputError(field, repr(answer), f"an answer to {self.name!r}: {allowed}")
        return self.answers.index(answer)


# -- reading -----------------------------------------------------------------------------------------------------

ELSE = "else"
"""The key in a table that stands for all intents that the table does not name."""

IntentIndex: TypeAlias = Mapping[str, int]
"""The index of each intent, by name, in order."""

KINDS = ("about", "groups", "likelihood")
SUMS_TO_ONE = 1e-6


DefaultPrice: TypeAlias = float | QueryCost | Callable[[Any], float] | None
"""The price of questions that do not state their own: a number, a `QueryCost` or another function of a question (a
tuple of intents by index, or a `Choice`); None if every question must state its price."""


def read_default_price(given: Field) -> DefaultPrice:
    """Return the price of questions that do not state their own.

    Args:
        given: a number, a function of the question, or a dict of prices to be added, each optional: ``base`` for every
            question (default 0), ``per_goal`` for each intent in a yes/no question (default 0), and ``per_option`` for
            each group (default ``per_goal``).
    """
    if callable(given.value):
        function: Callable[[Any], float] = given.value
        return function
    if isinstance(given.value, dict):
        given.object([], ["base", "per_goal", "per_option"])
        base, each, option = (
            read_price(given.child(key)) if given.has(key) else None for key in ("base", "per_goal", "per_option")
        )
        return QueryCost(base or 0.0, each or 0.0, per_option=option)
    return read_price(given)


def read_question(name: str, given: Field, index_of: IntentIndex, default: DefaultPrice, model: AnswerModel) -> Asking:
    """Return one question of a decision problem; raise `InputError` if it is invalid.

    Args:
        name: name of the question, unless `given` has the key ``name``.
        given: a list of intents (is one of these true?), a `Choice` (which of these groups has the true intent?), or a
            dict with one of the keys ``about`` (a list of intents), ``groups`` (lists of intents) and ``likelihood``
            (probability of each answer given each intent).
        index_of: index of each intent.
        default: price if `given` states none; None if it must.
        model: how often answers are wrong or missing, unless `given` states it.
    """
    if isinstance(given.value, Choice):
        return _asking(name, _checked(given.value, given, len(index_of)), given, index_of, default, model)
    if isinstance(given.value, list):
        return _asking(name, _set(given, index_of), given, index_of, default, model)
    given.object([], [*KINDS, "name", "price", "wrong", "refused"])
    if given.has("name"):
        name = check_name(given.child("name").text(), given.child("name").path)
    kinds = [kind for kind in KINDS if given.has(kind)]
    if len(kinds) != 1:
        found = " and ".join(map(repr, kinds)) if kinds else "none of " + ", ".join(map(repr, KINDS))
        raise InputError(given.path, found, "one of " + ", ".join(map(repr, KINDS)))
    if kinds[0] == "likelihood":
        return _likelihood(name, given, index_of, default)
    asked = _set(given.child("about"), index_of) if kinds[0] == "about" else _groups(given.child("groups"), index_of)
    return _asking(name, asked, given, index_of, default, model)


def _shares(given: Field, model: AnswerModel, k: int) -> tuple[float, float]:
    """Return the probabilities that the answer to a question is wrong, and that there is no answer.

    They are read from the keys ``wrong`` and ``refused`` of `given`, otherwise from `model`. `k` is the number of
    possible answers. Raises an `InputError` if the key ``wrong`` is ``1 - 1 / k`` or more.
    """
    own = isinstance(given.value, dict)
    wrong, refused = model.wrong, model.refused
    if own and given.has("wrong"):
        wrong = given.child("wrong").number()
        if wrong >= most_wrong(k):
            below = "0.5" if k == 2 else f"{k - 1}/{k}, since it has {k} answers"
            raise given.child("wrong").refuse(f"a number from 0 and below {below}")
    if own and given.has("refused"):
        refused = given.child("refused").number()
        if refused >= 1:
            raise given.child("refused").refuse("a number from 0 and below 1")
    return wrong, refused


# -- sets and groups ---------------------------------------------------------------------------------------------


def _asking(
    name: str,
    asked: tuple[int, ...] | Choice,
    given: Field,
    index_of: IntentIndex,
    default: DefaultPrice,
    model: AnswerModel,
) -> Asking:
    """Return a yes/no question about a set of intents, or a multiple-choice question among groups of intents.

    `asked` has the indices of the intents, or the groups. `given` may state a price and probabilities of wrong and
    missing answers; otherwise `default` and `model` hold. Raises an `InputError` if there is no price.
    """
    n = len(index_of)
    k = n_answers(asked, n)
    if k < 2:
        raise InputError(given.path, "a question with one possible answer", "one whose answer depends on the intent")
    replies: list[bool | int] = [True, False]
    labels = [YES, NO]
    if isinstance(asked, Choice):
        replies = list(range(k))
        labels = [*_group_names(asked, tuple(index_of)), NONE_OF_THESE][:k]
    wrong, refused = _shares(given, model, k)
    rows = [likelihood_of(Answer(asked, reply), n, wrong, refused) for reply in replies]
    if refused > 0:
        labels.append(NO_ANSWER)
        rows.append(np.full(n, refused))
    return Asking(name, _distinct(labels, given), np.array(rows), _price(asked, given, default))


def _price(asked: tuple[int, ...] | Choice | None, given: Field, default: DefaultPrice) -> float:
    """Return the price that a question states, otherwise the default price; raise `InputError` if there is neither.

    `asked` has the indices of the intents of a yes/no question, or groups of intents. It is None for a question given
    by likelihoods, to which a function `default` does not apply.
    """
    if isinstance(given.value, dict) and given.has("price"):
        return read_price(given.child("price"))
    if default is None or (asked is None and callable(default)):
        raise InputError(f"{given.path}.price", "nothing", "a price, here or for all questions ('price')")
    price: Any = default(asked) if callable(default) else default
    number = isinstance(price, int | float | np.integer | np.floating) and not isinstance(price, bool)
    if not number or not 0 <= price <= LARGEST_PRICE:
        raise InputError(f"{given.path}.price", repr(price), f"a number from 0 to {LARGEST_PRICE:g}")
    return float(price)


def _group_names(asked: Choice, intents: tuple[str, ...]) -> list[str]:
    if asked.names:
        return list(asked.names)
    return [" or ".join(intents[goal] for goal in group) for group in asked.groups]


def _distinct(labels: list[str], given: Field) -> tuple[str, ...]:
    twice = next((label for k, label in enumerate(labels) if label in labels[:k]), None)
    if twice is not None:
        raise InputError(given.path, f"two answers called {twice!r}", "a different name for each")
    return tuple(labels)


def _set(given: Field, index_of: IntentIndex) -> tuple[int, ...]:
    """Return the indices of the intents in a list of names; raise `InputError` if it is empty or repeats an intent."""
    found = [_intent(each, index_of) for each in given.elements()]
    if not found:
        raise InputError(given.path, "no intents", "some of them")
    if len(set(found)) < len(found):
        twice = next(k for k, goal in enumerate(found) if goal in found[:k])
        raise InputError(f"{given.path}[{twice}]", f"{short_json(given.value[twice])} twice", "each intent once")
    return tuple(found)


def _intent(given: Field, index_of: IntentIndex) -> int:
    # In Python an intent may also be given by its index, as goals are elsewhere.
    if isinstance(given.value, int) and not isinstance(given.value, bool):
        return given.whole(0, len(index_of) - 1)
    name = given.text()
    if name not in index_of:
        raise given.refuse(f"an intent of the belief{did_you_mean(name, index_of)}")
    return index_of[name]


def _groups(given: Field, index_of: IntentIndex) -> Choice:
    if isinstance(given.value, dict):
        named = [(check_name(name, given.path), each) for name, each in given.items()]
    else:
        named = [("", each) for each in given.elements()]
    if not named:
        raise InputError(given.path, "no groups", "at least one")
    groups: list[tuple[int, ...]] = []
    seen: dict[int, str] = {}
    for _, each in named:
        group = _set(each, index_of)
        for goal in group:
            if goal in seen:
                found = f"{short_json(tuple(index_of)[goal])}, which is in {seen[goal]} as well"
                raise InputError(each.path, found, "groups that do not overlap")
            seen[goal] = each.path
        groups.append(group)
    return Choice(tuple(groups), tuple(name for name, _ in named) if isinstance(given.value, dict) else ())


def _checked(choice: Choice, given: Field, n_intents: int) -> Choice:
    unknown = next((goal for goal in choice.goals if not 0 <= goal < n_intents), None)
    if unknown is not None:
        raise InputError(given.path, f"intent {unknown!r}", f"numbers from 0 to {n_intents - 1}")
    return choice


# -- any likelihood ----------------------------------------------------------------------------------------------


def _likelihood(name: str, given: Field, index_of: IntentIndex, default: DefaultPrice) -> Asking:
    """Return a question that is given by the likelihood of each answer given each intent.

    The key ``likelihood`` of `given` has a dict by answer, or a list for ``answer 1``, ``answer 2`` and so on.
    `default` is the price if `given` states none; None if it must.
    """
    for key in ("wrong", "refused"):
        if given.has(key):
            raise InputError(given.child(key).path, "it together with 'likelihood'", "likelihoods that include it")
    table = given.child("likelihood")
    if isinstance(table.value, list):
        rows = [(f"answer {k + 1}", each) for k, each in enumerate(table.elements())]
    else:
        rows = list(table.items())
    if len(rows) < 2:
        raise InputError(table.path, f"{len(rows)} answers", "at least 2")
    answers = _distinct([check_name(answer, table.path) for answer, _ in rows], table)
    likelihood = np.array([read_row(each, index_of, Field.number) for _, each in rows])
    _check_columns(likelihood, table, index_of)
    return Asking(name, answers, likelihood / likelihood.sum(axis=0), _price(None, given, default))


def _check_columns(likelihood: FloatArray, given: Field, index_of: IntentIndex) -> None:
    for goal, total in enumerate(likelihood.sum(axis=0)):
        if not math.isfinite(total) or abs(total - 1.0) > SUMS_TO_ONE:
            found = f"likelihoods that sum to {total:.6g} for {short_json(tuple(index_of)[goal])}"
            raise InputError(given.path, found, "likelihoods of all answers that sum to 1 for each intent")
    if (likelihood == likelihood[:, :1]).all():
        raise InputError(given.path, "the same likelihoods for every intent", "a question that is informative")


# -- one number for each intent: a single number, a list, or a table by name ---------------------------------------


def read_row(given: Field, index_of: IntentIndex, number: Callable[[Field], float]) -> list[float]:
    """Return a list with one number for each intent.

    Args:
        given: one number for all intents, a list in the order of the intents, or a dict by intent, in which ``else``
            stands for all other intents.
        index_of: index of each intent, by name.
        number: reads and checks one number.
    """
    if isinstance(given.value, dict):
        return _by_name(given, index_of, number)
    if isinstance(given.value, list):
        if len(given.value) != len(index_of):
            raise InputError(
                given.path, f"a list of {len(given.value)}", f"{len(index_of)} numbers, one for each intent"
            )
        return [number(each) for each in given.elements()]
    return [number(given)] * len(index_of)


def _by_name(given: Field, index_of: IntentIndex, number: Callable[[Field], float]) -> list[float]:
    for name in given.value:
        if name not in index_of and name != ELSE:
            hint = did_you_mean(name, index_of)
            raise InputError(given.path, f"the unknown intent {short_json(name)}", f"intents of the belief{hint}")
    missing = next((name for name in index_of if name not in given.value), None)
    if missing is None:
        return [number(given.child(name)) for name in index_of]
    if not given.has(ELSE):
        expected = f"a number for each intent, or {ELSE!r} for all others"
        raise InputError(f"{given.path}.{missing}", "nothing", expected)
    rest = number(given.child(ELSE))
    return [number(given.child(name)) if given.has(name) else rest for name in index_of]
