"""Teammates that are not what the methods assume: whether every episode ends, and what it costs.

20 x 20 cells, 50 stations, 5 toolboxes, prior far, base cost 0.5, 0.2 for a station. All methods believe `robust`,
which allows for teammates that do just anything now and then.

`informed` knows the goal from the start: what its episodes cost is the teammate's own detours, and what the others cost
beyond that is what not knowing costs.
"""

from __future__ import annotations

import numpy as np

from askwise import simulate
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from benchmarks.pool import process_pool
from benchmarks.report import Column, Table, count, number, progress

TEAMMATES = ("urop", "uniform", "noisy:0.1", "noisy:0.3", "via", "boltzmann:2")
METHODS = ("informed", "never", "baseline", "toolbox", "cost-prob", "ezq", "ezq-local", "planner-light", "planner")

BELIEFS = {"informed": None}
"""Who knows the goal takes no belief."""

Job = tuple[str, str, int]


def costs_of(job: Job) -> list[float]:
    """Return the marginal costs of some episodes; nan where one did not end."""
    method, teammate, episodes = job
    costs = []
    for k in range(episodes):
        drawn = generate(seed=k, prior=Prior("far"), query_cost=QueryCost(0.5, 0.2))
        costs.append(
            simulate(
                ToolFetching(drawn), method, teammate, seed=1000 + k, belief=BELIEFS.get(method, "robust")
            ).marginal_cost
        )
    return costs


def run(quick: bool) -> list[Table]:
    """Play every method with every teammate."""
    episodes = 2 if quick else 100
    table = Table(
        f"Teammates that break the assumptions ({episodes} episodes a cell, belief robust)",
        [
            Column("teammate"),
            Column("method"),
            number("mean marginal cost", 3),
            number("informed", 3),
            number("beyond informed", 3),
            number("standard error", 2),
            count("ended"),
            count("episodes"),
        ],
    )
    jobs = [(method, teammate, episodes) for teammate in TEAMMATES for method in METHODS]
    knowing: dict[str, float | None] = {}
    with process_pool() as pool:
        for (method, teammate, _), costs in zip(jobs, pool.map(costs_of, jobs), strict=True):
            progress(f"robustness: {teammate}, {method}")
            ended = np.array([cost for cost in costs if not np.isnan(cost)])
            error = float(ended.std(ddof=1) / np.sqrt(ended.size)) if ended.size > 1 else None
            mean = float(ended.mean()) if ended.size else None
            if method == "informed":
                knowing[teammate] = mean
            least = knowing[teammate]
            beyond = None if mean is None or least is None else mean - least
            table.rows.append([teammate, method, mean, least, beyond, error, int(ended.size), len(costs)])
    return [table]
