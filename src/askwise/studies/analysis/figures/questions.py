"""How many questions each method asks at each step: the paper's figure 4.

One row for each asking method, so that bars never hide each other; the lowest price on the left, as in the paper, and
the highest on the right.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from askwise.studies.analysis.figures.costs import PRICE
from askwise.studies.analysis.figures.picture import Material, Picture, counted, end_prices
from askwise.studies.analysis.figures.styles import GRID, INK, styles
from askwise.text.reading import printable
from askwise.view.plot import PLAIN

SHOWN = 0.995
"""The axis ends where this share of all questions has been asked; the rest is told in a note."""


def questions(material: Material, prior: str) -> Iterator[Picture]:
    """Draw when questions are asked under one prior, if any are."""
    queries = material.tables.queries.filter(pl.col("prior") == prior)
    if queries.is_empty():
        return
    means = material.summary.filter(pl.col("prior") == prior)
    prices = end_prices(means)
    paper = " (left: the paper's figure 4)" if prior == "far" and prices[0] == 0 else ""
    what = f"Prior {prior}: questions at each step{paper}, {counted(means, 'panel')}."
    yield Picture(
        material.name("questions", prior),
        f"{what} Questions count as steps.{material.where}",
        _questions_as_text(queries, prices, material.price),
        questions_figure(queries, material.methods, prices, material.price),
        material.title,
        order=40,
        beside=True,
    )


def questions_figure(queries: pl.DataFrame, methods: list[str], prices: list[float], name: str = PRICE) -> Figure:
    """Draw the histograms of `queries`, which are those of one prior; `prices` are the columns, called `name`."""
    looks = styles(methods)
    asking = [method for method in methods if (queries["method"] == method).any()]
    size = (2.9 * len(prices) + 1.6, 1.05 * max(len(asking), 1) + 1.2)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(max(len(asking), 1), len(prices), sharex=True, sharey=True, squeeze=False)
    here = queries.filter(pl.col("per_station_cost").is_in(prices))
    last = int(here["t"].quantile(SHOWN, "higher") or 1)
    for row, method in enumerate(asking):
        for column, price in enumerate(prices):
            steps = here.filter((pl.col("method") == method) & (pl.col("per_station_cost") == price))["t"].to_numpy()
            _bars(panels[row, column], steps, last, looks[method].colour)
        label = printable(method)
        panels[row, 0].set_ylabel(label, rotation=0, ha="right", va="center", **PLAIN)
    panels[0, 0].set_ylim(top=1.3 * panels[0, 0].get_ylim()[1])  # room for the notes
    for column, price in enumerate(prices):
        panels[0, column].set_title(f"{name} {price:g}", fontsize=11)
        panels[-1, column].set_xlabel("step")
    figure.supylabel("questions in all episodes", fontsize=10)
    return figure


def _bars(ax: Axes, steps: np.ndarray[tuple[int], np.dtype[np.int32]], last: int, colour: str) -> None:
    counts = np.bincount(steps[steps <= last], minlength=last + 1)
    ax.bar(np.arange(1, last + 1), counts[1:], width=0.9, color=colour, edgecolor=INK, linewidth=0.4)
    later = int((steps > last).sum())
    note = f"{steps.size} questions" + (f", {later} after step {last}" if later else "")
    ax.text(0.98, 0.92, note, transform=ax.transAxes, ha="right", va="top", fontsize=8.5)
    ax.set_xlim(0.3, last + 0.7)
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.grid(axis="y", color=GRID, linewidth=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def _questions_as_text(queries: pl.DataFrame, prices: list[float], name: str) -> str:
    lowest = queries.filter(pl.col("per_station_cost") == prices[0])
    median = lowest.group_by("method", maintain_order=True).agg(pl.col("t").median())
    lines = [f"{method} {step:g}" for method, step in median.iter_rows()]
    return f"Histogram of questions by step. Median step at {name} {prices[0]:g}: {', '.join(lines)}."
