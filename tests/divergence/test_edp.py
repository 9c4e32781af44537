"""dp, EDP, WCD and ECD against their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.divergence import dp, ecd, edp, wcd
from askwise.model import GridWorld, Model, Policy, follow, uniform_optimal, urop
from askwise.model.chain import METHODS
from tests import exact
from tests.exact import Plain, Table, floats
from tests.refused import Fault, assert_refused, each
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

GRID = GridWorld(9, 7)


@given(st.data(), stochastic_models())
def test_the_first_step_that_the_policy_would_not_take(data: st.DataObject, plain: Plain) -> None:
    """Any list of states and actions is a trajectory here: dp looks at one step after the other."""
    model, table = stochastic_model(plain), data.draw(policies(plain))
    states, actions = st.integers(0, plain.n_states - 1), st.integers(0, plain.n_actions - 1)
    trajectory = data.draw(st.lists(st.tuples(states, actions), max_size=6))
    impossible = [t for t, (s, a) in enumerate(trajectory, start=1) if table[s][a] == 0]
    assert dp(policy(model, table), trajectory) == min(impossible, default=math.inf)


def test_names_and_indices_are_the_same() -> None:
    model = Model.from_edges([("a", "left", "b"), ("a", "right", "c")])
    to_b = urop(model, "b")
    assert dp(to_b, [("a", "right")]) == dp(to_b, [(0, 1)]) == 1
    assert dp(to_b, [("a", "left"), ("b", "STAY")]) == math.inf


def test_an_empty_trajectory_rules_nothing_out() -> None:
    assert dp(urop(GRID, (8, 0)), []) == math.inf


def test_waiting_where_nobody_waits_is_a_difference() -> None:
    assert dp(urop(GRID, (8, 0)), follow(GRID, (4, 3), ["EAST", "STAY"])) == 2


FAULTS: dict[str, Fault] = {
    "state": (
        lambda: dp(urop(GRID, (8, 0)), [((4, 3), "EAST"), ((9, 3), "EAST")]),
        "state of step 2: found (9, 3), outside the 9 x 7 grid; expected x from 0 to 8 and y from 0 to 6",
    ),
    "action": (
        lambda: dp(urop(GRID, (8, 0)), [((4, 3), "UP")]),
        "action of step 1: found 'UP'; "
        "expected one of 'NORTH', 'EAST', 'SOUTH', 'WEST', 'STAY', or an index from 0 to 4",
    ),
}


@each(FAULTS)
def test_faulty_trajectory_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


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


def _supports(tables: list[Table]) -> list[list[list[bool]]]:
    return [[[p > 0 for p in row] for row in table] for table in tables]


@st.composite
def priors(draw: st.DrawFn, n: int) -> list[int]:
    """Whole weights, some of them 0, not all."""
    weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weights[draw(st.integers(0, n - 1))] += 1
    return weights


@given(st.data(), graphs(), st.integers(1, 3))
def test_ecd_of_goals_in_graphs(data: st.DataObject, plain: Plain, n_goals: int) -> None:
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
