"""Absorbing chains: states that never end, proven bounds, and every solver against exact elimination."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from askwise.divergence.agreement import agreement
from askwise.errors import NotConvergedError
from askwise.model import GridWorld, urop
from askwise.model import chain as expected_module
from askwise.model.chain import (
    METHODS,
    AbsorbingChain,
    direct_solve,
    expected_steps,
    iterative_solve,
    longest_path,
    proven_bound,
)
from tests import exact
from tests.exact import Law, floats
from tests.refused import Fault, assert_refused, each
from tests.small_models import KNOWN, ONE, Known, absorbing_chain, chains


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


COIN: list[Law] = [{0: Fraction(3, 4)}]


def _true_values(rows: list[Law]) -> list[Fraction]:
    values = exact.expected_steps(rows)
    return [v for v in values if isinstance(v, Fraction)]


def _true_error(rows: list[Law], values: NDArray[np.float64]) -> Fraction:
    true = _true_values(rows)
    return max(abs(Fraction(v) - t) / t for v, t in zip(values.tolist(), true, strict=True))


@given(st.data(), chains())
def test_bound_of_wrong_values_is_never_below_their_error(data: st.DataObject, rows: list[Law]) -> None:
    assume(not exact.infinite(rows))
    true = _true_values(rows)
    factors = data.draw(st.lists(st.floats(0.5, 1.5), min_size=len(rows), max_size=len(rows)))
    values = np.array([float(v) * f for v, f in zip(true, factors, strict=True)])
    _, bound = proven_bound(absorbing_chain(rows).matrix, values)
    assert _true_error(rows, values) <= Fraction(bound) if np.isfinite(bound) else bound == np.inf


@given(st.data(), chains())
def test_bound_of_slightly_wrong_values_is_never_below_their_error(data: st.DataObject, rows: list[Law]) -> None:
    """Errors of a few units in the last place: here the rounding of the residual itself matters."""
    assume(not exact.infinite(rows))
    values = np.array([float(v) for v in _true_values(rows)])
    for k in range(len(rows)):
        for _ in range(data.draw(st.integers(0, 3))):
            values[k] = np.nextafter(values[k], np.inf)
    _, bound = proven_bound(absorbing_chain(rows).matrix, values)
    assert _true_error(rows, values) <= Fraction(bound) < 1e-10


@given(chains())
def test_bound_of_the_right_values_is_tiny(rows: list[Law]) -> None:
    assume(not exact.infinite(rows))
    values = np.array([float(v) for v in _true_values(rows)])
    residual, bound = proven_bound(absorbing_chain(rows).matrix, values)
    assert 0 <= residual <= bound < 1e-10


@pytest.mark.parametrize("garbage", [np.nan, np.inf, -np.inf, 0.0, -4.0, 1e300, 9.0])
def test_garbage_proves_nothing(garbage: float) -> None:
    assert proven_bound(absorbing_chain(COIN).matrix, np.array([garbage]))[1] == np.inf


def test_a_chain_that_never_ends_proves_nothing_for_any_values() -> None:
    endless = absorbing_chain([{0: ONE}]).matrix
    for value in (1.0, 1e3, 1e9, 1e18):
        assert proven_bound(endless, np.array([value]))[1] == np.inf


def test_residual_is_the_largest_one() -> None:
    residual, bound = proven_bound(absorbing_chain([*COIN, {}]).matrix, np.array([4.5, 1.0]))
    assert residual == 0.125
    assert bound == pytest.approx(0.125, abs=1e-12)


def test_values_in_any_order_of_magnitude() -> None:
    """A chain that goes on with probability 1 - 2**-30: the answer is about 1e9."""
    rows: list[Law] = [{0: 1 - Fraction(1, 2**30)}]
    values = np.array([2.0**30 * (1 + 1e-12)])
    _, bound = proven_bound(absorbing_chain(rows).matrix, values)
    assert _true_error(rows, values) <= Fraction(bound)
    assert bound < 1e-5


@given(chains())
def test_longest_path_of_random_chains(rows: list[Law]) -> None:
    assert longest_path(absorbing_chain(rows)).tolist() == [exact.longest_path(rows, s) for s in range(len(rows))]


@given(chains())
def test_longest_path_of_acyclic_chains(rows: list[Law]) -> None:
    rows = [{t: p for t, p in row.items() if t > s} for s, row in enumerate(rows)]
    assert longest_path(absorbing_chain(rows)).tolist() == [exact.longest_path(rows, s) for s in range(len(rows))]


def test_only_what_leads_into_the_cycle_is_infinite() -> None:
    rows: list[Law] = [{1: ONE}, {1: ONE}, {3: ONE}, {}]
    assert longest_path(absorbing_chain(rows)).tolist() == [float("inf"), float("inf"), 2, 1]


@given(chains(max_states=8))
def test_its_proven_bound_bounds_the_true_error(rows: list[Law]) -> None:
    assume(not exact.infinite(rows))
    chain = absorbing_chain(rows)
    values, _ = iterative_solve(chain, 1e-9, 100_000)
    _, bound = proven_bound(chain.matrix, values)
    assert bound <= 1e-9
    for value, true in zip(values.tolist(), exact.expected_steps(rows), strict=True):
        assert abs(Fraction(value) - Fraction(true)) <= Fraction(bound) * Fraction(true)


def _slippery_chain(side: int, slip: float) -> AbsorbingChain:
    """Two goals at the far wall of a slippery floor, where moves come back: a chain full of cycles."""
    grid = GridWorld(side, side)
    ruled_out, followed = urop(grid, (side - 1, side // 2)), urop(grid, (side - 1, 3 * side // 4))
    return agreement(grid.slippery(slip), followed.probabilities, ruled_out.support, None).chain


@pytest.mark.parametrize("slip", [0.1, 0.5, 0.9, 1.0])
def test_it_agrees_with_the_factorisation(slip: float) -> None:
    chain = _slippery_chain(30, slip)
    finite = np.flatnonzero(~chain.infinite)
    chain = chain.restricted_to(finite)
    direct, (values, _) = direct_solve(chain), iterative_solve(chain, 1e-9, 1_000_000)
    _, bound = proven_bound(chain.matrix, values)
    _, direct_bound = proven_bound(chain.matrix, direct)
    assert bound <= 1e-9
    np.testing.assert_allclose(values, direct, rtol=2 * (bound + direct_bound))


def test_large_systems_are_iterated(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = _slippery_chain(12, 0.5)
    direct, direct_verdict = expected_steps(chain, method="solve")
    monkeypatch.setattr(expected_module, "DIRECT_LIMIT", 10)
    found, verdict = expected_steps(chain, method="solve")
    assert direct_verdict.method == "sparse factorisation"
    assert verdict.method != direct_verdict.method
    assert verdict.iterations > 1
    assert verdict.converged
    np.testing.assert_allclose(found, direct, rtol=1e-8)


def test_an_unreachable_tolerance_ends_with_what_can_be_proven() -> None:
    chain = _slippery_chain(12, 0.5)
    found, verdict = expected_steps(chain, method="sweep", tolerance=1e-30, max_iterations=3000)
    assert not verdict.converged
    assert 0 < verdict.error_bound < 1e-9
    values, steps = iterative_solve(chain, 1e-30, 1_000_000)
    assert steps < 1_000_000
    np.testing.assert_allclose(values, found, rtol=1e-9)


def test_few_steps_give_a_rough_value_with_an_honest_bound() -> None:
    chain = _slippery_chain(30, 0.9)
    true = direct_solve(chain)
    values, _ = iterative_solve(chain, 1e-12, 1)
    _, bound = proven_bound(chain.matrix, values)
    assert np.isinf(bound) or (np.abs(values - true) <= (bound + 1e-9) * true).all()


TOLERANCE = 1e-9
LOOP: list[Law] = [{1: ONE}, {0: Fraction(1, 2)}]


def _relative_errors(found: np.ndarray[tuple[int], np.dtype[np.float64]], rows: list[Law]) -> list[float]:
    """Exact relative errors of the finite values; infinities must be where they belong."""
    errors = []
    for value, true in zip(found.tolist(), exact.expected_steps(rows), strict=True):
        if isinstance(true, Fraction):
            errors.append(float(abs(Fraction(value) - true) / true))
        else:
            assert value == true
    return errors


@pytest.mark.parametrize("method", ["auto", "solve", "sweep"])
@given(rows=chains())
def test_every_method_finds_the_exact_values(method: str, rows: list[Law]) -> None:
    found, verdict = expected_steps(absorbing_chain(rows), method=method, tolerance=TOLERANCE)
    errors = _relative_errors(found, rows)
    # An exact verdict leaves rounding only; any other one proves its bound.
    assert max(errors, default=0.0) <= (1e-13 if verdict.exact else verdict.error_bound)
    assert verdict.converged
    assert verdict.error_bound <= TOLERANCE


@given(rows=chains())
def test_one_pass_where_the_chain_is_acyclic(rows: list[Law]) -> None:
    rows = [{t: p for t, p in row.items() if t > s} for s, row in enumerate(rows)]
    found, verdict = expected_steps(absorbing_chain(rows), method="pass")
    assert max(_relative_errors(found, rows), default=0.0) <= 1e-15
    assert (verdict.exact, verdict.method) == (True, "one backward pass")


WAYS = [(known, method) for known in KNOWN for method in METHODS if known.acyclic or method != "pass"]


@pytest.mark.parametrize(("known", "method"), WAYS, ids=str)
def test_known_answers(known: Known, method: str) -> None:
    chain = absorbing_chain(exact.agreement(known.plain, known.ruled_out, known.followed))
    found, _ = expected_steps(chain, method=method)
    np.testing.assert_allclose(found, floats(known.edp), rtol=1e-8)


def test_auto_passes_where_it_can_and_solves_where_it_must() -> None:
    assert str(expected_steps(absorbing_chain([{1: ONE}, {}]))[1]) == "exact, one backward pass"
    _, verdict = expected_steps(absorbing_chain(LOOP))
    assert (verdict.method, verdict.exact, verdict.iterations) == ("sparse factorisation", False, 1)


def test_the_cyclic_part_may_be_the_infinite_one() -> None:
    """State 2 goes round for ever; the finite part has no cycle, so one pass is enough."""
    found, verdict = expected_steps(absorbing_chain([{1: ONE}, {}, {2: ONE}]), method="pass")
    assert found.tolist() == [2, 1, np.inf]
    assert verdict.exact


@pytest.mark.parametrize("method", METHODS)
def test_infinity_everywhere_is_found_without_iterating(method: str) -> None:
    found, verdict = expected_steps(absorbing_chain([{1: ONE}, {0: ONE}]), method=method)
    assert found.tolist() == [np.inf, np.inf]
    assert verdict.exact


def test_sweeps_stop_at_the_limit_and_say_so() -> None:
    found, verdict = expected_steps(absorbing_chain(LOOP), method="sweep", max_iterations=8)
    true = floats(exact.expected_steps(LOOP))
    assert verdict.iterations == 8
    assert not verdict.converged
    assert (np.abs(found - true) <= verdict.error_bound * true).all()
    assert "the requested tolerance was not reached" in str(verdict)


def test_too_few_sweeps_to_prove_anything() -> None:
    with pytest.raises(NotConvergedError) as caught:
        expected_steps(absorbing_chain(LOOP), method="sweep", max_iterations=1)
    assert str(caught.value) == (
        "method 'sweep' (sweeps) stopped after 1 iterations with a residual of 1, from which no error bound follows; "
        "allow more with max_iterations=..., or try another method"
    )


@pytest.mark.parametrize("limit", [0, 20_000])
@pytest.mark.parametrize("method", ["solve", "sweep"])
@pytest.mark.parametrize("matrix", [[[1.0]], [[0.0, 1.0], [1.0, 0.0]]], ids=["loop", "two states"])
def test_a_leak_that_rounding_swallows_has_no_provable_answer(
    matrix: list[list[float]], method: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chain ends with certainty, but only after more steps than doubles can tell: no number, no hang."""
    monkeypatch.setattr(expected_module, "DIRECT_LIMIT", limit)
    chain = AbsorbingChain(sparse.csr_array(matrix), np.arange(len(matrix)) == 0)
    with pytest.raises(NotConvergedError):
        expected_steps(chain, method=method, max_iterations=200)


FAULTS: dict[str, Fault] = {
    "method": (
        lambda: expected_steps(absorbing_chain(LOOP), method="magic"),
        "method: found 'magic'; expected one of 'auto', 'pass', 'solve', 'sweep'",
    ),
    "tolerance of 0": (
        lambda: expected_steps(absorbing_chain(LOOP), tolerance=0.0),
        "tolerance: found 0.0; expected a number above 0",
    ),
    "tolerance that is not a number": (
        lambda: expected_steps(absorbing_chain(LOOP), tolerance=float("nan")),
        "tolerance: found nan; expected a number above 0",
    ),
    "no iterations": (
        lambda: expected_steps(absorbing_chain(LOOP), max_iterations=0),
        "max_iterations: found 0; expected a whole number from 1",
    ),
    "pass over a cycle": (
        lambda: expected_steps(absorbing_chain([{}, {1: Fraction(1, 2)}]), method="pass"),
        "method 'pass': found a chain that can return to itself from state 1; expected an acyclic chain",
    ),
}


@each(FAULTS)
def test_faulty_request_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)
