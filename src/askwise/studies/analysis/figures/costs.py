"""Figures of marginal costs: how they depend on the price of naming a goal, and the two parts that they consist of.

The marginal cost of an episode is its cost minus the cost if the goal is known. Each goal named in a question adds the
price of naming a goal.

One figure has a line for each method over this price, as in the paper's figures 3, 5 and 6. The other has a bar for
each method, divided into lost steps and the price of questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askwise.studies.analysis.figures.picture import (
    ASKING,
    FAINT,
    GRID,
    LOST,
    Material,
    Picture,
    Style,
    counted,
    legend_below,
    panel_title,
    styles,
)
from askwise.studies.analysis.results import parts
from askwise.studies.analysis.tables import Tables, is_rough
from askwise.text.wording import printable
from askwise.view.plot import PLAIN

UNIT = "marginal cost (steps)"
PRICE = "price of a goal"
WIDE = 0.3
"""Intervals are drawn as bars instead of bands if one of them is wider than this share of the highest end."""
PAPER_FIGURES = {"far": "3", "uniform": "5", "near": "6"}
"""The number of the paper's figure about each prior."""


def all_costs(material: Material) -> Iterator[Picture]:
    """Yield a figure of each method's mean marginal cost by the price of naming a goal, with a panel for each prior.

    The marginal cost of an episode is its cost minus the cost if the goal is known. A single prior has no such figure.
    """
    means, here = material.summary, material.tables
    if len(material.priors) == 1:
        return
    what = f"Mean marginal cost for each prior{_at(means, material.price)}, {counted(means)}."
    yield Picture(
        material.name("costs"),
        f"{what}{_band(here, means)}{material.where}",
        _costs_text(means, material.price),
        cost_figure(means, material.priors, here.bounds, material.price),
        material.title,
        order=10,
    )


def costs(material: Material, prior: str) -> Iterator[Picture]:
    """Yield one figure of each method's mean marginal cost by the price of naming a goal, under one prior.

    The marginal cost of an episode is its cost minus the cost if the goal is known. With several priors, the report
    shows the figure only after a click.
    """
    means = material.summary.filter(pl.col("prior") == prior)
    paper = f" (the paper's figure {PAPER_FIGURES[prior]})" if prior in PAPER_FIGURES else ""
    what = f"mean marginal cost{paper}{_at(means, material.price)}, {counted(means)}."
    shown_already = len(material.priors) > 1
    yield Picture(
        material.name("costs", prior),
        material.caption(prior, f"{what}{_band(material.tables, means)}"),
        _costs_text(means, material.price),
        cost_figure(material.summary, [prior], material.tables.bounds, material.price),
        material.title,
        order=50 if shown_already else 20,
        folded="A separate figure for each prior" if shown_already else "",
    )


def cost_figure(
    summary: pl.DataFrame, priors: list[str], bounds: pl.DataFrame | None = None, price: str = PRICE
) -> Figure:
    """Draw each method's mean marginal cost by the price of naming a goal, with one panel for each prior.

    The marginal cost of an episode is its cost minus the cost if the goal is known. With a single price, the horizontal
    axis shows the methods.

    Args:
        summary: the mean costs (`askwise.studies.analysis.results.summary`).
        priors: names of the priors, from left to right.
        bounds: lower bounds (`askwise.studies.analysis.tables.BOUNDS`), a dashed line, or None.
        price: label of the horizontal axis.
    """
    looks = styles(summary["method"].unique(maintain_order=True))
    width = 6.4 if len(priors) == 1 else 0.8 + 3.5 * len(priors)
    figure = Figure(figsize=(width, 4.4), layout="constrained")
    panels = figure.subplots(1, len(priors), sharey=True, squeeze=False)[0]
    several = summary["per_goal"].n_unique() > 1
    for ax, prior in zip(panels, priors, strict=True):
        here = summary.filter(pl.col("prior") == prior)
        draw = _lines if several else _points
        draw(ax, here, looks)
        if bounds is not None:
            _bound(ax, bounds.filter(pl.col("prior") == prior).sort("per_goal"), len(looks), several)
        ax.set_title(panel_title(prior), fontsize=11, **PLAIN)
        ax.set_xlabel(f"{price} (steps)" if several else "method")
        ax.grid(axis="y", color=GRID, linewidth=0.7)
        ax.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel(UNIT)
    if (summary["mean"] >= 0).all():
        panels[0].set_ylim(bottom=0)
    legend_below(figure, panels[0])
    return figure


