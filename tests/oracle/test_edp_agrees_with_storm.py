"""Storm, a model checker that shares no code with askwise, must find the same expected divergence points.

Not part of the ordinary tests: stormpy is GPL and optional. Run with ``python -m pytest tests/oracle``.
"""

from __future__ import annotations

from itertools import permutations
from math import isqrt

import numpy as np
import pytest

from askwise import Divergence, GridWorld, Model, Policy, edp, uniform_optimal, urop
from askwise.model.chain import DIRECT_LIMIT
from askwise.types import FloatArray

pytest.importorskip("stormpy")

from benchmarks.peers import stormpy_peer

TOLERANCE = 1e-9
TIGHT = 1e-11
"""What iterative methods are asked for, so that their own tolerance does not hide in the comparison."""

ITERATED_SIDE = isqrt(DIRECT_LIMIT) + 1
"""Side of a grid with too many states to be factorised by askwise."""


def by_storm(model: Model, pi1: Policy, pi2: Policy) -> FloatArray:
    """Return EDP at all states, ``nan`` where `pi2` is undefined."""
    values = stormpy_peer.expected_steps(*stormpy_peer.agreement_chain(model, pi1, pi2))
    return np.where(pi2.defined, values, np.nan)


def assert_same(values: FloatArray, truth: FloatArray, what: str) -> None:
    """Infinite and missing values must be the same ones; the others agree to a relative 1e-9."""
    np.testing.assert_allclose(values, truth, rtol=TOLERANCE, atol=0, equal_nan=True, err_msg=what)


def assert_all_methods_agree(model: Model, pi1: Policy, pi2: Policy, methods: tuple[str, ...]) -> FloatArray:
    """Compare every method with Storm; return Storm's values."""
    truth = by_storm(model, pi1, pi2)
    for method in methods:
        found = edp(model, pi1, pi2, method=method, tolerance=TIGHT)
        assert_same(np.asarray(found), truth, f"method {method!r}: {found.verdict}")
    return truth


def random_grid(rng: np.random.Generator, *, walls: float, largest: int) -> GridWorld:
    width, height = (int(k) for k in rng.integers(2, largest + 1, 2))
    mask = rng.random((height, width)) < walls
    mask[rng.integers(height), rng.integers(width)] = False
    return GridWorld(width, height, mask)


def some_goals(rng: np.random.Generator, grid: GridWorld, most: int) -> list[int]:
    chosen: list[int] = rng.choice(grid.n_states, min(most, grid.n_states), replace=False).tolist()
    return chosen


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("walls", [0.0, 0.3])
def test_urops_on_grids(seed: int, walls: float) -> None:
    rng = np.random.default_rng([1, seed])
    grid = random_grid(rng, walls=walls, largest=12)
    policies = [urop(grid, goal) for goal in some_goals(rng, grid, 3)]
    for pi1, pi2 in permutations(policies, 2):
        assert_all_methods_agree(grid, pi1, pi2, ("auto", "pass", "solve", "sweep"))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("walls", [0.0, 0.3])
def test_families_of_goals(seed: int, walls: float) -> None:
    rng = np.random.default_rng([2, seed])
    grid = random_grid(rng, walls=walls, largest=10)
    goals = some_goals(rng, grid, 4)
    policies = [urop(grid, goal) for goal in goals]
    truth = np.array([[by_storm(grid, pi1, pi2) for pi2 in policies] for pi1 in policies])
    assert_same(Divergence(grid, goals).edp_table(), np.moveaxis(truth, -1, 0), "edp_table")
    for state in np.flatnonzero(np.logical_and.reduce([policy.defined for policy in policies])):
        at_state = Divergence(grid, goals).edp_at(int(state))
        assert_same(at_state, truth[..., state], f"edp_at state {state}")


@pytest.mark.parametrize("seed", range(10))
def test_goals_of_several_cells(seed: int) -> None:
    rng = np.random.default_rng([3, seed])
    grid = random_grid(rng, walls=0.2, largest=10)
    # Overlapping on purpose: with a common target two goals can agree for ever from some of the states only.
    goals = [some_goals(rng, grid, 3) for _ in range(3)]
    goals[1][0] = goals[0][0]
    policies = [urop(grid, goal) for goal in goals]
    truth = np.array([[by_storm(grid, pi1, pi2) for pi2 in policies] for pi1 in policies])
    assert_same(Divergence(grid, goals).edp_table(), np.moveaxis(truth, -1, 0), "edp_table")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("slip", [0.1, 0.5, 0.9])
