"""Infinity is an exact answer: policies that agree for ever, everywhere or from some states only."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.divergence import Divergence, ecd, edp, wcd
from askwise.model import GridWorld, Model, Policy, urop
from askwise.model.chain import METHODS
from tests.exact import Plain
from tests.small_models import (
    deterministic_model,
    goal_sets,
    graphs,
    policies,
    policy,
    stochastic_model,
    stochastic_models,
)

INF = math.inf


@pytest.mark.parametrize("method", METHODS)
@given(st.data(), stochastic_models())
def test_a_policy_is_never_ruled_out_by_itself(method: str, data: st.DataObject, plain: Plain) -> None:
    model = stochastic_model(plain)
    same = policy(model, data.draw(policies(plain)))
    assert (np.asarray(edp(model, same, same, method=method)) == INF).all()
    assert (np.asarray(wcd(model, same, same)) == INF).all()


@given(st.data(), graphs())
def test_a_goal_is_never_ruled_out_by_itself(data: st.DataObject, plain: Plain) -> None:
    model, goal = deterministic_model(plain), data.draw(goal_sets(plain))
    reached = urop(model, goal).defined
    assert (np.asarray(edp(model, goal, goal))[reached] == INF).all()
    assert np.isnan(np.asarray(edp(model, goal, goal))[~reached]).all()


def test_a_cycle_of_positive_probability_in_which_both_agree() -> None:
    """0 goes to the cycle 1, 2 or to the fork 3; only the fork tells the policies apart."""
    model = Model([[1, 3], [2, -1], [1, -1], [4, 5], [4, -1], [5, -1]])
    both = {0: [0.5, 0.5, 0], 1: [1, 0, 0], 2: [1, 0, 0], 4: [1, 0, 0], 5: [1, 0, 0]}
    ruled_out = Policy(model, [both.get(s, [1, 0, 0]) for s in range(6)])
    followed = Policy(model, [both.get(s, [0, 1, 0]) for s in range(6)])
    assert np.asarray(edp(model, ruled_out, followed)).tolist() == [INF, INF, INF, 1, INF, INF]
    assert float(edp(model, ruled_out, followed, at=0)) == INF
    assert float(edp(model, ruled_out, followed, at=3)) == 1


def test_a_cycle_that_is_left_in_the_end_is_finite() -> None:
    """However small the leak, the answer is a number: here 2**40."""
    model = Model([[0, 0]])
    rare = 2.0**-40
    found = edp(model, Policy(model, [[1, 0, 0]]), Policy(model, [[1 - rare, rare, 0]]))
    assert np.asarray(found).tolist() == [2.0**40]


def test_a_rare_step_into_a_common_cycle_makes_the_mean_infinite() -> None:
    model = Model([[1, 2], [1, -1], [2, -1]])
    rare = 5e-324
    ruled_out = Policy(model, [[0.5, 0.5, 0], [1, 0, 0], [0, 0, 1]])
    followed = Policy(model, [[rare, 1 - rare, 0], [1, 0, 0], [1, 0, 0]])
    assert np.asarray(edp(model, ruled_out, followed)).tolist() == [INF, INF, 1]


@pytest.mark.parametrize("walls", [[], [(1, 1)]])
def test_goals_that_share_their_nearest_target_agree_for_ever(walls: list[tuple[int, int]]) -> None:
    grid = GridWorld(5, 3, walls)
    shared, one, two = (0, 0), (4, 0), (4, 2)
    goals = [[shared, one], [shared, two]]
    pairs = Divergence(grid, goals)
    # Near the shared corner both plans end there; near column 4 they do not.
    edps, wcds = pairs.matrices_at((0, 2))
    assert (edps == INF).all()
    assert (wcds == INF).all()
    edps, wcds = pairs.matrices_at((4, 1))
    assert edps[0, 1] == edps[1, 0] == wcds[0, 1] == 1
    # Halfway, (2, 0) is as far from the shared corner as from (4, 0): half of the plans go there.
    assert float(edp(grid, goals[1], goals[0], at=(2, 0))) == INF
    assert pairs.edp_at((2, 0))[0, 1] == INF


def test_all_goals_alike_are_never_distinguished() -> None:
    grid = GridWorld(3, 3)
    assert float(ecd(grid, [(2, 2), (2, 2)], at=(0, 0))) == INF
    assert (Divergence(grid, [(2, 2), (2, 2)]).edp_at((0, 0)) == INF).all()
