"""Marginal cost over per-station cost, one line for each method, with 95 % bands: the paper's figures 3, 5 and 6.

A study with one price has no line to draw: its methods stand side by side as points with error bars.
"""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askwise.experiments.analysis.styles import FAINT, GRID, Style, legend_below, styles
from askwise.plot import PLAIN
from askwise.reading import printable

UNIT = "marginal cost (steps)"
Range = tuple[float, float]


def cost_figure(summary: pl.DataFrame, priors: list[str], bounds: pl.DataFrame | None = None) -> Figure:
    """Draw one panel for each prior, all with the same scale, and one legend."""
    looks = styles(summary["method"].unique(maintain_order=True))
    width = 6.4 if len(priors) == 1 else 0.8 + 3.5 * len(priors)
    figure = Figure(figsize=(width, 4.4), layout="constrained")
    panels = figure.subplots(1, len(priors), sharey=True, squeeze=False)[0]
    several = summary["per_station_cost"].n_unique() > 1
    for ax, prior in zip(panels, priors, strict=True):
        here = summary.filter(pl.col("prior") == prior)
        draw = _lines if several else _points
        draw(ax, here, looks)
        if bounds is not None:
            _bound(ax, bounds.filter(pl.col("prior") == prior).sort("per_station_cost"), len(looks), several)
        ax.set_title(f"prior {printable(prior)}", fontsize=11, **PLAIN)
        ax.set_xlabel("per-station cost (steps)" if several else "method")
        ax.grid(axis="y", color=GRID, linewidth=0.7)
        ax.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel(UNIT)
    if (summary["mean"] >= 0).all():
        panels[0].set_ylim(bottom=0)
    legend_below(figure, panels[0])
    return figure


def _lines(ax: Axes, here: pl.DataFrame, looks: dict[str, Style]) -> None:
    for method, style in looks.items():
        rows = here.filter(pl.col("method") == method).sort("per_station_cost")
        prices = rows["per_station_cost"].to_numpy()
        low, high = (rows[end].fill_null(rows["mean"]).to_numpy() for end in ("ci_low", "ci_high"))
        ax.fill_between(prices, low, high, color=style.colour, alpha=0.15, linewidth=0)
        ax.plot(prices, rows["mean"].to_numpy(), label=printable(method), **style.line())
    every = here["per_station_cost"].unique().sort().to_list()
    if len(every) <= 11:
        ax.set_xticks(every, [f"{price:g}" for price in every])


def _points(ax: Axes, here: pl.DataFrame, looks: dict[str, Style]) -> None:
    for place, (method, style) in enumerate(looks.items()):
        rows = here.filter(pl.col("method") == method)
        if rows.is_empty():
            continue
        row = rows.row(0, named=True)
        reach = [[row["mean"] - (row["ci_low"] or row["mean"])], [(row["ci_high"] or row["mean"]) - row["mean"]]]
        look = {**style.line(), "markersize": 9, "linestyle": "none"}
        ax.errorbar([place], [row["mean"]], yerr=reach, capsize=5, **look)
    ax.set_xticks(range(len(looks)), [printable(method) for method in looks], rotation=30, ha="right", **PLAIN)
    ax.set_xlim(-0.6, len(looks) - 0.4)


def _bound(ax: Axes, rows: pl.DataFrame, n_methods: int, several: bool) -> None:
    """Draw a lower bound: what no method can beat."""
    if rows.is_empty():
        return
    x = rows["per_station_cost"].to_list() if several else [-0.5, n_methods - 0.5]
    y = rows["mean"].to_list() if several else [rows["mean"][0]] * 2
    ax.plot(x, y, color=FAINT, linestyle=(0, (6, 3)), linewidth=1.4, label="lower bound")
