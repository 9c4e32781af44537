"""Prices of questions: what they add up to, which are sums over goals, and that wrong ones are refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from askwise.core.questions import AdditivePrice, AnyPrice, QueryCost
from tests.refused import Fault, assert_refused, each


@dataclass(frozen=True)
class Surcharge(QueryCost):
    """Charges 5 more for goal 1."""

    def __call__(self, asked: Sequence[int] | int) -> float:
        assert not isinstance(asked, int)
        return self.base + self.per_goal * len(asked) + 5.0 * (1 in asked)


@dataclass(frozen=True)
class Pairs(QueryCost):
    """Charges more for two goals together than for each of them."""

    def __call__(self, asked: Sequence[int] | int) -> float:
        assert not isinstance(asked, int)
        return self.base + 0.1 * len(asked) ** 2


def test_a_price_for_each_goal() -> None:
    price = QueryCost(0.5, prices=(0.0, 1.0, 0.25))
    assert [price([0]), price([1, 2]), price((0, 1, 2))] == [0.5, 1.75, 1.75]


@pytest.mark.parametrize(
    "price", [QueryCost(0.5, 0.1), QueryCost(0.5, prices=(0.1, 0.0, 2.0, 1.0)), Surcharge(0.3, 0.2)]
)
def test_additive_prices_are_what_is_paid(price: QueryCost) -> None:
    found = price.additive(4, "the test")
    for asked in ([0], [1], [3, 1], [0, 1, 2, 3]):
        assert found(asked) == pytest.approx(price(asked), abs=1e-12)
        among = price.among([3, 1, 2, 0])
        assert among(asked) == pytest.approx(price([[3, 1, 2, 0][k] for k in asked]), abs=1e-12)


def test_equal_prices_are_exactly_what_they_were() -> None:
    """Sums of equal prices would differ in the last digit from their product, and results with them."""
    price = QueryCost(0.5, 0.1)
    found = price.additive(50, "the test")
    assert [found(range(k)) for k in range(1, 50)] == [price(list(range(k))) for k in range(1, 50)]
    assert found.uniform


def test_the_cheaper_of_a_question_and_its_complement() -> None:
    price = AdditivePrice(0.5, 0.0, np.array([3.0, 0.1, 0.1, 0.1]))
    assert price.cheaper([0], [1, 2, 3]) == (1, 2, 3)
    assert price.cheaper([1], [0]) == (1,)
    assert AdditivePrice(0.5, 0.0, np.zeros(4)).cheaper([0, 1, 2], [3]) == (3,), "among equals the shorter one"


def test_some_goals_have_a_price_of_their_own() -> None:
    price = QueryCost(0.5, 0.1, per_option=0.2)
    assert price.with_prices([None, 0.4, None]) == QueryCost(0.5, 0.1, (0.1, 0.4, 0.1), 0.2)
    assert price.with_prices([None, None]) == price


def test_any_function_can_be_a_price() -> None:
    assert AnyPrice(function=lambda asked: 2.0 * len(asked))([4, 5]) == 4.0


WAY_ON = "QueryCost(base, per_goal), or QueryCost(base, prices=...) with a price for each goal: the test"
PRICE = "expected a finite number from 0"

FAULTS: dict[str, Fault] = {
    "a price that is no sum": (
        lambda: Pairs(0.5).additive(4, "the test"),
        f"query cost: found a price that is no sum over the goals asked about; expected {WAY_ON}",
    ),
    "a function of many goals": (
        lambda: Surcharge(0.5).additive(11, "the test"),
        f"query cost: found Surcharge, a function that may charge anything for 11 goals; expected {WAY_ON}",
    ),
    "too few prices": (
        lambda: QueryCost(prices=(1.0,)).additive(2, "the test"),
        "query cost: prices: found 1 prices; expected 2, one for each goal",
    ),
    "a negative price": (lambda: QueryCost(-1.0), f"query cost: base: found -1.0; {PRICE}"),
    "no number": (lambda: QueryCost(0.5, "much"), f"query cost: per_goal: found 'much'; {PRICE}"),  # type: ignore[arg-type]
    "an infinite price": (
        lambda: QueryCost(prices=(0.1, float("inf"))),
        f"query cost: price of goal 1: found inf; {PRICE}",
    ),
    "a function that pays": (
        lambda: AnyPrice(function=lambda _: -1.0)([0, 2]),
        f"query cost: price of asking about goals [0, 2]: found -1.0; {PRICE}",
    ),
    "a function that returns a text": (
        lambda: AnyPrice(function=lambda _: "x")([1]),  # type: ignore[arg-type,return-value]
        f"query cost: price of asking about goals [1]: found 'x'; {PRICE}",
    ),
    "how many, but not which": (
        lambda: QueryCost(prices=(0.1, 0.2))(2),
        "question: found 2 goals, without saying which; expected the goals: each has its own price",
    ),
}


@each(FAULTS)
def test_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)
