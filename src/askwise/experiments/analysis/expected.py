"""Expected costs that were computed instead of played: exact ones of methods, and lower bounds.

They exist for the first instances of a study only, so they are compared with one another on those, never with means
over all instances.
"""

from __future__ import annotations

import polars as pl

from askwise.experiments.schema.tables import BOUND

TERMS = ("prior", "base_cost", "per_station_cost")
"""Everything in a condition but teammate and method."""


def bounds_of(expected: pl.DataFrame) -> pl.DataFrame | None:
    """Return the mean lower bound of each prior and price over the instances that have one; None without any."""
    known = expected.filter(pl.col("expected").is_not_null(), pl.col("method") == BOUND)
    return None if known.is_empty() else _means(known, list(TERMS))


def expected_summary(expected: pl.DataFrame) -> pl.DataFrame:
    """Return the mean expected cost of each method in each condition, and the mean bound on the same instances.

    Columns: prior, base_cost, per_station_cost, method, instances, mean, stderr, bound. Counted are the instances
    on which all methods could be evaluated under a prior and price, so that their means can be compared.
    """
    methods = expected.filter(pl.col("method") != BOUND)
    if methods.is_empty():
        return pl.DataFrame(schema=SUMMARY)
    failed = methods.filter(pl.col("expected").is_null()).select("instance", *TERMS).unique()
    whole = methods.join(failed, on=["instance", *TERMS], how="anti")
    bounds = expected.filter(pl.col("method") == BOUND).select("instance", *TERMS, bound="expected")
    beside = whole.join(bounds, on=["instance", *TERMS], how="left", maintain_order="left")
    means = _means(beside, [*TERMS, "method"])
    # A bound over fewer instances than the means would not be one of them.
    complete = pl.when(pl.col("bound").null_count() == 0).then(pl.col("bound").mean())
    over = beside.group_by([*TERMS, "method"], maintain_order=True).agg(complete.first().alias("bound"))
    return means.join(over, on=[*TERMS, "method"], how="left", maintain_order="left").select(list(SUMMARY))


SUMMARY = {
    "prior": pl.String,
    "base_cost": pl.Float64,
    "per_station_cost": pl.Float64,
    "method": pl.String,
    "instances": pl.Int64,
    "mean": pl.Float64,
    "stderr": pl.Float64,
    "bound": pl.Float64,
}


def _means(rows: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    value = pl.col("expected")
    found = rows.group_by(by, maintain_order=True).agg(
        instances=pl.len().cast(pl.Int64), mean=value.mean(), stderr=value.std() / pl.len().sqrt()
    )
    return found.with_columns(pl.col("stderr").fill_null(0.0))
