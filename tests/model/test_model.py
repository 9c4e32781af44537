"""Models: what they keep, how they number things, what they compute from their tables."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.model import Model
from tests.exact import Plain, floats
from tests.small_models import deterministic_model, graphs, policies, stochastic_model, stochastic_models

TRIANGLE = [("home", "walk", "shop"), ("shop", "walk", "work"), ("work", "ride", "home"), ("home", "ride", "work")]


def test_from_edges_numbers_names_in_order_of_first_appearance() -> None:
    model = Model.from_edges(TRIANGLE)
    assert [model.name(s) for s in range(model.n_states)] == ["home", "shop", "work"]
    assert model.actions == ("walk", "ride", "STAY")
    assert model.successor.tolist() == [[1, 2, 0], [2, -1, 1], [-1, 0, 2]]


def test_from_edges_numbers_the_given_states_first_and_keeps_those_without_edges() -> None:
    model = Model.from_edges(TRIANGLE, states=["island", "work"])
    assert [model.name(s) for s in range(model.n_states)] == ["island", "work", "home", "shop"]
    assert model.available.tolist()[0] == [False, False, True]


def test_from_edges_takes_the_given_states_from_an_array() -> None:
    model = Model.from_edges([(0, "on", 1), (1, "on", 2)], states=np.arange(3))
    assert model.successor.tolist() == [[1, 0], [2, 1], [-1, 2]]


def test_from_edges_with_probabilities_is_stochastic_and_adds_parallel_edges_up() -> None:
    model = Model.from_edges([("a", "go", "b", 0.5), ("a", "go", "a", 0.25), ("a", "go", "b", 0.25)])
    assert not model.deterministic
    assert model.transitions.toarray().tolist() == [[0.25, 0.75], [1, 0], [0, 0], [0, 1]]
    assert model.available.tolist() == [[True, True], [False, True]]


def test_an_edge_may_be_written_twice() -> None:
    assert Model.from_edges([("a", "go", "b"), ("a", "go", "b")]).successor.tolist() == [[1, 0], [-1, 1]]


def test_states_are_found_by_name_and_by_index() -> None:
    model = Model.from_edges(TRIANGLE)
    assert model.state("work") == model.state(2) == model.state(np.int64(2)) == 2
    assert model.action("ride") == model.action(1) == 1


def test_integers_that_are_names_are_never_taken_for_indices() -> None:
    model = Model.from_edges([(10, "up", 0), (0, "up", 5)])
    assert [model.state(name) for name in (10, 0, 5)] == [0, 1, 2]
    with pytest.raises(ValueError, match=r"^state: found 1; expected one of 10, 0, 5$"):
        model.state(1)


def test_numpy_integers_that_are_names_are_never_taken_for_indices() -> None:
    model = Model([[1], [0]], states=np.array([5, 6]))
    assert [model.state(5), model.state(6)] == [0, 1]
    with pytest.raises(ValueError, match=r"^state: found 1; expected one of "):
        model.state(1)


def test_actions_have_names_even_if_none_are_given() -> None:
    assert Model([[0, -1, 0]]).actions == ("a0", "a1", "a2", "STAY")


def test_stay_may_be_among_the_actions_under_another_name() -> None:
    model = Model([[0, 1], [1, 0]], actions=["WORK", "go"], stay="WORK")
    assert (model.stay, model.actions) == (0, ("WORK", "go"))


def test_stay_is_added_where_it_is_missing() -> None:
    model = Model([[1], [0]], actions=["go"])
    assert model.successor.tolist() == [[1, 0], [0, 1]]
    assert model.stay == 1


def test_a_model_without_moves_can_stay() -> None:
    assert Model(np.empty((2, 0))).successor.tolist() == [[0], [1]]


def test_a_model_does_not_change_with_the_table_it_was_made_from() -> None:
    table = np.array([[0, 1], [1, 0]], dtype=np.int32)
    model = Model(table, actions=["STAY", "go"])
    table[0, 1] = 0
    assert model.successor.tolist() == [[0, 1], [1, 0]]


def test_arrays_of_a_model_are_read_only() -> None:
    model = Model([[0]])
    with pytest.raises(ValueError, match="read-only"):
        model.successor[0, 0] = 0
    with pytest.raises(ValueError, match="read-only"):
        model.available[0, 0] = False


def test_repr_says_what_it_is() -> None:
    assert repr(Model([[0], [1]])) == "<Model: 2 states, 2 actions, deterministic>"
    assert repr(Model(transitions=[np.eye(3)])) == "<Model: 3 states, 2 actions, stochastic>"


@pytest.mark.parametrize("edges", [TRIANGLE, [(*edge, 1.0) for edge in TRIANGLE]])
def test_pickling_keeps_a_model(edges: list[tuple[object, ...]]) -> None:
    model = Model.from_edges(edges)
    again = pickle.loads(pickle.dumps(model))
    assert again.actions == model.actions
    assert [again.name(s) for s in range(3)] == [model.name(s) for s in range(3)]
    assert again.deterministic == model.deterministic
    assert (again.transitions != model.transitions).nnz == 0


@given(graphs())
def test_transitions_of_a_deterministic_model(plain: Plain) -> None:
    assert deterministic_model(plain).transitions.toarray().tolist() == _dense(plain)


@given(stochastic_models())
def test_transitions_of_a_stochastic_model(plain: Plain) -> None:
    model = stochastic_model(plain)
    assert model.transitions.toarray().tolist() == _dense(plain)
    assert model.available.tolist() == [[bool(law) for law in row] for row in plain.law]


@given(graphs())
def test_predecessors_list_every_edge_backwards_but_self_loops(plain: Plain) -> None:
    indptr, indices = deterministic_model(plain).predecessors
    found = Counter((int(s), t) for t in range(plain.n_states) for s in indices[indptr[t] : indptr[t + 1]])
    edges = [(s, plain.successor(s, a)) for s in range(plain.n_states) for a in plain.available(s)]
    assert found == Counter((s, t) for s, t in edges if s != t)


@given(st.data(), stochastic_models())
def test_mix_is_the_weighted_sum_of_the_actions(data: st.DataObject, plain: Plain) -> None:
    weights = floats(data.draw(policies(plain)))
    law = np.array(_dense(plain)).reshape(plain.n_states, plain.n_actions, plain.n_states)
    mixed = stochastic_model(plain).mix(weights)
    np.testing.assert_array_equal(mixed.toarray(), np.einsum("sa,sat->st", weights, law))


def test_mix_keeps_what_is_possible_even_if_its_probability_underflows() -> None:
    model = Model.from_edges([("a", "go", "b", 1e-200), ("a", "go", "a", 1.0)])
    mixed = model.mix([[1e-200, 0], [0, 1]])
    assert mixed.indices.tolist() == [0, 1, 1]
    assert mixed.data.tolist() == [1e-200, 0.0, 1.0]


def _dense(plain: Plain) -> list[list[float]]:
    """Row ``s * n_actions + a``: the law of the next state."""
    return [[float(law.get(t, 0)) for t in range(plain.n_states)] for row in plain.law for law in row]