def _lines(ax: Axes, here: pl.DataFrame, looks: dict[str, Style]) -> None:
    for place, (method, style) in enumerate(looks.items()):
        rows = here.filter(pl.col("method") == method).sort("per_goal")
        prices = rows["per_goal"].to_numpy()
        low, high = (rows[end].fill_null(rows["mean"]).to_numpy() for end in ("ci_low", "ci_high"))
        mean = rows["mean"].to_numpy()
        if _is_wide(here):
            # Wide bands would hide each other; bars that stand side by side do not.
            aside = 0.02 * (place - (len(looks) - 1) / 2) * float(np.ptp(prices))
            reach = np.maximum([mean - np.maximum(low, np.minimum(mean, 0.0)), high - mean], 0.0)
            ax.errorbar(prices + aside, mean, yerr=reach, label=printable(method), capsize=3, **style.line())
            continue
        ax.fill_between(prices, low, high, color=style.colour, alpha=0.15, linewidth=0)
        ax.plot(prices, mean, label=printable(method), **style.line())
    every = here["per_goal"].unique().sort().to_list()
    if len(every) <= 11:
        ax.set_xticks(every, [f"{price:g}" for price in every])


def _is_wide(summary: pl.DataFrame) -> bool:
    """Return whether the intervals in a summary are so wide that shaded bands would hide each other.

    Args:
        summary: the mean costs, as `askwise.studies.analysis.results.summary` returns them.
    """
    widths = summary["ci_high"] - summary["ci_low"]
    widest, highest = widths.max() or 0.0, summary["ci_high"].max() or 0.0
    return is_rough(summary) or float(widest) > WIDE * float(highest)  # type: ignore[arg-type]


def _points(ax: Axes, here: pl.DataFrame, looks: dict[str, Style]) -> None:
    for place, (method, style) in enumerate(looks.items()):
        rows = here.filter(pl.col("method") == method)
        if rows.is_empty():
            continue
        row = rows.row(0, named=True)
        low, high = (row["mean"] if row[end] is None else row[end] for end in ("ci_low", "ci_high"))
        reach = [[row["mean"] - low], [high - row["mean"]]]
        look = {**style.line(), "markersize": 9, "linestyle": "none"}
        ax.errorbar([place], [row["mean"]], yerr=reach, capsize=5, **look)
    ax.set_xticks(range(len(looks)), [printable(method) for method in looks], rotation=30, ha="right", **PLAIN)
    ax.set_xlim(-0.6, len(looks) - 0.4)


def _bound(ax: Axes, rows: pl.DataFrame, n_methods: int, several: bool) -> None:
    """Draw the lower bound of all methods' mean marginal costs as a dashed line.

    Args:
        ax: the panel to draw in.
        rows: a row for each price (``per_goal``), ascending, with the bound in ``mean``; may be empty.
        n_methods: number of methods, the length of the line if the horizontal axis shows methods.
        several: whether the horizontal axis shows several prices.
    """
    if rows.is_empty():
        return
    x = rows["per_goal"].to_list() if several else [-0.5, n_methods - 0.5]
    y = rows["mean"].to_list() if several else [rows["mean"][0]] * 2
    ax.plot(x, y, color=FAINT, linestyle=(0, (6, 3)), linewidth=1.4, label="lower bound")


def _at(means: pl.DataFrame, price: str) -> str:
    prices = means["per_goal"].unique().to_list()
    return f" over {price}" if len(prices) > 1 else f" at a {price} of {prices[0]:g}"


def _band(here: Tables, means: pl.DataFrame) -> str:
    several = here.episodes["per_goal"].n_unique() > 1
    rough = is_rough(means)
    shape = "Bars" if not several or _is_wide(means) else "Bands"
    few = " They are wide because few episodes were played; parts below 0 are not drawn." if rough and several else ""
    return f" {shape}: 95 % intervals.{few}{_bound_text(here)}"


def _bound_text(here: Tables) -> str:
    if here.bounds is None:
        return ""
    text = " Dashed grey: a lower bound for all methods"
    if "instances" not in here.bounds.columns:
        return f"{text}."
    # Instances differ a lot: a bound on some of them may be above the mean over all.
    known, every = int(here.bounds["instances"].min() or 0), here.episodes["instance"].n_unique()  # type: ignore[arg-type]
    return f"{text}{f', on {known} of the {every} instances' if known < every else ''}."


