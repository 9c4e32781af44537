"""Answers as people give them: whether every episode ends, and what it costs, beside planners that do not doubt them.

12 x 12 cells, 12 stations, 4 toolboxes, base cost 0.5, 0.2 for a station. Every method meets the same maps, goals and
teammates; how its questions are answered is drawn for each episode. All methods know how often answers are wrong or
missing, but for *trusting*, which believes them all, and *asks twice*, which believes what two replies agree on
(`benchmarks.believing`); both forget all answers when the teammate does what contradicts them.
"""

from __future__ import annotations

import csv
import os
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from askwise.agents import Agent
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.questions import QueryCost
from askwise.simulation import simulate
from askwise.types import FloatArray
from benchmarks.believing import Trusting, Twice
from benchmarks.pool import process_pool
from benchmarks.report import Column, Table, count, number, progress

SIDE, STATIONS, TOOLBOXES = 12, 12, 4
COST = QueryCost(0.5, 0.2)
WRONG, REFUSED, ERRORS = (0.05, 0.1, 0.2), (0.0, 0.3), ("independent", "persistent")
PRIORS, TEAMMATES = ("far", "uniform", "near"), ("urop", "noisy:0.1")
BELIEVING = {Trusting.name: Trusting, Twice.name: Twice}
METHODS = ("never", "baseline", "toolbox", "cost-prob", "ezq", "ezq-local", "planner-light", "planner", *BELIEVING)
COMPARED = ("planner", *BELIEVING)
EPISODES = {name: 300 if name in COMPARED else 100 for name in METHODS}
"""Episodes a cell; more for those whose differences are judged."""
FILE = Path("out/bench/answers.csv")
"""Where costs are kept as they come: a run that was stopped goes on where it was."""


class Cell(NamedTuple):
    """What is played."""

    wrong: float
    refused: float
    errors: str
    prior: str
    teammate: str
    method: str
    episodes: int


def costs_of(cell: Cell) -> list[float]:
    """Return the marginal costs of the episodes of a cell; nan where one did not end."""
    answers = f"wrong:{cell.wrong},refused:{cell.refused},{cell.errors}"
    costs = []
    for k in range(cell.episodes):
        drawn = generate(
            size=SIDE, stations=STATIONS, toolboxes=TOOLBOXES, seed=k, prior=Prior(cell.prior), query_cost=COST
        )
        agent: Agent | str = cell.method
        if cell.method in BELIEVING:
            agent = BELIEVING[cell.method](belief="bayes" if cell.teammate == "urop" else "robust")
        costs.append(simulate(ToolFetching(drawn), agent, cell.teammate, seed=1000 + k, answers=answers).marginal_cost)
    return costs


def run(quick: bool) -> list[Table]:
    """Play all cells that are not in the file yet."""
    some = slice(0, None, 30) if quick else slice(None)
    cells = [
        Cell(*where, method, 2 if quick else EPISODES[method])
        for where in list(product(WRONG, REFUSED, ERRORS, PRIORS, TEAMMATES))[some]
        for method in METHODS
    ]
    played = _played(cells, FILE.with_stem("quick-answers") if quick else FILE)
    return [_means(played), _verdicts(played)]


def _played(cells: list[Cell], path: Path) -> dict[Cell, FloatArray]:
    costs = {cell: kept for cell, kept in _read(path).items() if cell in set(cells)}
    missing = [cell for cell in cells if cell not in costs]
    path.parent.mkdir(parents=True, exist_ok=True)
    with process_pool() as pool, path.open("a", encoding="utf-8", newline="") as file:
        for k, (cell, found) in enumerate(zip(missing, pool.map(costs_of, missing), strict=True)):
            csv.writer(file).writerow([*cell, *found])
            file.flush()
            os.fsync(file.fileno())
            costs[cell] = np.array(found)
            progress(f"answers: {k + 1} of {len(missing)} cells")
    return {cell: costs[cell] for cell in cells}


def _read(path: Path) -> dict[Cell, FloatArray]:
    """Return what was played before; a line that was cut off is played again."""
    found: dict[Cell, FloatArray] = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                wrong, refused, errors, prior, teammate, method, episodes, *costs = row
                cell = Cell(float(wrong), float(refused), errors, prior, teammate, method, int(episodes))
                if len(costs) == cell.episodes:
                    found[cell] = np.array(costs, dtype=np.float64)
    return found


def _means(played: dict[Cell, FloatArray]) -> Table:
    table = Table(
        f"Answers that are wrong or missing: mean marginal cost ({SIDE} x {SIDE}, {STATIONS} stations)",
        [
            Column("prior"),
            Column("teammate"),
            Column("errors"),
            number("wrong", 2),
            number("refused", 2),
            *(number(method, 3) for method in METHODS),
            count("episodes"),
            count("ended"),
        ],
        notes=["the same maps, goals and teammates for all methods"],
    )
    for where, by_method in _by_place(played).items():
        wrong, refused, errors, prior, teammate = where
        means = [float(np.nanmean(by_method[method])) for method in METHODS]
        episodes = sum(costs.size for costs in by_method.values())
        ended = sum(int(np.count_nonzero(~np.isnan(costs))) for costs in by_method.values())
        table.rows.append([prior, teammate, errors, wrong, refused, *means, episodes, ended])
    return table


def _verdicts(played: dict[Cell, FloatArray]) -> Table:
    """Judge the planner beside those that do not doubt, by paired differences."""
    table = Table(
        "The planner beside planners that do not doubt answers",
        [
            Column("other"),
            count("cells"),
            count("planner cheaper"),
            count("clearly"),
            count("clearly dearer"),
            number("mean difference", 3),
            number("least difference", 3),
            number("standard error", 2),
            Column("where"),
        ],
        notes=[
            "difference: mean cost of the other less that of the planner, in the same episodes",
            "clearly: by more than two standard errors of that mean",
        ],
    )
    places = _by_place(played)
    for other in BELIEVING:
        gaps = {where: _gap(costs[other], costs["planner"]) for where, costs in places.items()}
        least = min(gaps, key=lambda where: gaps[where][0])
        means, errors = (np.array(part) for part in zip(*gaps.values(), strict=True))
        judged = [int((means > 0).sum()), int((means > 2 * errors).sum()), int((means < -2 * errors).sum())]
        table.rows.append([other, len(gaps), *judged, float(means.mean()), *gaps[least], " ".join(map(str, least))])
    return table


def _gap(other: FloatArray, planner: FloatArray) -> tuple[float, float]:
    """Return the mean of the paired differences, and its standard error."""
    gaps = (other - planner)[~np.isnan(other - planner)]
    return float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(gaps.size))


def _by_place(played: dict[Cell, FloatArray]) -> dict[tuple[float, float, str, str, str], dict[str, FloatArray]]:
    places: dict[tuple[float, float, str, str, str], dict[str, FloatArray]] = {}
    for cell, costs in played.items():
        places.setdefault(cell[:5], {})[cell.method] = costs
    return dict(sorted(places.items(), key=lambda item: (item[0][3], item[0][4], item[0][2], *item[0][:2])))
