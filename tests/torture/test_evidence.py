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
def test_finer_bounds_lie_within_coarser_ones(first: int) -> None:
    for seed in range(first, first + BATCH, 5):
        model, other, truth, evidence = random_case(seed)
        found = [askwise.edp(model, other, truth, 0, evidence=evidence, within=w).bounds for w in (0.2, 0.02, 0.005)]
        for (low, high), (lower, upper) in zip(found[1:], found[:-1], strict=True):
            slack = 1e-9 * low if math.isfinite(low) else 0.0
            assert lower - slack <= low <= high <= upper + slack, seed
