"""What each method costs beside one of them, as a ratio: under each prior and price, and on average over them.

Two methods are compared in conditions that differ in nothing else. The ratio is that of the mean marginal costs, over
the episodes that both methods finished. The mean over all of these is the plain mean of the ratios: each counts the
same, however dear its condition is. Conditions that share their instances have ratios that rise and fall together; the
interval of the mean allows for that (`mean_ratio`). In a study over files each condition has one instance, its file.
The interval of a file then goes by its episodes, and the mean over files is the mean of independent numbers
(`combined`).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import polars as pl

from askwise.studies.analysis.estimates import Estimate, Ratio, combined, mean_ratio
from askwise.studies.analysis.tables import GROUPING, KEY, checked_episodes, grouping, usable, varying

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
