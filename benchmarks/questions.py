"""How good the questions are that each optimiser finds, and how long that takes.

Decisions of the paper's size (20 x 20 cells, 50 stations, 5 toolboxes), the same as in the tests: one from each of many
episodes in which an agent that never asks has to wait. Priors `far`, `uniform`, `near` and prices of 0, 0.2, 0.5 for
each station take turns. Net values are in steps: what a question is expected to save, less its price.
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
from benchmarks.report import Column, Table, count, number, progress, seconds

SAME = 1e-9
GENETIC, LOCAL, AUTO, EXACT = "genetic (the paper's)", "local", "auto", "exact"
Search = Callable[[QuestionValue, np.random.Generator], BestQuestion]


@dataclass(frozen=True)
class Searched:
    """One decision and what each optimiser made of it."""

    moment: Moment
    found: dict[str, BestQuestion]
    seconds: dict[str, float]

    @property
    def optimum(self) -> float | None:
        """The largest net value there is, if it is proven."""
        return self.found[EXACT].net if self.found[EXACT].verdict == PROVEN else None

    def ahead(self, one: str, other: str) -> float:
        """By how much one optimiser's question is better than the other's."""
        return self.found[one].net - self.found[other].net


def run(quick: bool) -> list[Table]:
    """Search all decisions with every optimiser."""
    n, budget = (20, 20_000) if quick else (200, 2_000_000)
    ways: dict[str, Search] = {
        GENETIC: genetic,
        LOCAL: local_search,
        AUTO: auto,
        EXACT: partial(exact, budget=budget),
    }
    progress(f"questions: {n} decisions, {', '.join(ways)}")
    moments = decisions(n)
    for search in ways.values():
        search(moments[0].values, np.random.default_rng(0))  # Once untimed: compiles.
    done = [_searched(k, moment, ways) for k, moment in enumerate(moments)]
    return [_beside_each_other(done), _beside_the_optimum(done, budget), _times(done, ways)]


def _searched(seed: int, moment: Moment, ways: dict[str, Search]) -> Searched:
    found, taken = {}, {}
    for name, search in ways.items():
        start = perf_counter()
        found[name] = search(moment.values, np.random.default_rng(seed))
        taken[name] = perf_counter() - start
    return Searched(moment, found, taken)


def _groups(done: Sequence[Searched]) -> dict[str, list[Searched]]:
    groups = {"all": list(done)}
    groups |= {f"prior {prior}": [each for each in done if each.moment.prior == prior] for prior in PRIORS}
    groups |= {f"price {price:g}": [each for each in done if each.moment.price == price] for price in PRICES}
    return {name: members for name, members in groups.items() if members}


def _beside_each_other(done: Sequence[Searched]) -> Table:
    table = Table(
        "Questions: local search beside the genetic algorithm",
        [
            Column("decisions"),
            count("how many"),
            number("possible goals, mean", 3),
            count("local better"),
            count("the same"),
            count("local worse"),
            number("gain where better, mean", 3),
            number("at most", 3),
            number("loss where worse, at most", 3),
        ],
        notes=["net values in steps; both optimisers with their defaults and the same seeds"],
    )
    for name, members in _groups(done).items():
        ahead = [each.ahead(LOCAL, GENETIC) for each in members]
        better, worse = [gain for gain in ahead if gain > SAME], [-gain for gain in ahead if gain < -SAME]
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


def _beside_the_optimum(done: Sequence[Searched], budget: int) -> Table:
    table = Table(
        "Questions: how far from the proven optimum",
        [
            Column("decisions"),
            count("how many"),
            count("proven"),
            number("optimum, mean", 3),
            *[
                column
                for name in ("genetic", "local", "auto")
                for column in (
                    count(f"{name} optimal"),
                    number(f"{name} short by", 3),
                    number(f"{name} at most", 3),
                )
            ],
        ],
        notes=[
            f"proven by branch and bound within {budget:,} partial questions; the other columns speak of proven ones",
            "short by, at most: mean and maximum over all proven decisions, those with the optimal question included",
        ],
    )
    for name, members in _groups(done).items():
        proven = [(each, each.optimum) for each in members if each.optimum is not None]
        row: list[object] = [name, len(members), len(proven), mean(best for _, best in proven) if proven else None]
        for way in (GENETIC, LOCAL, AUTO):
            short = [best - each.found[way].net for each, best in proven]
            row += [
                sum(gap <= SAME for gap in short),
                max(mean(short), 0.0) if short else None,
                max([0.0, *short]) if short else None,
            ]
        table.rows.append(row)
    return table


def _times(done: Sequence[Searched], ways: dict[str, Search]) -> Table:
    table = Table(
        "Questions: time for one decision",
        [
            Column("optimiser"),
            seconds("median"),
            seconds("mean"),
            seconds("longest"),
            count("questions looked at, median"),
            count("proven"),
        ],
        notes=[
            "for the search alone; exact and auto count partial questions too",
            "the paper: 6.1 s for its genetic algorithm in a whole episode",
        ],
    )
    for name in ways:
        taken = [each.seconds[name] for each in done]
        looked_at = int(median(each.found[name].evaluations for each in done))
        proven = sum(each.found[name].verdict == PROVEN for each in done)
        table.rows.append([name, median(taken), mean(taken), max(taken), looked_at, proven])
    return table
