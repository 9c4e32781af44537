"""How far methods are from the optimum where it is known: small problems, solved and evaluated exactly, no samples.

Three sizes, three priors, three prices, with and without walls. Every number is an expectation over all goals and paths
of the worker. A cell is a size, prior and price; its ratio is the mean expected marginal cost of a method over that of
the optimum. Nothing may be below the optimum.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.evaluation import evaluate, solve
from askwise.questions import QueryCost
from benchmarks.pool import process_pool
from benchmarks.report import Column, Table, count, number, progress

SIZES = ((6, 6), (8, 8), (10, 10))
"""Side of the grid, stations."""
TOOLBOXES = 3
WALLS = (0.0, 0.2)
PRIORS = ("far", "uniform", "near")
PRICES = (0.0, 0.2, 0.5)
METHODS = ("planner", "planner-light", "ezq-local", "ezq", "cost-prob", "toolbox", "baseline", "never")
ROUNDING = 1e-9
Cell = tuple[tuple[int, int], float, str, float]
"""Size, walls, prior, price."""


@dataclass(frozen=True)
class Case:
    """One small problem."""

    size: tuple[int, int]
    walls: float
    prior: str
    price: float
    seed: int

    def problem(self) -> ToolFetching:
        """Return it."""
        side, stations = self.size
        drawn = generate(size=side, stations=stations, toolboxes=TOOLBOXES, walls=self.walls, seed=self.seed)
        return ToolFetching(drawn).with_terms(Prior(self.prior), QueryCost(0.5, self.price))


def costs_of(case: Case) -> dict[str, float]:
    """Return the expected marginal cost of the optimum and of every method."""
    problem = case.problem()
    found = {"optimal": solve(problem).expected_marginal_cost}
    for method in METHODS:
        found[method] = evaluate(problem, method, exact=True, go_on=True).expected_marginal_cost
    return found


def run(quick: bool) -> list[Table]:
    """Solve and evaluate every case."""
    instances, sizes = (2, SIZES[:1]) if quick else (50, SIZES)
    cases = list(_cases(instances, sizes))
    with process_pool() as pool:
        found = []
        for k, costs in enumerate(pool.map(costs_of, cases, chunksize=4)):
            found.append(costs)
            if k % 200 == 0:
                progress(f"optimum: {k} of {len(cases)} small problems")
    return [_table(cases, found, instances), _verdict(cases, found)]


def _cases(instances: int, sizes: tuple[tuple[int, int], ...]) -> Iterator[Case]:
    for size in sizes:
        for walls in WALLS:
            for prior in PRIORS:
                for price in PRICES:
                    yield from (Case(size, walls, prior, price, seed) for seed in range(instances))


def _by_cell(cases: list[Case], found: list[dict[str, float]]) -> dict[Cell, dict[str, float]]:
    cells: dict[Cell, list[dict[str, float]]] = defaultdict(list)
    for case, costs in zip(cases, found, strict=True):
        cells[case.size, case.walls, case.prior, case.price].append(costs)
    return {
        cell: {name: float(np.mean([each[name] for each in rows])) for name in rows[0]} for cell, rows in cells.items()
    }


def _table(cases: list[Case], found: list[dict[str, float]], instances: int) -> Table:
    names = [number(f"{method} / optimal", 5) for method in METHODS]
    columns = [Column("size"), Column("walls"), Column("prior"), number("price for a station", 2)]
    table = Table(
        f"Expected marginal cost beside the optimum, exactly ({instances} instances a cell)",
        [*columns, number("optimal", 4), *names],
        notes=[f"{TOOLBOXES} toolboxes, base cost 0.5; ratios of means"],
    )
    for ((side, stations), walls, prior, price), means in _by_cell(cases, found).items():
        ratios = [_ratio(means[method], means["optimal"]) for method in METHODS]
        table.rows.append(
            [f"{side} x {side}, {stations} stations", f"{walls:.0%}", prior, price, means["optimal"], *ratios]
        )
    return table


def _ratio(mean: float, optimum: float) -> float:
    return mean / optimum if optimum > ROUNDING else 1.0 if mean <= ROUNDING else float("inf")


def _verdict(cases: list[Case], found: list[dict[str, float]]) -> Table:
    table = Table(
        "Distance from the optimum",
        [
            Column("method"),
            number("mean above, %", 3),
            number("worst cell above, %", 3),
            count("problems solved best"),
            count("problems"),
            count("below the optimum"),
        ],
        notes=["expected of planner: 2 % on average and 5 % in the worst cell, at best 0.5 % and 1.5 %; never below"],
    )
    cells = _by_cell(cases, found)
    for method in METHODS:
        above = [100 * (_ratio(means[method], means["optimal"]) - 1) for means in cells.values()]
        best = sum(costs[method] <= costs["optimal"] + 1e-6 for costs in found)
        below = sum(costs[method] < costs["optimal"] - 1e-7 for costs in found)
        table.rows.append([method, float(np.mean(above)), max(above), best, len(found), below])
    return table
