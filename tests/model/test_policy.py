"""Policies: support, noise, change of floor, trajectories."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.model import GridWorld, Model, Policy, boltzmann, follow, uniform_optimal, urop
from tests.exact import Plain, floats
from tests.refused import Fault, assert_refused, each
from tests.small_models import deterministic_model, graphs, policies

NAN = float("nan")
CORRIDOR = GridWorld(3, 1)


def test_support_and_where_it_is_defined() -> None:
    model = Model([[1, 0], [1, 0]], states=["x", "y"], actions=["go", "back"])
    some = Policy(model, [[0.25, 0.75, 0], [0, 0, 0]], partial=True)
    assert some.support.tolist() == [[True, True, False], [False, False, False]]
    assert some.defined.tolist() == [True, False]
    assert some.at("x") == {"go": 0.25, "back": 0.75}
    assert some.at("y") == {}
    assert repr(some) == "<Policy: 1 of 2 states defined>"


def test_the_table_of_a_policy_is_its_own_and_read_only() -> None:
    table = np.array([[0.0, 1.0]])
    stays = Policy(Model([[0]]), table)
    table[0] = [1.0, 0.0]
    assert stays.probabilities.tolist() == [[0, 1]]
    with pytest.raises(ValueError, match="read-only"):
        stays.probabilities[0, 0] = 1


def test_pickling_keeps_a_policy() -> None:
    east = urop(CORRIDOR, (2, 0))
    again = pickle.loads(pickle.dumps(east))
    assert (again.probabilities == east.probabilities).all()
    assert again.at((0, 0)) == {"EAST": 1.0}
    assert again.partial


@given(st.data(), graphs(), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_soften_mixes_with_all_available_actions(data: st.DataObject, plain: Plain, epsilon: float) -> None:
    table = floats(data.draw(policies(plain)))
    softened = Policy(deterministic_model(plain), table).soften(epsilon)
    for s in range(plain.n_states):
        available = plain.available(s)
        noise = [(a in available) / len(available) for a in range(plain.n_actions)]
        np.testing.assert_allclose(softened.probabilities[s], (1 - epsilon) * table[s] + epsilon * np.array(noise))
    if epsilon > 0:
        assert (softened.support == softened.model.available).all()


def test_soften_leaves_undefined_states_undefined() -> None:
    divided = GridWorld(3, 1, walls=[(1, 0)])
    assert urop(divided, (2, 0)).soften(0.5).defined.tolist() == [False, True]


def test_a_policy_on_another_floor_keeps_its_table() -> None:
    east, floor = urop(CORRIDOR, (2, 0)), CORRIDOR.slippery(0.5)
    moved = east.on(floor)
    assert moved.model is floor
    assert (moved.probabilities == east.probabilities).all()
    assert east.on(CORRIDOR) is east


def test_follow_names_states_and_actions() -> None:
    assert follow(CORRIDOR, (0, 0), ["EAST", 1, "STAY"]) == [((0, 0), "EAST"), ((1, 0), "EAST"), ((2, 0), "STAY")]
    assert follow(CORRIDOR, 0, []) == []


@given(st.data(), graphs())
def test_follow_goes_where_the_actions_lead(data: st.DataObject, plain: Plain) -> None:
    model = deterministic_model(plain)
    start = s = data.draw(st.integers(0, plain.n_states - 1))
    expected: list[tuple[int, object]] = []
    for _ in range(data.draw(st.integers(0, 5))):
        a = data.draw(st.sampled_from(plain.available(s)))
        expected.append((s, model.actions[a]))
        s = plain.successor(s, a)
    assert follow(model, start, [action for _, action in expected]) == expected


def _table(row: list[float], at: int = 0) -> list[list[float]]:
    rows = [[0.0] * 4 + [1.0] for _ in range(3)]
    rows[at] = row
    return rows


FAULTS: dict[str, Fault] = {
    "shape": (
        lambda: Policy(CORRIDOR, [[1.0]]),
        "policy: found a table of shape (1, 1); expected (3, 5), one row for each state",
    ),
    "sum below 1": (
        lambda: Policy(CORRIDOR, _table([0, 0.25, 0, 0, 0.5])),
        "policy in state (0, 0): found probabilities that sum to 0.75; expected 1 (within 1e-09)",
    ),
    "sum above 1": (
        lambda: Policy(CORRIDOR, _table([0, 1, 0, 0.5, 0], at=1)),
        "policy in state (1, 0): found probabilities that sum to 1.5; expected 1 (within 1e-09)",
    ),
    "row of zeros": (
        lambda: Policy(CORRIDOR, _table([0] * 5)),
        "policy in state (0, 0): found probabilities that sum to 0; expected 1 (within 1e-09)",
    ),
    "partial policy with a wrong sum": (
        lambda: Policy(CORRIDOR, _table([0, 0.5, 0, 0, 0]), partial=True),
        "policy in state (0, 0): found probabilities that sum to 0.5; expected 1 (within 1e-09)",
    ),
    "not a number": (
        lambda: Policy(CORRIDOR, _table([0, NAN, 0, 0, 1])),
        "policy in state (0, 0), action 'EAST': found nan; expected a number from 0 to 1",
    ),
    "negative": (
        lambda: Policy(CORRIDOR, _table([0, 1.5, 0, -0.5, 0], at=1)),
        "policy in state (1, 0), action 'WEST': found -0.5; expected a number from 0 to 1",
    ),
    "unavailable action": (
        lambda: Policy(CORRIDOR, _table([0, 1, 0, 0, 0], at=2)),
        "policy in state (2, 0), action 'EAST': found 1.0; expected 0, because the action is not available there",
    ),
    "epsilon above 1": (
        lambda: urop(CORRIDOR, 0).soften(1.5),
        "epsilon: found 1.5; expected a number from 0 to 1",
    ),
    "negative epsilon": (
        lambda: urop(CORRIDOR, 0).soften(-0.5),
        "epsilon: found -0.5; expected a number from 0 to 1",
    ),
    "epsilon that is not a number": (
        lambda: urop(CORRIDOR, 0).soften(NAN),
        "epsilon: found nan; expected a number from 0 to 1",
    ),
    "another model of another size": (
        lambda: urop(CORRIDOR, 0).on(GridWorld(2, 1)),
        "policy: found a table of shape (3, 5); expected (2, 5), one row for each state",
    ),
    "another model with other walls": (
        lambda: urop(CORRIDOR, 0).on(GridWorld(1, 3)),
        "policy in state (0, 1), action 'WEST': found 1.0; expected 0, because the action is not available there",
    ),
    "state of a policy": (
        lambda: urop(CORRIDOR, 0).at((3, 0)),
        "cell: found (3, 0), outside the 3 x 1 grid; expected x from 0 to 2 and y from 0 to 0",
    ),
    "start of a trajectory": (
        lambda: follow(CORRIDOR, "door", []),
        "start: found 'door'; expected a cell (x, y), or a state from 0 to 2",
    ),
    "unknown action of a trajectory": (
        lambda: follow(CORRIDOR, 0, ["EAST", "UP"]),
        "action 2: found 'UP'; expected one of 'NORTH', 'EAST', 'SOUTH', 'WEST', 'STAY', or an index from 0 to 4",
    ),
    "unavailable action of a trajectory": (
        lambda: follow(CORRIDOR, 0, ["EAST", "NORTH"]),
        "action 2: found 'NORTH'; expected an action available in state (1, 0)",
    ),
    "trajectory of a stochastic model": (
        lambda: follow(CORRIDOR.slippery(0.5), 0, ["EAST"]),
        "model: found stochastic transitions; expected a deterministic model",
    ),
}


@each(FAULTS)
def test_faulty_policy_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_rows_may_be_off_by_what_decimals_cost() -> None:
    thirds = Policy(Model([[0, 0]]), [[0.333333333, 0.333333333, 0.333333334]])
    assert thirds.support.all()


# -- learnt, and preferring ----------------------------------------------------------------------------------------


def corridor() -> Model:
    return Model([[1, -1], [2, 0], [3, 1], [-1, 2]], actions=["R", "L"])


def test_a_policy_is_learnt_by_counting() -> None:
    model = corridor()
    ways = [[(1, "R"), (2, "R"), (3, "STAY")], [(1, "R"), (2, "L"), (1, "R")]]
    learnt = Policy.from_trajectories(model, ways, smoothing=3.0)
    assert learnt.at(1) == pytest.approx({"R": 4 / 6, "L": 1 / 6, "STAY": 1 / 6})  # three times R, and three actions
    assert learnt.at(0) == pytest.approx({"R": 0.5, "STAY": 0.5}), "nothing was seen there"
    assert Policy.from_trajectories(model, ways, smoothing=0).at(2) == {"R": 0.5, "L": 0.5}


def test_what_was_not_seen_is_as_thought_before() -> None:
    model = corridor()
    plans = urop(model, 3)
    learnt = Policy.from_trajectories(model, [[(1, "L")]], smoothing=1.0, base=plans)
    assert learnt.at(1) == pytest.approx({"R": 0.5, "L": 0.5})
    assert learnt.at(2) == plans.at(2) == {"R": 1.0}


def test_many_ways_of_a_policy_teach_that_policy() -> None:
    model, rng = corridor(), np.random.default_rng(0)
    truth = boltzmann(model, 3, 0.7)
    ways = []
    for _ in range(4000):
        state, way = 0, []
        for _ in range(6):
            action = int(rng.choice(model.n_actions, p=truth.probabilities[state]))
            way.append((state, model.actions[action]))
            state = int(model.successor[state, action])
        ways.append(way)
    learnt = Policy.from_trajectories(model, ways)
    np.testing.assert_allclose(learnt.probabilities, truth.probabilities, atol=0.03)


@pytest.mark.parametrize("beta", [0.5, 2.0, 800.0])
def test_boltzmann_by_its_formula(beta: float) -> None:
    model = corridor()
    found = boltzmann(model, 3, beta)
    away = math.exp(-2 * beta)  # one step back leaves two more than one step on
    assert found.at(2) == pytest.approx({"R": 1 / (1 + away), **({"L": away / (1 + away)} if away else {})})
    assert found.at(3) == {"STAY": 1.0}
    assert found.at(0) == {"R": 1.0}


def test_large_preferences_are_uniform_over_optimal_actions() -> None:
    grid = GridWorld(6, 5, [(2, 2)])
    np.testing.assert_allclose(
        boltzmann(grid, (4, 4), 60.0).probabilities, uniform_optimal(grid, (4, 4)).probabilities, atol=1e-12
    )


LEARNING: dict[str, Fault] = {
    "an unknown state": (
        lambda: Policy.from_trajectories(corridor(), [[(0, "R")], [(9, "R")]]),
        "trajectory 1, step 1: state: found 9; expected an index from 0 to 3",
    ),
    "an action that is not there": (
        lambda: Policy.from_trajectories(corridor(), [[(0, "L")]]),
        "trajectory 0, step 1: action: found 'L'; expected an action available in state 0",
    ),
    "no pair": (
        lambda: Policy.from_trajectories(corridor(), [["R"]]),  # type: ignore[list-item]
        "trajectory 0, step 1: found 'R'; expected a state and the action done there",
    ),
    "negative smoothing": (
        lambda: Policy.from_trajectories(corridor(), [], smoothing=-1.0),
        "smoothing: found -1.0; expected a finite number from 0",
    ),
    "no preference": (lambda: boltzmann(corridor(), 3, 0.0), "beta: found 0.0; expected a finite number above 0"),
}


@each(LEARNING)
def test_what_cannot_be_learnt_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)
