"""Faulty requests to the metrics: every message is checked as a whole."""

from __future__ import annotations

from collections.abc import Callable

from askwise.divergence import ecd, edp, wcd
from askwise.model import GridWorld, Model, Policy
from tests.refused import Fault, assert_refused, each

GRID = GridWorld(5, 1)
DIVIDED = GridWorld(5, 1, walls=[(2, 0)])
OUTSIDE = "(5, 0), outside the 5 x 1 grid; expected x from 0 to 4 and y from 0 to 0"

RING = Model([[1, 1], [2, 2], [1, 1]], states=["x", "y", "z"])
ALWAYS_ONE, EITHER = Policy(RING, [[1, 0, 0]] * 3), Policy(RING, [[0.5, 0.5, 0]] * 3)

FAULTS: dict[str, Fault] = {
    "edp, unreachable goal": (
        lambda: edp(DIVIDED, (0, 0), (4, 0), at=(1, 0)),
        "at: found (1, 0); expected a state from which the goal that is pursued can be reached",
    ),
    "edp, unknown state": (lambda: edp(GRID, 0, 4, at=(5, 0)), f"at: found {OUTSIDE}"),
    "edp, unknown goal": (lambda: edp(GRID, (5, 0), 4), f"goal: found {OUTSIDE}"),
    "edp, goal without states": (
        lambda: edp(GRID, 0, []),
        "goal: found no states; expected at least one target state",
    ),
    "edp, method": (
        lambda: edp(GRID, 0, 4, method="guess"),
        "method: found 'guess'; expected one of 'auto', 'pass', 'solve', 'sweep'",
    ),
    "edp, tolerance": (lambda: edp(GRID, 0, 4, tolerance=-1.0), "tolerance: found -1.0; expected a number above 0"),
    "edp, iterations": (
        lambda: edp(GRID, 0, 4, max_iterations=0),
        "max_iterations: found 0; expected a whole number from 1",
    ),
    "edp, policy of another model": (
        lambda: edp(GRID, ALWAYS_ONE, 4),
        "policy: found a table of shape (3, 3); expected (5, 5), one row for each state",
    ),
    "edp, pass over a cycle": (
        lambda: edp(RING, ALWAYS_ONE, EITHER, method="pass"),
        "method 'pass': found a chain that can return to itself from state 'x'; expected an acyclic chain",
    ),
    "wcd, unreachable goal": (
        lambda: wcd(DIVIDED, (0, 0), (4, 0), at=(1, 0)),
        "at: found (1, 0); expected a state from which the goal that is pursued can be reached",
    ),
    "wcd, unknown state": (lambda: wcd(GRID, 0, 4, at=(5, 0)), f"at: found {OUTSIDE}"),
    "wcd, unknown goal": (lambda: wcd(GRID, 0, (5, 0)), f"goal: found {OUTSIDE}"),
    "ecd, unreachable goals": (
        lambda: ecd(DIVIDED, [(3, 0), (4, 0)], at=(1, 0)),
        "at: found (1, 0); expected a state from which a goal can be reached",
    ),
    "ecd, no goals": (lambda: ecd(GRID, []), "goals: found an empty list; expected at least one goal"),
    "ecd, unknown state": (lambda: ecd(GRID, [0, 4], at=(5, 0)), f"at: found {OUTSIDE}"),
    "ecd, too few weights": (
        lambda: ecd(GRID, [0, 4], prior=[1.0]),
        "prior: found 1 weights; expected 2, one for each goal",
    ),
    "ecd, negative weight": (
        lambda: ecd(GRID, [0, 4], prior=[1.0, -0.5]),
        "prior of goal 1: found -0.5; expected a finite number from 0",
    ),
    "ecd, weight that is not a number": (
        lambda: ecd(GRID, [0, 4], prior=[float("nan"), 1.0]),
        "prior of goal 0: found nan; expected a finite number from 0",
    ),
    "ecd, infinite weight": (
        lambda: ecd(GRID, [0, 4], prior=[float("inf"), 1.0]),
        "prior of goal 0: found inf; expected a finite number from 0",
    ),
    "ecd, no weight at all": (
        lambda: ecd(GRID, [0, 4], prior=[0.0, 0.0]),
        "prior: found weights that are all 0; expected at least one weight above 0",
    ),
}


@each(FAULTS)
def test_faulty_request_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_the_state_named_by_an_error_is_one_of_the_model() -> None:
    """Asked at one state, the chain is numbered anew; the message must not show that number."""
    assert_refused(
        lambda: edp(RING, ALWAYS_ONE, EITHER, at="y", method="pass"),
        "method 'pass': found a chain that can return to itself from state 'y'; expected an acyclic chain",
    )
