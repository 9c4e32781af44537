"""The iterative solver for large systems, forced on small ones and tried on one of its own size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given

from askwise.divergence.edp import agreement
from askwise.model import GridWorld, urop
from askwise.model import chain as expected_module
from askwise.model.chain import AbsorbingChain, direct_solve, expected_steps, iterative_solve, proven_bound
from tests import exact
from tests.exact import Law
from tests.small_models import absorbing_chain, chains


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
