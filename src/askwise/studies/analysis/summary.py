"""What each method costs in each condition, which episodes are missing from that, and how long they took."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from askwise.studies.analysis.estimates import estimate, mean_over_files
from askwise.studies.analysis.tables import (
    GROUPING,
    KEY,
    VARIED,
    checked_episodes,
    is_mean,
    usable,
    varying,
    with_mean,
)
from askwise.text.files import whole_file

SUMMARY = {
    "prior": pl.String, "method": pl.String, "per_station_cost": pl.Float64, "episodes": pl.Int32, "mean": pl.Float64,
    "stderr": pl.Float64, "ci_low": pl.Float64, "ci_high": pl.Float64, "queries_mean": pl.Float64,
}  # fmt: skip
FAILURES = {
    "prior": pl.String, "method": pl.String, "per_station_cost": pl.Float64, "episodes": pl.Int32, "failed": pl.Int32,
    "unfinished": pl.Int32, "first_error": pl.String,
}  # fmt: skip


def summary(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return mean marginal cost and number of questions for each prior, method and per-station cost.

    The first nine columns are always those of `SUMMARY`; ``teammate`` and ``base_cost`` follow if they vary in the
    study. The interval is Student's at 95 %. Episodes that failed or were cut off have no marginal cost: they are not
    in ``episodes`` and not in the means, `failures` counts them.

    In a study over files (see `askwise.studies.analysis.tables.with_files`) there are rows for each file, named
    in the column ``file`` after the first nine, and then rows for the mean over all files. Where each file has its own
    price, the mean has none.
    """
    table = checked_episodes(episodes)
    extra = varying(table)
    rows = []
    for key, condition in _conditions(usable(with_mean(table)), extra):
        over = mean_over_files if is_mean(condition) else estimate
        found = over(condition["marginal_cost"].to_numpy(), condition["instance"].to_numpy())
        asked = condition.group_by("instance").agg(pl.col("queries").mean()) if is_mean(condition) else condition
        numbers = [found.n, found.mean, found.stderr, found.low, found.high, asked["queries"].mean()]
        rows.append([*key[:3], *numbers, *key[3:]])
    return pl.DataFrame(rows, schema={**SUMMARY, **{c: GROUPING[c] for c in extra}}, orient="row")


def failures(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the conditions in which episodes failed or were cut off: how many of how many, and the first error."""
    table = checked_episodes(episodes)
    extra = varying(table)
    rows = []
    for key, condition in _conditions(table, extra):
        errors = condition["error"].drop_nulls()
        lost = condition.height - usable(condition).height
        if lost:
            first = errors[0] if len(errors) else None
            rows.append([*key[:3], condition.height, len(errors), lost - len(errors), first, *key[3:]])
    return pl.DataFrame(rows, schema={**FAILURES, **{c: GROUPING[c] for c in extra}}, orient="row")


def timing_summary(timings: pl.DataFrame, episodes: pl.DataFrame) -> pl.DataFrame:
    """Return for each method the seconds of an episode and of a decision: mean, median, 95th percentile."""
    joined = timings.join(episodes.select(*KEY, "steps"), on=KEY, how="inner")
    decision = pl.col("decide_seconds") / pl.col("steps").clip(lower_bound=1)
    return joined.group_by("method", maintain_order=True).agg(
        pl.len().cast(pl.Int32).alias("episodes"),
        pl.col("seconds").mean().alias("episode_mean"),
        pl.col("seconds").median().alias("episode_median"),
        pl.col("seconds").quantile(0.95).alias("episode_p95"),
        (pl.col("decide_seconds").sum() / pl.col("steps").sum()).alias("decision_mean"),
        decision.median().alias("decision_median"),
        decision.quantile(0.95).alias("decision_p95"),
    )


def write_csv(table: pl.DataFrame, path: str | Path) -> None:
    """Write a table as CSV, whole or not at all; numbers keep all their digits."""
    with whole_file(path) as temporary:
        table.write_csv(temporary)


def _conditions(table: pl.DataFrame, extra: list[str]) -> Iterator[tuple[tuple[object, ...], pl.DataFrame]]:
    """Yield the conditions in the order of the study; the setting, where it varies, changes slowest."""
    yield from table.group_by(*VARIED, *extra, maintain_order=True)
