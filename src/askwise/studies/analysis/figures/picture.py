"""What all kinds of figures share: the data that they are drawn from, the finished figures, and the styles of methods.

A `Material` has the data for one teammate, base price and file. A `Picture` is a drawing with its caption and its
position in the report. A `Style` is the look of a method's line, also without colours.
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
        name: name of the files, without ending.
        caption: text below the figure.
        alt: alternative text for readers who cannot see it.
        figure: the drawing.
        title: heading, shared by figures of one section; empty for none.
        section: the report's section, such as ``time``; a new name makes a new section.
        order: position under the title.
        beside: whether it may stand next to others of the same order.
        folded: label to click to see the figure; empty if always visible.
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
    """Return the title of the panel about the prior with the name `prior`.

    The title is empty if `prior` is ``file``: this name stands for the prior that each instance's file states.
    """
    return "" if prior == FROM_FILE else f"prior {printable(prior)}"


def slug(text: str) -> str:
    """Return text for file names: in lower case, with a hyphen for each run of other characters than a-z, 0-9 and dots.

    A hyphen at the end is removed.
    """
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).rstrip("-")


@dataclass(frozen=True)
class Material:
    """The data from which figures are drawn, for one teammate and one base price of questions.

    With instances from files, the data are for one file, or for all files together.

    Attributes:
        tables: the study's tables for this teammate and base price, with finished episodes only.
        suffix: end of file names; states the values that vary.
        where: end of captions, a sentence with the values that vary; may be empty.
    """

    tables: Tables
    suffix: str = ""
    where: str = ""

    @property
    def title(self) -> str:
        """The heading above the figures in the report, which names the file, the teammate and the base price.

        Only those that vary in the study are named. The heading is empty if none of them varies.
        """
        return self.where.strip(" .")

    @property
    def price(self) -> str:
        """The domain's term for the price of naming one more goal in a question, such as ``per-station cost``."""
        return self.tables.words.price

    @cached_property
    def summary(self) -> pl.DataFrame:
        """The mean marginal cost for each prior, method and price, a table with the columns of `results.SUMMARY`.

        The marginal cost of an episode is its cost minus the cost for an agent that knows the goal from the start.
        """
        return summary(self.tables.episodes)

    @property
    def priors(self) -> list[str]:
        """The names of the priors, in the order of the study."""
        return self.tables.episodes["prior"].unique(maintain_order=True).to_list()

    @property
    def methods(self) -> list[str]:
        """The names of the methods, in the order of the study."""
        return self.tables.episodes["method"].unique(maintain_order=True).to_list()

    def caption(self, prior: str, text: str) -> str:
        """Return the caption of a figure about one prior: the name of the prior, `text`, and the attribute `where`.

        The name ``file`` is left out. `text` begins in lower case.
        """
        return (
            f"{text[:1].upper()}{text[1:]}{self.where}" if prior == FROM_FILE else f"Prior {prior}: {text}{self.where}"
        )

    def name(self, kind: str, prior: str | None = None) -> str:
        """Return the name of a figure's files, without ending.

        Args:
            kind: the kind of figure, such as ``costs``.
            prior: the name of the prior that the figure is about; None for a figure about all priors.
        """
        return f"{kind}{self.suffix}" if prior is None else f"{kind}-{slug(prior)}{self.suffix}"


def materials(tables: Tables) -> Iterator[Material]:
    """Yield the data to draw figures from, for each teammate and base price that has finished episodes.

    If the instances come from files, yield such data for each of the first 6 files (`MOST_FILES`), then for all files
    together, unless their prices differ.
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
    """Return the episodes for which figures are drawn: all episodes, unless the instances come from files.

    With files: the episodes of the first 6 files (`MOST_FILES`), then, if all files have the same prices, all episodes
    with `ALL_FILES` as their file.
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
    """Return the lower bounds of marginal cost for one file, teammate and base price; None if there are none.

    `setting` maps columns to the values to select; columns that `bounds` lacks are ignored.
    """
    if bounds is None:
        return None
    for column, value in setting.items():
        if column in bounds.columns:
            bounds = bounds.filter(pl.col(column) == value)
    return bounds if bounds.height else None


def end_prices(episodes: pl.DataFrame) -> list[float]:
    """Return the lowest and the highest price of naming a goal in a question; one price if both are equal.

    Args:
        episodes: a table of episodes, with the prices in the column ``per_goal``.
    """
    prices = episodes["per_goal"].unique().sort().to_list()
    return [prices[0]] if len(prices) == 1 else [prices[0], prices[-1]]


def counted(means: pl.DataFrame, what: str = "") -> str:
    """Return text for a caption with the number of episodes in each mean, such as ``n = 100 episodes for each point``.

    `what` is the last word; by default ``point``, or ``method`` if there is only one price.
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
    """The style of a method's line in figures, in the form that matplotlib takes.

    Attributes:
        colour: a hexadecimal number or a name.
        dashes: ``"-"`` for a solid line, or ``(offset, (length, gap, ...))`` in units of the line width.
        marker: the marker at each point, such as ``"o"``.
    """

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

    Methods in `KNOWN` have a fixed style. The others get other colours, which are repeated if there are too few.

    Args:
        methods: names of all methods in a figure.
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
    """Draw a legend for the lines of the panel `ax` below the figure, in as many columns as fit.

    Nothing is drawn if no line has a label.
    """
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    # In inches: the width of a line and its gaps, and of a letter. Long names lead to fewer columns.
    widest = 0.75 + 0.085 * max(map(len, labels))
    columns = max(1, min(len(handles), int((figure.get_figwidth() - 0.3) / widest)))
    look = {"ncols": columns, "frameon": False, "handlelength": 3.0, "columnspacing": 1.2}
    figure.legend(handles, labels, loc="outside lower center", **look)
