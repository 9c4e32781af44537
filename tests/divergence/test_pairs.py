"""Every fast path of `Divergence` against one plain chain for each pair of goals, and against fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from askwise.divergence import Divergence, edp, wcd
from askwise.errors import InputError
from askwise.model import GridWorld, Model, Policy, uniform_optimal, urop
from askwise.types import GoalLike
from tests import exact
from tests.exact import Plain, floats
from tests.small_models import (
    RandomGrid,
    corridor_beside_area,
    deterministic_model,
    goal_lists,
    graphs,
    grids,
    policies,
    policy,
    stochastic_model,
    stochastic_models,
)

CLOSED_FORM = "closed form of the open grid"
CONES = "cones and one pass for each goal"
CHAINS = "one chain for each pair"

Pursued = Sequence[Policy | GoalLike]


def _pairs(model: Model, goals: Pursued) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """EDP and WCD at every state, ``[n_states, n_goals, n_goals]``, one chain at a time."""
    shape = (len(goals), len(goals), model.n_states)
    edps, wcds = np.empty(shape), np.empty(shape)
    for (i, one), (j, two) in itertools.product(enumerate(goals), repeat=2):
        edps[i, j], wcds[i, j] = np.asarray(edp(model, one, two)), np.asarray(wcd(model, one, two))
    return np.moveaxis(edps, -1, 0), np.moveaxis(wcds, -1, 0)


def _assert_same(found: Divergence, goals: Pursued) -> None:
    """All states at once and one by one; a state that cannot reach some goal is refused by name."""
    edps, wcds = _pairs(found.model, goals)
    np.testing.assert_allclose(found.edp_table(), edps, rtol=1e-12)
    for s in range(found.model.n_states):
        unreached = np.flatnonzero(np.isnan(edps[s]).all(axis=0))
        if unreached.size:
            message = (
                f"goal {found.names[unreached[0]]}: found no way to it from state {found.model.name(s)}; "
                "expected a goal that can be reached"
            )
            for ask in (found.matrices_at, found.edp_at, found.wcd_at):
                with pytest.raises(InputError) as caught:
                    ask(s)
                assert str(caught.value) == message
            continue
        at_state = found.matrices_at(s)
        np.testing.assert_allclose(at_state[0], edps[s], rtol=1e-12)
        np.testing.assert_array_equal(at_state[1], wcds[s])
        np.testing.assert_array_equal(found.wcd_at(s), wcds[s])
        np.testing.assert_allclose(found.edp_at(s), edps[s], rtol=1e-12)


@given(st.data(), grids(max_side=5, walls=False))
def test_open_grids(data: st.DataObject, random: RandomGrid) -> None:
    cells = st.integers(0, random.grid.n_states - 1)
    goals = data.draw(st.lists(cells, min_size=1, max_size=4))
    found = Divergence(random.grid, goals)
    assert found.method == CLOSED_FORM
    _assert_same(found, goals)


@given(st.data(), grids(max_side=5))
def test_walls(data: st.DataObject, random: RandomGrid) -> None:
    """Pockets, goals of several cells, goals that share cells, and the same goal twice are all among these."""
    goals = data.draw(goal_lists(random.plain))
    _assert_same(Divergence(random.grid, goals), goals)


@given(st.data(), graphs(max_states=8))
def test_graphs(data: st.DataObject, plain: Plain) -> None:
    goals = data.draw(goal_lists(plain))
    found = Divergence(deterministic_model(plain), goals)
    assert found.method == CONES
    _assert_same(found, goals)


@given(st.data(), stochastic_models())
def test_stochastic_models(data: st.DataObject, plain: Plain) -> None:
    goals, model = data.draw(goal_lists(plain, most=3)), stochastic_model(plain)
    found = Divergence(model, goals)
    assert found.method == CHAINS
    _assert_same(found, [uniform_optimal(model, goal) for goal in goals])


@given(st.data(), graphs())
def test_policies_of_ones_own(data: st.DataObject, plain: Plain) -> None:
    model = deterministic_model(plain)
    own = [policy(model, data.draw(policies(plain))) for _ in range(2)]
    found = Divergence(model, [0, 0], policies=own)
    assert found.method == CHAINS
    _assert_same(found, own)


@given(st.data(), graphs(max_states=5))
def test_graphs_in_fractions(data: st.DataObject, plain: Plain) -> None:
    """The same against exact elimination, so that fast and plain way cannot be wrong together."""
    goals = data.draw(goal_lists(plain, most=3))
    table = Divergence(deterministic_model(plain), goals).edp_table()
    policy_of = [exact.urop(plain, goal) for goal in goals]
    for i, j in itertools.product(range(len(goals)), repeat=2):
        expected = floats(exact.edp(plain, policy_of[i], policy_of[j]))
        np.testing.assert_allclose(table[:, i, j], expected, rtol=1e-13)


@given(st.data(), grids(max_side=3, walls=False))
def test_open_grids_in_fractions(data: st.DataObject, random: RandomGrid) -> None:
    goals = data.draw(st.lists(st.integers(0, random.grid.n_states - 1), min_size=2, max_size=3))
    found = Divergence(random.grid, goals)
    policy_of = [exact.urop(random.plain, {goal}) for goal in goals]
    for i, j in itertools.product(range(len(goals)), repeat=2):
        expected = exact.edp(random.plain, policy_of[i], policy_of[j])
        for s in range(random.grid.n_states):
            assert found.edp_at(s)[i, j] == pytest.approx(float(expected[s]), rel=1e-14)
            assert found.wcd_at(s)[i, j] == exact.wcd_of_plans(random.plain, s, {goals[i]}, {goals[j]})


@pytest.mark.parametrize("n_goals", [63, 64, 65, 128, 130, 200])
def test_many_goals_by_cones_by_passes_and_in_closed_form(n_goals: int) -> None:
    """One bit for each goal, 64 to a word: the boundaries of the words are where this could break."""
    grid = GridWorld(12, 11)
    rng = np.random.default_rng(n_goals)
    goals = rng.integers(0, grid.n_states, n_goals).tolist()
    closed, general = Divergence(grid, goals), Divergence(Model(grid.successor[:, :4]), goals)
    assert (closed.method, general.method) == (CLOSED_FORM, CONES)
    np.testing.assert_allclose(general.edp_table(), closed.edp_table(), rtol=1e-12)
    for s in (0, 60, grid.n_states - 1):
        for by_cones, in_closed_form in zip(general.matrices_at(s), closed.matrices_at(s), strict=True):
            np.testing.assert_allclose(by_cones, in_closed_form, rtol=1e-12)


def test_many_goals_behind_walls() -> None:
    rng = np.random.default_rng(7)
    grid = GridWorld(15, 15, rng.random((15, 15)) < 0.2)
    start = grid.state((7, 7)) if not grid.walls[7, 7] else 0
    reachable = np.flatnonzero(urop(grid, start).defined)
    goals: list[GoalLike] = [rng.choice(reachable, size=rng.integers(1, 4)).tolist() for _ in range(140)]
    found = Divergence(grid, goals)
    edps, wcds = found.matrices_at(start)
    np.testing.assert_allclose(edps, found.edp_table()[start], rtol=1e-12)
    for i, j in rng.integers(0, 140, (60, 2)).tolist():
        assert edps[i, j] == pytest.approx(float(edp(grid, goals[i], goals[j], at=start)), rel=1e-12)
        assert wcds[i, j] == float(wcd(grid, goals[i], goals[j], at=start))


def test_open_grids_too_large_for_the_table_take_cones() -> None:
    grid = GridWorld(90, 90)
    goals = [(89, 89), (89, 30), (30, 89), (88, 89)]
    found = Divergence(grid, goals)
    assert found.method == CONES
    edps, wcds = found.matrices_at((0, 0))
    for i, j in itertools.product(range(4), repeat=2):
        assert edps[i, j] == pytest.approx(float(edp(grid, goals[i], goals[j], at=(0, 0))), rel=1e-12)
        assert wcds[i, j] == float(wcd(grid, goals[i], goals[j], at=(0, 0)))


def test_cones_where_plans_outnumber_doubles() -> None:
    """About 1e359 plans lead across; along each of them the goals part where the columns of the near one end."""
    side = 600
    grid = GridWorld(side, side)
    far, near = (side - 1, side - 1), (side - 2, side - 1)
    edps, wcds = Divergence(grid, [far, near]).matrices_at((0, 0))
    assert wcds[0, 1] == wcds[1, 0] == 2 * side - 2
    assert edps[0, 1] == pytest.approx(float(edp(grid, far, near, at=(0, 0))), rel=1e-11)
    assert edps[1, 0] == pytest.approx(float(edp(grid, near, far, at=(0, 0))), rel=1e-11)


def test_cones_keep_rare_ways_open() -> None:
    """A corridor beside 2**1300 other plans: nearly nobody goes there, but the worst case does."""
    length = 1300
    model, goal, bench = deterministic_model(corridor_beside_area(length)), 2 * length + 1, 10
    edps, wcds = Divergence(model, [goal, bench]).matrices_at(0)
    assert wcds[0, 1] == wcds[1, 0] == float(wcd(model, goal, bench, at=0)) == 11
    # Following the corridor to the bench all ten steps look alike; following the crowd none does.
    assert edps[0, 1] == float(edp(model, goal, bench, at=0)) == 11
    assert edps[1, 0] == float(edp(model, bench, goal, at=0)) == 1


def test_rare_ways_to_a_shared_target_still_make_it_infinite() -> None:
    """Two targets of one goal at the same distance, one with 2**1300 plans: the other one is shared and counts."""
    length = 1300
    model, ends = deterministic_model(corridor_beside_area(length)), [length, 2 * length]
    found = Divergence(model, [ends, ends[0]])
    assert (found.edp_at(0) == math.inf).all()
    assert (found.edp_table()[0] == math.inf).all()
    assert float(edp(model, ends[0], ends, at=0)) == math.inf
