"""Exact and sampled costs with teammates that follow policies: a sample of `tests/torture/test_evaluation.py`."""

from __future__ import annotations

import pytest

from askwise.play.situation_chain import may_circle
from tests.play.with_policies import FAMILIES, Compared, Settled, compare, drawn

QUICK = ["never", "cost-prob", "informed"]


@pytest.mark.parametrize("family", FAMILIES)
def test_exact_and_sampled_costs_agree(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askwise.methods.base.generator", lambda _: Settled())
    found = Compared()
    compare(family, 1, QUICK, 20, found)
    assert found.compared >= 2


@pytest.mark.parametrize("family", FAMILIES)
def test_circles_are_seen(family: str) -> None:
    assert all(may_circle(drawn(family, seed)) == FAMILIES[family][2] for seed in range(5))
