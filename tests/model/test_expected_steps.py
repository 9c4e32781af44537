"""Expected steps until a chain ends: every method against exact elimination."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from askwise.errors import NotConvergedError
from askwise.model import chain as expected_module
from askwise.model.chain import METHODS, AbsorbingChain, expected_steps
from tests import exact
from tests.exact import Law, floats
from tests.refused import Fault, assert_refused, each
from tests.small_models import KNOWN, ONE, Known, absorbing_chain, chains

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
