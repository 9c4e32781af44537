"""Verdicts on the claims of the paper that askwise implements: the rules that lead to them, and the estimates they use.

A claim makes one or more comparisons. Its verdict is the first in this list that any comparison has:

- ``does not hold``;
- ``not decided``: data are missing, there are too few episodes, or an interval is too wide;
- ``faster here``: a computation takes less time than in the paper;
- ``holds``.

Most comparisons estimate a weighted sum, such as the difference of two methods (`StudyEvidence.combined`). Tests are
two-sided at 5 % and uncorrected, as in the paper.
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
    """Raised if a study lacks data, such as a method or a price, that a claim of the paper is about.

    The message says what is missing.
    """


class Pick(NamedTuple):
    """A selection of a study's episodes by method, prior and price.

    Attributes:
        method: name of the method, such as ``ezq``.
        prior: name of the prior, such as ``far``; None for any.
        price: the price of naming one more goal in a question; None for any.
    """

    method: str
    prior: str | None = None
    price: float | None = None


class StudyEvidence:
    """The episodes by which the paper's claims are judged: finished, with the paper's methods, priors and prices.

    Args:
        tables: the checked tables of the study.

    Attributes:
        early_until: table of the last step (``until``) at which a question counts as early, by ``prior`` and
            ``per_goal``.
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
        """Whether the study has no finished episode of the paper's methods under the paper's priors and prices."""
        return self._episodes.is_empty()

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of those methods of the paper that the study played, such as ``never`` and ``ezq``."""
        found = set(self._episodes["method"])
        return tuple(method for method in METHODS if method in found)

    @property
    def prices(self) -> tuple[float, ...]:
        """All per-station costs of the episodes (prices of naming one more goal in a question), in ascending order."""
        return tuple(self._episodes["per_goal"].unique().sort())

    @property
    def rising(self) -> tuple[float, ...]:
        """All per-station costs above 0 (prices of naming one more goal in a question), in ascending order.

        Raises:
            Missing: no episode has a per-station cost above 0.
        """
        above = tuple(price for price in self.prices if price > 0)
        if not above:
            raise Missing("no per-station cost above 0 in this study")
        return above

    @property
    def top(self) -> float:
        """The paper's highest per-station cost, 0.5 (the price of naming one more goal in a question).

        Raises:
            Missing: the study has no episode with this per-station cost.
        """
        if HIGHEST_PRICE not in self.prices:
            raise Missing(f"no per-station cost of {HIGHEST_PRICE:g} in this study")
        return HIGHEST_PRICE

    def mean(self, pick: Pick, column: str = "marginal_cost") -> Estimate:
        """Return the mean of a column over the selected episodes, with a 95 % interval and a test of whether it is 0.

        Args:
            pick: the selection.
            column: a column of numbers, such as ``seconds``.

        Raises:
            Missing: no episode is selected, or the column is missing or empty.
        """
        return self.combined({pick: 1.0}, column)

    def difference(self, first: Pick, second: Pick, column: str = "marginal_cost") -> Estimate:
        """Return the mean difference of a column, `first` minus `second`, with a 95 % interval and a test against 0.

        Episodes with the same ``instance`` and ``episode`` are compared.

        Args:
            first: method, prior and price of some episodes.
            second: method, prior and price of the others.
            column: a column of numbers.

        Raises:
            Missing: the study lacks these data.
        """
        return self.combined({first: 1.0, second: -1.0}, column)

    def combined(self, weights: Mapping[Pick, float], column: str = "marginal_cost") -> Estimate:
        """Return the mean of a weighted sum over episodes, with a 95 % interval and a test of whether it is 0.

        Each key of `weights` selects rows by method, prior and price. The sum is taken over rows with the same
        ``instance`` and ``episode``, one for each key. If no key states a prior, they must also have the same prior;
        if no key states a price, the same price.

        Args:
            weights: the weight of each selection of rows.
            column: a column of numbers.

        Raises:
            Missing: the study lacks these data.
        """
        joined = self._paired(list(weights), column)
        values = sum(weight * joined[f"v{k}"].to_numpy() for k, weight in enumerate(weights.values()))
        return estimate(rounded(np.asarray(values, dtype=np.float64)), joined["instance"].to_numpy())

    def quotient(self, upper: Pick, lower: Pick, column: str) -> Estimate:
        """Return the sum of a column over some episodes, divided by its sum over others, with a 95 % interval.

        Episodes without a counterpart of the same ``instance`` and ``episode`` do not count.

        Args:
            upper: method, prior and price of the dividend.
            lower: method, prior and price of the divisor.
            column: a column of numbers.

        Raises:
            Missing: the study lacks these data.
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
                what = "per-station cost of" if field == "per_goal" else field
                raise Missing(f"no {what} {shown} in this study")
            table = table.filter(pl.col(field) == value)
        if column not in table.columns:
            raise Missing(f"the tables have no column {column!r}")
        found = table.select(*keys, pl.col(column).cast(pl.Float64).alias(name)).drop_nulls()
        if found.is_empty():
            raise Missing(f"the column {column!r} is empty")
        return found


