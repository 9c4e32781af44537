"""What marginal cost is made of: a bar for each method, steps lost and questions paid, one panel for each prior."""

from __future__ import annotations

from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askwise.experiments.analysis.figure_costs import UNIT
from askwise.experiments.analysis.styles import GRID, ORANGE, SKY, legend_below
from askwise.plot import PLAIN
from askwise.reading import printable

COLOURS = {"steps_lost": ("steps lost", SKY, ""), "questions": ("price of questions", ORANGE, "///")}


def parts_figure(parts: pl.DataFrame, priors: list[str], price: float) -> Figure:
    """Draw the bars at one per-station cost; panels have scales of their own, for priors differ much."""
    here = parts.filter(pl.col("per_station_cost") == price)
    methods = here["method"].unique(maintain_order=True).to_list()
    figure = Figure(figsize=(1.6 + 2.9 * len(priors), 1.3 + 0.34 * len(methods)), layout="constrained")
    panels = figure.subplots(1, len(priors), sharey=True, squeeze=False)[0]
    for ax, prior in zip(panels, priors, strict=True):
        _bars(ax, here.filter(pl.col("prior") == prior), methods)
        ax.set_title(f"prior {printable(prior)}", fontsize=11, **PLAIN)
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
    for column, (label, colour, hatch) in COLOURS.items():
        widths = [by_method[methods[place]][column] for place in places]
        look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.5}
        ax.barh(places, widths, left=left, height=0.7, label=label, **look)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    for place, total in zip(places, left, strict=True):
        ax.annotate(f"{total:.2f}", (total, place), (3, 0), textcoords="offset points", va="center", fontsize=8)
    ax.set_xlim(0, 1.2 * max(left, default=0.0) or 1.0)  # with room for the numbers
