"""What all kinds of figures share: their input `Material`, their output `Picture`, and the styles of methods.

There is one `Material` for each file, teammate and base price. A `Picture` contains a drawing, its caption, and the
position that it asks for in the report. The style of a method is a colour, dashes and a marker, so that readers can
tell methods apart without colours, too. The colours are those of `askwise.view.palette`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askwise.studies.analysis.results import summary
from askwise.studies.analysis.tables import (
    ALL_FILES,
    FILE,
    PRICES,
    Tables,
    grouping,
    in_setting,
    settings,
    usable,
    varying,
    with_mean,
)
from askwise.studies.schema.study import FROM_FILE
from askwise.text.wording import printable
from askwise.view import palette
from askwise.view.palette import hex_of

FIGURES = "figures"
"""The default section of figures in the report."""
MOST_FILES = 6
"""The largest number of files, from the first, that have their own figures."""
LONGEST_SUFFIX = 120
ORDER = 100
"""The default order of figures, after those that state one."""


@dataclass(frozen=True)
class Picture:
    """A figure with its caption and its position in the report.

    Attributes:
        name: the name of its files, without ending.
        caption: the text below it.
        alt: the alternative text for readers who cannot see it.
        figure: the drawing.
        title: the heading above it, shared with all figures of its section that have the same title; empty for none.
        section: the section of the report that shows the figure: its name in links, such as ``figures`` or ``time``;
            or any other text, which is the heading of a new section.
        order: figures under one title are sorted by this number; equal numbers keep the order of creation.
        beside: whether the figure is narrow enough to be placed next to other figures of the same order.
        folded: the label to click to see the figure, shared with figures of the same order and label; empty if the
            figure is always visible.
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


def panel_title(prior: str) -> str:
    """Return the title of the panel for a prior; empty if `prior` stands for the prior in each instance's file."""
    return "" if prior == FROM_FILE else f"prior {printable(prior)}"


def slug(text: str) -> str:
    """Return text as a part of a file name: in lower case, with hyphens instead of other characters.

    The letters a to z, digits and dots are kept; each run of other characters becomes one hyphen.
    """
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).rstrip("-")


@dataclass(frozen=True)
class Material:
    """The data from which figures are drawn, for one combination of file (if there are any), teammate and base price.

    Attributes:
        tables: the study's tables, with only the finished episodes of this combination, and its lower bounds if there
            are any.
        suffix: the end of the figures' file names, which distinguishes files, teammates and base prices.
        where: a sentence at the end of captions that names file, teammate and base price; empty if none of them varies.
    """

    tables: Tables
    suffix: str = ""
    where: str = ""

    @property
    def title(self) -> str:
        """The heading above the figures in the report: file, teammate and base price.

        It is empty if none of these varies in the study.
        """
        return self.where.strip(" .")

    @property
    def price(self) -> str:
        """The domain's word for the price of naming one more goal."""
        return self.tables.words.price

    @cached_property
    def summary(self) -> pl.DataFrame:
        """The mean marginal cost for each prior, method and price, with the columns of `results.SUMMARY`."""
        return summary(self.tables.episodes)

    @property
    def priors(self) -> list[str]:
        """The priors, in the order of the study."""
        return self.tables.episodes["prior"].unique(maintain_order=True).to_list()

    @property
    def methods(self) -> list[str]:
        """The methods, in the order of the study."""
        return self.tables.episodes["method"].unique(maintain_order=True).to_list()

    def caption(self, prior: str, text: str) -> str:
        """Return the caption of a figure about one prior.

        It consists of the name of the prior, `text`, and the sentence `where` about file, teammate and base price.

        Args:
            prior: the label of the prior.
            text: the rest of the caption, which begins in lower case.
        """
        return (
            f"{text[:1].upper()}{text[1:]}{self.where}" if prior == FROM_FILE else f"Prior {prior}: {text}{self.where}"
        )

    def name(self, kind: str, prior: str | None = None) -> str:
        """Return the name of a figure's files, without ending.

        Args:
            kind: the kind of figure, such as ``costs``.
            prior: the prior that the figure is about, None for all priors.
        """
        return f"{kind}{self.suffix}" if prior is None else f"{kind}-{slug(prior)}{self.suffix}"


def materials(tables: Tables) -> Iterator[Material]:
    """Yield the data to draw figures from, for each file, teammate and base price that has finished episodes.

    If the instances come from files, only the first `MOST_FILES` (6) files have figures of their own. The data of all
    files together come last, provided that all files have the same prices: a line through the prices of different
    problems would be meaningless.
    """
    columns, named = grouping(tables.episodes), varying(tables.episodes)
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
        named_values = {column: value for column, value in zip(columns, setting, strict=True) if column in named}
        if not named_values:
            yield Material(here)
            continue
        plain = [f"{value:g}" if isinstance(value, float) else value for value in named_values.values()]
        words = ", ".join(_column_text(column, text) for column, text in zip(named_values, plain, strict=True))
        yield Material(here, slug(f"-{'-'.join(plain)}")[:LONGEST_SUFFIX], f" {words[0].upper()}{words[1:]}.")