def _in_the_papers_setting(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the episodes whose methods, priors and prices occur in the paper.

    Prices (``per_goal``) count up to 0.5. Of several teammates, only the optimal one, ``urop``, counts; of several base
    prices (``base``), only 0.5. A teammate or base price that all episodes share is always accepted.
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
    """Return the last step at which a question counts as early, for each prior and price.

    This step is the median of all steps at which the methods `ezq`, `toolbox` and `cost-prob` ask. The result has the
    columns ``prior``, ``per_goal`` (the price) and ``until``; `queries` has one row for each question.
    """
    compared = queries.filter(pl.col("method").is_in(("ezq", "toolbox", "cost-prob")))
    return compared.group_by("prior", "per_goal").agg(pl.col("t").median().alias("until"))


def _early_questions(queries: pl.DataFrame) -> pl.DataFrame:
    """Return how many early questions each episode has: columns `KEY` and ``early_questions``.

    A question is early until the step that `_early_until` returns for its prior and price. Episodes without questions
    have no row.
    """
    with_until = queries.join(_early_until(queries), on=("prior", "per_goal"), how="inner")
    return with_until.group_by(KEY).agg((pl.col("t") <= pl.col("until")).sum().alias("early_questions"))


def _first_runs(queries: pl.DataFrame) -> pl.DataFrame:
    """Return the length of each episode's first run of questions in consecutive steps: columns `KEY` and ``first_run``.

    `queries` has one row for each question, with its ``number`` in the episode, from 1, and its step ``t``. An episode
    without questions has no row.
    """
    # For consecutive questions, step minus number is constant.
    offset = pl.col("t") - pl.col("number")
    return queries.group_by(KEY).agg((offset == offset.min()).sum().alias("first_run"))


# -- verdicts ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """One of the comparisons that a claim makes, with its verdict.

    Attributes:
        name: what is compared, such as ``ezq minus never, far at 0.5``.
        verdict: ``holds``, ``does not hold``, ``faster here`` or ``not decided``.
        result: the estimate as text, or what is missing.
        strength: absolute value of Student's t; 0 if there is no test.
    """

    name: str
    verdict: str
    result: str
    strength: float = 0.0


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on a claim, and the numbers behind it.

    Attributes:
        verdict: ``holds``, ``does not hold``, ``faster here`` or ``not decided``.
        measured: the measured numbers as text, or what is missing.
    """

    verdict: str
    measured: str


Rule = Callable[[Estimate], str]
"""A function from an estimate to a verdict."""


def part(
    name: str, measure: Callable[[], Estimate], rule: Rule, *, unit: str = "", digits: int = 2, signed: bool = True
) -> Part:
    """Judge one comparison that a claim makes, and return it with its verdict.

    The verdict is ``not decided`` if data are missing, or with fewer than 10 independent observations.

    Args:
        name: what is compared, such as ``ezq minus never``.
        measure: returns the estimate, or raises `Missing`.
        rule: returns the verdict on the estimate.
        unit: unit of the estimate, such as ``s``; may be empty.
        digits: number of decimals in the text.
        signed: whether positive numbers have a plus sign.
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
    """Return the verdict on the claim that a mean is below 0.

    It is `HOLDS` if the mean is significantly below 0 (at 5 %), `FAILS` if significantly above, otherwise `OPEN`.
    `found` must have a p value.
    """
    assert found.p is not None
    if found.p >= SIGNIFICANT:
        return OPEN
    return HOLDS if found.mean < 0 else FAILS


def above_zero(found: Estimate) -> str:
    """Return the verdict on the claim that a mean is above 0.

    It is `HOLDS` if the mean is significantly above 0 (at 5 %), `FAILS` if significantly below, otherwise `OPEN`.
    `found` must have a p value.
    """
    return {HOLDS: FAILS, FAILS: HOLDS, OPEN: OPEN}[below_zero(found)]


def significantly_below(found: Estimate) -> str:
    """Return the verdict on the claim that a difference is significantly below 0.

    It is `HOLDS` if the difference is significantly below 0 (at 5 %), and `FAILS` if significantly above. Otherwise it
    is `FAILS` with at least as many pairs as in the paper (100), and `OPEN` with fewer. `found` must have a p value.
    """
    verdict = below_zero(found)
    return FAILS if verdict == OPEN and found.units >= PAPER_PAIRS else verdict


def not_significantly_below(found: Estimate) -> str:
    """Return the verdict on the claim that a difference is not significantly below 0.

    It is `FAILS` if the difference is significantly below 0 (at 5 %). Otherwise it is `HOLDS` with at least as many
    pairs as in the paper (100), and `OPEN` with fewer. `found` must have a p value.
    """
    if below_zero(found) == HOLDS:
        return FAILS
    return HOLDS if found.units >= PAPER_PAIRS else OPEN


def similar(found: Estimate) -> str:
    """Return the verdict on the claim that two costs differ by less than `SIMILAR` (1 step).

    It is `HOLDS` if the 95 % interval of the difference `found` lies between -1 and 1, `FAILS` if completely outside,
    otherwise `OPEN` (not decided). The interval must not be None.
    """
    return within(-SIMILAR, SIMILAR)(found)


def within(low: float, high: float) -> Rule:
    """Return a function from an estimate to the verdict on the claim that it lies between `low` and `high`.

    The verdict is `HOLDS` if the 95 % interval lies between `low` and `high`, `FAILS` if completely outside, otherwise
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
    """Return a function from an estimated time to the verdict on the claim that it is `low` to `high` seconds.

    The verdict is `HOLDS` if the 95 % interval lies between `low` and `high`, `FASTER` if completely below, `FAILS` if
    completely above, otherwise `OPEN` (not decided).
    """

    def rule(found: Estimate) -> str:
        assert found.high is not None
        return FASTER if found.high <= low else within(low, high)(found)

    return rule


def together(parts: Iterable[Part]) -> Finding:
    """Return the verdict on a claim and the measured numbers as text, from the judged comparisons that the claim makes.

    The verdict is the first of `FAILS`, `OPEN` and `FASTER` that any comparison has, otherwise `HOLDS`. It is `OPEN`
    (not decided) without comparisons.
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
    """Return text about many comparisons: how many hold, and the results of those that fail or are not decided.

    If all hold, the text has the least clear result. At most `listed` failing and at most `listed` undecided
    comparisons are described.
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
        name: a few words.
        where: place of the claim in the paper, such as ``Results, last paragraph``.
        text: the claim in our own words.
        rule: when the claim holds, as text for readers.
        judge: returns the claim's judged comparisons; may raise `Missing`.
    """

    name: str
    where: str
    text: str
    rule: str
    judge: Callable[[StudyEvidence], Iterable[Part]]

    def finding(self, evidence: StudyEvidence) -> Finding:
        """Judge the claim; return the verdict and the measured numbers as text.

        If the study lacks data for the claim, the verdict is ``not decided``, and the text says what is missing.

        Args:
            evidence: the episodes of the study.
        """
        try:
            return together(self.judge(evidence))
        except Missing as missing:
            return Finding(OPEN, str(missing))
