"""The methods of askwise compared with a general POMDP planner, POUCT of pomdp-py, on the same problems.

All play the same maps, goals and worker paths: 20 x 20 cells, 50 stations, 5 toolboxes, base cost 0.5. POUCT plays with
several numbers of simulations, and gets help that a general planner would not have (see `benchmarks.peers.pouct`).
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from askwise import simulate
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import Agent, make_agent
from askwise.types import FloatArray
from benchmarks.peers.pouct import Pouct
from benchmarks.tools.processes import process_pool
from benchmarks.tools.report import Column, Table, number, progress, seconds

CONDITIONS = (("far", 0.2), ("uniform", 0.2), ("near", 0.2))
BUDGETS = (100, 300, 1_000)
METHODS = ("ezq", "planner-light", "planner")
EPISODES_PER_JOB = 2
"""Jobs with the largest budget take minutes, so they are short."""

Job = tuple[str, float, str, int]
"""Prior, price, agent, number of the first episode."""


def run(quick: bool) -> list[Table]:
    """Play every condition with every method."""
    episodes, budgets, conditions = (2, BUDGETS[:1], CONDITIONS[:1]) if quick else (20, BUDGETS, CONDITIONS)
    table = Table(
        f"A general POMDP planner on the same episodes ({episodes} per condition)",
        [
            Column("prior"),
            number("price per station", 2),
            Column("agent"),
            number("mean marginal cost", 2),
            number("standard error", 2),
            seconds("time per decision"),
        ],
        notes=[
            "20 x 20 cells, 50 stations, 5 toolboxes, base cost 0.5; time: decisions with several possible goals",
            "POUCT: the number is that of simulations for a decision",
        ],
    )
    names = [*METHODS, *(f"POUCT {budget}" for budget in budgets)]
    rows = [(prior, price, name) for prior, price in conditions for name in names]
    jobs: list[Job] = [(*row, first) for row in rows for first in range(0, episodes, EPISODES_PER_JOB)]
    with process_pool() as pool:
        played = pool.map(_play, jobs)
        for prior, price, name in rows:
            found = [next(played) for _ in range(0, episodes, EPISODES_PER_JOB)]
            progress(f"pomdp: prior {prior}, price {price:g}, {name}")
            costs = np.concatenate([each for each, _, _ in found])
            taken = sum(spent for _, spent, _ in found) / sum(decisions for _, _, decisions in found)
            error = costs.std(ddof=1) / np.sqrt(costs.size)
            table.rows.append([prior, price, name, float(costs.mean()), float(error), taken])
    return [table]


def _agent(name: str) -> Agent:
    kind, _, budget = name.partition(" ")
    return Pouct(simulations=int(budget)) if kind == "POUCT" else make_agent(kind)


def _play(job: Job) -> tuple[FloatArray, float, int]:
    """Return the costs of the episodes of a job, the time for them, and the number of undecided decisions."""
    prior, price, name, first = job
    costs, decisions, spent = [], 0, 0.0
    simulate(_problem(prior, price, 0), _agent(name), seed=0, max_steps=3)  # loads compiled code
    for k in range(first, first + EPISODES_PER_JOB):
        problem, agent = _problem(prior, price, k), _agent(name)
        start = perf_counter()
        episode = simulate(problem, agent, seed=1000 + k)
        spent += perf_counter() - start
        costs.append(episode.marginal_cost)
        decisions += int(sum(step.belief is None or np.count_nonzero(step.belief) > 1 for step in episode.steps))
    return np.array(costs), spent, decisions


def _problem(prior: str, price: float, k: int) -> ToolFetching:
    return ToolFetching(generate(seed=k, prior=Prior(prior), query_cost=QueryCost(0.5, price)))
