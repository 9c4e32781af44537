"""The costs of the methods in the paper's setting, and whether the orderings that the paper claims hold.

20 x 20 cells, 50 stations, 5 toolboxes, 100 maps, base cost 0.5; three priors and three prices. All methods meet the
same maps, goals and worker paths. For the prior `far` the table also has the ranges that two independent
reimplementations of the paper reported. Claimed orderings are judged by paired differences.
"""

from __future__ import annotations

from statistics import mean

import numpy as np

from askwise import simulate
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from benchmarks.tools.report import Column, Table, number, progress

MAPS = 100
PRIORS = ("far", "uniform", "near")
PRICES = (0.0, 0.2, 0.5)
METHODS = ("never", "baseline", "toolbox", "cost-prob", "ezq", "ezq-local")
REIMPLEMENTED = {
    "never": ("15.9 to 16.7",) * 3,
    "baseline": ("2.3", "9.3", "19.9"),
    "toolbox": ("2.7 to 3.5", "9.4 to 10.1", "19.4 to 20.1"),
    "cost-prob": ("1.5", "5.0 to 5.9", "5.6 to 6.9"),
    "ezq": ("1.2 to 1.3", "2.5", "3.1"),
}
Costs = dict[tuple[str, float, str], "np.ndarray[tuple[int], np.dtype[np.float64]]"]


def run(quick: bool) -> list[Table]:
    """Play every condition, and judge the orderings."""
    episodes = 20 if quick else 200
    costs: Costs = {}
    questions: dict[tuple[str, float, str], float] = {}
    for prior in PRIORS:
        for price in PRICES:
            progress(f"paper-setting: prior {prior}, price {price:g}, {episodes} episodes for each method")
            for method in METHODS:
                played = [_episode(prior, price, method, k) for k in range(episodes)]
                costs[prior, price, method] = np.array([cost for cost, _ in played])
                questions[prior, price, method] = mean(asked for _, asked in played)
    return [_means(costs, questions, episodes), _orderings(costs)]


def _episode(prior: str, price: float, method: str, k: int) -> tuple[float, int]:
    instance = generate(seed=k % MAPS, prior=Prior(prior), query_cost=QueryCost(0.5, price))
    episode = simulate(ToolFetching(instance), method, seed=1000 + k)
    return episode.marginal_cost, len(episode.questions)


def _means(costs: Costs, questions: dict[tuple[str, float, str], float], episodes: int) -> Table:
    table = Table(
        "Marginal cost in the paper's setting",
        [
            Column("prior"),
            number("price per station", 2),
            Column("method"),
            number("mean", 3),
            number("standard error", 2),
            number("questions", 3),
            Column("reimplementations"),
        ],
        notes=[f"{episodes} episodes per condition on {MAPS} maps; the same maps, goals and paths for all methods"],
    )
    for (prior, price, method), values in costs.items():
        error = float(values.std(ddof=1) / np.sqrt(values.size))
        known = REIMPLEMENTED[method][PRICES.index(price)] if prior == "far" and method in REIMPLEMENTED else ""
        table.rows.append([prior, price, method, float(values.mean()), error, questions[prior, price, method], known])
    return table


def _orderings(costs: Costs) -> Table:
    """Judge the orderings in the paper's text: which method is cheaper than which, under which conditions."""
    table = Table(
        "Orderings claimed in the paper's text",
        [Column("claim"), Column("condition"), number("difference", 3), number("standard error", 2), Column("verdict")],
        notes=["difference: mean paired difference, first minus second; holds if it is below 0 by two standard errors"],
    )
    claims = [("ezq", other, "far", price) for price in (0.2, 0.5) for other in METHODS[:4]]
    claims += [("ezq", other, "uniform", price) for price in (0.2, 0.5) for other in ("baseline", "toolbox", "never")]
    claims += [("ezq", "never", "near", price) for price in PRICES]
    claims += [("never", other, prior, 0.5) for prior in ("uniform", "near") for other in ("baseline", "toolbox")]
    for first, second, prior, price in claims:
        differences = costs[prior, price, first] - costs[prior, price, second]
        gap = float(differences.mean())
        error = float(differences.std(ddof=1) / np.sqrt(differences.size))
        verdict = "holds" if gap < -2 * error else "does not hold" if gap > 2 * error else "not clear"
        table.rows.append([f"{first} cheaper than {second}", f"{prior}, {price:g}", gap, error, verdict])
    return table
