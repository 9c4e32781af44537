"""Figures of distributions: the steps at which questions are asked, and the marginal costs of episodes.

The first kind has histograms of these steps, as in the paper's figure 4: a row for each method, a column each for the
lowest and the highest price of naming a goal.

The second kind has a curve for each method: the share of episodes with at most the marginal cost on the horizontal
axis. Marginal cost is cost minus the cost if the goal is known. The higher a curve, the cheaper the method.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from askwise.studies.analysis.figures.costs import PRICE
from askwise.studies.analysis.figures.picture import (
    GRID,
    INK,
    Material,
    Picture,
    Style,
    counted,
    end_prices,
    legend_below,
    styles,
)
from askwise.text.wording import printable
from askwise.view.plot import PLAIN

SHOWN = 0.995
"""The axis ends where this share of all questions has been asked; a note counts the others."""
FEWEST_STEPS = 5
"""The axis has at least this many steps."""


def questions(material: Material, prior: str) -> Iterator[Picture]:
    """Yield one figure with histograms of the steps at which each method asks questions under one prior.

    Nothing is yielded if no questions were asked.

    Args:
        material: the data to draw.
        prior: the name of the prior.
    """
    queries = material.tables.queries.filter(pl.col("prior") == prior)
    if queries.is_empty():
        return
    means = material.summary.filter(pl.col("prior") == prior)
    prices = end_prices(means)
    paper = " (left: the paper's figure 4)" if prior == "far" and prices[0] == 0 else ""
    what = f"questions at each step{paper}, {counted(means, 'panel')}."
    yield Picture(
        material.name("questions", prior),
        material.caption(prior, f"{what} Questions count as steps."),
        _questions_text(queries, prices, material.price),
        questions_figure(queries, material.methods, prices, material.price),
        material.title,
        order=40,
        beside=True,
    )


def questions_figure(queries: pl.DataFrame, methods: list[str], prices: list[float], name: str = PRICE) -> Figure:
    """Draw histograms of the steps at which questions are asked: a row for each asking method, a column for each price.

    Args:
        queries: the questions under one prior, with ``method``, ``per_goal`` (the price of naming a goal) and ``t``
            (the step, from 1).
        methods: names of all methods.
        prices: prices of naming a goal, from left to right.
        name: the term for this price.
    """
    looks = styles(methods)
    asking = [method for method in methods if (queries["method"] == method).any()]
    size = (2.9 * len(prices) + 1.6, 1.05 * max(len(asking), 1) + 1.2)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(max(len(asking), 1), len(prices), sharex=True, sharey=True, squeeze=False)
    here = queries.filter(pl.col("per_goal").is_in(prices))
    last = max(int(here["t"].quantile(SHOWN, "higher") or 1), FEWEST_STEPS)
    for row, method in enumerate(asking):
        for column, price in enumerate(prices):
            steps = here.filter((pl.col("method") == method) & (pl.col("per_goal") == price))["t"].to_numpy()
            _bars(panels[row, column], steps, last, looks[method].colour)
        label = printable(method)
        panels[row, 0].set_ylabel(label, rotation=0, ha="right", va="center", **PLAIN)
    panels[0, 0].set_ylim(top=1.3 * panels[0, 0].get_ylim()[1])  # leaves room for the notes
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
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))
    ax.grid(axis="y", color=GRID, linewidth=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def _questions_text(queries: pl.DataFrame, prices: list[float], name: str) -> str:
    lowest = queries.filter(pl.col("per_goal") == prices[0])
    median = lowest.group_by("method", maintain_order=True).agg(pl.col("t").median())
    lines = [f"{method} {step:g}" for method, step in median.iter_rows()]
    return f"Histogram of questions by step. Median step at {name} {prices[0]:g}: {', '.join(lines)}."


TICKS = (0, 1, 2, 5, 10, 20, 40, 60, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10000)


def spread(material: Material, prior: str) -> Iterator[Picture]:
    """Yield one figure of the distribution of each method's marginal costs over episodes, under one prior.

    The marginal cost of an episode is its cost minus the cost if the goal is known. There are panels for the lowest and
    the highest price of naming a goal.
    """
    episodes = material.tables.episodes.filter(pl.col("prior") == prior)
    means = material.summary.filter(pl.col("prior") == prior)
    prices = end_prices(episodes)
    how_to_read = "The higher a curve, the cheaper; the axis has a square-root scale."
    yield Picture(
        material.name("spread", prior),
        material.caption(prior, f"distribution of marginal cost, {counted(means, 'curve')}. {how_to_read}"),
        _spread_text(episodes, prices, material.price),
        spread_figure(episodes, material.methods, prices, material.price),
        material.title,
        order=40,
        beside=True,
    )


def spread_figure(episodes: pl.DataFrame, methods: list[str], prices: list[float], name: str = PRICE) -> Figure:
    """Draw the cumulative distribution of the marginal cost: a panel for each price, a curve for each method.

    The marginal cost of an episode is its cost minus the cost if the goal is known.

    Args:
        episodes: the finished episodes under one prior, with ``method``, ``per_goal`` (the price of naming a goal) and
            ``marginal_cost``.
        methods: names of the methods, in the order of the legend.
        prices: prices of naming a goal, from left to right.
        name: the term for this price.
    """
    looks = styles(methods)
    figure = Figure(figsize=(0.9 + 3.1 * len(prices), 4.0), layout="constrained")
    panels = figure.subplots(1, len(prices), sharex=True, sharey=True, squeeze=False)[0]
    here = episodes.filter(pl.col("per_goal").is_in(prices))
    most = 1.05 * float(here["marginal_cost"].max() or 1.0)  # type: ignore[arg-type]  # shows the last step
    for ax, price in zip(panels, prices, strict=True):
        at_price = here.filter(pl.col("per_goal") == price)
        for method, style in looks.items():
            costs = at_price.filter(pl.col("method") == method)["marginal_cost"].sort().to_numpy()
            if costs.size:
                _curve(ax, costs, most, printable(method), style)
        ax.set_title(f"{name} {price:g}", fontsize=11)
        ax.set_xlabel("marginal cost (steps, square-root scale)")
        ax.set_ylim(0, 1.02)
        _square_root_scale(ax, most)
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.grid(color=GRID, linewidth=0.7)
        ax.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("share of episodes with at most this cost")
    legend_below(figure, panels[0])
    return figure


def _square_root_scale(ax: Axes, most: float) -> None:
    """Make the horizontal axis of `ax` show costs from 0 to `most` (in steps) on a square-root scale.

    Such a scale gives small costs more space than large ones.
    """
    ax.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0.0)), np.square))
    ticks = [tick for tick in TICKS if tick <= most]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xlim(0, most)


def _curve(ax: Axes, costs: np.ndarray[tuple[int], np.dtype[np.float64]], most: float, name: str, style: Style) -> None:
    shares = np.arange(1, costs.size + 1) / costs.size
    x = np.concatenate(([0.0], np.maximum(costs, 0.0), [most]))
    y = np.concatenate(([0.0], shares, [1.0]))
    # A marker at every tenth of the episodes is enough to distinguish the curves.
    marked = [round(k * costs.size / 10) for k in range(1, 11)]
    ax.plot(x, y, drawstyle="steps-post", label=name, markevery=marked, **{**style.line(), "markersize": 5})


def _spread_text(episodes: pl.DataFrame, prices: list[float], name: str) -> str:
    highest = episodes.filter(pl.col("per_goal") == prices[-1])
    median = highest.group_by("method", maintain_order=True).agg(pl.col("marginal_cost").median())
    lines = [f"{method} {cost:.1f}" for method, cost in median.iter_rows()]
    return f"Share of episodes up to each marginal cost. Medians at {name} {prices[-1]:g}: {', '.join(lines)}."
