"""The value of asking "which of these groups?" instead of "is it one of these?".

All answers are true. A question about a set of stations costs 0.5 plus a price for each station that it names; "which
of these toolboxes?" costs 0.5 plus a price for each option. There are three tables:

- **Small problems**, exactly: the optimum with questions about sets only, compared with the optimum that may ask
  choices too, and the *break-even* price of an option, above which the best plan asks no choice. It is found by
  bisection, because the saving never grows with the price.
- **The paper's size** (20 x 20 cells, 50 stations, 5 toolboxes): mean marginal cost of the planner with sets only, and
  with choices at several prices of an option, in the same episodes.
- **A person's time**, from the second table: the highest price of an option at which choices still save something.
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
from benchmarks.tools.processes import process_pool
from benchmarks.tools.report import Column, Table, count, number, progress

BASE = 0.5
PRIORS = ("far", "uniform", "near")
PER_STATION = (0.0, 0.2)
PER_OPTION = (None, 0.0, 0.1, 0.2)
"""Prices of an option; None means questions about sets only."""
EPISODES = 50
FIRST_SEED = 70_000
SMALL = 20
"""Small problems in each condition (prior and price per station)."""
NO_SAVING = 1e-9
FILE = Path("out/bench/choices-large.csv")
"""``docs/reproduced/choices-large.csv`` is a copy of this file."""

Found = TypeVar("Found")


class Condition(NamedTuple):
    """The prior and prices of some episodes at the paper's size, and their number."""

    prior: str
    per_station: float
    per_option: float | None
    episodes: int


class Played(NamedTuple):
    """The episodes of one condition, one number for each.

    Attributes:
        costs: marginal costs.
        asked: number of questions.
        choices: number of choices among them.
    """

    costs: FloatArray
    asked: FloatArray
    choices: FloatArray


def play(condition: Condition) -> Played:
    """Play the episodes of a condition."""
    rows = []
    for seed in range(FIRST_SEED, FIRST_SEED + condition.episodes):
        price = QueryCost(BASE, condition.per_station, per_option=condition.per_option)
        drawn = generate(size=20, stations=50, toolboxes=5, seed=seed, prior=Prior(condition.prior), query_cost=price)
        episode = simulate(ToolFetching(drawn), "planner", seed=seed)
        asked = [step.decision.ask for step in episode.questions]
        rows.append((episode.marginal_cost, len(asked), sum(isinstance(each, Choice) for each in asked)))
    return Played(*np.array(rows, dtype=np.float64).T)


class Small(NamedTuple):
    """A small problem without the price of an option."""

    prior: str
    per_station: float
    seed: int

    def optimum(self, per_option: float | None) -> float:
        """Return the least expected marginal cost for a price of an option; None means sets only."""
        price = QueryCost(BASE, self.per_station, per_option=per_option)
        drawn = generate(size=6, stations=5, toolboxes=3, seed=self.seed, prior=Prior(self.prior), query_cost=price)
        return solve(ToolFetching(drawn)).expected_marginal_cost


def solve_small(small: Small) -> tuple[float, float, float]:
    """Return the optimum with sets only, that with free options, and the break-even price of an option."""
    sets, free = small.optimum(None), small.optimum(0.0)
    if sets - free <= NO_SAVING:
        return sets, free, 0.0
    low, high = 0.0, 1.0
    while sets - small.optimum(high) > NO_SAVING:
        low, high = high, 2 * high
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (middle, high) if sets - small.optimum(middle) > NO_SAVING else (low, middle)
    return sets, free, low


def run(quick: bool) -> list[Table]:
    """Solve the small problems and play the large ones."""
    smalls = [
        Small(prior, per_station, FIRST_SEED + k)
        for prior in PRIORS
        for per_station in PER_STATION
        for k in range(2 if quick else SMALL)
    ]
    conditions = [
        Condition(prior, per_station, per_option, 2 if quick else EPISODES)
        for prior in PRIORS[: 1 if quick else None]
        for per_station in PER_STATION
        for per_option in PER_OPTION
    ]
    with process_pool() as pool:
        exactly = dict(zip(smalls, _with_progress(pool.map(solve_small, smalls), "small problems"), strict=True))
        played = dict(zip(conditions, _with_progress(pool.map(play, conditions), "conditions"), strict=True))
    large = _large(played)
    if not quick:
        large.save_csv(FILE)
    return [_exactly(exactly), large, _break_even(played)]


def _with_progress(results: Iterable[Found], what: str) -> Iterator[Found]:
    for k, found in enumerate(results):
        if k % 10 == 0:
            progress(f"choices: {k} {what}")
        yield found


def _exactly(exactly: dict[Small, tuple[float, float, float]]) -> Table:
    table = Table(
        "Choices on small problems: exact optimum (6 x 6 cells, 5 stations, 3 toolboxes)",
        [
            Column("prior"),
            number("price per station", 2),
            count("problems"),
            number("sets only", 3),
            number("with choices", 3),
            number("saved, %", 3),
            count("choices help in"),
            number("break-even price per option, mean", 2),
            number("largest", 2),
        ],
        notes=["mean optimum; with choices: options are free, so a choice costs 0.5 like every question"],
    )
    for prior in PRIORS:
        for per_station in PER_STATION:
            rows = [found for small, found in exactly.items() if small[:2] == (prior, per_station)]
            sets, free, even = (np.array(part) for part in zip(*rows, strict=True))
            saved = 100 * (1 - free.mean() / sets.mean()) if sets.mean() > 0 else 0.0
            positive = even[even > 0]
            means = [float(sets.mean()), float(free.mean()), float(saved), int(positive.size)]
            prices = [float(positive.mean()), float(positive.max())] if positive.size else [None, None]
            table.rows.append([prior, per_station, len(rows), *means, *prices])
    return table


def _large(played: dict[Condition, Played]) -> Table:
    table = Table(
        "Choices at the paper's size: the planner (20 x 20 cells, 50 stations, 5 toolboxes)",
        [
            Column("prior"),
            number("price per station", 2),
            Column("price per option"),
            count("episodes"),
            number("marginal cost", 3),
            number("saved by choices", 3),
            number("standard error", 2),
            number("questions", 3),
            number("choices", 3),
        ],
        notes=["saved: mean difference from the same episodes with sets only; questions (all) and choices per episode"],
    )
    for condition, found in played.items():
        saved = played[condition._replace(per_option=None)].costs - found.costs
        saving: list[object] = [None, None]
        if condition.per_option is not None:
            saving = [float(saved.mean()), float(saved.std(ddof=1) / np.sqrt(saved.size))]
        option = "sets only" if condition.per_option is None else f"{condition.per_option:g}"
        means = [float(found.asked.mean()), float(found.choices.mean())]
        cost = float(found.costs.mean())
        table.rows.append([condition.prior, condition.per_station, option, found.costs.size, cost, *saving, *means])
    return table


def _break_even(played: dict[Condition, Played]) -> Table:
    table = Table(
        "Choices: what a person's time may cost",
        [
            Column("prior"),
            number("price per station", 2),
            number("sets only", 3),
            number("with free options", 3),
            number("saved", 3),
            number("saved per choice", 3),
            Column("choices save up to"),
        ],
        notes=[
            "saved per choice: mean saving of an episode divided by the mean number of choices in it",
            "choices save up to: the highest tried price of an option at which the mean cost is below sets only",
        ],
    )
    for prior, per_station in dict.fromkeys(condition[:2] for condition in played):
        by_option = {key.per_option: found for key, found in played.items() if key[:2] == (prior, per_station)}
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
