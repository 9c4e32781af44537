"""Exact and sampled costs of all methods agree on 210 problems, with teammates of every kind."""

from __future__ import annotations

import pytest

from tests.play.with_policies import FAMILIES, METHODS, Compared, Settled, compare

PROBLEMS = 30
"""The number of problems of each of the seven families."""
AT_ONCE = 4
"""The number of methods per problem; they rotate, so that all eleven play in every family."""


@pytest.mark.parametrize("family", FAMILIES)
def test_exact_and_sampled_costs_agree(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askwise.methods.base.generator", lambda _: Settled())
    found = Compared()
    for seed in range(PROBLEMS):
        methods = [METHODS[(AT_ONCE * seed + k) % len(METHODS)] for k in range(AT_ONCE)]
        compare(family, seed, methods, 20, found)
    print(f"{family}: {PROBLEMS} problems, {found}")
    assert found.compared + found.endless == AT_ONCE * PROBLEMS
