"""Questions about the teammate's goal, their answers, and their prices.

A tuple of goals is the question "is your goal one of these?". A `Choice` is the question "which of these groups
contains your goal?", with the additional answer "none of these".

`QueryCost` is the type of all prices. Methods that search among all questions need *additive* prices (`AdditivePrice`).
The additive price of a yes/no question about the set of goals ``Q`` is::

    price(Q) = base + per_goal * |Q| + sum of extra[g] over g in Q
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from askwise.errors import InputError
from askwise.frozen import freeze_fields
from askwise.text.reading import LARGEST_PRICE
from askwise.types import FloatArray

MOST_PROVEN = 10
"""Limit on the goals for which a price function is proven to be additive, by trying all questions."""
SAME = 1e-12
"""Relative difference below which two prices count as equal."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The question "which of these groups contains your goal?".

    Attributes:
        groups: the goals of each group, by index, without overlap. For all other goals, the answer is "none of these".
        names: one name for each group; may be empty.
    """

    groups: tuple[tuple[int, ...], ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(tuple(group) for group in self.groups))
        object.__setattr__(self, "names", tuple(self.names))
        if not self.groups or not all(self.groups):
            raise InputError("groups", "an empty group" if self.groups else "no groups", "some goals in each group")
        listed = self.goals
        twice = next((goal for k, goal in enumerate(listed) if goal in listed[:k]), None)
        if twice is not None:
            raise InputError("groups", f"goal {twice!r} twice", "each goal in one group at most")
        if self.names and len(self.names) != len(self.groups):
            raise InputError("names", f"{len(self.names)} names", f"{len(self.groups)}, one for each group")

    @property
    def goals(self) -> tuple[int, ...]:
        """All goals that the question names, by index: the goals of all its groups."""
        return tuple(goal for group in self.groups for goal in group)

    # Iteration, length and membership work as for a tuple of goals, the other kind of question.
    def __iter__(self) -> Iterator[int]:
        return iter(self.goals)

    def __len__(self) -> int:
        return len(self.goals)

    def __contains__(self, goal: object) -> bool:
        return goal in self.goals


Question: TypeAlias = tuple[int, ...] | Choice
"""A question: a tuple of goals ("is it one of these?") or a `Choice` ("which of these is it?")."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question.

    Attributes:
        asked: the question.
        reply: True or False; for a choice, the index of a group, or the number of groups for "none of these"; None if
            the answer is missing.
    """

    asked: Question
    reply: bool | int | None

    @property
    def yes(self) -> bool | None:
        """Whether the answer is yes; None if it is missing, or if it answers a choice among groups."""
        return self.reply if isinstance(self.reply, bool) else None

    @property
    def goals(self) -> tuple[int, ...]:
        """All goals that the question names, by index."""
        return tuple(self.asked)


Price: TypeAlias = Callable[[Sequence[int]], float]
"""A function from the goals in a yes/no question to its price."""


@dataclass(frozen=True, slots=True)
class QueryCost:
    """The price of questions: a base price, and a price for each goal or group that the question names.

    A yes/no question ("is your goal one of these?") names goals. A `Choice` ("which of these groups contains your
    goal?") names groups. A subclass may override ``__call__`` with any other price; some methods then raise an error.

    Attributes:
        base: price of every question.
        per_goal: price of each goal named.
        prices: a price for each goal of the problem, in order; None if all cost `per_goal`.
        per_option: price of each group of a choice. None: groups cost `per_goal`, and methods do not consider choices.
    """

    base: float = 0.5
    per_goal: float = 0.0
    prices: tuple[float, ...] | None = None
    per_option: float | None = None

    def __post_init__(self) -> None:
        _check_price("query cost: base", self.base)
        _check_price("query cost: per_goal", self.per_goal)
        if self.prices is not None:
            object.__setattr__(self, "prices", tuple(self.prices))
            for goal, price in enumerate(self.prices):
                _check_price(f"query cost: price of goal {goal}", price)
        if self.per_option is not None:
            _check_price("query cost: per_option", self.per_option)

    def __call__(self, asked: Any) -> float:
        """Return the price of a question: a `Choice`, or the indices of the goals that a yes/no question names.

        If all goals cost the same, `asked` may also be the number of goals named.
        """
        if isinstance(asked, Choice):
            each = self.per_goal if self.per_option is None else self.per_option
            return float(self.base + each * len(asked.groups))
        if self.prices is None:
            return float(self.base + self.per_goal * (asked if isinstance(asked, int) else len(asked)))
        if isinstance(asked, int):
            raise InputError("question", f"{asked} goals, without saying which", "the goals: each has its own price")
        return float(self.base + sum(self.prices[goal] for goal in asked))

    def additive(self, n_goals: int, who: str) -> AdditivePrice:
        """Return this price of yes/no questions in additive form: a base price plus a price for each goal named.

        `who` ends the error message: which method needs an additive price and why.

        Raises:
            InputError: the price of yes/no questions is not additive.
        """
        return additive_price(self, n_goals, who)

    def among(self, goals: Sequence[int]) -> Price:
        """Return a function for the price of yes/no questions in a smaller problem, which has only some of the goals.

        Args:
            goals: for each goal of the smaller problem, its index in the original problem.
        """
        if type(self) is QueryCost:
            return self if self.prices is None else _of_query_cost(self, len(self.prices)).among(goals)
        numbers = [int(goal) for goal in goals]
        return lambda asked: self([numbers[k] for k in asked])

    def with_prices(self, prices: Sequence[float | None]) -> QueryCost:
        """Return a copy of this price in which each goal has its own price.

        Args:
            prices: the price of naming each goal, in the order of the goals; None for a goal that keeps the price
                `per_goal`.
        """
        if all(price is None for price in prices):
            return replace(self, prices=None)
        return replace(self, prices=tuple(self.per_goal if price is None else price for price in prices))


@dataclass(frozen=True, slots=True)
class AnyPrice(QueryCost):
    """A price given by a function; `base`, `per_goal`, `prices` and `per_option` have no effect.

    Attributes:
        function: takes a question and returns its price. The question is a list of goals by index, or a `Choice`.
    """

    function: Callable[[Any], float] = len

    def __call__(self, asked: Any) -> float:
        """Return the price of a question: a `Choice`, or the goals of a yes/no question by index."""
        if isinstance(asked, int):
            raise InputError("question", f"{asked} goals, without saying which", "the goals asked about")
        paid = self.function(asked if isinstance(asked, Choice) else list(asked))
        what = asked if isinstance(asked, Choice) else f"goals {list(asked)}"
        _check_price(f"query cost: price of asking about {what}", paid)
        return float(paid)


@dataclass(frozen=True, slots=True, eq=False)
class AdditivePrice:
    """The price of a yes/no question: ``base + per_goal * number of goals + sum of extra over the goals``.

    Attributes:
        base: price of every question.
        per_goal: price of each goal named.
        extra: ``float64 [n_goals]``, a further price of each goal named.
    """

    base: float
    per_goal: float
    extra: FloatArray

    def __post_init__(self) -> None:
        freeze_fields(self, "extra")

    @property
    def uniform(self) -> bool:
        """Whether the price depends only on the number of goals that a question names, not on which goals it names."""
        return not self.extra.any()

    def __call__(self, asked: Iterable[int]) -> float:
        """Return the price of a yes/no question; `asked` has the index of each goal that the question names."""
        goals = list(asked)
        price = self.base + self.per_goal * len(goals)
        return price if self.uniform else price + float(self.extra[goals].sum())

    def cheaper(self, asked: Iterable[int], others: Iterable[int]) -> tuple[int, ...]:
        """Return the cheaper of two yes/no questions that give the same information, as a tuple of goals.

        Each question names the possible goals that the other does not. At equal prices, the result is the one that
        names fewer goals; if equally many, `asked`.
        """
        one, two = tuple(asked), tuple(others)
        return min((one, two), key=lambda goals: (self(goals), len(goals)))

    def among(self, goals: Sequence[int]) -> AdditivePrice:
        """Return this price as the price of yes/no questions in a smaller problem, which has only some of the goals.

        Args:
            goals: for each goal of the smaller problem, its index in the original problem.
        """
        return AdditivePrice(self.base, self.per_goal, np.ascontiguousarray(self.extra[list(goals)]))


def additive_price(price: Price, n_goals: int, who: str) -> AdditivePrice:
    """Return a price of yes/no questions in additive form: a base price plus a price for each goal named.

    `who` ends the error message: which method needs an additive price and why.

    Raises:
        InputError: the price is not additive; or it is a function, and more than `MOST_PROVEN` (10) goals leave too
            many questions to try.
    """
    if type(price) is AdditivePrice:
        return price
    if type(price) is QueryCost:
        return _of_query_cost(price, n_goals)
    found = _guessed(price, n_goals)
    if n_goals <= MOST_PROVEN and _agrees(price, found, n_goals):
        return found
    what = "a price that is no sum over the goals asked about"
    if n_goals > MOST_PROVEN:
        what = f"{type(price).__name__}, a function that may charge anything for {n_goals} goals"
    raise InputError(
        "query cost",
        what,
        f"QueryCost(base, per_goal), or QueryCost(base, prices=...) with a price for each goal: {who}",
    )


def _of_query_cost(price: QueryCost, n_goals: int) -> AdditivePrice:
    if price.prices is None:
        return AdditivePrice(float(price.base), float(price.per_goal), np.zeros(n_goals))
    if len(price.prices) != n_goals:
        raise InputError("query cost: prices", f"{len(price.prices)} prices", f"{n_goals}, one for each goal")
    return AdditivePrice(float(price.base), 0.0, np.array(price.prices, dtype=np.float64))


def _guessed(price: Price, n_goals: int) -> AdditivePrice:
    """Return the additive price that equals `price` for each single goal and for the first two goals together.

    If `price` is not additive, it differs from the result for some question.
    """
    alone = np.array([price([goal]) for goal in range(n_goals)], dtype=np.float64)
    base = float(alone[0] + alone[1] - price([0, 1])) if n_goals > 1 else 0.0
    return AdditivePrice(base, 0.0, alone - base)


def _agrees(price: Price, found: AdditivePrice, n_goals: int) -> bool:
    for size in range(1, n_goals + 1):
        for asked in combinations(range(n_goals), size):
            paid = float(price(list(asked)))
            if not math.isfinite(paid) or abs(paid - found(asked)) > SAME * max(1.0, abs(paid)):
                return False
    return True


def _check_price(field: str, price: object) -> None:
    number = isinstance(price, int | float | np.integer | np.floating) and not isinstance(price, bool)
    if not number or not 0 <= price < math.inf:  # type: ignore[operator]
        raise InputError(field, repr(price), "a finite number from 0")
    if price > LARGEST_PRICE:  # type: ignore[operator]
        raise InputError(field, repr(price), f"at most {LARGEST_PRICE:g}")
