"""How far methods are from the optimum, by exact costs: means of each cell, ratios, and the verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from benchmarks.report import Column, Table, count, number

ROUNDING = 1e-9
OPTIMAL = "optimal"

Costs = dict[str, float]
"""The expected marginal cost of the optimum (`OPTIMAL`) and of every method in one problem."""
Cell = TypeVar("Cell", bound=Hashable)


def by_cell(cells: Iterable[Cell], found: Iterable[Costs]) -> dict[Cell, Costs]:
    """Return mean costs of the problems of each cell; the first of both belong together, and so on."""
    rows: dict[Cell, list[Costs]] = defaultdict(list)
    for cell, costs in zip(cells, found, strict=True):
        rows[cell].append(costs)
    return {
        cell: {name: float(np.mean([each[name] for each in some])) for name in some[0]} for cell, some in rows.items()
    }


def ratio(mean: float, optimum: float) -> float:
    """Return a mean cost over that of the optimum; 1 if both are nothing."""
    return mean / optimum if optimum > ROUNDING else 1.0 if mean <= ROUNDING else float("inf")


def verdict(
    title: str, note: str, cells: Mapping[Cell, Costs], found: Sequence[Costs], methods: Sequence[str]
) -> Table:
    """Return how far each method is from the optimum on average and in its worst cell, and whether it is ever below."""
    table = Table(
        title,
        [
            Column("method"),
            number("mean above, %", 3),
            number("worst cell above, %", 3),
            count("problems solved best"),
            count("problems"),
            count("below the optimum"),
        ],
        notes=[note],
    )
    for method in methods:
        above = [100 * (ratio(means[method], means[OPTIMAL]) - 1) for means in cells.values()]
        best = sum(costs[method] <= costs[OPTIMAL] + 1e-6 for costs in found)
        below = sum(costs[method] < costs[OPTIMAL] - 1e-7 for costs in found)
        table.rows.append([method, float(np.mean(above)), max(above), best, len(found), below])
    return table