def test_slippery_grids(seed: int, slip: float) -> None:
    rng = np.random.default_rng([4, seed])
    grid = random_grid(rng, walls=0.15, largest=9)
    floor = grid.slippery(slip)
    goals = some_goals(rng, grid, 2)
    dry = [urop(grid, goal).on(floor) for goal in goals]
    wet = [uniform_optimal(floor, goal) for goal in goals]
    for policies in (dry, wet):
        for pi1, pi2 in permutations(policies, 2):
            assert_all_methods_agree(floor, pi1, pi2, ("auto", "solve", "sweep"))


@pytest.mark.parametrize("seed", range(20))
def test_policies_that_wander(seed: int) -> None:
    rng = np.random.default_rng([5, seed])
    grid = random_grid(rng, walls=0.2, largest=8)
    first, second = some_goals(rng, grid, 2)
    straight, wandering = urop(grid, first), urop(grid, second).soften(0.3)
    assert_all_methods_agree(grid, straight, wandering, ("auto", "solve", "sweep"))
    # Whoever may do anything is never ruled out.
    assert np.isinf(by_storm(grid, wandering, straight)[straight.defined & wandering.defined]).all()
    assert_all_methods_agree(grid, wandering, straight, ("auto", "pass", "solve", "sweep"))


@pytest.mark.parametrize("seed", range(80))
def test_random_models_and_policies(seed: int) -> None:
    rng = np.random.default_rng([6, seed])
    model = random_model(rng)
    pi1, pi2 = random_policy(rng, model), random_policy(rng, model)
    for one, two in ((pi1, pi2), (pi2, pi1), (pi1, pi1)):
        assert_all_methods_agree(model, one, two, ("auto", "solve", "sweep"))


def test_random_models_have_infinite_and_finite_answers() -> None:
    """The test above is worth its name only if both kinds of answers occur, also within one chain."""
    kinds = set()
    for seed in range(80):
        rng = np.random.default_rng([6, seed])
        model = random_model(rng)
        infinite = np.isinf(by_storm(model, random_policy(rng, model), random_policy(rng, model)))
        kinds.add("all" if infinite.all() else "some" if infinite.any() else "none")
    assert kinds == {"all", "some", "none"}


def random_model(rng: np.random.Generator) -> Model:
    """Return a stochastic model whose transitions are few enough for closed sets to appear."""
    n_states, n_actions = int(rng.integers(2, 40)), int(rng.integers(1, 5))
    matrices = []
    for _ in range(n_actions):
        kept = rng.random((n_states, n_states)) < 1.5 / n_states
        kept[np.arange(n_states), rng.integers(n_states, size=n_states)] = True
        weights = np.where(kept, rng.random((n_states, n_states)) + 0.05, 0.0)
        matrices.append(weights / weights.sum(axis=1, keepdims=True))
    return Model(transitions=matrices)


def random_policy(rng: np.random.Generator, model: Model) -> Policy:
    """Return a policy that may do about two thirds of what is available in each state."""
    shape = (model.n_states, model.n_actions)
    kept = rng.random(shape) < 0.67
    kept[np.arange(model.n_states), rng.integers(model.n_actions, size=model.n_states)] = True
    weights = np.where(kept, rng.random(shape) + 0.05, 0.0)
    return Policy(model, weights / weights.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("slip", [0.1, 0.5, 0.9])
def test_chains_too_large_to_factorise(slip: float) -> None:
    grid = GridWorld(ITERATED_SIDE, ITERATED_SIDE)
    floor, near = grid.slippery(slip), 7 * ITERATED_SIDE // 10
    pi1 = urop(grid, (ITERATED_SIDE - 1, near)).on(floor)
    pi2 = urop(grid, (near, ITERATED_SIDE - 1)).on(floor)
    assert_all_methods_agree(floor, pi1, pi2, ("solve", "sweep"))
