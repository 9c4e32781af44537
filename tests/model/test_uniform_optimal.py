"""The fastest way where moves are uncertain, against all deterministic policies."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askwise.model import GridWorld, Model, uniform_optimal
from tests import exact
from tests.exact import Plain, floats
from tests.small_models import deterministic_model, goal_sets, graphs, stochastic_model, stochastic_models


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
