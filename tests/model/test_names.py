"""Models whose columns are ranks of actions: the same answers as with a column for each action."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise import Divergence, FactoredProblem, Model, Policy, dp, ecd, edp, follow, urop, wcd
from askwise.model import boltzmann, uniform_optimal
from tests.refused import assert_refused

TREE = {"a": [("l", "b"), ("r", "c")], "b": [("x", "b1"), ("y", "b2")], "c": [("x", "c1")]}
FACES = [(state, action, after) for state, steps in TREE.items() for action, after in steps]


def tree() -> Model:
    return Model.explore("a", lambda state: TREE.get(state, []))


def test_states_and_actions_are_numbered_as_they_are_met() -> None:
    model = tree()
    assert [model.name(s) for s in range(model.n_states)] == ["a", "b", "c", "b1", "b2", "c1"]
    assert model.successor.tolist() == [[1, 2, 0], [3, 4, 1], [5, -1, 2], [-1, -1, 3], [-1, -1, 4], [-1, -1, 5]]
    assert [model.action_name(s, 0) for s in (0, 1, 2)] == ["l", "x", "x"]
    assert model.action_name(2, model.stay) == "STAY"
    assert model.action_in(1, "y") == model.action_in(1, 1) == 1
    assert repr(model) == "<Model: 6 states, 5 actions, at most 3 in each>"


graphs = st.dictionaries(
    st.integers(0, 7), st.dictionaries(st.sampled_from("pqrst"), st.integers(0, 7), max_size=4), min_size=2, max_size=8
)


@settings(max_examples=25)
@given(graphs, st.integers(0, 7), st.integers(0, 7))
def test_everything_is_as_in_a_model_with_a_column_for_each_action(
    graph: dict[int, dict[str, int]], one: int, two: int
) -> None:
    sparse = Model.explore(0, lambda state: list(graph.get(state, {}).items()))
    met = [sparse.name(s) for s in range(sparse.n_states)]
    goals = [met[one % len(met)], met[two % len(met)]]
    edges = [(s, a, t) for s in met for a, t in graph.get(int(str(s)), {}).items()]
    dense = Model.from_edges(edges, states=met)
    again = sparse.with_columns()
    assert [again.action_name(0, a) for a in range(again.n_actions)] == list(again.actions)
    for make in (urop, uniform_optimal, boltzmann):
        rows = [make(model, goals[0]) for model in (sparse, dense, again)]
        for state in met:
            assert rows[0].at(state) == pytest.approx(rows[1].at(state))
            assert rows[0].at(state) == pytest.approx(rows[2].at(state))
    families = [Divergence(model, goals) for model in (sparse, dense)]
    for left, right in zip(*(family.matrices_at(0, partial=True) for family in families), strict=True):
        np.testing.assert_array_equal(left, right)
    np.testing.assert_array_equal(families[0].edp_table(), families[1].edp_table())
    for metric in (edp, wcd):
        left, right = (np.asarray(metric(model, *goals)) for model in (sparse, dense))
        np.testing.assert_allclose(left, right, rtol=1e-12)
    left, right = (np.asarray(ecd(model, goals)) for model in (sparse, dense))
    np.testing.assert_allclose(left, right, rtol=1e-12)


def test_trajectories_and_learning_by_name() -> None:
    model = tree()
    way = follow(model, "a", ["l", "y"])
    assert way == [("a", "l"), ("b", "y")]
    assert dp(urop(model, "b1"), way) == 2
    learned = Policy.from_trajectories(model, [way, way], smoothing=0)
    assert learned.at("b") == {"y": 1.0}
    assert_refused(
        lambda: follow(model, "a", ["l", "r"]), "action 2: found 'r'; expected an action available in state 'b'"
    )


def test_labels_survive_pickle_and_cannot_be_changed() -> None:
    model = pickle.loads(pickle.dumps(tree()))
    assert model.action_name(0, 1) == "r"
    with pytest.raises(ValueError, match="read-only"):
        model.labels.table[0, 0] = 3


def test_problems_name_what_the_teammate_does() -> None:
    from askwise.core.problem import all_teammate_names, teammate_does, teammate_names

    ego = Model.explore("o", lambda state: [(goal, goal) for goal in ("b1", "b2", "c1")] if state == "o" else [])
    problem = FactoredProblem(["b1", "b2", "c1"], None, tree(), ["b1", "b2", "c1"], ego, ["b1", "b2", "c1"], ("a", "o"))
    assert teammate_does(problem, 2, 0) == "x"
    assert teammate_names(problem, 2) == ("x", "", "STAY")
    assert all_teammate_names(problem) == ("l", "r", "x", "y", "STAY")
    assert problem.ego.actions.names == ("b1", "b2", "c1", "STAY")  # decisions are read without a state beside them


REFUSED = {
    "too many states": (
        lambda: Model.explore(0, lambda s: [("on", s + 1)], max_states=10),
        "model: found more reachable states; expected at most 10 (raise it with max_states=...)",
    ),
    "an action twice": (
        lambda: Model.explore(0, lambda _: [("go", 1), ("go", 2)]),
        "step(0): found the action 'go' twice; expected each action once: they are deterministic",
    ),
    "staying": (
        lambda: Model.explore(0, lambda _: [("STAY", 0)]),
        "step(0): found the action 'STAY'; expected a hashable name other than 'STAY', which every state has",
    ),
    "no pairs": (lambda: Model.explore(0, lambda _: 3), "step(0): found 3; expected pairs (action, next state)"),  # type: ignore[arg-type, return-value]
    "no pair": (lambda: Model.explore(0, lambda _: [3]), "step(0): found 3; expected pairs (action, next state)"),  # type: ignore[list-item]
    "a list as a state": (
        lambda: Model.explore(0, lambda _: [("go", [1])]),
        "step(0): found [1]; expected a state that is hashable, such as a tuple or a string",
    ),
    "labels of another shape": (
        lambda: Model([[1], [0]], labels=[[0, 1]], actions=["a"]),
        "labels: found a table of shape (1, 2); expected (2, 1), as the successors",
    ),
    "a label that nobody has": (
        lambda: Model([[1], [0]], labels=[[0], [5]], actions=["a"]),
        "label of state 1, rank 0: found 5; expected a number from 0 to 0",
    ),
    "a label twice": (
        lambda: Model([[1, 0], [0, 1]], labels=[[0, 0], [0, 1]], actions=["a", "b"]),
        "labels of state 0: found 0 twice; expected each action once",
    ),
}


@pytest.mark.parametrize(("attempt", "message"), REFUSED.values(), ids=REFUSED)
def test_faults_are_refused(attempt, message: str) -> None:  # type: ignore[no-untyped-def]
    assert_refused(attempt, message)


def test_progress_is_told_now_and_then() -> None:
    told: list[int] = []
    Model.explore(0, lambda s: [("on", s + 1)] if s < 25_000 else [], progress=told.append)
    assert told == [10_001, 20_001]
