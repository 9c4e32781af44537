"""The distribution of the divergence point against all trajectories."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.divergence import dp_distribution, edp
from askwise.model import GridWorld, Model, Policy, urop
from tests import exact
from tests.exact import Plain, floats
from tests.refused import Fault, assert_refused, each
from tests.small_models import (
    KNOWN,
    Known,
    RandomGrid,
    goal_sets,
    grids,
    policies,
    policy,
    stochastic_model,
    stochastic_models,
)

COIN = Model([[0, 0]], actions=["round", "out"])
ROUND, THREE_QUARTERS_ROUND = Policy(COIN, [[1, 0, 0]]), Policy(COIN, [[0.75, 0.25, 0]])


@given(st.data(), stochastic_models(max_states=3))
def test_first_steps_of_random_policies(data: st.DataObject, plain: Plain) -> None:
    one, two = data.draw(policies(plain)), data.draw(policies(plain))
    start = data.draw(st.integers(0, plain.n_states - 1))
    model = stochastic_model(plain)
    found = dp_distribution(model, policy(model, one), policy(model, two), start, horizon=4)
    expected = exact.dp_probabilities(plain, one, two, start, 4)
    assert [found.at(t) for t in range(6)] == [0.0, *map(float, expected), 0.0]
    # All numbers are multiples of 4**-8: sums are exact.
    assert found.probability.sum() + found.never + found.verdict.error_bound == 1
    assert [found.tail(t) for t in range(5)] == [float(1 - sum(expected[:t])) for t in range(5)]
    cumulative = list(itertools.accumulate(expected))
    for q in (Fraction(k, 16) for k in range(1, 17)):
        if q <= cumulative[-1]:
            assert found.quantile(float(q)) == 1 + next(t for t, mass in enumerate(cumulative) if mass >= q)


@given(st.data(), stochastic_models(max_states=4))
def test_probability_of_agreeing_for_ever(data: st.DataObject, plain: Plain) -> None:
    one, two = data.draw(policies(plain)), data.draw(policies(plain))
    model, never = stochastic_model(plain), exact.never_ends(exact.agreement(plain, one, two))
    for start in range(plain.n_states):
        found = dp_distribution(model, policy(model, one), policy(model, two), start)
        assert found.never == pytest.approx(float(never[start]), abs=1e-11)
        assert (found.never > 0) == (never[start] > 0)
        assert found.probability.sum() + found.never + found.verdict.error_bound == pytest.approx(1, abs=1e-12)
        if never[start] > 0:
            assert found.mean == math.inf
            assert found.quantile(1.0) == math.inf


@given(st.data(), grids(max_side=3))
def test_whole_distribution_of_optimal_plans(data: st.DataObject, random: RandomGrid) -> None:
    grid, plain = random.grid, random.plain
    one, two = data.draw(goal_sets(plain)), data.draw(goal_sets(plain))
    ruled_out, followed = exact.urop(plain, one), exact.urop(plain, two)
    never = exact.never_ends(exact.agreement(plain, ruled_out, followed))
    for s in np.flatnonzero(urop(grid, two).defined).tolist():
        found = dp_distribution(grid, one, two, s)
        expected = floats(exact.dp_probabilities(plain, ruled_out, followed, s, plain.n_states + 1))
        probability = np.zeros(expected.size)
        probability[: found.horizon] = found.probability
        np.testing.assert_allclose(probability, expected, atol=1e-15)
        assert found.never == pytest.approx(float(never[s]), abs=1e-15)
        assert found.verdict.exact
        assert found.mean == pytest.approx(float(edp(grid, one, two, at=s)), rel=1e-13)


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_mean_of_known_problems(known: Known) -> None:
    model = stochastic_model(known.plain)
    one, two = policy(model, known.ruled_out), policy(model, known.followed)
    for s, value in enumerate(known.edp):
        assert dp_distribution(model, one, two, s).mean == pytest.approx(float(value), rel=1e-9)


def test_a_coin_gives_the_geometric_distribution() -> None:
    found = dp_distribution(COIN, ROUND, THREE_QUARTERS_ROUND, 0)
    assert found.probability[:5].tolist() == [0.25 * 0.75**k for k in range(5)]
    assert [found.tail(t) for t in (-1, 0, 1, 2)] == pytest.approx([1, 1, 0.75, 0.5625], rel=1e-15)
    # 1 - 0.75**t reaches one half at t = 3 and nine tenths at t = 9.
    assert [found.quantile(q) for q in (0.25, 0.5, 0.9)] == [1, 3, 9]
    assert not found.verdict.exact
    assert 0 < found.verdict.error_bound <= 1e-12
    assert found.verdict.converged
    assert found.mean == pytest.approx(4, rel=1e-9)


def test_a_horizon_leaves_the_rest_to_the_bound() -> None:
    found = dp_distribution(COIN, ROUND, THREE_QUARTERS_ROUND, 0, horizon=3)
    assert found.horizon == 3
    assert found.verdict.error_bound == 0.75**3
    assert not found.verdict.converged
    assert found.tail(3) == 0.75**3
    assert_refused(lambda: found.quantile(0.9), "q: found 0.9; expected at most 0.578125, the probability up to step 3")


def test_steps_end_at_the_limit_without_a_horizon_too() -> None:
    found = dp_distribution(COIN, ROUND, THREE_QUARTERS_ROUND, 0, max_steps=5)
    assert found.horizon == 5
    assert found.verdict.error_bound == 0.75**5


def test_a_coarse_tolerance_stops_early() -> None:
    found = dp_distribution(COIN, ROUND, THREE_QUARTERS_ROUND, 0, tolerance=0.5)
    assert found.horizon == 3
    assert found.verdict.error_bound == 0.75**3 < 0.5 < 0.75**2


def test_a_policy_against_itself_never_diverges() -> None:
    found = dp_distribution(COIN, ROUND, ROUND, 0)
    assert (found.horizon, found.never, found.mean) == (0, 1.0, math.inf)
    assert (found.tail(100), found.quantile(0.01)) == (1.0, math.inf)
    assert found.verdict.exact
    assert str(found) == "divergence point {}, never: 1 (exact, step by step)"


def test_half_of_the_mass_may_be_trapped() -> None:
    known = next(known for known in KNOWN if known.name == "trap on one side")
    model = stochastic_model(known.plain)
    found = dp_distribution(model, policy(model, known.ruled_out), policy(model, known.followed), 0)
    assert (found.probability.tolist(), found.never) == ([0.0, 0.5], 0.5)
    assert [found.quantile(q) for q in (0.25, 0.5, 0.75)] == [2, 2, math.inf]


def test_there_is_no_distribution_where_the_followed_policy_may_get_lost() -> None:
    """From 0 the step leads to 1 or to 2, and in 2 the followed policy is undefined: half the mass would vanish."""
    model = Model.from_edges([(0, "step", 1, 0.5), (0, "step", 2, 0.5), (1, "step", 1, 1.0)])
    ruled_out = Policy(model, [[1, 0], [0, 1], [0, 1]])
    followed = Policy(model, [[1, 0], [1, 0], [0, 0]], partial=True)
    assert_refused(
        lambda: dp_distribution(model, ruled_out, followed, 0),
        "at: found 0; expected a state from which the goal that is pursued can be reached",
    )


def test_rounded_decimals_do_not_make_a_quantile_infinite() -> None:
    """Thirds written with ten digits add up to a little less than 1; the policies still differ by step 2."""
    model = Model([[1, 1, 1], [1, 1, 1]])
    first = Policy(model, [[1, 0, 0, 0]] * 2)
    thirds = Policy(model, [[0.3333333333, 0.3333333333, 0.3333333333, 0], [0, 1, 0, 0]])
    found = dp_distribution(model, first, thirds, 0)
    assert found.never == 0
    assert found.quantile(1.0) == 2


def test_printing() -> None:
    corridor = GridWorld(3, 1)
    assert str(dp_distribution(corridor, 0, 2, at=1)) == "divergence point {1: 1}, never: 0 (exact, step by step)"
    long = str(dp_distribution(COIN, ROUND, THREE_QUARTERS_ROUND, 0, horizon=9))
    assert long.startswith("divergence point {1: 0.25, 2: 0.1875, 3: 0.1406, ")
    assert "8: 0.03337, ...}, never: 0 (" in long


def test_pickling_keeps_a_distribution() -> None:
    found = dp_distribution(COIN, ROUND, THREE_QUARTERS_ROUND, 0, horizon=3)
    again = pickle.loads(pickle.dumps(found))
    assert again.probability.tolist() == found.probability.tolist()
    assert (again.never, again.verdict) == (found.never, found.verdict)


DIVIDED = GridWorld(3, 1, walls=[(1, 0)])

FAULTS: dict[str, Fault] = {
    "horizon": (
        lambda: dp_distribution(COIN, ROUND, ROUND, 0, horizon=0),
        "horizon: found 0; expected a whole number from 1",
    ),
    "unreachable goal": (
        lambda: dp_distribution(DIVIDED, (0, 0), (2, 0), at=(0, 0)),
        "at: found (0, 0); expected a state from which the goal that is pursued can be reached",
    ),
    "quantile of 0": (
        lambda: dp_distribution(COIN, ROUND, ROUND, 0).quantile(0),
        "q: found 0; expected a number above 0 and up to 1",
    ),
    "quantile above 1": (
        lambda: dp_distribution(COIN, ROUND, ROUND, 0).quantile(1.5),
        "q: found 1.5; expected a number above 0 and up to 1",
    ),
    "quantile that is not a number": (
        lambda: dp_distribution(COIN, ROUND, ROUND, 0).quantile(math.nan),
        "q: found nan; expected a number above 0 and up to 1",
    ),
    "start": (
        lambda: dp_distribution(COIN, ROUND, ROUND, 1),
        "at: found 1; expected an index from 0 to 0",
    ),
}


@each(FAULTS)
def test_faulty_request_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)
