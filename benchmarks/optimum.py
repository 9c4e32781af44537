"""The distance of methods from the optimum on small problems, solved and evaluated exactly, without sampling.

Three sizes, three priors, three prices, with and without walls. Every number is an expectation over all goals and paths
of the worker. A cell is a size, prior and price; its ratio is the mean expected marginal cost of a method over that of
the optimum. Nothing may be below the optimum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from askwise import evaluate, solve
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from benchmarks.distance import by_cell, ratio, verdict
from benchmarks.pool import process_pool
from benchmarks.report import Column, Table, number, progress

SIZES = ((6, 6), (8, 8), (10, 10))
"""Pairs: side of the grid, number of stations."""
TOOLBOXES = 3
WALLS = (0.0, 0.2)
PRIORS = ("far", "uniform", "near")
PRICES = (0.0, 0.2, 0.5)
METHODS = ("planner", "planner-light", "ezq-local", "ezq", "cost-prob", "toolbox", "baseline", "never")
EXPECTED = "expected of planner: 2 % on average and 5 % in the worst cell, at best 0.5 % and 1.5 %; never below"
Cell = tuple[tuple[int, int], float, str, float]
"""A cell: size, walls, prior, price."""


@dataclass(frozen=True)
class Case:
    """One small problem."""

    size: tuple[int, int]
    walls: float
    prior: str
    price: float
    seed: int

    def problem(self) -> ToolFetching:
        """Return the problem."""
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
    cells = by_cell(map(_cell, cases), found)
    return [_table(cases, found, instances), verdict("Distance from the optimum", EXPECTED, cells, found, METHODS)]


def _cases(instances: int, sizes: tuple[tuple[int, int], ...]) -> Iterator[Case]:
    for size in sizes:
        for walls in WALLS:
            for prior in PRIORS:
                for price in PRICES:
                    yield from (Case(size, walls, prior, price, seed) for seed in range(instances))


def _cell(case: Case) -> Cell:
    return case.size, case.walls, case.prior, case.price


def _table(cases: list[Case], found: list[dict[str, float]], instances: int) -> Table:
    names = [number(f"{method} / optimal", 5) for method in METHODS]
    columns = [Column("size"), Column("walls"), Column("prior"), number("price for a station", 2)]
    table = Table(
        f"Expected marginal cost beside the optimum, exactly ({instances} instances a cell)",
        [*columns, number("optimal", 4), *names],
        notes=[f"{TOOLBOXES} toolboxes, base cost 0.5; ratios of means"],
    )
    for ((side, stations), walls, prior, price), means in by_cell(map(_cell, cases), found).items():
        ratios = [ratio(means[method], means["optimal"]) for method in METHODS]
        table.rows.append(
            [f"{side} x {side}, {stations} stations", f"{walls:.0%}", prior, price, means["optimal"], *ratios]
        )
    return table
