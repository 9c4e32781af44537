"""Faulty models: every message is checked as a whole."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from askwise.model import Model
from tests.refused import Fault, assert_refused, each

NAN = float("nan")

STEP = "(state, action, next_state) or that with a probability"
STOCHASTIC = [[0.5, 0.5], [0, 1]]

FAULTS: dict[str, Fault] = {
    "nothing given": (
        lambda: Model(),
        "successor, transitions: found neither; expected exactly one of the two",
    ),
    "both given": (
        lambda: Model([[0]], transitions=[[[1.0]]]),
        "successor, transitions: found both; expected exactly one of the two",
    ),
    "flat successor": (
        lambda: Model([0, 1]),
        "successor: found an array of 1 dimensions; expected [n_states, n_actions]",
    ),
    "float successor": (
        lambda: Model([[0.0]]),
        "successor: found numbers of type float64; expected whole numbers",
    ),
    "no states": (
        lambda: Model(np.empty((0, 1), dtype=int)),
        "model: found no states; expected at least one state",
    ),
    "successor too large": (
        lambda: Model([[0, 2], [1, 0]]),
        "successor of state 0 under action 'a1': found 2; "
        "expected a state from 0 to 1, or -1 where the action is not available",
    ),
    "successor too small": (
        lambda: Model([[0], [-2]], states=["x", "y"], actions=["go"]),
        "successor of state 'y' under action 'go': found -2; "
        "expected a state from 0 to 1, or -1 where the action is not available",
    ),
    "stay that moves": (
        lambda: Model([[0], [0]], actions=["STAY"]),
        "action 'STAY' in state 1: found a move to another state, or none; expected to stay in place with certainty "
        "in every state (or name another action with stay=...)",
    ),
    "stay that is missing somewhere": (
        lambda: Model.from_edges([("a", "STAY", "a"), ("a", "go", "b")]),
        "action 'STAY' in state 'b': found a move to another state, or none; expected to stay in place with certainty "
        "in every state (or name another action with stay=...)",
    ),
    "stay that may move": (
        lambda: Model(transitions=[STOCHASTIC], actions=["wait"], stay="wait"),
        "action 'wait' in state 0: found a move to another state, or none; expected to stay in place with certainty "
        "in every state (or name another action with stay=...)",
    ),
    "no matrices": (
        lambda: Model(transitions=[]),
        "transitions: found no matrix; expected one [n_states, n_states] matrix for each action",
    ),
    "matrix that is not square": (
        lambda: Model(transitions=[np.eye(2), np.ones((2, 3))]),
        "transitions of action 1: found shape (2, 3); expected [n_states, n_states]",
    ),
    "matrix of another size": (
        lambda: Model(transitions=[np.eye(2), np.eye(3)]),
        "transitions of action 'a1': found shape (3, 3); expected (2, 2), as for the first action",
    ),
    "row that sums to less": (
        lambda: Model(transitions=[[[0.5, 0.4], [0, 1]]]),
        "transitions of state 0, action 'a0': found probabilities that sum to 0.9; "
        "expected 1 (within 1e-09), or no entry where the action is not available",
    ),
    "row that sums to more": (
        lambda: Model(transitions=[[[0.5, 0.5], [1, 1]]]),
        "transitions of state 1, action 'a0': found probabilities that sum to 2; "
        "expected 1 (within 1e-09), or no entry where the action is not available",
    ),
    "negative probability": (
        lambda: Model(transitions=[[[1.5, -0.5], [0, 1]]]),
        "probability of state 0, action 'a0', next state 1: found -0.5; expected a number from 0 to 1",
    ),
    "probability that is not a number": (
        lambda: Model(transitions=[[[0.5, 0.5], [0, NAN]]], states=["x", "y"]),
        "probability of state 'y', action 'a0', next state 'y': found nan; expected a number from 0 to 1",
    ),
    "infinite probability": (
        lambda: Model(transitions=[[[float("inf")]]]),
        "probability of state 0, action 'a0', next state 0: found inf; expected a number from 0 to 1",
    ),
    "too few state names": (
        lambda: Model([[0], [1]], states=["x"]),
        "state names: found 1 names; expected 2, one for each state",
    ),
    "too many action names": (
        lambda: Model([[0], [1]], actions=["go", "run"]),
        "action names: found 3 names; expected 2, one for each action",
    ),
    "state name twice": (
        lambda: Model([[0], [1]], states=["x", "x"]),
        "name of state 1: found 'x', already the name of 0; expected a new name",
    ),
    "action name twice": (
        lambda: Model([[0, 0]], actions=["go", "go"]),
        "name of action 1: found 'go', already the name of 0; expected a new name",
    ),
    "state name that is a list": (
        lambda: Model([[0]], states=[[1]]),  # type: ignore[list-item]
        "name of state 0: found [1]; expected something hashable",
    ),
    "short edge": (
        lambda: Model.from_edges([("a", "go", "b"), ("a", "go")]),
        f"edge 1: found ('a', 'go'); expected {STEP}",
    ),
    "edge that is text": (
        lambda: Model.from_edges(["abc"]),
        f"edge 0: found 'abc'; expected {STEP}",
    ),
    "edge that is a number": (
        lambda: Model.from_edges([7]),  # type: ignore[list-item]
        f"edge 0: found 7; expected {STEP}",
    ),
    "probabilities on some edges": (
        lambda: Model.from_edges([("a", "go", "b"), ("b", "go", "a", 1.0)]),
        "edge 1: found ('b', 'go', 'a', 1.0); expected a probability on every edge or on none",
    ),
    "two successors": (
        lambda: Model.from_edges([("a", "go", "b"), ("a", "go", "c")]),
        "edge 1: found a second successor 'c' of state 'a' under action 'go'; "
        "expected one successor, or a probability on every edge",
    ),
    "probability that is text": (
        lambda: Model.from_edges([("a", "go", "b", "half")]),
        "probability of edge 0: found 'half'; expected a number from 0 to 1",
    ),
    "negative probability that another edge makes up for": (
        lambda: Model.from_edges([("a", "go", "b", -0.5), ("a", "go", "b", 1.5)]),
        "probability of edge 0: found -0.5; expected a number from 0 to 1",
    ),
    "edge probabilities that sum to less": (
        lambda: Model.from_edges([("a", "go", "b", 0.5), ("a", "go", "a", 0.25)]),
        "transitions of state 'a', action 'go': found probabilities that sum to 0.75; "
        "expected 1 (within 1e-09), or no entry where the action is not available",
    ),
    "edge from a list": (
        lambda: Model.from_edges([(["a"], "go", "b")]),
        "name in an edge: found ['a']; expected something hashable",
    ),
    "edge from a tuple with a list in it": (
        lambda: Model.from_edges([(("a", ["b"]), "go", "b")]),
        "name in an edge: found ('a', ['b']); expected something hashable",
    ),
    "list among the states before the edges": (
        lambda: Model.from_edges([("a", "go", "b")], states=["a", ["b"]]),  # type: ignore[list-item]
        "name of state 1: found ['b']; expected something hashable",
    ),
    "no edges": (
        lambda: Model.from_edges([]),
        "model: found no states; expected at least one state",
    ),
    "state twice before the edges": (
        lambda: Model.from_edges([("a", "go", "b")], states=["a", "a"]),
        "name of state 1: found 'a', already the name of 0; expected a new name",
    ),
    "unknown state index": (
        lambda: Model([[0], [1]]).state(2),
        "state: found 2; expected an index from 0 to 1",
    ),
    "negative state index": (
        lambda: Model([[0], [1]]).state(-1, "start"),
        "start: found -1; expected an index from 0 to 1",
    ),
    "state that is a truth value": (
        lambda: Model([[0], [1]]).state(True),
        "state: found True; expected an index from 0 to 1",
    ),
    "unknown state name": (
        lambda: Model([[0], [1]], states=["x", "y"]).state("z"),
        "state: found 'z'; expected one of 'x', 'y', or an index from 0 to 1",
    ),
    "unknown state name among many": (
        lambda: Model([[0]] * 6, states="abcdef").state("z"),
        "state: found 'z'; expected one of 'a', 'b', 'c', 'd', 'e', ..., or an index from 0 to 5",
    ),
    "state that is a list": (
        lambda: Model([[0], [1]]).state([0]),  # type: ignore[arg-type]
        "state: found [0]; expected an index from 0 to 1",
    ),
    "state that is a tuple with a list in it": (
        lambda: Model([[0], [1]]).state(("x", [0])),
        "state: found ('x', [0]); expected an index from 0 to 1",
    ),
    "unknown action": (
        lambda: Model([[0]], actions=["go"]).action("run"),
        "action: found 'run'; expected one of 'go', 'STAY', or an index from 0 to 1",
    ),
    "successor of a stochastic model": (
        lambda: Model(transitions=[np.eye(2)]).successor,
        "model: found stochastic transitions; expected a deterministic model",
    ),
}


@each(FAULTS)
def test_faulty_model_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_rows_may_be_off_by_what_decimals_cost() -> None:
    thirds = Model(transitions=[[[0.333333333, 0.333333333, 0.333333334]] * 3])
    assert thirds.available.all()
