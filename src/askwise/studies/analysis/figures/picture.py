"""A figure with all that is said about it and where it goes: made in one place, laid out by the report as it says.

What the figures of a study are made of, one file, teammate and base cost at a time, and what captions share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl
from matplotlib.figure import Figure

from askwise.studies.analysis.results import summary
from askwise.studies.analysis.tables import (
    ALL_FILES,
    FILE,
    PRICES,
    SETTING,
    Tables,
    grouping,
    in_setting,
    settings,
    usable,
    varying,
    with_mean,
)

FIGURES = "figures"
"""The report's section for figures that name no other."""
ORDER = 100
"""Where figures come that do not say: after those that do."""


@dataclass(frozen=True)
class Picture:
    """A figure and everything that its files and the report need to know about it.

    Attributes:
        name: of its files, without ending.
        caption: what stands below it.
        alt: what it shows, in words, for those who cannot see it.
        figure: the drawing.
        title: the heading that it stands under, together with all figures of its section that have the same one;
            empty for none.
        section: the section of the report that it belongs to, by the name that links use (``figures``, ``time``, ...).
            A section that the report has not got otherwise is added, with this as its heading.
        order: figures under one title come in this order, and those of one order in the order they were made in.
        beside: whether it is narrow enough to stand beside the others of its order.
        folded: what to click on to see it and the others of its order that have the same; empty if it is seen at once.
    """

    name: str
    caption: str
    alt: str
    figure: Figure
    title: str = ""
    section: str = FIGURES
    order: int = ORDER
    beside: bool = False
    folded: str = ""


def slug(text: str) -> str:
    """Return a name that is safe in file names everywhere."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).rstrip("-")


MOST_FILES = 6
"""Of a study over more files than that, the first ones have figures of their own."""
LONGEST_SUFFIX = 120


@dataclass(frozen=True)
class Material:
    """The finished episodes of one file (in a study over files), teammate and base cost, and what belongs to them.

    Attributes:
        tables: their tables; with a lower bound if there is one for them.
        suffix: what tells their figures' files from those of other files, teammates and base costs.
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
    """Yield the material of each file, teammate and base cost that has finished episodes.

    In a study over files those are the first `MOST_FILES` of them, and then all files together, if all have the same
    prices: a line through the prices of different problems would mean nothing.
    """
    columns, varied = grouping(tables.episodes), varying(tables.episodes)
    named = columns if set(SETTING) & set(varied) else varied
    for setting in settings(_drawn(tables.episodes)):
        here = Tables(
            in_setting(_of_file(usable(tables.episodes), setting), setting),
            in_setting(_of_file(tables.queries, setting), setting) if tables.queries.height else tables.queries,
            tables.timings,
            _bounds_of(tables.bounds, dict(zip(columns, setting, strict=True))),
            tables.words,
        )
        if here.episodes.is_empty():
            continue
        told = {column: value for column, value in zip(columns, setting, strict=True) if column in named}
        if not told:
            yield Material(here)
            continue
        plain = [f"{value:g}" if isinstance(value, float) else value for value in told.values()]
        words = ", ".join(_in_words(column, text) for column, text in zip(told, plain, strict=True))
        yield Material(here, slug(f"-{'-'.join(plain)}")[:LONGEST_SUFFIX], f" {words[0].upper()}{words[1:]}.")


def _drawn(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the episodes that figures are drawn of, those of all files together among them."""
    if FILE not in episodes.columns:
        return episodes
    first = [*episodes[FILE].unique(maintain_order=True).head(MOST_FILES), ALL_FILES]
    return with_mean(episodes).filter(pl.col(FILE).is_in(first)).drop_nulls(PRICES)


def _of_file(table: pl.DataFrame, setting: tuple[Any, ...]) -> pl.DataFrame:
    return table.with_columns(pl.lit(ALL_FILES).alias(FILE)) if setting[0] == ALL_FILES else table


def _in_words(column: str, text: str) -> str:
    if column == FILE:
        return "all files together" if text == ALL_FILES else f"file {text}"
    return f"{column.replace('_', ' ')} {text}"


def _bounds_of(bounds: pl.DataFrame | None, setting: Mapping[str, Any]) -> pl.DataFrame | None:
    """Return the bounds for one file, teammate and base cost, as far as the table tells them apart."""
    if bounds is None:
        return None
    for column, value in setting.items():
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