def _drawn(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the episodes to draw: all of them, unless the instances come from files.

    With files, these are the episodes of the first `MOST_FILES` (6) files, and then the episodes of all files once
    more, with `ALL_FILES` in the column ``file``.
    """
    if FILE not in episodes.columns:
        return episodes
    first = [*episodes[FILE].unique(maintain_order=True).head(MOST_FILES), ALL_FILES]
    return with_mean(episodes).filter(pl.col(FILE).is_in(first)).drop_nulls(PRICES)


def _of_file(table: pl.DataFrame, setting: tuple[Any, ...]) -> pl.DataFrame:
    return table.with_columns(pl.lit(ALL_FILES).alias(FILE)) if setting[0] == ALL_FILES else table


def _column_text(column: str, text: str) -> str:
    if column == FILE:
        return "all files together" if text == ALL_FILES else f"file {text}"
    return f"{column.replace('_', ' ')} {text}"


def _bounds_of(bounds: pl.DataFrame | None, setting: Mapping[str, Any]) -> pl.DataFrame | None:
    """Return the lower bounds for one file, teammate and base price, None if there are none.

    Args:
        bounds: the table of lower bounds.
        setting: the wanted value of each column, such as ``teammate``; columns that the table does not have are
            ignored.
    """
    if bounds is None:
        return None
    for column, value in setting.items():
        if column in bounds.columns:
            bounds = bounds.filter(pl.col(column) == value)
    return bounds if bounds.height else None


def end_prices(episodes: pl.DataFrame) -> list[float]:
    """Return a list of the lowest and the highest price of naming a goal; it has only one price if both are equal."""
    prices = episodes["per_goal"].unique().sort().to_list()
    return [prices[0]] if len(prices) == 1 else [prices[0], prices[-1]]


def counted(means: pl.DataFrame, what: str = "") -> str:
    """Return the number of episodes behind each point of a figure, as ``n = 100 episodes for each point``.

    Args:
        means: the rows of a summary table that the figure shows.
        what: the word after "each"; by default ``point``, or ``method`` if there is only one price.
    """
    sizes = means["episodes"].sort()
    low, high = sizes[0], sizes[-1]
    count = f"n = {low}" if low == high else f"n = {low} to {high}"
    point = "point" if means["per_goal"].n_unique() > 1 else "method"
    return f"{count} episodes for each {what or point}"


# -- styles -----------------------------------------------------------------------------------------------------

Dashes: TypeAlias = str | tuple[int, tuple[int, ...]]

FAINT, GRID, INK, PAPER = (hex_of(colour) for colour in (palette.FAINT, palette.LINE, palette.INK, palette.PAPER))
LOST, ASKING = hex_of(palette.WAY), hex_of(palette.EGO)
"""The colours of lost steps and of the price of questions."""


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a method's line: its colour, its pattern of dashes and its marker, as matplotlib takes them."""

    colour: str
    dashes: Dashes
    marker: str

    def line(self) -> dict[str, Any]:
        """Return the style as keyword arguments of matplotlib's ``plot``."""
        return {
            "color": self.colour,
            "linestyle": self.dashes,
            "marker": self.marker,
            "linewidth": 1.8,
            "markersize": 6,
            "markeredgecolor": PAPER,
            "markeredgewidth": 0.7,
        }


_LINES: dict[str, tuple[Dashes, str]] = {
    "never": ((0, (1, 1)), "X"),
    "baseline": ((0, (5, 1, 1, 1)), "D"),
    "toolbox": ((0, (3, 1, 1, 1, 1, 1)), "^"),
    "cost-prob": ((0, (4, 2)), "s"),
    "ezq": ("-", "o"),
    "ezq-local": ((0, (6, 2)), "v"),
    "planner": ((0, (7, 1)), "P"),
    "planner-light": ((0, (2, 1)), "*"),
}

KNOWN = {name: Style(hex_of(palette.METHODS[name]), *line) for name, line in _LINES.items()}
"""Methods with a fixed style, the same in every figure."""

_BORROWED = ("ezq-local", "planner", "toolbox", "baseline", "cost-prob", "ezq", "planner-light")
_COLOURS = 7
"""The number of colours of other methods. It has no factor in common with the numbers of dashes and markers, so that
combinations do not repeat soon."""
_DASHES: tuple[Dashes, ...] = ("-", (0, (2, 1)), (0, (6, 2)), (0, (4, 1, 1, 1)))
_MARKERS = ("<", ">", "p", "h", "d", "v", "P", "*", "o", "s")


def styles(methods: Iterable[str]) -> dict[str, Style]:
    """Return the style of each method's line, by the name of the method.

    Methods in `KNOWN` have a fixed style. Others get colours of their own; if these do not suffice, they share the
    colours of known methods, preferably of those that are not in `methods`.
    """
    names = list(methods)
    borrowed = sorted(_BORROWED, key=names.__contains__)  # those that are not in the figure first
    colours = [hex_of(each) for each in (*palette.OTHERS, *(palette.METHODS[name] for name in borrowed))][:_COLOURS]
    found: dict[str, Style] = {}
    others = 0
    for method in names:
        if method in KNOWN:
            found[method] = KNOWN[method]
            continue
        dashes, marker = _DASHES[others % len(_DASHES)], _MARKERS[others % len(_MARKERS)]
        found[method] = Style(colours[others % len(colours)], dashes, marker)
        others += 1
    return found


def legend_below(figure: Figure, ax: Axes) -> None:
    """Draw the legend of the panel `ax` below the figure, in as many columns as fit."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    # In inches: the width of a line and its gaps, and of a letter. Long names lead to fewer columns.
    widest = 0.75 + 0.085 * max(map(len, labels))
    columns = max(1, min(len(handles), int((figure.get_figwidth() - 0.3) / widest)))
    look = {"ncols": columns, "frameon": False, "handlelength": 3.0, "columnspacing": 1.2}
    figure.legend(handles, labels, loc="outside lower center", **look)
