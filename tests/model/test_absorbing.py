"""Which states leak, which are trapped, and from where the chain may never end."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from askwise.model.chain import AbsorbingChain
from tests import exact
from tests.exact import Law
from tests.small_models import absorbing_chain, chains


@given(chains())
def test_trapped_and_infinite_states(rows: list[Law]) -> None:
    chain = absorbing_chain(rows)
    assert set(np.flatnonzero(chain.trapped)) == exact.trapped(rows)
    assert set(np.flatnonzero(chain.infinite)) == exact.infinite(rows)


@given(chains())
def test_steps_to_the_nearest_leak(rows: list[Law]) -> None:
    steps = absorbing_chain(rows).steps_to_leak.tolist()
    front, expected, t = exact.leaking(rows), [-1] * len(rows), 0
    while front:
        for s in front:
            expected[s] = t
        t += 1
        front = {s for s, row in enumerate(rows) if expected[s] < 0 and front & set(row)}
    assert steps == expected


@given(st.data(), chains())
def test_reachable_states_begin_with_the_state_itself(data: st.DataObject, rows: list[Law]) -> None:
    start = data.draw(st.integers(0, len(rows) - 1))
    reached = absorbing_chain(rows).reachable_from(start).tolist()
    assert reached[0] == start
    assert len(reached) == len(set(reached))
    assert set(reached) == exact.closure(rows)[start]


@given(st.data(), chains())
def test_restriction_to_what_can_be_reached(data: st.DataObject, rows: list[Law]) -> None:
    chain = absorbing_chain(rows)
    states = chain.reachable_from(data.draw(st.integers(0, len(rows) - 1)))
    part = chain.restricted_to(states)
    assert part.size == states.size
    assert part.leaks.tolist() == [s in exact.leaking(rows) for s in states]
    expected = [[float(rows[s].get(t, 0)) for t in states] for s in states]
    assert part.matrix.toarray().tolist() == expected


def test_a_leak_is_what_is_said_to_be_one_whatever_rounding_says() -> None:
    """Both rows add up to 1.0 as floats, but only one of the states has a leak."""
    matrix = sparse.csr_array(np.eye(2))
    chain = AbsorbingChain(matrix, np.array([True, False]))
    assert chain.infinite.tolist() == [False, True]


def test_an_edge_whose_probability_underflowed_is_still_an_edge() -> None:
    """0 may go to 1, where nothing ends, with a probability that rounds to 0."""
    matrix = sparse.csr_array(([0.0, 1.0], [1, 1], [0, 1, 2]), shape=(2, 2))
    chain = AbsorbingChain(matrix, np.array([True, False]))
    assert chain.infinite.tolist() == [True, True]
    assert chain.restricted_to(np.array([0, 1])).infinite.tolist() == [True, True]
    assert chain.reachable_from(0).tolist() == [0, 1]
