"""A general POMDP planner on the same problem: pomdp-py's POUCT beside askwise's agents.

Same maps, goals and worker paths for all: 20 x 20 cells, 50 stations, 5 toolboxes, base cost 0.5. POUCT gets help that
a general planner would not have by itself (`benchmarks/peers/pouct.py` says which) and several budgets.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from askwise.agents import Agent, make_agent
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.problem import QueryCost
from askwise.simulation import simulate
from benchmarks.peers.pouct import Pouct
from benchmarks.report import Column, Table, number, progress, seconds

CELLS = (("far", 0.2), ("uniform", 0.2), ("near", 0.2), ("far", 0.5), ("uniform", 0.5))
BUDGETS = (100, 1_000, 5_000)
OURS = ("ezq", "planner-light", "planner")


def run(quick: bool) -> list[Table]:
    """Play every cell with every planner."""
    episodes, budgets, cells = (2, BUDGETS[:1], CELLS[:1]) if quick else (20, BUDGETS, CELLS)
    table = Table(
        f"A general POMDP planner on the same episodes ({episodes} a cell)",
        [
            Column("prior"),
            number("price for a station", 2),
            Column("agent"),
            number("mean marginal cost", 2),
            number("standard error", 2),
            seconds("time for a decision"),
        ],
        notes=["20 x 20 cells, 50 stations, 5 toolboxes, base cost 0.5; decisions with more than one possible goal"],
    )
    makers: dict[str, Callable[[], Agent]] = {name: lambda name=name: make_agent(name) for name in OURS}  # type: ignore[misc]
    makers |= {f"POUCT, {n} simulations": lambda n=n: Pouct(simulations=n) for n in budgets}  # type: ignore[misc]
    for prior, price in cells:
        for name, make in makers.items():
            progress(f"pomdp: prior {prior}, price {price:g}, {name}")
            costs, taken = _played(prior, price, make, episodes)
            error = costs.std(ddof=1) / np.sqrt(costs.size)
            table.rows.append([prior, price, name, float(costs.mean()), float(error), taken])
    return [table]


def _played(
    prior: str, price: float, make: Callable[[], Agent], episodes: int
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], float]:
    costs, decisions, spent = [], 0, 0.0
    simulate(_problem(prior, price, 0), make(), seed=0, max_steps=3)  # loads compiled code
    for k in range(episodes):
        problem, agent = _problem(prior, price, k), make()
        start = perf_counter()
        episode = simulate(problem, agent, seed=1000 + k)
        spent += perf_counter() - start
        costs.append(episode.marginal_cost)
        decisions += int(sum(step.belief is None or np.count_nonzero(step.belief) > 1 for step in episode.steps))
    return np.array(costs), spent / decisions


def _problem(prior: str, price: float, k: int) -> ToolFetching:
    return ToolFetching(generate(seed=k, prior=Prior(prior), query_cost=QueryCost(0.5, price)))
