"""The planner compared with planners that trust answers, by exact expectations instead of episodes.

Small problems (6 x 6 cells, 5 stations, 2 toolboxes, 0.5 for a question) and a UROP teammate. Every number is an
expectation over all goals, all paths of the teammate and all replies, for any number of questions; branches of
negligible probability are left out. The agents observe what they observe in an episode. `benchmarks.answers` plays
larger problems.
"""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from askwise import evaluate
from askwise.core.answers import AnswerModel
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import Agent, PlannerAgent
from benchmarks.answers import COST, ERRORS, PRIORS, REFUSED, WRONG
from benchmarks.tools.processes import compute_missing
from benchmarks.tools.report import Column, Table, count, number
from benchmarks.trusting import AskingTwice, Trusting

SIDE, STATIONS, TOOLBOXES = 6, 5, 2
PROBLEMS = 4
"""Problems in each of the 36 conditions."""
FIRST_SEED = 80_000
NAMES = (PlannerAgent.name, Trusting.name, AskingTwice.name)
SAME = 1e-9
FILE = Path("out/bench/answers-exactly.csv")
"""Each result is written to this file at once, so an interrupted run can be resumed."""


class Case(NamedTuple):
    """One small problem (its prior and seed) and how its questions are answered."""

    wrong: float
    refused: float
    errors: str
    prior: str
    seed: int


def make_agents() -> tuple[Agent, Agent, Agent]:
    """Return new agents to compare, in the order of `NAMES`."""
    trusting = Trusting(), AskingTwice()
    for each in trusting:
        each.markov = False  # they remember answers, so situations that look alike must not be merged
    return PlannerAgent(), *trusting


def costs_of(case: Case) -> list[float]:
    """Return the expected marginal costs of the agents in one case."""
    drawn = generate(
        size=SIDE, stations=STATIONS, toolboxes=TOOLBOXES, seed=case.seed, prior=Prior(case.prior), query_cost=COST
    )
    problem = ToolFetching(drawn).with_answers(AnswerModel(case.wrong, case.refused, case.errors))
    return [evaluate(problem, agent, exact=True, go_on=True).expected_marginal_cost for agent in make_agents()]


def run(quick: bool) -> list[Table]:
    """Evaluate the cases that are not in the file yet."""
    conditions = list(product(WRONG, REFUSED, ERRORS, PRIORS))[slice(0, None, 15) if quick else slice(None)]
    cases = [Case(*condition, FIRST_SEED + k) for k in range(1 if quick else PROBLEMS) for condition in conditions]
    path = FILE.with_stem("quick-answers-exactly") if quick else FILE
    found = compute_missing(cases, _read(path), costs_of, lambda case, costs: [*case, *costs], path)
    return [_table(found), _verdict(found)]


def _read(path: Path) -> dict[Case, list[float]]:
    """Return the results of earlier runs; incomplete lines are ignored, so these cases are evaluated again."""
    found: dict[Case, list[float]] = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for wrong, refused, errors, prior, seed, *costs in csv.reader(file):
                if len(costs) == len(NAMES):
                    case = Case(float(wrong), float(refused), errors, prior, int(seed))
                    found[case] = [float(cost) for cost in costs]
    return found


def _table(found: dict[Case, list[float]]) -> Table:
    table = Table(
        f"Wrong and refused answers: exact expected marginal cost ({SIDE} x {SIDE}, {STATIONS} stations)",
        [
            Column("prior"),
            Column("errors"),
            number("wrong", 2),
            number("refused", 2),
            *(number(name, 4) for name in NAMES),
            *(number(f"{name} above, %", 3) for name in NAMES[1:]),
        ],
        notes=[f"means of {len({case.seed for case in found})} problems per row; exact expectations"],
    )
    for (wrong, refused, errors, prior), means in _by_condition(found).items():
        above = [100 * (mean / means[0] - 1) if means[0] > SAME else 0.0 for mean in means[1:]]
        table.rows.append([prior, errors, wrong, refused, *means, *above])
    return table


def _verdict(found: dict[Case, list[float]]) -> Table:
    table = Table(
        "The planner compared with planners that trust answers, by exact expectations",
        [
            Column("compared with"),
            count("conditions"),
            count("planner cheaper"),
            count("equal"),
            count("planner more expensive"),
            number("mean above, %", 3),
            number("smallest above, %", 3),
            count("problems"),
            count("problems where the planner is more expensive"),
        ],
    )
    conditions = np.array(list(_by_condition(found).values()))
    cases = np.array(list(found.values()))
    for k, name in enumerate(NAMES[1:], start=1):
        gaps = conditions[:, k] - conditions[:, 0]
        counts = [int((gaps > SAME).sum()), int((abs(gaps) <= SAME).sum()), int((gaps < -SAME).sum())]
        above = 100 * gaps / np.maximum(conditions[:, 0], SAME)
        worse = int((cases[:, k] < cases[:, 0] - SAME).sum())
        table.rows.append([name, len(conditions), *counts, float(above.mean()), float(above.min()), len(cases), worse])
    return table


def _by_condition(found: dict[Case, list[float]]) -> dict[tuple[float, float, str, str], list[float]]:
    rows: dict[tuple[float, float, str, str], list[list[float]]] = {}
    for case, costs in found.items():
        rows.setdefault(case[:4], []).append(costs)
    means = {condition: np.mean(each, axis=0).tolist() for condition, each in rows.items()}
    return dict(sorted(means.items(), key=lambda item: (item[0][3], item[0][2], *item[0][:2])))
