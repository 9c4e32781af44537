"""The proven bound is never below the true error, whatever it is given."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from askwise.model.chain import proven_bound
from tests import exact
from tests.exact import Law
from tests.small_models import ONE, absorbing_chain, chains

COIN: list[Law] = [{0: Fraction(3, 4)}]


def _true_values(rows: list[Law]) -> list[Fraction]:
    values = exact.expected_steps(rows)
    return [v for v in values if isinstance(v, Fraction)]


def _true_error(rows: list[Law], values: NDArray[np.float64]) -> Fraction:
    true = _true_values(rows)
    return max(abs(Fraction(v) - t) / t for v, t in zip(values.tolist(), true, strict=True))


@given(st.data(), chains())
def test_bound_of_wrong_values_is_never_below_their_error(data: st.DataObject, rows: list[Law]) -> None:
    assume(not exact.infinite(rows))
    true = _true_values(rows)
    factors = data.draw(st.lists(st.floats(0.5, 1.5), min_size=len(rows), max_size=len(rows)))
    values = np.array([float(v) * f for v, f in zip(true, factors, strict=True)])
    _, bound = proven_bound(absorbing_chain(rows).matrix, values)
    assert _true_error(rows, values) <= Fraction(bound) if np.isfinite(bound) else bound == np.inf


@given(st.data(), chains())
def test_bound_of_slightly_wrong_values_is_never_below_their_error(data: st.DataObject, rows: list[Law]) -> None:
    """Errors of a few units in the last place: here the rounding of the residual itself matters."""
    assume(not exact.infinite(rows))
    values = np.array([float(v) for v in _true_values(rows)])
    for k in range(len(rows)):
        for _ in range(data.draw(st.integers(0, 3))):
            values[k] = np.nextafter(values[k], np.inf)
    _, bound = proven_bound(absorbing_chain(rows).matrix, values)
    assert _true_error(rows, values) <= Fraction(bound) < 1e-10


@given(chains())
def test_bound_of_the_right_values_is_tiny(rows: list[Law]) -> None:
    assume(not exact.infinite(rows))
    values = np.array([float(v) for v in _true_values(rows)])
    residual, bound = proven_bound(absorbing_chain(rows).matrix, values)
    assert 0 <= residual <= bound < 1e-10


@pytest.mark.parametrize("garbage", [np.nan, np.inf, -np.inf, 0.0, -4.0, 1e300, 9.0])
def test_garbage_proves_nothing(garbage: float) -> None:
    assert proven_bound(absorbing_chain(COIN).matrix, np.array([garbage]))[1] == np.inf


def test_a_chain_that_never_ends_proves_nothing_for_any_values() -> None:
    endless = absorbing_chain([{0: ONE}]).matrix
    for value in (1.0, 1e3, 1e9, 1e18):
        assert proven_bound(endless, np.array([value]))[1] == np.inf


def test_residual_is_the_largest_one() -> None:
    residual, bound = proven_bound(absorbing_chain([*COIN, {}]).matrix, np.array([4.5, 1.0]))
    assert residual == 0.125
    assert bound == pytest.approx(0.125, abs=1e-12)


def test_values_in_any_order_of_magnitude() -> None:
    """A chain that goes on with probability 1 - 2**-30: the answer is about 1e9."""
    rows: list[Law] = [{0: 1 - Fraction(1, 2**30)}]
    values = np.array([2.0**30 * (1 + 1e-12)])
    _, bound = proven_bound(absorbing_chain(rows).matrix, values)
    assert _true_error(rows, values) <= Fraction(bound)
    assert bound < 1e-5
