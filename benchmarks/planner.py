"""The time of a decision of the planner, its growth, and the gain from a larger budget.

**Time** (`run`): whole episodes with a UROP teammate. The first episode of each condition is not counted, because it
loads compiled code. Once the goal is known, a decision takes almost no time, so *undecided* decisions (several goals
are possible) are also reported separately.

**Budget** (`run_budget`): maps just small enough to be solved, and too large for the planner's own exact search. 20 x
20 cells, 18 stations, prior `uniform`; every cost is an expectation over all goals and paths of the worker.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

from askwise import evaluate, simulate, solve
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import make_agent
from askwise.planning.settings import FULL
from askwise.types import FloatArray
from benchmarks.tools.report import Column, Table, count, number, progress, seconds
from benchmarks.tools.timing import TimedAgent, TimedDecision

METHODS = ("planner", "planner-light", "ezq", "ezq-local")
PRIORS = ("far", "uniform", "near")
STATIONS = (10, 25, 50, 100, 200)
ANSWERS = ("truthful", "wrong:0.05", "wrong:0.2", "wrong:0.1,refused:0.3", "wrong:0.1,persistent")
SIDES = (10, 20, 40, 70, 100)


def run(quick: bool) -> list[Table]:
    """Measure decisions at the paper's size, with true and wrong answers, then growth."""
    episodes = 3 if quick else 60
    return [
        _decisions(episodes),
        _by_answers(2 if quick else 10),
        _growth(STATIONS[:2] if quick else STATIONS, SIDES[:2] if quick else SIDES),
    ]


def _play(method: str, prior: str, price: float, side: int, stations: int, episodes: int) -> list[TimedDecision]:
    decisions: list[TimedDecision] = []
    for k in range(episodes + 1):
        agent = TimedAgent(method)
        drawn = generate(size=side, stations=stations, seed=k, prior=Prior(prior), query_cost=QueryCost(0.5, price))
        simulate(ToolFetching(drawn), agent, seed=1000 + k)
        if k:  # the first loads compiled code
            decisions += agent.decisions
    return decisions


def _decisions(episodes: int) -> Table:
    table = Table(
        f"Time for a decision at the paper's size ({episodes} episodes per condition)",
        [
            Column("method"),
            Column("prior"),
            number("price per station", 2),
            count("decisions"),
            seconds("mean"),
            count("undecided"),
            seconds("undecided, mean"),
            seconds("undecided, median"),
            seconds("worst"),
        ],
        notes=[
            "20 x 20 cells, 50 stations; expected of undecided decisions: planner 10 ms on average and 0.1 s at worst, "
            "planner-light 2 ms on average",
            "undecided: decisions while more than one goal is possible",
        ],
    )
    for method in METHODS:
        everything: list[TimedDecision] = []
        for prior in PRIORS:
            for price in (0.0, 0.2, 0.5):
                progress(f"planner: {method}, prior {prior}, price {price:g}")
                taken = _play(method, prior, price, 20, 50, episodes)
                everything += taken
                table.rows.append([method, prior, price, *_spread(taken)])
        table.rows.append([method, "all", None, *_spread(everything)])
    return table


