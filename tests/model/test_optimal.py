"""Optimal policies: the UROP against all plans, stochastic models against all deterministic policies."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from askwise.errors import InputError
from askwise.model import GridWorld, Model, uniform_optimal, urop
from tests import exact
from tests.exact import Plain, floats
from tests.small_models import (
    RandomGrid,
    corridor_beside_area,
    deterministic_model,
    goal_sets,
    graphs,
    grids,
    stochastic_model,
    stochastic_models,
)

NORTH, EAST, SOUTH, WEST, STAY = range(5)


@given(st.data(), grids(max_side=3))
def test_shares_of_all_plans_on_grids(data: st.DataObject, random: RandomGrid) -> None:
    targets = data.draw(goal_sets(random.plain))
    expected = floats(exact.urop(random.plain, targets))
    np.testing.assert_allclose(urop(random.grid, targets).probabilities, expected, rtol=1e-14)


@given(st.data(), graphs())
def test_shares_of_all_plans_on_graphs(data: st.DataObject, plain: Plain) -> None:
    targets = data.draw(goal_sets(plain))
    expected = floats(exact.urop(plain, targets))
    np.testing.assert_allclose(urop(deterministic_model(plain), targets).probabilities, expected, rtol=1e-14)


@given(st.data(), graphs())
def test_uniform_choice_among_optimal_actions(data: st.DataObject, plain: Plain) -> None:
    targets = data.draw(goal_sets(plain))
    expected = floats(exact.uniform_over_optimal(plain, targets))
    np.testing.assert_allclose(uniform_optimal(deterministic_model(plain), targets).probabilities, expected, rtol=1e-15)


def _open_grid_shares(grid: GridWorld, goal: tuple[int, int]) -> NDArray[np.float64]:
    """``|dx| / (|dx| + |dy|)`` for the horizontal move, the rest for the vertical one, STAY at the goal."""
    table = np.zeros((grid.n_states, 5))
    dx, dy = goal[0] - grid.cells[:, 0], goal[1] - grid.cells[:, 1]
    steps = np.abs(dx) + np.abs(dy)
    states = np.arange(grid.n_states)
    table[states, np.where(dx > 0, EAST, WEST)] = np.abs(dx) / np.maximum(steps, 1)
    table[states, np.where(dy > 0, NORTH, SOUTH)] += np.abs(dy) / np.maximum(steps, 1)
    table[steps == 0, STAY] = 1
    return table


@pytest.mark.parametrize(
    ("width", "height", "goal"),
    [
        (9, 7, (8, 6)),
        (9, 7, (3, 2)),
        # 35 x 35: counts beyond 64-bit integers.
        (40, 40, (0, 39)),
        # 516 x 516: counts beyond doubles; here about 1e359.
        (600, 600, (599, 0)),
    ],
)
def test_open_grids_in_closed_form(width: int, height: int, goal: tuple[int, int]) -> None:
    grid = GridWorld(width, height)
    shares = urop(grid, goal).probabilities
    np.testing.assert_allclose(shares, _open_grid_shares(grid, goal), rtol=1e-12)


def test_a_choice_step_by_step_is_another_policy() -> None:
    grid = GridWorld(9, 7)
    assert urop(grid, (8, 6)).at((4, 4)) == pytest.approx({"NORTH": 2 / 6, "EAST": 4 / 6})
    assert uniform_optimal(grid, (8, 6)).at((4, 4)) == {"NORTH": 0.5, "EAST": 0.5}


def test_only_plans_through_the_gate_count() -> None:
    """A wall with one gate at (2, 2): from (0, 0) three ways lead to (1, 2), one of them begins with EAST."""
    through = urop(GridWorld(5, 5, walls=[(2, y) for y in range(5) if y != 2]), (4, 4))
    assert through.at((0, 0)) == pytest.approx({"NORTH": 2 / 3, "EAST": 1 / 3})
    assert through.at((0, 1)) == pytest.approx({"NORTH": 1 / 2, "EAST": 1 / 2})
    assert through.at((1, 0)) == {"NORTH": 1.0}


def test_two_to_the_two_thousand_plans() -> None:
    """Stages of two parallel actions, and a first choice between 2000 stages and 2000 stages of another kind."""
    stages = 2000
    successor = np.full((2 * stages + 2, 2), -1)
    upper, lower, goal = np.arange(1, stages + 1), np.arange(stages + 1, 2 * stages + 1), 2 * stages + 1
    successor[0] = upper[0], lower[0]
    successor[upper[:-1]] = upper[1:, None]
    successor[lower[:-1]] = lower[1:, None]
    successor[lower[0]] = lower[1], -1
    successor[[upper[-1], lower[-1]]] = goal
    # Both ways have 2**2000 plans but for the first stage of the lower one, which has half as many.
    assert urop(Model(successor), goal).at(0) == pytest.approx({"a0": 2 / 3, "a1": 1 / 3}, rel=1e-14)


@pytest.mark.parametrize("length", [1, 10, 60, 300, 900, 1020, 1030, 1300, 3000])
def test_a_rare_plan_stays_possible(length: int) -> None:
    at_fork = urop(deterministic_model(corridor_beside_area(length)), 2 * length + 1).at(0)
    share = float(Fraction(1, 1 + 2**length))
    # a0 is the corridor, a1 the area.
    assert at_fork["a1"] == pytest.approx(1 - share, rel=1e-15)
    assert at_fork["a0"] == pytest.approx(share, rel=1e-12, abs=1e-300)
    assert at_fork["a0"] > 0


def test_states_that_cannot_reach_the_goal_are_undefined() -> None:
    divided = GridWorld(3, 1, walls=[(1, 0)])
    for policy in (urop(divided, (2, 0)), uniform_optimal(divided, (2, 0))):
        assert policy.defined.tolist() == [False, True]
        assert policy.partial


def test_the_nearest_of_several_targets_is_taken() -> None:
    corridor = GridWorld(6, 1)
    both_ends = urop(corridor, [(0, 0), (5, 0)])
    taken = [action for x in range(6) for action in both_ends.at((x, 0))]
    assert taken == ["STAY", "WEST", "WEST", "EAST", "EAST", "STAY"]


def test_plans_of_a_stochastic_model_are_not_counted() -> None:
    message = (
        "^model: found stochastic transitions; expected a deterministic model, "
        r"whose plans can be counted \(uniform_optimal takes stochastic ones\)$"
    )
    with pytest.raises(InputError, match=message):
        urop(GridWorld(3, 1).slippery(0.5), (2, 0))


@given(st.data(), stochastic_models(max_states=4))
def test_least_expected_time_among_all_policies(data: st.DataObject, plain: Plain) -> None:
    targets = data.draw(goal_sets(plain, most=2))
    expected = floats(exact.fastest_actions(plain, targets))
    found = uniform_optimal(stochastic_model(plain), targets)
    np.testing.assert_allclose(found.probabilities, expected, rtol=1e-15)


@given(st.data(), graphs())
def test_certain_moves_written_as_probabilities_change_nothing(data: st.DataObject, plain: Plain) -> None:
    targets = data.draw(goal_sets(plain))
    deterministic = uniform_optimal(deterministic_model(plain), targets)
    stochastic = uniform_optimal(stochastic_model(plain), targets)
    np.testing.assert_array_equal(deterministic.probabilities, stochastic.probabilities)


def test_a_detour_is_taken_where_the_short_way_may_miss_for_ever() -> None:
    """From `start` the jump arrives with probability 9/10 and else falls into a hole without a way out."""
    model = Model.from_edges(
        [
            ("start", "jump", "goal", 0.9),
            ("start", "jump", "hole", 0.1),
            ("start", "walk", "bridge", 1.0),
            ("bridge", "walk", "goal", 1.0),
            ("hole", "jump", "hole", 1.0),
        ]
    )
    policy = uniform_optimal(model, "goal")
    assert policy.at("start") == {"walk": 1.0}
    assert policy.at("goal") == {"STAY": 1.0}
    assert policy.at("hole") == {}


def test_a_gamble_that_can_be_repeated_is_weighed_by_its_mean() -> None:
    """Trying takes 1/p steps in the mean, walking takes three: only above p = 1/3 is trying faster."""

    def choice(p: float) -> dict[object, float]:
        edges = [("a", "try", "goal", p), ("a", "try", "a", 1 - p), ("a", "walk", "b", 1.0)]
        edges += [("b", "walk", "c", 1.0), ("c", "walk", "goal", 1.0)]
        return dict(uniform_optimal(Model.from_edges(edges), "goal").at("a"))

    assert choice(0.25) == {"walk": 1.0}
    assert choice(0.5) == {"try": 1.0}


def test_a_floor_that_never_slips_is_the_grid() -> None:
    grid = GridWorld(4, 3, walls=[(1, 1)])
    slippery = uniform_optimal(grid.slippery(0.0), (3, 2))
    np.testing.assert_array_equal(slippery.probabilities, uniform_optimal(grid, (3, 2)).probabilities)
