"""PPO networks on a grid, tabulated: what is sampled agrees with proven bounds. Run by ``make rl``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.sampled import (
    EVIDENCE,
    ManyGrids,
    OneGrid,
    as_policy,
    networks,
    pairs,
    proven_bounds,
    simulate,
    tabulate,
)

import askwise


@pytest.fixture(scope="module")
def nets() -> dict[str, Any]:
    return networks(4_096)


@pytest.fixture(scope="module")
def tables(nets: dict[str, Any]) -> dict[str, Any]:
    return {goal: tabulate(model) for goal, model in nets.items()}


def test_intervals_overlap_proven_bounds(tables: dict[str, Any]) -> None:
    policies = {goal: as_policy(rows) for goal, rows in tables.items()}
    found = askwise.sampled_divergence(ManyGrids(400), policies, horizon=2_000, evidence=EVIDENCE, seed=0)
    for other, truth in pairs(tables):
        low, high = proven_bounds(tables[other], tables[truth], within=0.02)
        pair = found.pair(other, truth)
        assert pair.narrow
        # Six intervals of 95 %: one of them may miss its value by a little.
        assert pair.interval.low - pair.interval.half_width / 2 <= high
        assert pair.interval.high + pair.interval.half_width / 2 >= low


def test_networks_and_their_tables_give_the_same_runs(nets: dict[str, Any], tables: dict[str, Any]) -> None:
    """Both draw actions from the same random numbers; rounding in 32 bits may differ now and then."""
    options: dict[str, Any] = {"runs": 300, "horizon": 100, "seed": 0, "lanes": 100}
    as_networks = askwise.sampled_edp(OneGrid, nets["east"], nets["north west"], **options)
    as_tables = askwise.sampled_edp(OneGrid, as_policy(tables["east"]), as_policy(tables["north west"]), **options)
    assert (as_networks.steps == as_tables.steps).mean() > 0.97


def test_the_policy_that_is_followed_is_seldom_ruled_out(tables: dict[str, Any]) -> None:
    for other, truth in pairs(tables):
        _, wrong = simulate(tables[other], tables[truth], 20_000, 100, np.random.default_rng(1))
        assert wrong.mean() <= EVIDENCE + 0.006  # four standard errors
