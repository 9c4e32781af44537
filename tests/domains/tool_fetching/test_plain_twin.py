"""Tool fetching, and the same problem as two plain models: equal decisions, equal optimum."""

from __future__ import annotations

import pytest

import askwise
from askwise.core.episode import Episode
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import AGENTS
from tests.tool_fetching import product_problem

PRIORS = ("uniform", "far", "near")


def instance(seed: int) -> askwise.Instance:
    """Return a 12 x 12 map; some have walls, and priors and prices vary."""
    return generate(
        width=12,
        stations=6,
        toolboxes=3,
        walls=0.15 * (seed % 2),
        prior=PRIORS[seed % 3],
        query_cost=QueryCost(0.5, (0.0, 0.2, 0.5)[seed % 3]),
        seed=seed,
    )


def decisions(episode: Episode) -> list[tuple[object, ...]]:
    """Return decisions and their values; values of equal sums may differ in their last digits."""
    return [
        (step.decision.action, step.decision.ask, step.decision.considered, step.decision.why, step.cost)
        for step in episode.steps
    ]


@pytest.mark.parametrize("method", sorted(set(AGENTS) - {"optimal"}))
def test_every_method_decides_the_same(method: str) -> None:
    for seed in range(4):
        drawn = instance(seed)
        episodes = [askwise.simulate(made(drawn), method, seed=seed) for made in (ToolFetching, product_problem)]
        assert decisions(episodes[0]) == decisions(episodes[1])


def test_the_optimum_is_the_same() -> None:
    for seed in range(4):
        drawn = instance(seed)
        one, two = (askwise.solve(made(drawn)) for made in (ToolFetching, product_problem))
        assert one.expected_marginal_cost == pytest.approx(two.expected_marginal_cost, rel=1e-12, abs=1e-12)
        assert one.expected_cost == pytest.approx(two.expected_cost, rel=1e-12)


def test_the_optimal_agent_pays_the_same() -> None:
    for seed in range(3):
        drawn = instance(seed)
        one, two = (askwise.evaluate(made(drawn), "optimal", exact=True) for made in (ToolFetching, product_problem))
        assert one.expected_marginal_cost == pytest.approx(two.expected_marginal_cost, rel=1e-12, abs=1e-12)
