"""Every pair of methods under every prior and price: difference of marginal cost, two tests, Holm's correction.

Methods are compared on the same instance, goal and path of the teammate. Beside each raw p value stands Holm's, over
all comparisons of the table: among 180 comparisons of equal methods, about nine have a raw p below 0.05.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, TypeAlias

import polars as pl

from askwise.studies.analysis.estimates import Estimate, estimate, holm, mean_over_files, rounded, wilcoxon
from askwise.studies.analysis.tables import GROUPING, checked_episodes, is_mean, usable, varying, with_mean

COMPARISONS = {
    "prior": pl.String, "per_station_cost": pl.Float64, "first": pl.String, "second": pl.String, "pairs": pl.Int32,
    "difference": pl.Float64, "ci_low": pl.Float64, "ci_high": pl.Float64, "t": pl.Float64, "p_t": pl.Float64,
    "p_t_holm": pl.Float64, "p_wilcoxon": pl.Float64, "p_wilcoxon_holm": pl.Float64, "note": pl.String,
}  # fmt: skip
Pair: TypeAlias = tuple[pl.DataFrame, pl.DataFrame]
"""The episodes of two methods, in conditions that differ in nothing else."""


def comparisons(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return one row for each pair of methods in each prior and per-station cost.

    ``difference`` is first less second: below 0 the first is cheaper. ``pairs`` counts the episodes that both
    finished. ``note`` says what was special: no difference in any pair, or too few pairs for a test. Columns
    ``teammate`` and ``base_cost`` follow if they vary in the study. In a study over files there are rows for each file,
    named in the column ``file``, and for the mean over all files.
    """
    table = checked_episodes(episodes)
    extra = varying(table)
    rows = [_row(one, other, extra) for one, other in _pairs_of_methods(usable(with_mean(table)), extra)]
    for raw in ("p_t", "p_wilcoxon"):
        for row, adjusted in zip(rows, holm([row[raw] for row in rows]), strict=True):
            row[f"{raw}_holm"] = adjusted
    return pl.DataFrame(rows, schema={**COMPARISONS, **{c: GROUPING[c] for c in extra}})


def _pairs_of_methods(table: pl.DataFrame, extra: list[str]) -> Iterator[Pair]:
    """Yield the pairs of methods: priors in the order of the study, prices ascending."""
    for _, of_prior in table.group_by(*extra, "prior", maintain_order=True):
        for _, at_price in of_prior.sort("per_station_cost", maintain_order=True).group_by(
            "per_station_cost", maintain_order=True
        ):
            yield from combinations(at_price.partition_by("method", maintain_order=True), 2)


def _row(one: pl.DataFrame, other: pl.DataFrame, extra: list[str]) -> dict[str, Any]:
    differences = paired(one, other)
    values, instances = differences["difference"].to_numpy(), differences["instance"].to_numpy()
    found = (mean_over_files if is_mean(one) else estimate)(values, instances)
    condition = one.row(0, named=True)
    return {
        "prior": condition["prior"],
        "per_station_cost": condition["per_station_cost"],
        "first": condition["method"],
        "second": other["method"][0],
        "pairs": found.n,
        "difference": found.mean if found.n else None,
        "ci_low": found.low,
        "ci_high": found.high,
        "t": found.t,
        "p_t": found.p,
        "p_wilcoxon": wilcoxon(values, instances),
        "note": _note(found, bool(values.any())),
        **{column: condition[column] for column in extra},
    }


def paired(one: pl.DataFrame, other: pl.DataFrame, column: str = "marginal_cost") -> pl.DataFrame:
    """Return ``instance`` and ``difference`` of the episodes that are in both tables."""
    both = one.join(other, on=("instance", "episode"), how="inner", suffix="_other", maintain_order="left")
    differences = rounded((both[column] - both[f"{column}_other"]).to_numpy())
    return pl.DataFrame({"instance": both["instance"], "difference": differences})


def _note(found: Estimate, differs: bool) -> str:
    if found.p is None:
        return "too few pairs for a test"
    if not differs:
        return "no difference in any pair"
    return "the same difference in every pair" if found.stderr == 0 else ""
