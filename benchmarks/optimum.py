"""The distance of the methods from the optimum on small problems; all costs are exact expectations.

Every number is an expectation over all goals, all paths of the worker and all replies. A condition is a kind of
problems; the ratio of a method is its mean expected marginal cost in a condition divided by that of the optimum. No
method may be below the optimum.

**True answers** (`run`): three sizes, three priors, three prices, with and without walls.

**Wrong and refused answers** (`run_noisy`): the optimum is computed for at most three questions in an episode, so no
method may ask more. The planners know the limit; the other methods wait instead of asking a fourth question. A
condition is a rate of wrong and of refused answers and a kind of errors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from askwise import evaluate, solve
from askwise.core.answers import AnswerModel
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.planning.exact_noisy import LimitedSolver
from benchmarks.tools.processes import process_pool
from benchmarks.tools.report import Column, Table, count, number, progress

PRIORS = ("far", "uniform", "near")
WALLS = (0.0, 0.2)
ROUNDING = 1e-9
OPTIMAL = "optimal"

Costs = dict[str, float]
"""The expected marginal cost of the optimum (`OPTIMAL`) and of every method in one problem."""
Condition = TypeVar("Condition", bound=Hashable)


# -- true answers ----------------------------------------------------------------------------------------------------

SIZES = ((6, 6), (8, 8), (10, 10))
"""Pairs: side of the grid, number of stations."""
TOOLBOXES = 3
PRICES = (0.0, 0.2, 0.5)
METHODS = ("planner", "planner-light", "ezq-local", "ezq", "cost-prob", "toolbox", "baseline", "never")
EXPECTED = (
    "expected of planner: at most 2 % above on average and 5 % in the worst condition, preferably 0.5 % and 1.5 %; "
    "never below"
)


@dataclass(frozen=True)
class Case:
    """A small problem with true answers."""

    size: tuple[int, int]
    walls: float
    prior: str
    price: float
    seed: int

    @property
    def condition(self) -> tuple[tuple[int, int], float, str, float]:
        """All but the seed."""
        return self.size, self.walls, self.prior, self.price

    def problem(self) -> ToolFetching:
        """Return the problem."""
        side, stations = self.size
        drawn = generate(size=side, stations=stations, toolboxes=TOOLBOXES, walls=self.walls, seed=self.seed)
        return ToolFetching(drawn).with_terms(Prior(self.prior), QueryCost(0.5, self.price))


def costs_of(case: Case) -> Costs:
    """Return the expected marginal cost of the optimum and of every method."""
    problem = case.problem()
    found = {OPTIMAL: solve(problem).expected_marginal_cost}
    for method in METHODS:
        found[method] = evaluate(problem, method, exact=True, go_on=True).expected_marginal_cost
    return found


def run(quick: bool) -> list[Table]:
    """Solve every problem, and evaluate every method on it."""
    instances, sizes = (2, SIZES[:1]) if quick else (50, SIZES)
    cases = list(_cases(instances, sizes))
    with process_pool() as pool:
        found = []
        for k, costs in enumerate(pool.map(costs_of, cases, chunksize=4)):
            found.append(costs)
            if k % 200 == 0:
                progress(f"optimum: {k} of {len(cases)} small problems")
    means = mean_costs((case.condition for case in cases), found)
    return [_table(means, instances), _distances("Distance from the optimum", EXPECTED, means, found, METHODS)]


def _cases(instances: int, sizes: tuple[tuple[int, int], ...]) -> Iterator[Case]:
    for size in sizes:
        for walls in WALLS:
            for prior in PRIORS:
                for price in PRICES:
                    yield from (Case(size, walls, prior, price, seed) for seed in range(instances))


def _table(means: Mapping[tuple[tuple[int, int], float, str, float], Costs], instances: int) -> Table:
    names = [number(f"{method} / optimal", 5) for method in METHODS]
    columns = [Column("size"), Column("walls"), Column("prior"), number("price per station", 2)]
    table = Table(
        f"Expected marginal cost divided by the optimum, exact ({instances} instances per condition)",
        [*columns, number(OPTIMAL, 4), *names],
        notes=[f"{TOOLBOXES} toolboxes, base cost 0.5; ratios of means"],
    )
    for ((side, stations), walls, prior, price), costs in means.items():
        size = f"{side} x {side}, {stations} stations"
        table.rows.append([size, f"{walls:.0%}", prior, price, costs[OPTIMAL], *_ratios(costs, METHODS)])
    return table


# -- wrong and refused answers ---------------------------------------------------------------------------------------

QUESTIONS = 3
NOISY_SIZES = ((5, 4), (6, 4), (6, 5))
"""Pairs: side of the grid, number of stations."""
NOISY_TOOLBOXES = 2
NOISY_PRICES = (QueryCost(0.3, 0.0), QueryCost(0.2, 0.1))
WRONG, REFUSED, ERRORS = (0.05, 0.1, 0.2), (0.0, 0.3), ("independent", "persistent")
INSTANCES = 42
"""Problems in each of the twelve conditions: 504 in all."""
NOISY_METHODS = ("planner", "planner-light", "ezq-local", "cost-prob", "toolbox", "baseline", "never")
EXPECTED_NOISY = (
    "expected of planner: at most 1 % above on average and 3 % in the worst condition; never below the optimum"
)


@dataclass(frozen=True)
class NoisyCase:
    """A small problem with wrong or refused answers, and the methods to evaluate on it."""

    answers: AnswerModel
    seed: int
    methods: tuple[str, ...]

    def problem(self) -> ToolFetching:
        """Return the problem; size, walls, prior and price depend on the seed."""
        rng = np.random.default_rng([14, self.seed])
        side, stations = NOISY_SIZES[rng.integers(len(NOISY_SIZES))]
        walls = WALLS[rng.integers(len(WALLS))]
        drawn = generate(size=side, stations=stations, toolboxes=NOISY_TOOLBOXES, walls=walls, seed=self.seed)
        prior, price = PRIORS[self.seed % len(PRIORS)], NOISY_PRICES[rng.integers(len(NOISY_PRICES))]
        return ToolFetching(drawn).with_terms(Prior(prior), price).with_answers(self.answers)


def noisy_costs_of(case: NoisyCase) -> Costs:
    """Return the expected marginal cost of the optimum and of every method."""
    problem = case.problem()
    found = {OPTIMAL: LimitedSolver(problem, QUESTIONS, limit=None).at(problem.start).expected_marginal_cost}
    for method in case.methods:
        evaluated = evaluate(problem, method, exact=True, questions=QUESTIONS, go_on=True)
        found[method] = evaluated.expected_marginal_cost
    return found


def run_noisy(quick: bool, methods: Sequence[str] | None = None) -> list[Table]:
    """Solve every problem, and evaluate `methods` (default: all) on it."""
    chosen = tuple(methods or NOISY_METHODS)
    cases = [
        NoisyCase(AnswerModel(wrong, refused, errors), seed, chosen)
        for wrong in WRONG
        for refused in REFUSED
        for errors in ERRORS
        for seed in range(2 if quick else INSTANCES)
    ]
    found = []
    with process_pool() as pool:
        for k, costs in enumerate(pool.map(noisy_costs_of, cases, chunksize=1)):
            found.append(costs)
            if k % 20 == 0:
                progress(f"noisy-optimum: {k} of {len(cases)} small problems")
    means = mean_costs((case.answers for case in cases), found)
    title = "Distance from the optimum with wrong and refused answers"
    return [_noisy_table(means, len(cases), chosen), _distances(title, EXPECTED_NOISY, means, found, chosen)]


def _noisy_table(means: Mapping[AnswerModel, Costs], problems: int, methods: Sequence[str]) -> Table:
    columns = [number("wrong", 2), number("refused", 2), Column("errors"), number(OPTIMAL, 4)]
    table = Table(
        f"Expected marginal cost divided by the optimum, exact ({problems} problems, at most {QUESTIONS} questions)",
        [*columns, *(number(f"{method} / optimal", 4) for method in methods)],
        notes=["ratios of means; 5 x 5 and 6 x 6 cells, 4 or 5 stations, 2 toolboxes, with and without walls"],
    )
    for answers, costs in means.items():
        row = [answers.wrong, answers.refused, answers.errors, costs[OPTIMAL], *_ratios(costs, methods)]
        table.rows.append(row)
    return table


# -- means, ratios and distances -------------------------------------------------------------------------------------


def mean_costs(conditions: Iterable[Condition], found: Iterable[Costs]) -> dict[Condition, Costs]:
    """Return the mean costs of each condition, from the condition and the costs of each problem."""
    rows: dict[Condition, list[Costs]] = defaultdict(list)
    for condition, costs in zip(conditions, found, strict=True):
        rows[condition].append(costs)
    return {
        condition: {name: float(np.mean([each[name] for each in some])) for name in some[0]}
        for condition, some in rows.items()
    }


def _ratios(costs: Costs, methods: Sequence[str]) -> list[float]:
    """Return the cost of each method divided by the optimum; 1 where both are 0."""
    optimum = costs[OPTIMAL]
    if optimum > ROUNDING:
        return [costs[method] / optimum for method in methods]
    return [1.0 if costs[method] <= ROUNDING else float("inf") for method in methods]


def _distances(
    title: str, note: str, means: Mapping[Condition, Costs], found: Sequence[Costs], methods: Sequence[str]
) -> Table:
    """Return how far each method is above the optimum, on average and at worst, and how often it is below."""
    table = Table(
        title,
        [
            Column("method"),
            number("mean above, %", 3),
            number("worst condition above, %", 3),
            count("problems solved optimally"),
            count("problems"),
            count("below the optimum"),
        ],
        notes=[note],
    )
    for k, method in enumerate(methods):
        above = [100 * (_ratios(costs, methods)[k] - 1) for costs in means.values()]
        best = sum(costs[method] <= costs[OPTIMAL] + 1e-6 for costs in found)
        below = sum(costs[method] < costs[OPTIMAL] - 1e-7 for costs in found)
        table.rows.append([method, float(np.mean(above)), max(above), best, len(found), below])
    return table
