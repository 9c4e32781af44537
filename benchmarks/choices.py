"""Which toolbox? What it is worth to ask for one of several groups instead of "is it one of these?".

Answers are true here. A question about a set of stations costs 0.5 and a price for each station that it names; "which
of these toolboxes?" costs 0.5 and a price for each option. Three tables:

- **Exactly**, on small problems: the optimum with sets only beside the optimum that may ask choices too, and the *break
  even* price of an option: from there on the best plan asks no choice. It is found by halving an interval in which the
  gain disappears; the gain never grows with the price.
- **The paper's size** (20 x 20 cells, 50 stations, 5 toolboxes): mean marginal cost of the planner with sets only, and
  with choices at several prices of an option, in the same episodes.
- **A person's time**, from the second: at which price of an option choices stop to pay, between the prices tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from askwise import simulate, solve
from askwise.core.questions import Choice, QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.types import FloatArray
from benchmarks.pool import process_pool
from benchmarks.report import Column, Table, count, number, progress

BASE = 0.5
PRIORS = ("far", "uniform", "near")
PER_STATION = (0.0, 0.2)
PER_OPTION = (None, 0.0, 0.1, 0.2)
"""None: sets only."""
EPISODES = 50
FIRST_SEED = 70_000
SMALL = 20
"""Small problems for each prior and price."""
NO_GAIN = 1e-9
FILE = Path("out/bench/choices-large.csv")
"""What ``docs/reproduced/choices-large.csv`` is a copy of."""

Found = TypeVar("Found")


class Cell(NamedTuple):
    """What is played at the paper's size."""

    prior: str
    per_station: float
    per_option: float | None
    episodes: int


class Played(NamedTuple):
    """What came out, one number for each episode.

    Attributes:
        costs: marginal costs.
        asked: questions asked.
        choices: how many of them were choices.
    """

    costs: FloatArray
    asked: FloatArray
    choices: FloatArray


def play(cell: Cell) -> Played:
    """Play the episodes of a cell."""
    rows = []
    for seed in range(FIRST_SEED, FIRST_SEED + cell.episodes):
        price = QueryCost(BASE, cell.per_station, per_option=cell.per_option)
        drawn = generate(size=20, stations=50, toolboxes=5, seed=seed, prior=Prior(cell.prior), query_cost=price)
        episode = simulate(ToolFetching(drawn), "planner", seed=seed)
        asked = [step.decision.ask for step in episode.questions]
        rows.append((episode.marginal_cost, len(asked), sum(isinstance(each, Choice) for each in asked)))
    return Played(*np.array(rows, dtype=np.float64).T)


class Small(NamedTuple):
    """A small problem."""

    prior: str
    per_station: float
    seed: int

    def least(self, per_option: float | None) -> float:
        """Return the optimum."""
        price = QueryCost(BASE, self.per_station, per_option=per_option)
        drawn = generate(size=6, stations=5, toolboxes=3, seed=self.seed, prior=Prior(self.prior), query_cost=price)
        return solve(ToolFetching(drawn)).expected_marginal_cost


def solved(small: Small) -> tuple[float, float, float]:
    """Return the optimum with sets only, that with choices for no more, and the price of an option that breaks even."""
    sets, free = small.least(None), small.least(0.0)
    if sets - free <= NO_GAIN:
        return sets, free, 0.0
    low, high = 0.0, 1.0
    while sets - small.least(high) > NO_GAIN:
        low, high = high, 2 * high
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (middle, high) if sets - small.least(middle) > NO_GAIN else (low, middle)
    return sets, free, low


def run(quick: bool) -> list[Table]:
    """Solve the small problems and play the large ones."""
    smalls = [
        Small(prior, per_station, FIRST_SEED + k)
        for prior in PRIORS
        for per_station in PER_STATION
        for k in range(2 if quick else SMALL)
    ]
    cells = [
        Cell(prior, per_station, per_option, 2 if quick else EPISODES)
        for prior in PRIORS[: 1 if quick else None]
        for per_station in PER_STATION
        for per_option in PER_OPTION
    ]
    with process_pool() as pool:
        exactly = dict(zip(smalls, _told(pool.map(solved, smalls), "small problems"), strict=True))
        played = dict(zip(cells, _told(pool.map(play, cells), "cells of episodes"), strict=True))
    large = _large(played)
    if not quick:
        large.save_csv(FILE)
    return [_exactly(exactly), large, _break_even(played)]


