"""All figures of a study: which there are, what they are called, and what stands below them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure

from askwise.experiments.analysis.checking import SETTING, Tables, in_setting, settings, usable
from askwise.experiments.analysis.figure_costs import cost_figure
from askwise.experiments.analysis.figure_parts import parts_figure
from askwise.experiments.analysis.figure_questions import questions_figure
from askwise.experiments.analysis.figure_spread import spread_figure
from askwise.experiments.analysis.parts import parts
from askwise.experiments.analysis.summary import summary
from askwise.files import make_folder, save_figure

PAPER_FIGURES = {"far": "3", "uniform": "5", "near": "6"}
ENDINGS = (".png", ".svg")


@dataclass(frozen=True)
class Picture:
    """A figure, the name of its files, its caption, and its text for those who cannot see it."""

    name: str
    kind: str
    """``all costs`` and ``parts`` (every prior), or of one prior: ``costs``, ``questions``, ``spread``."""
    setting: str
    """Teammate and base cost in words, empty if the study has one of each only."""
    caption: str
    alt: str
    figure: Figure


def write_figures(folder: str | Path, tables: Tables) -> list[Picture]:
    """Draw all figures and write each as PNG and SVG; the same tables give the same bytes."""
    target = make_folder(folder)
    drawn = list(pictures(tables))
    for picture in drawn:
        for ending in ENDINGS:
            save_figure(picture.figure, target / f"{picture.name}{ending}")
            # Where everything goes is found while the first file is drawn; finding it again would take as long.
            picture.figure.set_layout_engine("none")
    return drawn


def pictures(tables: Tables) -> Iterator[Picture]:
    """Draw all figures: costs of all priors and what they are made of, then for each costs, questions and spread."""
    every = settings(tables.episodes)
    for setting in every:
        here = Tables(
            in_setting(usable(tables.episodes), setting),
            in_setting(tables.queries, setting),
            tables.timings,
            _bounds_of(tables.bounds, setting),
        )
        if here.episodes.is_empty():
            continue
        suffix = "" if len(every) == 1 else _slug(f"-{setting[0]}-{setting[1]:g}")
        where = "" if len(every) == 1 else f" Teammate {setting[0]}, base cost {setting[1]:g}."
        yield from _of_setting(here, suffix, where)


def _bounds_of(bounds: pl.DataFrame | None, setting: tuple[str, float]) -> pl.DataFrame | None:
    """Return the bounds for one teammate and base cost, as far as the table tells them apart."""
    if bounds is None:
        return None
    for column, value in zip(SETTING, setting, strict=True):
        if column in bounds.columns:
            bounds = bounds.filter(pl.col(column) == value)
    return bounds if bounds.height else None


def _of_setting(here: Tables, suffix: str, where: str) -> Iterator[Picture]:
    cells = summary(here.episodes)
    priors = here.episodes["prior"].unique(maintain_order=True).to_list()
    if len(priors) > 1:
        caption = f"Mean marginal cost for each prior{_at(cells)}, {_counted(cells)}.{_band(here)}{where}"
        drawn = cost_figure(cells, priors, here.bounds)
        yield Picture(f"costs{suffix}", "all costs", where, caption, _best_in_words(cells), drawn)
    yield _parts(here, priors, suffix, where)
    for prior in priors:
        yield from _of_prior(here, cells, prior, suffix, where)


def _parts(here: Tables, priors: list[str], suffix: str, where: str) -> Picture:
    found = parts(here.episodes)
    prices = found["per_station_cost"].unique().sort().to_list()
    price = prices[(len(prices) - 1) // 2]
    caption = (
        f"What marginal cost is made of, at a per-station cost of {price:g}: steps that somebody who knew the goal "
        f"would not have taken, and the price of questions. Scales differ.{where}"
    )
    alt = _parts_in_words(found.filter(pl.col("per_station_cost") == price))
    return Picture(f"parts{suffix}", "parts", where, caption, alt, parts_figure(found, priors, price))


def _of_prior(here: Tables, cells: pl.DataFrame, prior: str, suffix: str, where: str) -> Iterator[Picture]:
    mine = cells.filter(pl.col("prior") == prior)
    slug = _slug(prior) + suffix
    paper = f" (the paper's figure {PAPER_FIGURES[prior]})" if prior in PAPER_FIGURES else ""
    caption = f"Prior {prior}{paper}: mean marginal cost{_at(mine)}, {_counted(mine)}.{_band(here)}{where}"
    yield Picture(
        f"costs-{slug}", "costs", where, caption, _best_in_words(mine), cost_figure(cells, [prior], here.bounds)
    )
    episodes = here.episodes.filter(pl.col("prior") == prior)
    queries = here.queries.filter(pl.col("prior") == prior)
    methods = here.episodes["method"].unique(maintain_order=True).to_list()
    prices = _ends(episodes)
    if queries.height:
        figure = questions_figure(queries, methods, prices)
        paper = " (left: the paper's figure 4)" if prior == "far" and prices[0] == 0 else ""
        caption = (
            f"Prior {prior}: questions at each step{paper}, {_counted(mine, 'panel')}. Questions count as steps.{where}"
        )
        yield Picture(f"questions-{slug}", "questions", where, caption, _questions_in_words(queries, prices), figure)
    told = "The higher a curve, the cheaper; the axis has a square-root scale."
    caption = f"Prior {prior}: spread of marginal cost, {_counted(mine, 'curve')}. {told}{where}"
    alt = _spread_in_words(episodes, prices)
    yield Picture(f"spread-{slug}", "spread", where, caption, alt, spread_figure(episodes, methods, prices))


def _ends(episodes: pl.DataFrame) -> list[float]:
    """Return the lowest and the highest price, once if they are the same."""
    prices = episodes["per_station_cost"].unique().sort().to_list()
    return [prices[0]] if len(prices) == 1 else [prices[0], prices[-1]]


def _at(cells: pl.DataFrame) -> str:
    prices = cells["per_station_cost"].unique().to_list()
    return " over per-station cost" if len(prices) > 1 else f" at a per-station cost of {prices[0]:g}"


def _counted(cells: pl.DataFrame, what: str = "") -> str:
    sizes = cells["episodes"].sort()
    low, high = sizes[0], sizes[-1]
    count = f"n = {low}" if low == high else f"n = {low} to {high}"
    point = "point" if cells["per_station_cost"].n_unique() > 1 else "method"
    return f"{count} episodes for each {what or point}"


def _band(here: Tables) -> str:
    shape = "Bands" if here.episodes["per_station_cost"].n_unique() > 1 else "Bars"
    return f" {shape}: 95 % intervals.{_bound_in_words(here)}"


def _bound_in_words(here: Tables) -> str:
    if here.bounds is None:
        return ""
    told = " Dashed grey: a lower bound that no method can beat"
    if "instances" not in here.bounds.columns:
        return f"{told}."
    # Instances differ much from one another: a bound on some of them may lie above means over all.
    known, every = int(here.bounds["instances"].min() or 0), here.episodes["instance"].n_unique()  # type: ignore[arg-type]
    return f"{told}{f', on {known} of the {every} instances' if known < every else ''}."


def _best_in_words(cells: pl.DataFrame) -> str:
    """Return the numbers at both ends of the lines."""
    told = []
    for (prior,), rows in cells.group_by("prior", maintain_order=True):
        ends = rows.group_by("method", maintain_order=True).agg(pl.col("mean").sort_by("per_station_cost"))
        lines = [
            f"{row['method']} {row['mean'][0]:.1f}" + (f" to {row['mean'][-1]:.1f}" if len(row["mean"]) > 1 else "")
            for row in ends.iter_rows(named=True)
        ]
        told.append(f"prior {prior}: {', '.join(lines)}")
    return f"Mean marginal cost from the lowest to the highest per-station cost; {'; '.join(told)}."


def _parts_in_words(found: pl.DataFrame) -> str:
    told = []
    for (prior,), rows in found.group_by("prior", maintain_order=True):
        lines = [
            f"{row['method']} {row['steps_lost']:.2f} + {row['questions']:.2f}" for row in rows.iter_rows(named=True)
        ]
        told.append(f"prior {prior}: {', '.join(lines)}")
    return f"Mean steps lost + mean price of questions; {'; '.join(told)}."


def _questions_in_words(queries: pl.DataFrame, prices: list[float]) -> str:
    lowest = queries.filter(pl.col("per_station_cost") == prices[0])
    median = lowest.group_by("method", maintain_order=True).agg(pl.col("t").median())
    lines = [f"{method} {step:g}" for method, step in median.iter_rows()]
    return f"Histogram of questions by step. Median step at per-station cost {prices[0]:g}: {', '.join(lines)}."


def _spread_in_words(episodes: pl.DataFrame, prices: list[float]) -> str:
    highest = episodes.filter(pl.col("per_station_cost") == prices[-1])
    median = highest.group_by("method", maintain_order=True).agg(pl.col("marginal_cost").median())
    lines = [f"{method} {cost:.1f}" for method, cost in median.iter_rows()]
    return (
        f"Share of episodes up to each marginal cost. Medians at per-station cost {prices[-1]:g}: {', '.join(lines)}."
    )


def _slug(text: str) -> str:
    """Return a name that is safe in file names everywhere."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).rstrip("-")
