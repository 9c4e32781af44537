"""All figures of a study: drawn, captioned, and written to files.

To add a kind of figure, write a function that yields pictures and list it in `OF_ALL_PRIORS` or `OF_EACH_PRIOR`. Its
argument is a `Material`, the data for one teammate and base price; in `OF_EACH_PRIOR` also the name of a prior.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from askwise.studies.analysis.figures.costs import all_costs, cost_parts, costs
from askwise.studies.analysis.figures.distributions import questions, spread
from askwise.studies.analysis.figures.picture import Material, Picture, materials
from askwise.studies.analysis.tables import Tables
from askwise.text.files import make_folder, save_figure

OF_ALL_PRIORS: tuple[Callable[[Material], Iterator[Picture]], ...] = (all_costs, cost_parts)
OF_EACH_PRIOR: tuple[Callable[[Material, str], Iterator[Picture]], ...] = (costs, questions, spread)
ENDINGS = (".png", ".svg")

__all__ = ["Material", "Picture", "pictures", "write_figures"]


def write_figures(folder: str | Path, tables: Tables) -> list[Picture]:
    """Draw all figures of a study, write each as a PNG and an SVG file, and return them.

    Args:
        folder: the folder to write to; created if needed.
        tables: the tables of the study.
    """
    target = make_folder(folder)
    drawn = list(pictures(tables))
    for picture in drawn:
        for ending in ENDINGS:
            save_figure(picture.figure, target / f"{picture.name}{ending}")
            # The layout was computed for the first file; computing it again would take as long.
            picture.figure.set_layout_engine("none")
    return drawn


def pictures(tables: Tables) -> Iterator[Picture]:
    """Draw and yield all figures of a study one by one, each with its name.

    They are grouped by teammate, base price and file. In each group, figures of all priors come first.
    """
    names: Counter[str] = Counter()
    for picture in _drawn(tables):
        names[picture.name] += 1
        times = names[picture.name]
        # Two labels may give the same file name. The second figure must not overwrite the first.
        yield picture if times == 1 else replace(picture, name=f"{picture.name}--{times}")


def _drawn(tables: Tables) -> Iterator[Picture]:
    for material in materials(tables):
        for draw in OF_ALL_PRIORS:
            yield from draw(material)
        for prior in material.priors:
            for draw_one in OF_EACH_PRIOR:
                yield from draw_one(material, prior)
