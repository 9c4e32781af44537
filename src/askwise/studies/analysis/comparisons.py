"""Comparisons of methods under the same prior and price: differences with tests, and ratios to a reference method.

Differences: the costs of two methods are compared on the same instances, goals and teammate paths, by Student's t and
Wilcoxon's signed-rank test. P values are also given with Holm's correction for all tests in the table.

Ratios: the mean marginal cost of a method divided by that of the reference method, over the episodes that both
finished. The mean over all conditions (prior and price) is unweighted. Conditions with the same instances have
correlated ratios; the interval of the mean takes this into account (`mean_ratio`). Ratios for different files are
independent (`combined`).
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
    "prior": pl.String, "per_goal": pl.Float64, "first": pl.String, "second": pl.String, "pairs": pl.Int32,
    "difference": pl.Float64, "ci_low": pl.Float64, "ci_high": pl.Float64, "t": pl.Float64, "p_t": pl.Float64,
    "p_t_holm": pl.Float64, "p_wilcoxon": pl.Float64, "p_wilcoxon_holm": pl.Float64, "note": pl.String,
}  # fmt: skip
Pair: TypeAlias = tuple[pl.DataFrame, pl.DataFrame]
"""The episodes of two methods in conditions that are otherwise equal."""


def comparisons(episodes: pl.DataFrame) -> pl.DataFrame:
    """Compare the marginal costs of each pair of methods; return one row for each pair, prior and price.

    The columns are those of `COMPARISONS`. ``difference`` is the mean of ``first`` minus that of ``second``; ``pairs``
    is the number of episodes that both finished. ``teammate`` and ``base`` (the base price) are added if they vary.
    With instances from files, ``file`` is added, with rows for the mean over all files.
    """
    table = checked_episodes(episodes)
    extra = varying(table)
    rows = [_row(one, other, extra) for one, other in _pairs_of_methods(usable(with_mean(table)), extra)]
    for raw in ("p_t", "p_wilcoxon"):
        for row, adjusted in zip(rows, holm([row[raw] for row in rows]), strict=True):
            row[f"{raw}_holm"] = adjusted
    return pl.DataFrame(rows, schema={**COMPARISONS, **{c: GROUPING[c] for c in extra}})


def _pairs_of_methods(table: pl.DataFrame, extra: list[str]) -> Iterator[Pair]:
    """Yield the episodes of two methods, as two tables, for each pair of methods under each prior and price.

    `extra` names further columns whose values must be equal within a pair, such as ``file``.
    """
    for _, of_prior in table.group_by(*extra, "prior", maintain_order=True):
        for _, at_price in of_prior.sort("per_goal", maintain_order=True).group_by("per_goal", maintain_order=True):
            yield from combinations(at_price.partition_by("method", maintain_order=True), 2)


def _row(one: pl.DataFrame, other: pl.DataFrame, extra: list[str]) -> dict[str, Any]:
    differences = paired(one, other)
    values, instances = differences["difference"].to_numpy(), differences["instance"].to_numpy()
    found = (mean_over_files if is_mean(one) else estimate)(values, instances)
    condition = one.row(0, named=True)
    return {
        "prior": condition["prior"],
        "per_goal": condition["per_goal"],
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
    """Return the difference of a column, table `one` minus table `other`, for each episode that is in both tables.

    An episode is identified by the columns ``instance`` and ``episode``. The result has the columns ``instance`` and
    ``difference``.
    """
    both = one.join(other, on=("instance", "episode"), how="inner", suffix="_other", maintain_order="left")
    differences = rounded((both[column] - both[f"{column}_other"]).to_numpy())
    return pl.DataFrame({"instance": both["instance"], "difference": differences})


def _note(found: Estimate, differs: bool) -> str:
    if found.p is None:
        return "too few pairs for a test"
    if not differs:
        return "no difference in any pair"
    return "the same difference in every pair" if found.stderr == 0 else ""


# -- ratios ------------------------------------------------------------------------------------------------------

REFERENCE = "ezq"
"""The reference method if a study has it; otherwise its first method is the reference."""
ALL = "all"
"""The value of the column ``prior`` in rows about all conditions."""
RATIOS = {
    "prior": pl.String, "method": pl.String, "per_goal": pl.Float64, "reference": pl.String,
    "pairs": pl.Int32, "ratio": pl.Float64, "ci_low": pl.Float64, "ci_high": pl.Float64,
}  # fmt: skip
Row: TypeAlias = dict[str, Any]


def ratios(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return each method's mean marginal cost divided by that of the reference method: `ezq`, or else the first method.

    Each other method has one row for each condition (prior and price), then one for the mean. Conditions in which the
    reference costs nothing do not count. ``teammate`` and ``base`` (the base price) are added if they vary, ``file`` if
    the instances come from files.
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
            conditions, mean = _of_method(_joined(table, method, reference), extra)
            rows += [{**row, "method": method, "reference": reference} for row in conditions]
            over_all.append({**mean, "prior": ALL, "method": method, "reference": reference})
    return pl.DataFrame([*rows, *over_all], schema=schema)


def _joined(table: pl.DataFrame, method: str, reference: str) -> pl.DataFrame:
    """Return one row for each episode that two methods finished, with the marginal costs of both methods.

    ``marginal_cost`` has the cost of `method`, ``lower`` that of `reference`.
    """
    key = [column for column in dict.fromkeys([*KEY, *grouping(table)]) if column != "method"]
    costs = table.select("method", *key, "marginal_cost")
    mine, other = (costs.filter(pl.col("method") == name).drop("method") for name in (method, reference))
    return mine.join(other.rename({"marginal_cost": "lower"}), on=key, how="inner", maintain_order="left")


def _of_method(both: pl.DataFrame, extra: list[str]) -> tuple[list[Row], Row]:
    """Return a method's cost ratios to the reference: a row of `RATIOS` for each condition, and one for the mean.

    `both` is the result of `_joined`; `extra` names the columns of a condition besides prior and price.
    """
    rows: list[Row] = []
    pairs: list[Ratio] = []
    alone: dict[int, list[Ratio]] = {}  # by instance, of conditions with a single one, in which episodes are the units
    for key, rows_here in both.group_by(*extra, "prior", "per_goal", maintain_order=True):
        *setting, prior, price = key
        if rows_here["lower"].sum() == 0:
            continue
        pairs.append(_pairs_of(rows_here, "instance"))
        here = pairs[-1]
        if rows_here["instance"].n_unique() == 1:
            here = _pairs_of(rows_here, "episode")
            alone.setdefault(rows_here["instance"][0], []).append(here)
        named = {"prior": prior, "per_goal": price, **dict(zip(extra, setting, strict=True))}
        rows.append({**named, **_numbers(mean_ratio([here]))})
    each_alone = sum(map(len, alone.values())) == len(pairs)
    over_all = combined([mean_ratio(given) for given in alone.values()]) if each_alone else mean_ratio(pairs)
    return rows, _numbers(over_all)


def _pairs_of(rows: pl.DataFrame, unit: str) -> Ratio:
    return Ratio(*(rows[name].to_numpy() for name in ("marginal_cost", "lower", unit)))


def _numbers(found: Estimate) -> Row:
    known = found.mean if found.n else None
    return {"pairs": found.n, "ratio": known, "ci_low": found.low, "ci_high": found.high}
