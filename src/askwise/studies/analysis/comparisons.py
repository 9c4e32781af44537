"""Every pair of methods under every prior and price: difference of marginal cost, two tests, Holm's correction.

Methods are compared on the same instance, goal and path of the teammate. Beside each raw p value stands Holm's, over
all comparisons of the table: among 180 comparisons of equal methods, about nine have a raw p below 0.05.

What each method costs beside one of them, as a ratio: under each prior and price, and on average over them.

Two methods are compared in conditions that differ in nothing else. The ratio is that of the mean marginal costs, over
the episodes that both methods finished. The mean over all of these is the plain mean of the ratios: each counts the
same, however dear its condition is. Conditions that share their instances have ratios that rise and fall together; the
interval of the mean allows for that (`mean_ratio`). In a study over files each condition has one instance, its file.
The interval of a file then goes by its episodes, and the mean over files is the mean of independent numbers
(`combined`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, TypeAlias

import polars as pl

from askwise.studies.analysis.estimates import (
    Estimate,
    Ratio,
    combined,
    estimate,
    holm,
    mean_over_files,
    mean_ratio,
    rounded,
    wilcoxon,
)
from askwise.studies.analysis.tables import (
    GROUPING,
    KEY,
    checked_episodes,
    grouping,
    is_mean,
    usable,
    varying,
    with_mean,
)

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


REFERENCE = "ezq"
"""The paper's method, where it is played; else the first method of the study."""
ALL = "all"
"""Stands in the place of the prior in the rows over all conditions."""
RATIOS = {
    "prior": pl.String, "method": pl.String, "per_station_cost": pl.Float64, "reference": pl.String,
    "pairs": pl.Int32, "ratio": pl.Float64, "ci_low": pl.Float64, "ci_high": pl.Float64,
}  # fmt: skip
Row: TypeAlias = dict[str, Any]


def ratios(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return one row for each condition, then one for each method over all of its conditions; none with one method.

    Where the reference costs nothing there is no ratio, and nothing that counts in the means. Columns ``teammate`` and
    ``base_cost`` follow if they vary in the study, after ``file`` in a study over files.
    """
    table = usable(checked_episodes(episodes))
    extra = varying(table)
    schema = {**RATIOS, **{column: GROUPING[column] for column in extra}}
    methods = table["method"].unique(maintain_order=True).to_list()
    if len(methods) < 2:
        return pl.DataFrame(schema=schema)
    reference = REFERENCE if REFERENCE in methods else methods[0]
    rows, over_all = [], []
    for method in methods:
        if method != reference:
            conditions, mean = _of_method(_beside(table, method, reference), extra)
            rows += [{**row, "method": method, "reference": reference} for row in conditions]
            over_all.append({**mean, "prior": ALL, "method": method, "reference": reference})
    return pl.DataFrame([*rows, *over_all], schema=schema)


def _beside(table: pl.DataFrame, method: str, reference: str) -> pl.DataFrame:
    """Return the episodes that both finished, the reference's cost in ``lower``."""
    key = [column for column in dict.fromkeys([*KEY, *grouping(table)]) if column != "method"]
    costs = table.select("method", *key, "marginal_cost")
    mine, other = (costs.filter(pl.col("method") == name).drop("method") for name in (method, reference))
    return mine.join(other.rename({"marginal_cost": "lower"}), on=key, how="inner", maintain_order="left")


def _of_method(both: pl.DataFrame, extra: list[str]) -> tuple[list[Row], Row]:
    rows: list[Row] = []
    pairs: list[Ratio] = []
    alone: dict[int, list[Ratio]] = {}
    """The ratios of conditions with a single instance, by that instance; episodes are the units there."""
    for key, rows_here in both.group_by(*extra, "prior", "per_station_cost", maintain_order=True):
        *setting, prior, price = key
        if rows_here["lower"].sum() == 0:
            continue
        pairs.append(_pairs_of(rows_here, "instance"))
        told = pairs[-1]
        if rows_here["instance"].n_unique() == 1:
            told = _pairs_of(rows_here, "episode")
            alone.setdefault(rows_here["instance"][0], []).append(told)
        named = {"prior": prior, "per_station_cost": price, **dict(zip(extra, setting, strict=True))}
        rows.append({**named, **_numbers(mean_ratio([told]))})
    each_alone = sum(map(len, alone.values())) == len(pairs)
    over_all = combined([mean_ratio(given) for given in alone.values()]) if each_alone else mean_ratio(pairs)
    return rows, _numbers(over_all)


def _pairs_of(rows: pl.DataFrame, unit: str) -> Ratio:
    return Ratio(*(rows[name].to_numpy() for name in ("marginal_cost", "lower", unit)))


def _numbers(found: Estimate) -> Row:
    known = found.mean if found.n else None
    return {"pairs": found.n, "ratio": known, "ci_low": found.low, "ci_high": found.high}
