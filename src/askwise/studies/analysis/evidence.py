"""Estimates about the conditions of the paper, by which its claims are judged.

Every comparison in the paper's text is about a weighted sum of paired values: the difference of two methods, the growth
of a difference with the price, or half of the cost under one prior minus the cost under another.
`StudyEvidence.combined` estimates any of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import NamedTuple

import numpy as np
import polars as pl

from askwise.studies.analysis.estimates import Estimate, estimate, ratio, rounded
from askwise.studies.analysis.tables import KEY, Tables, in_setting, settings, usable

TEAMMATE, BASE_COST = "urop", 0.5
METHODS = ("never", "baseline", "toolbox", "cost-prob", "ezq")
PRIORS = ("far", "uniform", "near")
HIGHEST_PRICE = 0.5
"""The highest per-station cost in the paper; its claims are not about higher ones."""


class Missing(Exception):  # noqa: N818 - it names what happened
    """Raised if the study lacks a condition that a claim is about; the message names the condition."""


class Pick(NamedTuple):
    """A selection of episodes by method, prior and price.

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
        early_until: a table with the median step of all questions for each prior and price, in the column ``until``
            (`_early_until`).
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
        """The paper's highest price (per-station cost), 0.5; raises `Missing` if the study does not have it."""
        if HIGHEST_PRICE not in self.prices:
            raise Missing(f"no per-station cost of {HIGHEST_PRICE:g} in this study")
        return HIGHEST_PRICE

    def mean(self, pick: Pick, column: str = "marginal_cost") -> Estimate:
        """Return the mean of a column over the episodes of a selection; raise `Missing` if there are none."""
        return self.combined({pick: 1.0}, column)

    def difference(self, first: Pick, second: Pick, column: str = "marginal_cost") -> Estimate:
        """Return the mean difference of a column, `first` minus `second`, over the episodes that occur in both.

        Raises:
            Missing: the study lacks one of the conditions, or the column.
        """
        return self.combined({first: 1.0, second: -1.0}, column)

    def combined(self, weights: Mapping[Pick, float], column: str = "marginal_cost") -> Estimate:
        """Return the mean over episodes of a weighted sum, such as the difference of two methods' marginal costs.

        The sum has one term for each selection: the value of `column` in the selection's row for the episode, times the
        selection's weight. Only episodes that occur in all selections are used. Rows belong to the same episode if
        their ``instance`` and ``episode`` agree; if no selection states a prior (or price), their priors (or prices)
        must agree, too.

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
        """Return the sum of a column over the selection `upper` divided by its sum over the selection `lower`.

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

    If the study has only one teammate, or only one base price, it is used even if it is not the paper's.
    """
    found = settings(episodes)
    if len(found) > 1:
        episodes = in_setting(episodes, (TEAMMATE, BASE_COST))
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

    A question is early up to the median step of all questions under the same prior and price (`_early_until`).

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