def _told(results: Iterable[Found], what: str) -> Iterator[Found]:
    for k, found in enumerate(results):
        if k % 10 == 0:
            progress(f"choices: {k} {what}")
        yield found


def _exactly(exactly: dict[Small, tuple[float, float, float]]) -> Table:
    table = Table(
        "Which toolbox? Exactly, on small problems (6 x 6 cells, 5 stations, 3 toolboxes)",
        [
            Column("prior"),
            number("price for a station", 2),
            count("problems"),
            number("sets only", 3),
            number("with choices", 3),
            number("saved, %", 3),
            count("choices of use"),
            number("break-even price for an option, mean", 2),
            number("largest", 2),
        ],
        notes=["mean least marginal cost; choices at no price for an option, 0.5 as every question"],
    )
    for prior in PRIORS:
        for per_station in PER_STATION:
            rows = [found for small, found in exactly.items() if small[:2] == (prior, per_station)]
            sets, free, even = (np.array(part) for part in zip(*rows, strict=True))
            saved = 100 * (1 - free.mean() / sets.mean()) if sets.mean() > 0 else 0.0
            of_use = even[even > 0]
            means = [float(sets.mean()), float(free.mean()), float(saved), int(of_use.size)]
            prices = [float(of_use.mean()), float(of_use.max())] if of_use.size else [None, None]
            table.rows.append([prior, per_station, len(rows), *means, *prices])
    return table


def _large(played: dict[Cell, Played]) -> Table:
    table = Table(
        "Which toolbox? The planner at the paper's size (20 x 20 cells, 50 stations, 5 toolboxes)",
        [
            Column("prior"),
            number("price for a station", 2),
            Column("price for an option"),
            count("episodes"),
            number("marginal cost", 3),
            number("saved by choices", 3),
            number("standard error", 2),
            number("questions", 3),
            number("of them choices", 3),
        ],
        notes=["saved: mean difference to the same episodes with sets only"],
    )
    for cell, found in played.items():
        before = played[cell._replace(per_option=None)].costs
        saved = before - found.costs
        told: list[object] = [None, None]
        if cell.per_option is not None:
            told = [float(saved.mean()), float(saved.std(ddof=1) / np.sqrt(saved.size))]
        option = "sets only" if cell.per_option is None else f"{cell.per_option:g}"
        means = [float(found.asked.mean()), float(found.choices.mean())]
        row = [cell.prior, cell.per_station, option, found.costs.size, float(found.costs.mean()), *told, *means]
        table.rows.append(row)
    return table


def _break_even(played: dict[Cell, Played]) -> Table:
    table = Table(
        "Which toolbox? What a person's time may cost",
        [
            Column("prior"),
            number("price for a station", 2),
            number("sets only", 3),
            number("choices for 0.5", 3),
            number("saved", 3),
            number("steps saved by a choice", 3),
            Column("choices pay up to"),
        ],
        notes=[
            "steps saved by a choice: what all questions and steps save in an episode, for each choice asked in it",
            "choices pay up to: the highest price of an option tried at which the mean cost is below that of sets only",
        ],
    )
    for prior, per_station in dict.fromkeys(cell[:2] for cell in played):
        by_option = {cell.per_option: found for cell, found in played.items() if cell[:2] == (prior, per_station)}
        sets, free = by_option[None], by_option[0.0]
        saved = float(sets.costs.mean() - free.costs.mean())
        asked = float(free.choices.mean())
        paying = [
            price
            for price, found in by_option.items()
            if price is not None and found.choices.any() and found.costs.mean() < sets.costs.mean()
        ]
        highest = f"{max(paying):g} ({BASE + 4 * max(paying):g} for 4 options)" if paying else "no price tried"
        means = [float(sets.costs.mean()), float(free.costs.mean()), saved, saved / asked if asked else None]
        table.rows.append([prior, per_station, *means, highest])
    return table
