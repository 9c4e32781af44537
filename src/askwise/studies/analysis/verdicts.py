"""Verdicts on the paper's claims, the rules that lead to them, and the estimates that they are based on.

Every comparison in the paper's text is about a weighted sum of paired values: the difference of two methods, the growth
of a difference with the price, or half of the cost under one prior minus the cost under another.
`StudyEvidence.combined` estimates any of them from the episodes in conditions of the paper.

A claim has parts, one for each comparison that it makes. It holds if every part holds, and it does not hold if one part
does not. Otherwise it is not decided: a condition is missing, there are too few episodes, or the interval leaves it
open. If the paper says that something takes long and it takes less time here, the verdict is "faster here": machines
and programs differ, and being faster does not contradict a result. Tests are two-sided at 5 % and uncorrected, as in
the paper; Holm's corrected values are in the table of comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
import polars as pl

from askwise.studies.analysis.estimates import Estimate, estimate, ratio, rounded, to_text
from askwise.studies.analysis.tables import KEY, Tables, usable

TEAMMATE, BASE_COST = "urop", 0.5
METHODS = ("never", "baseline", "toolbox", "cost-prob", "ezq")
PRIORS = ("far", "uniform", "near")
HIGHEST_PRICE = 0.5
"""The highest per-station cost in the paper; its claims are not about higher ones."""
HOLDS, FAILS, FASTER, OPEN = "holds", "does not hold", "faster here", "not decided"
VERDICTS = (HOLDS, FAILS, FASTER, OPEN)
"""The verdicts in the order in which reports count them; `FASTER` is only for claims about computing time."""
SIGNIFICANT = 0.05
FEWEST_PAIRS = 10
"""The smallest number of independent pairs that can decide a claim."""
PAPER_PAIRS = 100
"""The number of pairs in the paper. "Not significant" counts only with at least as many."""
SIMILAR = 1.0
"""Two costs are similar if they differ by less than one step."""


# -- evidence ----------------------------------------------------------------------------------------------------


class Missing(Exception):  # noqa: N818 - it names what happened
    """Raised if the study lacks a condition that a claim is about; the message names the condition."""


class Pick(NamedTuple):
    """A selection of episodes by method, prior and price (per-station cost).

    If the prior or the price is None, episodes with any prior or price are selected.
    """

    method: str
    prior: str | None = None
    price: float | None = None


class StudyEvidence:
    """The finished episodes of a study in conditions of the paper, by which the paper's claims are judged.

    Args:
        tables: the checked tables of the study.

    Attributes:
        early_until: a table of the last step at which a question counts as early, with the columns ``prior``,
            ``per_goal`` (the price) and ``until``, the median step of all questions of `ezq`, `toolbox` and
            `cost-prob`.
    """

    def __init__(self, tables: Tables) -> None:
        episodes = _in_the_papers_setting(usable(tables.episodes))
        queries = tables.queries.join(episodes, on=KEY, how="semi")
        wide = episodes.join(_early_questions(queries), on=KEY, how="left")
        wide = wide.join(_first_runs(queries), on=KEY, how="left")
        wide = wide.join(tables.timings, on=KEY, how="left")
        if "known_at" in wide.columns:
            # If several goals stayed possible, the goal was known when the episode ended.
            wide = wide.with_columns(pl.coalesce("known_at", "steps"))
        self.early_until = _early_until(queries)
        self._episodes = wide.with_columns(
            pl.col("early_questions", "first_run").fill_null(0),
            (pl.col("decide_seconds") / pl.col("steps").clip(lower_bound=1)).alias("decision_seconds"),
        ).sort("prior", "per_goal", "instance", "episode")

    @property
    def empty(self) -> bool:
        """Whether no method of the paper was played in a condition of the paper."""
        return self._episodes.is_empty()

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the paper that were played."""
        found = set(self._episodes["method"])
        return tuple(method for method in METHODS if method in found)

    @property
    def prices(self) -> tuple[float, ...]:
        """All prices (per-station costs) of the episodes, in ascending order."""
        return tuple(self._episodes["per_goal"].unique().sort())

    @property
    def rising(self) -> tuple[float, ...]:
        """All prices (per-station costs) above 0, in ascending order; raises `Missing` if there are none."""
        above = tuple(price for price in self.prices if price > 0)
        if not above:
            raise Missing("no per-station cost above 0 in this study")
        return above

    @property
    def top(self) -> float:
        """0.5, the paper's highest price of a goal in a question; raises `Missing` if the study lacks this price."""
        if HIGHEST_PRICE not in self.prices:
            raise Missing(f"no per-station cost of {HIGHEST_PRICE:g} in this study")
        return HIGHEST_PRICE

    def mean(self, pick: Pick, column: str = "marginal_cost") -> Estimate:
        """Return the mean of a column over the episodes of a selection; raise `Missing` if there are none."""
        return self.combined({pick: 1.0}, column)

    def difference(self, first: Pick, second: Pick, column: str = "marginal_cost") -> Estimate:
        """Return the mean difference of a column, `first` minus `second`, over the episodes in both selections.

        Raises:
            Missing: the study lacks one of the conditions, or the column.
        """
        return self.combined({first: 1.0, second: -1.0}, column)

    def combined(self, weights: Mapping[Pick, float], column: str = "marginal_cost") -> Estimate:
        """Return the mean over episodes of a weighted sum, such as the difference of two methods' marginal costs.

        The sum is computed for each episode that occurs in all selections. Each selection adds the value of `column` in
        its row of the episode, times its weight. Rows are of the same episode if they have the same ``instance`` and
        ``episode``. If no selection states a prior, they must also have the same prior; if none states a price, the
        same price.

        Args:
            weights: the weight of each selection.
            column: the name of the column of numbers to combine.

        Raises:
            Missing: the study lacks one of the conditions, or the column.
        """
        joined = self._paired(list(weights), column)
        values = sum(weight * joined[f"v{k}"].to_numpy() for k, weight in enumerate(weights.values()))
        return estimate(rounded(np.asarray(values, dtype=np.float64)), joined["instance"].to_numpy())

    def quotient(self, upper: Pick, lower: Pick, column: str) -> Estimate:
        """Estimate a quotient: the sum of a column over the selection `upper`, divided by its sum over `lower`.

        Only episodes that occur in both selections are used.

        Raises:
            Missing: the study lacks one of the conditions, or the column.
        """
        joined = self._paired([upper, lower], column)
        return ratio(joined["v0"].to_numpy(), joined["v1"].to_numpy(), joined["instance"].to_numpy())

    def _paired(self, picks: list[Pick], column: str) -> pl.DataFrame:
        keys = ["instance", "episode"]
        keys += ["prior"] * all(pick.prior is None for pick in picks)
        keys += ["per_goal"] * all(pick.price is None for pick in picks)
        parts = [self._values(pick, column, keys, f"v{k}") for k, pick in enumerate(picks)]
        joined = reduce(lambda a, b: a.join(b, on=keys, how="inner", maintain_order="left"), parts)
        if joined.is_empty():
            raise Missing("no pairs of finished episodes in this study")
        return joined

    def _values(self, pick: Pick, column: str, keys: list[str], name: str) -> pl.DataFrame:
        table = self._episodes
        wanted = (("method", pick.method), ("prior", pick.prior), ("per_goal", pick.price))
        for field, value in wanted:
            if value is None:
                continue
            if not (table[field] == value).any():
                shown = f"{value:g}" if isinstance(value, float) else repr(value)
                what = field.replace("_", " ").replace("per station", "per-station") + " of" * isinstance(value, float)
                raise Missing(f"no {what} {shown} in this study")
            table = table.filter(pl.col(field) == value)
        if column not in table.columns:
            raise Missing(f"the tables have no column {column!r}")
        found = table.select(*keys, pl.col(column).cast(pl.Float64).alias(name)).drop_nulls()
        if found.is_empty():
            raise Missing(f"the column {column!r} is empty")
        return found


