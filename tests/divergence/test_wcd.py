"""Worst case distinctiveness against all pairs of plans."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askwise.divergence import edp, wcd
from askwise.model import GridWorld
from tests import exact
from tests.exact import Plain
from tests.small_models import (
    RandomGrid,
    deterministic_model,
    goal_sets,
    graphs,
    grids,
    policies,
    policy,
    stochastic_model,
    stochastic_models,
)


@given(st.data(), graphs())
def test_all_pairs_of_plans_in_graphs(data: st.DataObject, plain: Plain) -> None:
    one, two = data.draw(goal_sets(plain)), data.draw(goal_sets(plain))
    found = np.asarray(wcd(deterministic_model(plain), one, two))
    _assert_largest_first_difference(plain, one, two, found.tolist())


@given(st.data(), grids(max_side=3))
def test_all_pairs_of_plans_on_grids(data: st.DataObject, random: RandomGrid) -> None:
    one, two = data.draw(goal_sets(random.plain, most=2)), data.draw(goal_sets(random.plain, most=2))
    found = np.asarray(wcd(random.grid, one, two))
    _assert_largest_first_difference(random.plain, one, two, found.tolist())


def _assert_largest_first_difference(plain: Plain, one: set[int], two: set[int], found: list[float]) -> None:
    for s, value in enumerate(found):
        if not exact.optimal_plans(plain, s, two):
            assert math.isnan(value)
        elif not exact.optimal_plans(plain, s, one):
            assert value == 1
        else:
            assert value == exact.wcd_of_plans(plain, s, one, two)


@given(st.data(), stochastic_models())
def test_longest_agreement_of_random_policies(data: st.DataObject, plain: Plain) -> None:
    one, two = data.draw(policies(plain)), data.draw(policies(plain))
    model = stochastic_model(plain)
    rows = exact.agreement(plain, one, two)
    found = wcd(model, policy(model, one), policy(model, two))
    assert np.asarray(found).tolist() == [exact.longest_path(rows, s) for s in range(plain.n_states)]


@given(st.data(), stochastic_models())
def test_the_mean_is_never_above_the_worst_case(data: st.DataObject, plain: Plain) -> None:
    model = stochastic_model(plain)
    one, two = policy(model, data.draw(policies(plain))), policy(model, data.draw(policies(plain)))
    mean, worst = np.asarray(edp(model, one, two)), np.asarray(wcd(model, one, two))
    assert (mean <= worst * (1 + 1e-12)).all()
    np.testing.assert_array_equal(worst, np.asarray(wcd(model, two, one)))


def test_on_an_open_grid_it_is_the_common_part_of_the_way() -> None:
    grid = GridWorld(9, 7)
    for (x, y), (to_x, to_y) in (((1, 1), (8, 6)), ((3, 2), (8, 0)), ((8, 6), (8, 5))):
        common = min(x, to_x) + min(y, to_y)
        assert float(wcd(grid, (x, y), (to_x, to_y), at=(0, 0))) == 1 + common


def test_it_counts_the_step_that_tells_them_apart() -> None:
    """Keren et al. count the common prefix only, which is one less."""
    assert float(wcd(GridWorld(3, 1), (0, 0), (2, 0), at=(1, 0))) == 1


def test_one_state_and_all_states_say_the_same() -> None:
    grid = GridWorld(4, 3, walls=[(1, 1)])
    everywhere = np.asarray(wcd(grid, (3, 0), (3, 2)))
    assert [float(wcd(grid, (3, 0), (3, 2), at=s)) for s in range(grid.n_states)] == everywhere.tolist()
