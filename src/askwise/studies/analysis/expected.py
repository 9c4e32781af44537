"""Expected costs that were computed instead of played: exact ones of methods, and lower bounds.

They exist for the first instances of a study only, so they are compared with one another on those, never with means
over all instances. In a study over files each file has its own rows.
"""

from __future__ import annotations

import polars as pl

from askwise.studies.analysis.tables import ALL_FILES, FILE
from askwise.studies.schema.tables import BOUND

TERMS = ("prior", "base_cost", "per_station_cost")
"""Everything in a condition but teammate and method."""


def bounds_of(expected: pl.DataFrame) -> pl.DataFrame | None:
    """Return the mean lower bound of each prior and price over the instances that have one; None without any."""
    known = expected.filter(pl.col("expected").is_not_null(), pl.col("method") == BOUND)
    if known.is_empty():
        return None
    found = _means(known, _terms(known))
    if FILE not in known.columns:
        return found
    return pl.concat([found, _means(known, list(TERMS)).with_columns(pl.lit(ALL_FILES).alias(FILE))], how="diagonal")


def expected_summary(expected: pl.DataFrame) -> pl.DataFrame:
    """Return the mean expected cost of each method in each condition, and the mean bound on the same instances.

    Columns: prior, base_cost, per_station_cost, method, instances, mean, stderr, bound; then file, in a study over
    files. Counted are the instances on which all methods could be evaluated under a prior and price, so that their
    means can be compared.
    """
    methods, terms = expected.filter(pl.col("method") != BOUND), _terms(expected)
    schema = {**EXPECTED_SUMMARY, **{column: pl.String for column in terms if column == FILE}}
    if methods.is_empty():
        return pl.DataFrame(schema=schema)
    failed = methods.filter(pl.col("expected").is_null()).select("instance", *terms).unique()
    whole = methods.join(failed, on=["instance", *terms], how="anti")
    bounds = expected.filter(pl.col("method") == BOUND).select("instance", *terms, bound="expected")
    beside = whole.join(bounds, on=["instance", *terms], how="left", maintain_order="left")
    means = _means(beside, [*terms, "method"])
    # A bound over fewer instances than the means would not be one of them.
    complete = pl.when(pl.col("bound").null_count() == 0).then(pl.col("bound").mean())
    over = beside.group_by([*terms, "method"], maintain_order=True).agg(complete.first().alias("bound"))
    return means.join(over, on=[*terms, "method"], how="left", maintain_order="left").select(list(schema))


EXPECTED_SUMMARY = {
    "prior": pl.String,
    "base_cost": pl.Float64,
    "per_station_cost": pl.Float64,
    "method": pl.String,
    "instances": pl.Int64,
    "mean": pl.Float64,
    "stderr": pl.Float64,
    "bound": pl.Float64,
}


def _terms(expected: pl.DataFrame) -> list[str]:
    return [*TERMS, FILE] if FILE in expected.columns else list(TERMS)


def _means(rows: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    value = pl.col("expected")
    found = rows.group_by(by, maintain_order=True).agg(
        instances=pl.len().cast(pl.Int64), mean=value.mean(), stderr=value.std() / pl.len().sqrt()
    )
    return found.with_columns(pl.col("stderr").fill_null(0.0))
