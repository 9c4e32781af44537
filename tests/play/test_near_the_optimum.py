"""The planners compared exactly with the optimum: with the exact search for few goals, and without it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from askwise import evaluate, solve
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods.planning_agents import PlannerAgent
from askwise.planning.settings import SETTINGS

CASES = [(prior, price, seed) for prior in ("far", "uniform", "near") for price in (0.0, 0.2, 0.5) for seed in range(3)]


def problems() -> list[ToolFetching]:
    return [
        ToolFetching(
            generate(
                size=9, stations=8, walls=0.15 * (seed % 2), prior=prior, query_cost=QueryCost(0.5, price), seed=seed
            )
        )
        for prior, price, seed in CASES
    ]


@pytest.fixture(scope="module")
def optima() -> list[float]:
    return [solve(problem).expected_marginal_cost for problem in problems()]


@pytest.mark.parametrize(
    ("setting", "alone", "most"),
    [("full", False, 1.0005), ("light", False, 1.01), ("full", True, 1.003), ("light", True, 1.025)],
)
def test_never_below_and_hardly_above(setting: str, alone: bool, most: float, optima: list[float]) -> None:
    found = []
    for problem in problems():
        agent = PlannerAgent(setting=setting)
        if alone:
            agent.setting = replace(SETTINGS[setting][0], endgame=0)
        found.append(evaluate(problem, agent, exact=True).expected_marginal_cost)
    assert (np.array(found) >= np.array(optima) - 1e-9).all()
    assert sum(found) <= most * sum(optima)
