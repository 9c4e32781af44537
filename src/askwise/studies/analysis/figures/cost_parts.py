"""What marginal cost is made of: a bar for each method, steps lost and questions paid, one panel for each prior."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askwise.studies.analysis.figures.costs import UNIT
from askwise.studies.analysis.figures.picture import Material, Picture
from askwise.studies.analysis.figures.styles import ASKING, GRID, LOST, legend_below
from askwise.studies.analysis.results import parts
from askwise.text.reading import printable
from askwise.view.plot import PLAIN

COLOURS = {"steps_lost": ("steps lost", LOST, ""), "questions": ("price of questions", ASKING, "///")}


def cost_parts(material: Material) -> Iterator[Picture]:
    """Draw the parts at a middle price, all priors beside each other."""
    found = parts(material.tables.episodes)
    prices = found["per_station_cost"].unique().sort().to_list()
    price = prices[(len(prices) - 1) // 2]
    caption = (
        f"What marginal cost is made of, at a {material.price} of {price:g}: steps that somebody who knew the goal "
        f"would not have taken, and the price of questions. Scales differ.{material.where}"
    )
    yield Picture(
        material.name("parts"),
        caption,
        _parts_as_text(found.filter(pl.col("per_station_cost") == price)),
        parts_figure(found, material.priors, price),
        material.title,
        order=30,
    )


def parts_figure(found: pl.DataFrame, priors: list[str], price: float) -> Figure:
    """Draw the bars at one price; panels have scales of their own, for priors differ much."""
    here = found.filter(pl.col("per_station_cost") == price)
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


def _parts_as_text(found: pl.DataFrame) -> str:
    told = []
    for (prior,), rows in found.group_by("prior", maintain_order=True):
        lines = [
            f"{row['method']} {row['steps_lost']:.2f} + {row['questions']:.2f}" for row in rows.iter_rows(named=True)
        ]
        told.append(f"prior {prior}: {', '.join(lines)}")
    return f"Mean steps lost + mean price of questions; {'; '.join(told)}."
