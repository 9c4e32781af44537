"""The planner beside planners that do not doubt answers, exactly: no luck is left in these numbers.

Small problems (6 x 6 cells, 5 stations, 2 toolboxes, 0.5 for a question), a UROP teammate. Every number is an
expectation over all goals, all ways of the worker and all replies, with any number of questions; what is next to
impossible is left out. The planner does not know more than in an episode. `benchmarks.answers` plays larger ones.
"""

from __future__ import annotations

import csv
import os
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
from benchmarks.believing import Trusting, Twice
from benchmarks.pool import process_pool
from benchmarks.report import Column, Table, count, number, progress

SIDE, STATIONS, TOOLBOXES = 6, 5, 2
PROBLEMS = 4
"""For each of the 36 cells."""
FIRST_SEED = 80_000
NAMES = (PlannerAgent.name, Trusting.name, Twice.name)
SAME = 1e-9
FILE = Path("out/bench/answers-exactly.csv")
"""Where expectations are kept as they come: a run that was stopped goes on where it was."""


class Case(NamedTuple):
    """One small problem and how its questions are answered."""

    wrong: float
    refused: float
    errors: str
    prior: str
    seed: int


def agents() -> tuple[Agent, Agent, Agent]:
    """Return those that are compared; the doubtless ones remember what they were told, so their ways never meet."""
    doubtless = Trusting(), Twice()
    for each in doubtless:
        each.markov = False
    return PlannerAgent(), *doubtless


def costs_of(case: Case) -> list[float]:
    """Return the expected marginal cost of each."""
    drawn = generate(
        size=SIDE, stations=STATIONS, toolboxes=TOOLBOXES, seed=case.seed, prior=Prior(case.prior), query_cost=COST
    )
    problem = ToolFetching(drawn).with_answers(AnswerModel(case.wrong, case.refused, case.errors))
    return [evaluate(problem, agent, exact=True, go_on=True).expected_marginal_cost for agent in agents()]


def run(quick: bool) -> list[Table]:
    """Evaluate all that is not in the file yet."""
    cells = list(product(WRONG, REFUSED, ERRORS, PRIORS))[slice(0, None, 15) if quick else slice(None)]
    cases = [Case(*cell, FIRST_SEED + k) for k in range(1 if quick else PROBLEMS) for cell in cells]
    found = _evaluated(cases, FILE.with_stem("quick-answers-exactly") if quick else FILE)
    return [_table(found), _verdict(found)]


def _evaluated(cases: list[Case], path: Path) -> dict[Case, list[float]]:
    found = _read(path)
    missing = [case for case in cases if case not in found]
    path.parent.mkdir(parents=True, exist_ok=True)
    with process_pool() as pool, path.open("a", encoding="utf-8", newline="") as file:
        for k, (case, costs) in enumerate(zip(missing, pool.map(costs_of, missing), strict=True)):
            csv.writer(file).writerow([*case, *costs])
            file.flush()
            os.fsync(file.fileno())
            found[case] = costs
            progress(f"answers-exactly: {k + 1} of {len(missing)} small problems")
    return {case: found[case] for case in cases}


def _read(path: Path) -> dict[Case, list[float]]:
    """Return what was evaluated before; a line that was cut off is evaluated again."""
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
        f"Wrong and missing answers, exactly: expected marginal cost ({SIDE} x {SIDE}, {STATIONS} stations)",
        [
            Column("prior"),
            Column("errors"),
            number("wrong", 2),
            number("refused", 2),
            *(number(name, 4) for name in NAMES),
            *(number(f"{name} above, %", 3) for name in NAMES[1:]),
        ],
        notes=[f"means of {len({case.seed for case in found})} problems a row; no chance is left in them"],
    )
    for cell, means in _by_cell(found).items():
        wrong, refused, errors, prior = cell
        above = [100 * (mean / means[0] - 1) if means[0] > SAME else 0.0 for mean in means[1:]]
        table.rows.append([prior, errors, wrong, refused, *means, *above])
    return table


def _verdict(found: dict[Case, list[float]]) -> Table:
    table = Table(
        "The planner beside planners that do not doubt answers, exactly",
        [
            Column("other"),
            count("cells"),
            count("planner cheaper"),
            count("the same"),
            count("dearer"),
            number("mean above, %", 3),
            number("least above, %", 3),
            count("problems"),
            count("of them dearer for the planner"),
        ],
    )
    cells = np.array(list(_by_cell(found).values()))
    each = np.array(list(found.values()))
    for k, name in enumerate(NAMES[1:], start=1):
        gaps = cells[:, k] - cells[:, 0]
        judged = [int((gaps > SAME).sum()), int((abs(gaps) <= SAME).sum()), int((gaps < -SAME).sum())]
        above = 100 * gaps / np.maximum(cells[:, 0], SAME)
        fewer = int((each[:, k] < each[:, 0] - SAME).sum())
        table.rows.append([name, len(cells), *judged, float(above.mean()), float(above.min()), len(each), fewer])
    return table


def _by_cell(found: dict[Case, list[float]]) -> dict[tuple[float, float, str, str], list[float]]:
    cells: dict[tuple[float, float, str, str], list[list[float]]] = {}
    for case, costs in found.items():
        cells.setdefault(case[:4], []).append(costs)
    means = {cell: np.mean(rows, axis=0).tolist() for cell, rows in cells.items()}
    return dict(sorted(means.items(), key=lambda item: (item[0][3], item[0][2], *item[0][:2])))