def _by_answers(episodes: int) -> Table:
    """Compare decision times for several answer models, in turns on the same maps."""
    table = Table(
        f"Time for a decision of the planner, by answer model ({episodes} maps, three priors, two prices)",
        [
            Column("answers"),
            count("decisions"),
            seconds("mean"),
            number("mean / true answers", 3),
            count("undecided"),
            seconds("undecided, mean"),
            number("undecided / true answers", 3),
            seconds("worst"),
        ],
        notes=[
            "20 x 20 cells, 50 stations, CPU time; expected of undecided decisions: 58 ms on average, twice the time "
            "for true answers when planning with wrong answers was introduced",
        ],
    )
    taken: dict[str, list[TimedDecision]] = {answers: [] for answers in ANSWERS}
    for k in range(episodes + 1):
        progress(f"planner: wrong answers, map {k} of {episodes}")
        for prior in PRIORS:
            for price in (0.0, 0.2):
                drawn = generate(size=20, stations=50, seed=k, prior=Prior(prior), query_cost=QueryCost(0.5, price))
                for answers, decisions in taken.items():
                    agent = TimedAgent("planner", process_time)
                    simulate(ToolFetching(drawn), agent, seed=1000 + k, answers=answers)
                    decisions += agent.decisions if k else []  # the first loads compiled code
    true = _spread(taken[ANSWERS[0]])
    for answers, decisions in taken.items():
        n, mean, undecided, hard, _, worst = _spread(decisions)
        table.rows.append([answers, n, mean, mean / true[1], undecided, hard, hard / true[3], worst])
    return table


def _spread(taken: list[TimedDecision]) -> list[Any]:
    """Return number and mean of all decisions; number, mean and median of the undecided; the longest time."""
    every, hard = _seconds(taken), _seconds([each for each in taken if each.undecided])
    return [every.size, every.mean(), hard.size, hard.mean(), np.median(hard), every.max()]


def _seconds(taken: list[TimedDecision]) -> FloatArray:
    return np.array([each.seconds for each in taken])


def _growth(stations: tuple[int, ...], sides: tuple[int, ...]) -> Table:
    table = Table(
        "Growth of a decision (5 episodes each, prior uniform, price 0.2)",
        [Column("method"), Column("map"), count("stations"), seconds("undecided, mean"), seconds("undecided, worst")],
    )
    sizes = [(20, n) for n in stations] + [(side, 50 if side > 10 else 25) for side in sides]
    for method in ("planner", "planner-light"):
        for side, n in sizes:
            progress(f"planner: {method} on {side} x {side} with {n} stations")
            hard = _seconds([each for each in _play(method, "uniform", 0.2, side, n, 5) if each.undecided])
            table.rows.append([method, f"{side} x {side}", n, hard.mean(), hard.max()])
    return table


# -- budget ----------------------------------------------------------------------------------------------------------

BUDGET_FACTORS = (1, 10, 100)
INSTANCES, BUDGET_STATIONS, TOOLBOXES = 10, 18, 5
FREE = QueryCost(0.5, 0.0)
"""Naming a station costs nothing: with this price the planner loses most."""
SAME = 1 + 1e-9


def run_budget(quick: bool) -> list[Table]:
    """Solve every map, and evaluate the planner on it with every budget."""
    stations = 12 if quick else BUDGET_STATIONS
    table = Table(
        f"The planner's budget, 20 x 20 cells with {stations} stations, naming stations is free",
        [Column("budget"), count("maps"), number("above the optimum, %", 3), count("optimal on"), seconds("CPU time")],
        notes=["CPU time: for all decisions on all maps"],
    )
    optima: list[float] = []
    problems = []
    for seed in range(2 if quick else INSTANCES):
        progress(f"budget: the optimum of map {seed}")
        problems.append(ToolFetching(generate(stations=stations, toolboxes=TOOLBOXES, seed=seed, query_cost=FREE)))
        optima.append(solve(problems[-1], go_on=True).expected_marginal_cost)
    for factor in BUDGET_FACTORS[:2] if quick else BUDGET_FACTORS:
        progress(f"budget: {factor} times the usual one")
        start = process_time()
        costs = [_cost(problem, factor * FULL.budget) for problem in problems]
        optimal = sum(cost <= optimum * SAME for cost, optimum in zip(costs, optima, strict=True))
        above = 100 * (sum(costs) / sum(optima) - 1)
        table.rows.append([f"{factor * FULL.budget:,}", len(costs), above, optimal, process_time() - start])
    return [table]


def _cost(problem: ToolFetching, budget: int) -> float:
    agent = make_agent("planner", budget=budget)
    return evaluate(problem, agent, exact=True, go_on=True).expected_marginal_cost