def _in_the_papers_setting(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the episodes of the paper's methods, priors and prices, with an optimal worker and a base price of 0.5.

    A teammate or base price that all episodes share is accepted even if it is not the paper's.
    """
    for column, papers in (("teammate", TEAMMATE), ("base", BASE_COST)):
        if episodes[column].n_unique() > 1:
            episodes = episodes.filter(pl.col(column) == papers)
    return episodes.filter(
        pl.col("method").is_in(METHODS),
        pl.col("prior").is_in(PRIORS),
        pl.col("per_goal") <= HIGHEST_PRICE,
    )


def _early_until(queries: pl.DataFrame) -> pl.DataFrame:
    """Return, for each prior and price, the median of all steps at which `ezq`, `toolbox` and `cost-prob` ask.

    The columns are ``prior``, ``per_goal`` and ``until``; `queries` has one row for each question.
    """
    compared = queries.filter(pl.col("method").is_in(("ezq", "toolbox", "cost-prob")))
    return compared.group_by("prior", "per_goal").agg(pl.col("t").median().alias("until"))


def _early_questions(queries: pl.DataFrame) -> pl.DataFrame:
    """Return how many early questions each episode has, in the column ``early_questions``.

    A question is early up to the step that `_early_until` returns for its prior and price.

    Args:
        queries: one row for each question. Episodes without a question are not in the result.
    """
    with_until = queries.join(_early_until(queries), on=("prior", "per_goal"), how="inner")
    return with_until.group_by(KEY).agg((pl.col("t") <= pl.col("until")).sum().alias("early_questions"))


def _first_runs(queries: pl.DataFrame) -> pl.DataFrame:
    """Return the length of each episode's first run of questions in consecutive steps, in the column ``first_run``.

    Args:
        queries: one row for each question. Episodes without a question are not in the result.
    """
    # For consecutive questions, step minus number is constant.
    offset = pl.col("t") - pl.col("number")
    return queries.group_by(KEY).agg((offset == offset.min()).sum().alias("first_run"))


# -- verdicts ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """One of the comparisons that a claim makes, with its verdict.

    Attributes:
        name: what is compared.
        verdict: one of `VERDICTS`.
        result: the estimate as text, or what is missing.
        strength: how clearly the comparison holds: the absolute value of Student's t.
    """

    name: str
    verdict: str
    result: str
    strength: float = 0.0


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on a claim (one of `VERDICTS`), and the measured numbers as text."""

    verdict: str
    measured: str


Rule = Callable[[Estimate], str]
"""A function from an estimate to a verdict."""


def part(
    name: str, measure: Callable[[], Estimate], rule: Rule, *, unit: str = "", digits: int = 2, signed: bool = True
) -> Part:
    """Judge one of the comparisons that a claim makes.

    The verdict is "not decided" if data are missing or too few.

    Args:
        name: what is compared.
        measure: returns the estimate, or raises `Missing`.
        rule: returns the verdict on the estimate.
        unit: the unit of the estimate, for the text.
        digits: the number of decimals in the text.
        signed: whether the text has a plus sign in front of positive numbers.
    """
    try:
        found = measure()
    except Missing as missing:
        return Part(name, OPEN, str(missing))
    text = to_text(found, unit=unit, digits=digits, signed=signed)
    if found.units < FEWEST_PAIRS or found.p is None:
        return Part(name, OPEN, f"{text}; too few episodes")
    return Part(name, rule(found), text, abs(found.t or 0.0))


def below_zero(found: Estimate) -> str:
    """Return the verdict `HOLDS` if a mean is significantly below 0, `FAILS` if significantly above, else `OPEN`."""
    assert found.p is not None
    if found.p >= SIGNIFICANT:
        return OPEN
    return HOLDS if found.mean < 0 else FAILS


def above_zero(found: Estimate) -> str:
    """Return the verdict `HOLDS` if a mean is significantly above 0, `FAILS` if significantly below, else `OPEN`."""
    return {HOLDS: FAILS, FAILS: HOLDS, OPEN: OPEN}[below_zero(found)]


def significantly_below(found: Estimate) -> str:
    """Return the verdict on the claim that a difference is significantly below 0.

    It is `HOLDS` if the difference is significantly below 0, and `FAILS` if it is significantly above 0. If it is not
    significant, the verdict is `FAILS` with at least as many pairs as in the paper (100), otherwise `OPEN`.
    """
    verdict = below_zero(found)
    return FAILS if verdict == OPEN and found.units >= PAPER_PAIRS else verdict


def not_significantly_below(found: Estimate) -> str:
    """Return the verdict on the claim that a difference is not significantly below 0.

    It is `FAILS` if the difference is significantly below 0. Otherwise it is `HOLDS` with at least as many pairs as in
    the paper (100), and `OPEN` with fewer.
    """
    if below_zero(found) == HOLDS:
        return FAILS
    return HOLDS if found.units >= PAPER_PAIRS else OPEN


def similar(found: Estimate) -> str:
    """Return the verdict on whether two costs differ by less than one step.

    It is `HOLDS` if the interval of the difference lies within plus or minus `SIMILAR` (1 step), `FAILS` if it lies
    completely outside, otherwise `OPEN`.
    """
    return within(-SIMILAR, SIMILAR)(found)


def within(low: float, high: float) -> Rule:
    """Return a rule: a function that judges whether an estimate lies between `low` and `high`.

    Its verdict is `HOLDS` if the 95 % interval lies between them, `FAILS` if it lies completely outside, otherwise
    `OPEN`.
    """

    def rule(found: Estimate) -> str:
        assert found.low is not None
        assert found.high is not None
        if low < found.low and found.high < high:
            return HOLDS
        return FAILS if found.high <= low or found.low >= high else OPEN

    return rule


def as_long_as(low: float, high: float) -> Rule:
    """Return a rule: a function that judges whether an estimated time lies between `low` and `high` seconds.

    Its verdict is `HOLDS` if the 95 % interval lies between them, `FASTER` if it lies below `low`, `FAILS` if it lies
    above `high`, otherwise `OPEN`.
    """

    def rule(found: Estimate) -> str:
        assert found.high is not None
        return FASTER if found.high <= low else within(low, high)(found)

    return rule


def together(parts: Iterable[Part]) -> Finding:
    """Return the verdict on a claim and the measured numbers, from all comparisons that the claim makes.

    The verdict is `FAILS` if any comparison fails; otherwise `OPEN` if any comparison is not decided or there is none;
    otherwise `FASTER` if any comparison has this verdict; otherwise `HOLDS`.
    """
    found = list(parts)
    verdicts = {each.verdict for each in found}
    worst_first = (FAILS, OPEN, FASTER, HOLDS)
    verdict = next((verdict for verdict in worst_first if verdict in verdicts), OPEN)
    return Finding(verdict, _few(found) if len(found) <= 4 else _many(found))


def _few(parts: list[Part]) -> str:
    results = {each.result for each in parts}
    if len(results) == 1 and parts[0].result.startswith("no "):
        return parts[0].result
    mixed = len({each.verdict for each in parts}) > 1
    return "; ".join(_part_text(each, with_verdict=mixed) for each in parts)


def _many(parts: list[Part], listed: int = 4) -> str:
    """Return a text about many comparisons: how many hold, and the results of those that fail or are not decided.

    If all hold, it has the result of the least clear one.

    Args:
        parts: all comparisons of a claim.
        listed: the largest number of results of failing comparisons, and of undecided ones; further ones are only
            counted.
    """
    holding = [each for each in parts if each.verdict == HOLDS]
    text = f"{len(holding)} of {len(parts)} comparisons hold"
    for verdict in (FAILS, OPEN):
        others = [each for each in parts if each.verdict == verdict]
        if others:
            shown = "; ".join(_part_text(each) for each in others[:listed])
            more = f"; and {len(others) - listed} more" if len(others) > listed else ""
            text += f". {'Against it' if verdict == FAILS else 'Undecided'} ({len(others)}): {shown}{more}"
    if holding and len(holding) == len(parts):
        text += f". The least clear: {_part_text(min(holding, key=lambda each: each.strength))}"
    return text


def _part_text(each: Part, *, with_verdict: bool = False) -> str:
    return f"{each.name}: {each.result}" + (f" [{each.verdict}]" if with_verdict else "")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the paper about its results, and how to judge it.

    Attributes:
        name: a few words, for short lists.
        where: where the paper states the claim.
        text: the claim, in our words.
        rule: a description of when the claim holds, for readers of the report.
        judge: returns the comparisons that decide the claim, each with a verdict.
    """

    name: str
    where: str
    text: str
    rule: str
    judge: Callable[[StudyEvidence], Iterable[Part]]

    def finding(self, evidence: StudyEvidence) -> Finding:
        """Return the verdict on the claim and the numbers behind it.

        The claim is not decided if the episodes lack a condition.
        """
        try:
            return together(self.judge(evidence))
        except Missing as missing:
            return Finding(OPEN, str(missing))
