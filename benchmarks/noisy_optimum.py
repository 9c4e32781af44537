"""The distance of methods from the optimum if answers may be wrong or missing: small problems, evaluated exactly.

Every number is an expectation over all goals, all paths of the worker and all replies. No method asks
more than three questions in an episode, because the optimum is known for three. The planners know the limit; other
methods wait where they would ask a fourth. Nothing may be below the optimum. A cell is the probabilities of wrong and
of refused answers and the kind of errors; its ratio is the mean expected marginal cost of a method over that of the
optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askwise import evaluate
from askwise.core.answers import AnswerModel
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.planning.exact_noisy import LimitedSolver
from benchmarks.distance import Costs, by_cell, ratio, verdict
from benchmarks.pool import process_pool
from benchmarks.report import Column, Table, number, progress

QUESTIONS = 3
SIZES = ((5, 4), (6, 4), (6, 5))
"""Pairs: side of the grid, number of stations."""
TOOLBOXES = 2
WALLS = (0.0, 0.2)
PRIORS = ("far", "uniform", "near")
PRICES = (QueryCost(0.3, 0.0), QueryCost(0.2, 0.1))
WRONG = (0.05, 0.1, 0.2)
REFUSED = (0.0, 0.3)
ERRORS = ("independent", "persistent")
INSTANCES = 42
"""Problems for each of the twelve kinds of answers: 504 in all."""
METHODS = ("planner", "planner-light", "ezq-local", "cost-prob", "toolbox", "baseline", "never")
EXPECTED = "expected of planner: 1 % on average and 3 % in the worst cell; never below"


@dataclass(frozen=True)
class Case:
    """One small problem."""

    answers: AnswerModel
    seed: int
    methods: tuple[str, ...]

    def problem(self) -> ToolFetching:
        """Return the problem; size, walls, prior and price alternate."""
        rng = np.random.default_rng([14, self.seed])
        side, stations = SIZES[rng.integers(len(SIZES))]
        walls = WALLS[rng.integers(len(WALLS))]
        drawn = generate(size=side, stations=stations, toolboxes=TOOLBOXES, walls=walls, seed=self.seed)
        prior, price = PRIORS[self.seed % len(PRIORS)], PRICES[rng.integers(len(PRICES))]
        return ToolFetching(drawn).with_terms(Prior(prior), price).with_answers(self.answers)


def costs_of(case: Case) -> Costs:
    """Return the expected marginal cost of the optimum and of every method."""
    problem = case.problem()
    found = {"optimal": LimitedSolver(problem, QUESTIONS, limit=None).at(problem.start).expected_marginal_cost}
    for method in case.methods:
        held = evaluate(problem, method, exact=True, questions=QUESTIONS, go_on=True)
        found[method] = held.expected_marginal_cost
    return found


def run(quick: bool, methods: Sequence[str] | None = None) -> list[Table]:
    """Solve and evaluate all cases."""
    chosen = tuple(methods or METHODS)
    cases = [
        Case(AnswerModel(wrong, refused, errors), seed, chosen)
        for wrong in WRONG
        for refused in REFUSED
        for errors in ERRORS
        for seed in range(2 if quick else INSTANCES)
    ]
    found = []
    with process_pool() as pool:
        for k, costs in enumerate(pool.map(costs_of, cases, chunksize=1)):
            found.append(costs)
            if k % 20 == 0:
                progress(f"noisy-optimum: problem {k} of {len(cases)}")
    cells = by_cell((case.answers for case in cases), found)
    title = "Distance from the optimum with wrong and refused answers"
    return [_table(cases, found, chosen), verdict(title, EXPECTED, cells, found, chosen)]


def _table(cases: list[Case], found: list[Costs], methods: Sequence[str]) -> Table:
    columns = [number("wrong", 2), number("refused", 2), Column("errors"), number("optimal", 4)]
    table = Table(
        f"Expected marginal cost beside the optimum, exactly ({len(cases)} problems, at most {QUESTIONS} questions)",
        [*columns, *(number(f"{method} / optimal", 4) for method in methods)],
        notes=["ratios of means; 5 x 5 and 6 x 6 cells, 4 or 5 stations, 2 toolboxes, with and without walls"],
    )
    for answers, means in by_cell((case.answers for case in cases), found).items():
        ratios = [ratio(means[method], means["optimal"]) for method in methods]
        table.rows.append([answers.wrong, answers.refused, answers.errors, means["optimal"], *ratios])
    return table
