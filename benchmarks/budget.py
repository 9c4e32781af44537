"""The planner's cost by budget, on maps just small enough to be solved and too large for its own exact search.

20 x 20 cells, 18 stations, prior `uniform`: every number is an expectation over all goals and paths of the worker.
"""

from __future__ import annotations

from time import process_time

from askwise import evaluate, solve
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import make_agent
from askwise.planning.settings import FULL
from benchmarks.report import Column, Table, count, number, progress, seconds

TIMES = (1, 10, 100)
PRICE = 0.0
"""Prices of naming a station; at price 0 the planner loses most."""
INSTANCES, STATIONS, TOOLBOXES = 10, 18, 5
SAME = 1 + 1e-9


def run(quick: bool) -> list[Table]:
    """Solve every map, and evaluate the planner on it with every budget."""
    stations = 12 if quick else STATIONS
    table = Table(
        f"The planner's budget, 20 x 20 cells with {stations} stations, naming them free",
        [Column("budget"), count("maps"), number("above the optimum, %", 3), count("optimal on"), seconds("computing")],
        notes=["computing: for all decisions of all maps"],
    )
    best: list[float] = []
    problems = []
    for seed in range(2 if quick else INSTANCES):
        progress(f"budget: the optimum of map {seed}")
        drawn = generate(stations=stations, toolboxes=TOOLBOXES, seed=seed, query_cost=QueryCost(0.5, PRICE))
        problems.append(ToolFetching(drawn))
        best.append(solve(problems[-1], go_on=True).expected_marginal_cost)
    for times in TIMES[:2] if quick else TIMES:
        progress(f"budget: {times} times the usual one")
        began = process_time()
        found = [_cost(problem, times * FULL.budget) for problem in problems]
        optimal = sum(cost <= least * SAME for cost, least in zip(found, best, strict=True))
        above = 100 * (sum(found) / sum(best) - 1)
        table.rows.append([f"{times * FULL.budget:,}", len(found), above, optimal, process_time() - began])
    return [table]


def _cost(problem: ToolFetching, budget: int) -> float:
    agent = make_agent("planner", budget=budget)
    return evaluate(problem, agent, exact=True, go_on=True).expected_marginal_cost
