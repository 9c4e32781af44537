"""Bounds on divergence by evidence contain the truth on 500 random models, and tighten as requested.

The truth is estimated by simulation, which shares no code with the bounds. `tests/divergence/test_evidence.py` checks a
few of these models in every run of the tests.
"""

from __future__ import annotations

import math

import pytest

import askwise
from tests.divergence.test_evidence import check_case, random_case

MODELS, BATCH = 500, 50


@pytest.mark.parametrize("first", range(0, MODELS, BATCH))
def test_bounds_contain_the_simulated_mean(first: int) -> None:
    for seed in range(first, first + BATCH):
        assert check_case(seed, 4000) <= 0.02


@pytest.mark.parametrize("first", range(0, MODELS, BATCH))
def test_bounds_tighten_as_requested_and_never_contradict_each_other(first: int) -> None:
    """Lattices of different widths are not nested, so neither are their bounds; but all contain the same value."""
    for seed in range(first, first + BATCH, 5):
        model, other, truth, evidence = random_case(seed)
        widths = (0.2, 0.02, 0.005)
        found = [askwise.edp(model, other, truth, 0, evidence=evidence, within=w).bounds for w in widths]
        if math.isinf(found[0][0]):
            assert found == [(math.inf, math.inf)] * 3, seed
            continue
        assert max(low for low, _ in found) <= min(high for _, high in found), seed
        for (low, high), width in zip(found, widths, strict=True):
            assert low <= high <= low * (1 + width), seed
