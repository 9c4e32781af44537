"""The planner: time for a decision, and how it grows with stations and maps.

Whole episodes with a UROP teammate; a decision counts where more than one goal is possible. Times are of the second of
two equal rounds, so that compiled code is loaded.
"""

from __future__ import annotations

import numpy as np

from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.problem import QueryCost
from askwise.simulation import simulate
from benchmarks.report import Column, Table, count, number, progress, seconds
from benchmarks.timed import Timed

METHODS = ("planner", "planner-light", "ezq", "ezq-local")
PRIORS = ("far", "uniform", "near")
STATIONS = (10, 25, 50, 100, 200)
SIDES = (10, 20, 40, 70, 100)


def run(quick: bool) -> list[Table]:
    """Measure decisions at the paper's size, then growth."""
    episodes = 3 if quick else 60
    return [_decisions(episodes), _growth(STATIONS[:2] if quick else STATIONS, SIDES[:2] if quick else SIDES)]


def _played(method: str, prior: str, price: float, side: int, stations: int, episodes: int) -> list[float]:
    taken: list[float] = []
    for k in range(episodes + 1):
        agent = Timed(method)
        drawn = generate(size=side, stations=stations, seed=k, prior=Prior(prior), query_cost=QueryCost(0.5, price))
        simulate(ToolFetching(drawn), agent, seed=1000 + k)
        if k:  # the first loads compiled code
            taken += [each.seconds for each in agent.taken if each.several]
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
            seconds("median"),
            seconds("worst"),
        ],
        notes=["20 x 20 cells, 50 stations; expected: planner 30 ms on average and 0.5 s at worst, light 5 ms"],
    )
    for method in METHODS:
        everything: list[float] = []
        for prior in PRIORS:
            for price in (0.0, 0.2, 0.5):
                progress(f"planner: {method}, prior {prior}, price {price:g}")
                taken = _played(method, prior, price, 20, 50, episodes)
                everything += taken
                table.rows.append([method, prior, price, *_spread(taken)])
        table.rows.append([method, "all", None, *_spread(everything)])
    return table


def _spread(taken: list[float]) -> list[object]:
    return [len(taken), float(np.mean(taken)), float(np.median(taken)), max(taken)]


def _growth(stations: tuple[int, ...], sides: tuple[int, ...]) -> Table:
    table = Table(
        "Growth of a decision (5 episodes each, prior uniform, price 0.2)",
        [Column("method"), Column("map"), count("stations"), seconds("mean"), seconds("worst")],
    )
    cells = [(20, n) for n in stations] + [(side, 50 if side > 10 else 25) for side in sides]
    for method in ("planner", "planner-light"):
        for side, n in cells:
            progress(f"planner: {method} on {side} x {side} with {n} stations")
            taken = _played(method, "uniform", 0.2, side, n, 5)
            table.rows.append([method, f"{side} x {side}", n, float(np.mean(taken)), max(taken)])
    return table
