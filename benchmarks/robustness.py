"""Teammates that break the methods' assumptions: whether every episode ends, and what it costs.

20 x 20 cells, 50 stations, 5 toolboxes, prior `far`, base cost 0.5, 0.2 for a station. All methods use the belief
`robust`, which allows for mistakes of the teammate.

`informed` knows the goal from the start, so its cost is that of the teammate's own detours. What the others cost beyond
that is the cost of not knowing the goal.
"""

from __future__ import annotations

import numpy as np

from askwise import simulate
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from benchmarks.tools.processes import process_pool
from benchmarks.tools.report import Column, Table, count, number, progress

TEAMMATES = ("urop", "uniform", "noisy:0.1", "noisy:0.3", "via", "boltzmann:2")
METHODS = ("informed", "never", "baseline", "toolbox", "cost-prob", "ezq", "ezq-local", "planner-light", "planner")

BELIEFS = {"informed": None}
"""The beliefs of methods that do not use `robust`; an agent that knows the goal needs none."""

Job = tuple[str, str, int]
"""Method, teammate, number of episodes."""


def costs_of(job: Job) -> list[float]:
    """Return the marginal costs of the episodes of a job; nan where one did not end."""
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
        f"Teammates that break the assumptions ({episodes} episodes per condition, belief robust)",
        [
            Column("teammate"),
            Column("method"),
            number("mean marginal cost", 3),
            number("informed", 3),
            number("above informed", 3),
            number("standard error", 2),
            count("ended"),
            count("episodes"),
        ],
    )
    jobs = [(method, teammate, episodes) for teammate in TEAMMATES for method in METHODS]
    informed: dict[str, float | None] = {}
    with process_pool() as pool:
        for (method, teammate, _), costs in zip(jobs, pool.map(costs_of, jobs), strict=True):
            progress(f"robustness: {teammate}, {method}")
            ended = np.array([cost for cost in costs if not np.isnan(cost)])
            error = float(ended.std(ddof=1) / np.sqrt(ended.size)) if ended.size > 1 else None
            mean = float(ended.mean()) if ended.size else None
            if method == "informed":
                informed[teammate] = mean
            known = informed[teammate]
            above = None if mean is None or known is None else mean - known
            table.rows.append([teammate, method, mean, known, above, error, int(ended.size), len(costs)])
    return [table]
