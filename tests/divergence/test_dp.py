"""The divergence point of one trajectory."""

from __future__ import annotations

import math
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from askwise.divergence import dp
from askwise.model import GridWorld, Model, follow, urop
from tests.exact import Plain
from tests.refused import Fault, assert_refused, each
from tests.small_models import policies, policy, stochastic_model, stochastic_models

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