def _costs_text(means: pl.DataFrame, price: str) -> str:
    """Return a figure's alternative text: each method's mean marginal cost at the lowest and at the highest price.

    `means` has the rows of the summary that the figure shows; `price` is the term for the price.
    """
    lines = []
    for (prior,), rows in means.group_by("prior", maintain_order=True):
        ends = rows.group_by("method", maintain_order=True).agg(pl.col("mean").sort_by("per_goal"))
        methods = [
            f"{row['method']} {row['mean'][0]:.1f}" + (f" to {row['mean'][-1]:.1f}" if len(row["mean"]) > 1 else "")
            for row in ends.iter_rows(named=True)
        ]
        lines.append(f"prior {prior}: {', '.join(methods)}")
    return f"Mean marginal cost from the lowest to the highest {price}; {'; '.join(lines)}."


PART_STYLES = {"steps_lost": ("steps lost", LOST, ""), "questions": ("price of questions", ASKING, "///")}


def cost_parts(material: Material) -> Iterator[Picture]:
    """Yield one figure of the two parts of each method's mean marginal cost, with a panel for each prior.

    The parts are the price of questions, and steps that an agent which knew the goal would not take.
    """
    found = parts(material.tables.episodes)
    prices = found["per_goal"].unique().sort().to_list()
    price = prices[(len(prices) - 1) // 2]
    scales = " Scales differ." if len(material.priors) > 1 else ""
    caption = (
        f"The parts of marginal cost at a {material.price} of {price:g}: steps that an agent which knew the goal would "
        f"not have taken, and the price of questions.{scales}{material.where}"
    )
    yield Picture(
        material.name("parts"),
        caption,
        _parts_text(found.filter(pl.col("per_goal") == price)),
        parts_figure(found, material.priors, price),
        material.title,
        order=30,
    )


def parts_figure(found: pl.DataFrame, priors: list[str], price: float) -> Figure:
    """Draw a bar for each method, divided into lost steps and the price of questions, with a panel for each prior.

    An agent which knew the goal would not take the lost steps.

    Args:
        found: the means of both parts (`askwise.studies.analysis.results.parts`).
        priors: names of the priors, from left to right.
        price: the price of naming a goal.
    """
    here = found.filter(pl.col("per_goal") == price)
    methods = here["method"].unique(maintain_order=True).to_list()
    figure = Figure(figsize=(1.6 + 2.9 * len(priors), 1.3 + 0.34 * len(methods)), layout="constrained")
    panels = figure.subplots(1, len(priors), sharey=True, squeeze=False)[0]
    for ax, prior in zip(panels, priors, strict=True):
        _bars(ax, here.filter(pl.col("prior") == prior), methods)
        ax.set_title(panel_title(prior), fontsize=11, **PLAIN)
        ax.set_xlabel(UNIT)
        ax.grid(axis="x", color=GRID, linewidth=0.7)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(range(len(methods)), [printable(method) for method in methods], **PLAIN)
    panels[0].invert_yaxis()
    legend_below(figure, panels[0])
    return figure


def _bars(ax: Axes, rows: pl.DataFrame, methods: list[str]) -> None:
    by_method = {row["method"]: row for row in rows.iter_rows(named=True)}
    places = [place for place, method in enumerate(methods) if method in by_method]
    left = [0.0] * len(places)
    for column, (label, colour, hatch) in PART_STYLES.items():
        widths = [by_method[methods[place]][column] for place in places]
        look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.5}
        ax.barh(places, widths, left=left, height=0.7, label=label, **look)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    for place, total in zip(places, left, strict=True):
        ax.annotate(f"{total:.2f}", (total, place), (3, 0), textcoords="offset points", va="center", fontsize=8)
    ax.set_xlim(0, 1.2 * max(left, default=0.0) or 1.0)  # leaves room for the numbers


def _parts_text(found: pl.DataFrame) -> str:
    lines = []
    for (prior,), rows in found.group_by("prior", maintain_order=True):
        methods = [
            f"{row['method']} {row['steps_lost']:.2f} + {row['questions']:.2f}" for row in rows.iter_rows(named=True)
        ]
        lines.append(f"prior {prior}: {', '.join(methods)}")
    return f"Mean steps lost + mean price of questions; {'; '.join(lines)}."
