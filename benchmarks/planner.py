"""The planner's time per decision, and its growth with stations and maps.

Whole episodes with a UROP teammate are measured, without the first of each cell, which loads compiled code. Once the
goal is known a decision takes almost no time, so decisions while several goals are possible are reported separately.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

from askwise import simulate
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.types import FloatArray
from benchmarks.report import Column, Table, count, number, progress, seconds
from benchmarks.timed import Taken, Timed

METHODS = ("planner", "planner-light", "ezq", "ezq-local")
PRIORS = ("far", "uniform", "near")
STATIONS = (10, 25, 50, 100, 200)
ANSWERS = ("truthful", "wrong:0.05", "wrong:0.2", "wrong:0.1,refused:0.3", "wrong:0.1,persistent")
SIDES = (10, 20, 40, 70, 100)


def run(quick: bool) -> list[Table]:
    """Measure decisions at the paper's size, then growth."""
    episodes = 3 if quick else 60
    return [
        _decisions(episodes),
        _doubtful(2 if quick else 10),
        _growth(STATIONS[:2] if quick else STATIONS, SIDES[:2] if quick else SIDES),
    ]


def _played(method: str, prior: str, price: float, side: int, stations: int, episodes: int) -> list[Taken]:
    taken: list[Taken] = []
    for k in range(episodes + 1):
        agent = Timed(method)
        drawn = generate(size=side, stations=stations, seed=k, prior=Prior(prior), query_cost=QueryCost(0.5, price))
        simulate(ToolFetching(drawn), agent, seed=1000 + k)
        if k:  # the first loads compiled code
            taken += agent.taken
    return taken


def _decisions(episodes: int) -> Table:
    table = Table(
        f"Time for a decision at the paper's size ({episodes} episodes a cell)",
        [
            Column("method"),
            Column("prior"),
            number("price for a station", 2),
            count("decisions"),
            seconds("mean"),
            count("undecided"),
            seconds("mean of these"),
            seconds("median of these"),
            seconds("worst"),
        ],
        notes=[
            "20 x 20 cells, 50 stations; expected while undecided: planner 10 ms on average, 0.1 s at worst, light 2",
            "undecided: decisions while more than one goal is possible",
        ],
    )
    for method in METHODS:
        everything: list[Taken] = []
        for prior in PRIORS:
            for price in (0.0, 0.2, 0.5):
                progress(f"planner: {method}, prior {prior}, price {price:g}")
                taken = _played(method, prior, price, 20, 50, episodes)
                everything += taken
                table.rows.append([method, prior, price, *_spread(taken)])
        table.rows.append([method, "all", None, *_spread(everything)])
    return table


def _doubtful(episodes: int) -> Table:
    """Compare decision times for several kinds of answers, in turn on the same maps."""
    table = Table(
        f"Time for a decision of the planner, by how answers come ({episodes} maps, three priors, two prices)",
        [
            Column("answers"),
            count("decisions"),
            seconds("mean"),
            number("beside true answers", 3),
            count("undecided"),
            seconds("mean of these"),
            number("beside true answers ", 3),
            seconds("worst"),
        ],
        notes=[
            "20 x 20 cells, 50 stations, processor time; expected while undecided: 58 ms on average, twice what true "
            "answers took when planning with wrong ones began",
        ],
    )
    taken: dict[str, list[Taken]] = {answers: [] for answers in ANSWERS}
    for k in range(episodes + 1):
        progress(f"planner: wrong answers, map {k} of {episodes}")
        for prior in PRIORS:
            for price in (0.0, 0.2):
                drawn = generate(size=20, stations=50, seed=k, prior=Prior(prior), query_cost=QueryCost(0.5, price))
                for answers, mine in taken.items():
                    agent = Timed("planner", process_time)
                    simulate(ToolFetching(drawn), agent, seed=1000 + k, answers=answers)
                    mine += agent.taken if k else []  # the first loads compiled code
    true = _spread(taken[ANSWERS[0]])
    for answers, mine in taken.items():
        n, mean, undecided, hard, _, worst = _spread(mine)
        table.rows.append([answers, n, mean, mean / true[1], undecided, hard, hard / true[3], worst])
    return table


def _spread(taken: list[Taken]) -> list[Any]:
    every, hard = _seconds(taken), _seconds([each for each in taken if each.several])
    return [every.size, every.mean(), hard.size, hard.mean(), np.median(hard), every.max()]


def _seconds(taken: list[Taken]) -> FloatArray:
    return np.array([each.seconds for each in taken])


def _growth(stations: tuple[int, ...], sides: tuple[int, ...]) -> Table:
    table = Table(
        "Growth of a decision (5 episodes each, prior uniform, price 0.2)",
        [Column("method"), Column("map"), count("stations"), seconds("mean while undecided"), seconds("worst")],
    )
    cells = [(20, n) for n in stations] + [(side, 50 if side > 10 else 25) for side in sides]
    for method in ("planner", "planner-light"):
        for side, n in cells:
            progress(f"planner: {method} on {side} x {side} with {n} stations")
            hard = _seconds([each for each in _played(method, "uniform", 0.2, side, n, 5) if each.several])
            table.rows.append([method, f"{side} x {side}", n, hard.mean(), hard.max()])
    return table
