"""What the figures of a study are made of, one teammate and base cost at a time, and what their captions share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from askwise.experiments.analysis.checking import SETTING, Tables, in_setting, settings, usable
from askwise.experiments.analysis.figures.picture import slug
from askwise.experiments.analysis.summary import summary


@dataclass(frozen=True)
class Material:
    """The finished episodes of one teammate and base cost, and what belongs to them.

    Attributes:
        tables: their tables; with a lower bound if there is one for them.
        suffix: what tells their figures' files from those of other teammates and base costs.
        where: the same in words, a sentence that ends a caption; empty if the study has one of each only.
    """

    tables: Tables
    suffix: str = ""
    where: str = ""

    @property
    def title(self) -> str:
        """The heading of their figures in the report."""
        return self.where.strip(" .")

    @property
    def price(self) -> str:
        """What the domain calls the price of naming one more goal."""
        return self.tables.words.price

    @cached_property
    def summary(self) -> pl.DataFrame:
        """Mean marginal cost of each prior, method and price."""
        return summary(self.tables.episodes)

    @property
    def priors(self) -> list[str]:
        """The priors, in the order of the study."""
        return self.tables.episodes["prior"].unique(maintain_order=True).to_list()

    @property
    def methods(self) -> list[str]:
        """The methods, in the order of the study."""
        return self.tables.episodes["method"].unique(maintain_order=True).to_list()

    def name(self, kind: str, prior: str | None = None) -> str:
        """Return the name of a figure's files."""
        return f"{kind}{self.suffix}" if prior is None else f"{kind}-{slug(prior)}{self.suffix}"


def materials(tables: Tables) -> Iterator[Material]:
    """Yield the material of each teammate and base cost that has finished episodes."""
    every = settings(tables.episodes)
    for setting in every:
        here = Tables(
            in_setting(usable(tables.episodes), setting),
            in_setting(tables.queries, setting),
            tables.timings,
            _bounds_of(tables.bounds, setting),
            tables.words,
        )
        if here.episodes.is_empty():
            continue
        if len(every) == 1:
            yield Material(here)
        else:
            where = f" Teammate {setting[0]}, base cost {setting[1]:g}."
            yield Material(here, slug(f"-{setting[0]}-{setting[1]:g}"), where)


def _bounds_of(bounds: pl.DataFrame | None, setting: tuple[str, float]) -> pl.DataFrame | None:
    """Return the bounds for one teammate and base cost, as far as the table tells them apart."""
    if bounds is None:
        return None
    for column, value in zip(SETTING, setting, strict=True):
        if column in bounds.columns:
            bounds = bounds.filter(pl.col(column) == value)
    return bounds if bounds.height else None


def end_prices(episodes: pl.DataFrame) -> list[float]:
    """Return the lowest and the highest price, once if they are the same."""
    prices = episodes["per_station_cost"].unique().sort().to_list()
    return [prices[0]] if len(prices) == 1 else [prices[0], prices[-1]]


def counted(means: pl.DataFrame, what: str = "") -> str:
    """Return how many episodes are behind each point, panel or curve, for a caption."""
    sizes = means["episodes"].sort()
    low, high = sizes[0], sizes[-1]
    count = f"n = {low}" if low == high else f"n = {low} to {high}"
    point = "point" if means["per_station_cost"].n_unique() > 1 else "method"
    return f"{count} episodes for each {what or point}"
