"""Exact and sampled costs of all methods agree beside teammates with policies of every kind, on 210 problems."""

from __future__ import annotations

import pytest

from tests.evaluation.with_policies import FAMILIES, METHODS, Compared, Settled, compare

PROBLEMS = 30
"""For each of seven families."""


@pytest.mark.parametrize("family", FAMILIES)
def test_exact_and_sampled_costs_agree(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askwise.methods.base.generator", lambda _: Settled())
    found = Compared()
    for seed in range(PROBLEMS):
        compare(family, seed, METHODS, 20, found)
    print(f"{family}: {PROBLEMS} problems, {found}")
    assert found.compared >= 2 * PROBLEMS
