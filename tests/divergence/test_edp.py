"""The expected divergence point against its definition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.divergence import edp
from askwise.model import GridWorld, Model, Policy, uniform_optimal, urop
from askwise.model.chain import METHODS
from tests import exact
from tests.exact import Plain, floats
from tests.small_models import (
    KNOWN,
    Known,
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

WAYS = [(known, method) for known in KNOWN for method in METHODS if known.acyclic or method != "pass"]


@pytest.mark.parametrize(("known", "method"), WAYS, ids=str)
def test_known_answers(known: Known, method: str) -> None:
    for model in (deterministic_model(known.plain), stochastic_model(known.plain)):
        ruled_out, followed = policy(model, known.ruled_out), policy(model, known.followed)
        everywhere = edp(model, ruled_out, followed, method=method)
        np.testing.assert_allclose(np.asarray(everywhere), floats(known.edp), rtol=1e-8)
        for s, value in enumerate(known.edp):
            assert float(edp(model, ruled_out, followed, at=s, method=method)) == pytest.approx(float(value), rel=1e-8)


@pytest.mark.parametrize("method", ["auto", "solve", "sweep"])
@given(st.data(), stochastic_models())
def test_random_policies_in_stochastic_models(method: str, data: st.DataObject, plain: Plain) -> None:
    one, two = data.draw(policies(plain)), data.draw(policies(plain))
    model = stochastic_model(plain)
    found = edp(model, policy(model, one), policy(model, two), method=method)
    np.testing.assert_allclose(np.asarray(found), floats(exact.edp(plain, one, two)), rtol=1e-8)
    assert found.verdict.converged


@given(st.data(), graphs())
def test_random_policies_in_graphs(data: st.DataObject, plain: Plain) -> None:
    one, two = data.draw(policies(plain)), data.draw(policies(plain))
    model = deterministic_model(plain)
    found = edp(model, policy(model, one), policy(model, two))
    np.testing.assert_allclose(np.asarray(found), floats(exact.edp(plain, one, two)), rtol=1e-11)


@given(st.data(), graphs())
def test_goals_in_graphs(data: st.DataObject, plain: Plain) -> None:
    one, two = data.draw(goal_sets(plain)), data.draw(goal_sets(plain))
    expected = exact.edp(plain, exact.urop(plain, one), exact.urop(plain, two))
    np.testing.assert_allclose(np.asarray(edp(deterministic_model(plain), one, two)), floats(expected), rtol=1e-14)


@given(st.data(), grids(max_side=3))
def test_mean_over_all_trajectories(data: st.DataObject, random: RandomGrid) -> None:
    """Plans of optimal policies end: all trajectories can be listed, unless both goals end in the same place."""
    grid, plain = random.grid, random.plain
    one, two = data.draw(goal_sets(plain)), data.draw(goal_sets(plain))
    ruled_out, followed = exact.urop(plain, one), exact.urop(plain, two)
    found = edp(grid, one, two, method="pass").value
    assert isinstance(found, np.ndarray)
    for s in np.flatnonzero(np.isfinite(found)):
        listed = list(exact.trajectories(plain, ruled_out, followed, int(s), plain.n_states + 1))
        mean = sum((p * t for p, t in listed if t is not None), Fraction(0))
        assert sum(p for p, t in listed if t is not None) == 1
        assert found[s] == pytest.approx(float(mean), rel=1e-14)


@given(st.data(), stochastic_models())
def test_one_state_at_a_time(data: st.DataObject, plain: Plain) -> None:
    model = stochastic_model(plain)
    one, two = policy(model, data.draw(policies(plain))), policy(model, data.draw(policies(plain)))
    everywhere = np.asarray(edp(model, one, two))
    single = [float(edp(model, one, two, at=s)) for s in range(plain.n_states)]
    np.testing.assert_allclose(single, everywhere, rtol=1e-12)


@given(st.data(), stochastic_models(max_states=4))
def test_a_goal_in_a_stochastic_model_is_pursued_the_fastest_way(data: st.DataObject, plain: Plain) -> None:
    model = stochastic_model(plain)
    one, two = data.draw(goal_sets(plain)), data.draw(goal_sets(plain))
    by_goals = edp(model, one, two)
    by_policies = edp(model, uniform_optimal(model, one), uniform_optimal(model, two))
    np.testing.assert_array_equal(np.asarray(by_goals), np.asarray(by_policies))


def test_policies_made_for_the_grid_work_on_its_slippery_floor() -> None:
    """In a corridor every slip is blocked: a move takes 1 / (1 - 1/2) steps in the mean."""
    corridor = GridWorld(4, 1)
    ends, middle = urop(corridor, (3, 0)), urop(corridor, (2, 0))
    # Two columns together, then the step in which one goal is STAYed at.
    assert float(edp(corridor.slippery(0.5), middle, ends, at=(0, 0))) == pytest.approx(2 * 2 + 1, rel=1e-12)


def test_undefined_policies() -> None:
    """Where the followed policy is undefined there is no answer; where the other one is, any action rules it out."""
    divided = GridWorld(5, 1, walls=[(2, 0)])
    left, right = (0, 0), (4, 0)
    np.testing.assert_array_equal(np.asarray(edp(divided, left, right)), [math.nan, math.nan, 1, 1])
    np.testing.assert_array_equal(np.asarray(edp(divided, right, left)), [1, 1, math.nan, math.nan])


def test_no_answer_where_the_followed_policy_may_get_lost() -> None:
    """From 0 the step leads to 1 or to 2, and in 2 the followed policy is undefined: its EDP there is nan."""
    model = Model.from_edges([(0, "step", 1, 0.5), (0, "step", 2, 0.5), (1, "step", 1, 1.0)])
    ruled_out = Policy(model, [[1, 0], [0, 1], [0, 1]])
    followed = Policy(model, [[1, 0], [1, 0], [0, 0]], partial=True)
    np.testing.assert_array_equal(np.asarray(edp(model, ruled_out, followed)), [math.nan, 1, math.nan])


def test_at_its_own_goal_the_next_action_tells() -> None:
    grid = GridWorld(5, 4)
    for other in ((0, 0), (4, 3), (2, 3)):
        assert float(edp(grid, other, (2, 2), at=(2, 2))) == 1


def test_a_softened_policy_is_never_ruled_out_but_rules_out() -> None:
    grid = GridWorld(3, 3)
    soft, sharp = urop(grid, (2, 2)).soften(0.5), urop(grid, (0, 0))
    assert float(edp(grid, soft, sharp, at=(1, 1))) == math.inf
    assert 1 < float(edp(grid, sharp, soft, at=(1, 1))) < math.inf


@given(st.data(), graphs(max_states=4))
def test_probabilities_matter_for_the_followed_policy_only(data: st.DataObject, plain: Plain) -> None:
    model = deterministic_model(plain)
    one, two = data.draw(policies(plain)), policy(model, data.draw(policies(plain)))
    flat = [[Fraction(int(p > 0), sum(q > 0 for q in row)) for p in row] for row in one]
    found, same = edp(model, policy(model, one), two), edp(model, policy(model, flat), two)
    np.testing.assert_array_equal(np.asarray(found), np.asarray(same))


def test_verdicts() -> None:
    grid = GridWorld(4, 4)
    assert str(edp(grid, (0, 3), (3, 3), at=(0, 0))) == "1.75 (exact, one backward pass)"
    floor = grid.slippery(0.5)
    result = edp(floor, urop(grid, (0, 3)), urop(grid, (3, 3)))
    assert result.verdict.method == "sparse factorisation"
    assert 0 < result.verdict.error_bound < 1e-12
    assert str(result).startswith("16 values (proven relative error at most ")
