"""The quality of the questions that each optimiser finds, compared with the proven optimum, and its time.

Decisions of the paper's size (20 x 20 cells, 50 stations, 5 toolboxes), the same as in the tests: one from each of many
episodes in which an agent that never asks has to wait. Priors `far`, `uniform` and `near`, and prices of 0, 0.2 and 0.5
per station, take turns. Net values are in steps: the expected saving of a question minus its price.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean, median
from time import perf_counter

import numpy as np
from tests.methods.decisions import PRICES, PRIORS, Moment, decisions

from askwise.methods.optimisers import PROVEN, BestQuestion, auto, exact, genetic, local_search
from askwise.methods.question_value import QuestionValue
from benchmarks.tools.report import Column, Table, count, number, progress, seconds

SAME = 1e-9
GENETIC, LOCAL, AUTO, EXACT = "genetic (the paper's)", "local", "auto", "exact"
Search = Callable[[QuestionValue, np.random.Generator], BestQuestion]


@dataclass(frozen=True)
class Searched:
    """One decision, and the question and time of each optimiser in it."""

    moment: Moment
    found: dict[str, BestQuestion]
    seconds: dict[str, float]

    @property
    def optimum(self) -> float | None:
        """The largest net value of any question, None if it was not proven."""
        return self.found[EXACT].net if self.found[EXACT].verdict == PROVEN else None

    def advantage(self, one: str, other: str) -> float:
        """Return the net value of one optimiser's question minus that of the other's."""
        return self.found[one].net - self.found[other].net


def run(quick: bool) -> list[Table]:
    """Search for a question in all decisions with every optimiser."""
    n, budget = (20, 20_000) if quick else (200, 2_000_000)
    optimisers: dict[str, Search] = {
        GENETIC: genetic,
        LOCAL: local_search,
        AUTO: auto,
        EXACT: partial(exact, budget=budget),
    }
    progress(f"questions: {n} decisions, {', '.join(optimisers)}")
    moments = decisions(n)
    for search in optimisers.values():
        search(moments[0].values, np.random.default_rng(0))  # once untimed, to compile
    done = [_search(k, moment, optimisers) for k, moment in enumerate(moments)]
    return [_local_and_genetic(done), _distance_from_optimum(done, budget), _times(done, optimisers)]


def _search(seed: int, moment: Moment, optimisers: dict[str, Search]) -> Searched:
    found, taken = {}, {}
    for name, search in optimisers.items():
        start = perf_counter()
        found[name] = search(moment.values, np.random.default_rng(seed))
        taken[name] = perf_counter() - start
    return Searched(moment, found, taken)


def _groups(done: Sequence[Searched]) -> dict[str, list[Searched]]:
    groups = {"all": list(done)}
    groups |= {f"prior {prior}": [each for each in done if each.moment.prior == prior] for prior in PRIORS}
    groups |= {f"price {price:g}": [each for each in done if each.moment.price == price] for price in PRICES}
    return {name: members for name, members in groups.items() if members}


def _local_and_genetic(done: Sequence[Searched]) -> Table:
    table = Table(
        "Questions: local search compared with the genetic algorithm",
        [
            Column("decisions"),
            count("number"),
            number("possible goals, mean", 3),
            count("local better"),
            count("equal"),
            count("local worse"),
            number("gain where better, mean", 3),
            number("largest gain", 3),
            number("largest loss", 3),
        ],
        notes=["net values in steps; both optimisers with their defaults and the same seeds"],
    )
    for name, members in _groups(done).items():
        gains = [each.advantage(LOCAL, GENETIC) for each in members]
        better, worse = [gain for gain in gains if gain > SAME], [-gain for gain in gains if gain < -SAME]
        table.rows.append(
            [
                name,
                len(members),
                mean(each.moment.values.n for each in members),
                len(better),
                len(members) - len(better) - len(worse),
                len(worse),
                mean(better) if better else None,
                max(better, default=None),
                max(worse, default=None),
            ]
        )
    return table


def _distance_from_optimum(done: Sequence[Searched], budget: int) -> Table:
    table = Table(
        "Questions: distance from the proven optimum",
        [
            Column("decisions"),
            count("number"),
            count("proven"),
            number("optimum, mean", 3),
            *[
                column
                for name in ("genetic", "local", "auto")
                for column in (
                    count(f"{name} optimal"),
                    number(f"{name} below, mean", 3),
                    number(f"{name} below, largest", 3),
                )
            ],
        ],
        notes=[
            f"proven by branch and bound within {budget:,} partial questions; other columns: proven decisions",
            "below: optimum minus net value, over all proven decisions, including those with an optimal question",
        ],
    )
    for name, members in _groups(done).items():
        proven = [(each, each.optimum) for each in members if each.optimum is not None]
        row: list[object] = [name, len(members), len(proven), mean(best for _, best in proven) if proven else None]
        for optimiser in (GENETIC, LOCAL, AUTO):
            below = [best - each.found[optimiser].net for each, best in proven]
            row += [
                sum(gap <= SAME for gap in below),
                max(mean(below), 0.0) if below else None,
                max([0.0, *below]) if below else None,
            ]
        table.rows.append(row)
    return table


def _times(done: Sequence[Searched], optimisers: dict[str, Search]) -> Table:
    table = Table(
        "Questions: time per decision",
        [
            Column("optimiser"),
            seconds("median"),
            seconds("mean"),
            seconds("longest"),
            count("questions evaluated, median"),
            count("proven"),
        ],
        notes=[
            "time of the search alone; exact and auto also count partial questions",
            "the paper: 6.1 s for its genetic algorithm in an episode",
        ],
    )
    for name in optimisers:
        taken = [each.seconds[name] for each in done]
        evaluated = int(median(each.found[name].evaluations for each in done))
        proven = sum(each.found[name].verdict == PROVEN for each in done)
        table.rows.append([name, median(taken), mean(taken), max(taken), evaluated, proven])
    return table
