"""Expected case distinctiveness against its definition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.divergence import ecd
from askwise.model import GridWorld, urop
from tests import exact
from tests.exact import Plain, Table, floats
from tests.small_models import (
    deterministic_model,
    goal_sets,
    graphs,
    policies,
    policy,
    stochastic_model,
    stochastic_models,
)


def _supports(tables: list[Table]) -> list[list[list[bool]]]:
    return [[[p > 0 for p in row] for row in table] for table in tables]


@st.composite
def priors(draw: st.DrawFn, n: int) -> list[int]:
    """Whole weights, some of them 0, not all."""
    weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weights[draw(st.integers(0, n - 1))] += 1
    return weights


@given(st.data(), graphs(), st.integers(1, 3))
def test_goals_in_graphs(data: st.DataObject, plain: Plain, n_goals: int) -> None:
    goals = [data.draw(goal_sets(plain)) for _ in range(n_goals)]
    weights = data.draw(priors(n_goals))
    supports = _supports([exact.urop(plain, goal) for goal in goals])
    expected = exact.ecd(plain, supports, [Fraction(w) for w in weights])
    found = ecd(deterministic_model(plain), goals, prior=weights)
    np.testing.assert_allclose(np.asarray(found), floats(expected), rtol=1e-11)


@given(st.data(), stochastic_models(), st.integers(1, 3))
def test_policies_in_stochastic_models(data: st.DataObject, plain: Plain, n_goals: int) -> None:
    tables = [data.draw(policies(plain)) for _ in range(n_goals)]
    expected = exact.ecd(plain, _supports(tables), [Fraction(1)] * n_goals)
    model = stochastic_model(plain)
    found = ecd(model, [policy(model, table) for table in tables])
    np.testing.assert_allclose(np.asarray(found), floats(expected), rtol=1e-11)


def test_weights_need_not_add_up_to_one() -> None:
    grid, goals = GridWorld(5, 4), [(4, 0), (4, 3), (2, 3)]
    scaled, plain = ecd(grid, goals, (1, 1), prior=[6, 3, 3]), ecd(grid, goals, (1, 1), prior=[0.5, 0.25, 0.25])
    assert float(scaled) == pytest.approx(float(plain), rel=1e-15)


def test_goals_of_weight_zero_are_not_considered() -> None:
    grid = GridWorld(5, 4)
    assert float(ecd(grid, [(4, 0), (4, 3), (0, 0)], (1, 1), prior=[1, 1, 0])) == float(
        ecd(grid, [(4, 0), (4, 3)], (1, 1))
    )


def test_a_single_goal_is_never_told_apart_from_itself() -> None:
    assert float(ecd(GridWorld(3, 3), [(2, 2)], (0, 0))) == math.inf


def test_policies_may_stand_for_goals() -> None:
    grid = GridWorld(9, 7)
    assert float(ecd(grid, [urop(grid, (8, 0)), (8, 6)], (7, 6))) == pytest.approx(5 / 3, rel=1e-15)


def test_the_largest_weights_a_double_can_hold() -> None:
    grid, goals = GridWorld(9, 7), [(8, 0), (8, 6)]
    assert float(ecd(grid, goals, (7, 6), prior=[1e308, 1e308])) == pytest.approx(5 / 3, rel=1e-15)


def test_there_is_no_answer_where_no_goal_can_be_reached() -> None:
    divided = GridWorld(5, 1, walls=[(1, 0)])
    np.testing.assert_array_equal(np.asarray(ecd(divided, [(2, 0), (4, 0)])), [math.nan, 1, 1, 1])


def test_the_weights_that_were_given_are_left_as_they_are() -> None:
    prior = np.array([2.0, 6.0])
    ecd(GridWorld(3, 3), [(0, 0), (2, 2)], (1, 1), prior=prior)  # type: ignore[arg-type]
    assert prior.tolist() == [2, 6]
