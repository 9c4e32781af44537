"""What each method costs in each condition, which episodes are missing from that, and how long they took."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from askwise.experiments.analysis.checking import KEY, SETTING, VARIED, checked_episodes, usable, varying
from askwise.experiments.analysis.estimates import estimate
from askwise.files import whole_file

SUMMARY = {
    "prior": pl.String, "method": pl.String, "per_station_cost": pl.Float64, "episodes": pl.Int32, "mean": pl.Float64,
    "stderr": pl.Float64, "ci_low": pl.Float64, "ci_high": pl.Float64, "queries_mean": pl.Float64,
}  # fmt: skip
FAILURES = {
    "prior": pl.String, "method": pl.String, "per_station_cost": pl.Float64, "episodes": pl.Int32, "failed": pl.Int32,
    "unfinished": pl.Int32, "first_error": pl.String,
}  # fmt: skip
_SETTING_TYPES = {"teammate": pl.String, "base_cost": pl.Float64}


def summary(episodes: pl.DataFrame, *, with_setting: bool | None = None) -> pl.DataFrame:
    """Return mean marginal cost and number of questions for each prior, method and per-station cost.

    The first nine columns are always those of `SUMMARY`; ``teammate`` and ``base_cost`` follow if they vary in the
    study (or always, or never, as `with_setting` says). The interval is Student's at 95 %. Episodes that failed or
    were cut off have no marginal cost: they are not in ``episodes`` and not in the means, `failures` counts them.
    """
    table = checked_episodes(episodes)
    extra = _extra(table, with_setting)
    rows = []
    for key, condition in _conditions(usable(table), extra):
        found = estimate(condition["marginal_cost"].to_numpy(), condition["instance"].to_numpy())
        numbers = [found.n, found.mean, found.stderr, found.low, found.high, condition["queries"].mean()]
        rows.append([*key[:3], *numbers, *key[3:]])
    return pl.DataFrame(rows, schema={**SUMMARY, **{c: _SETTING_TYPES[c] for c in extra}}, orient="row")


def failures(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the conditions in which episodes failed or were cut off: how many of how many, and the first error."""
    table = checked_episodes(episodes)
    extra = _extra(table, None)
    rows = []
    for key, condition in _conditions(table, extra):
        errors = condition["error"].drop_nulls()
        lost = condition.height - usable(condition).height
        if lost:
            first = errors[0] if len(errors) else None
            rows.append([*key[:3], condition.height, len(errors), lost - len(errors), first, *key[3:]])
    return pl.DataFrame(rows, schema={**FAILURES, **{c: _SETTING_TYPES[c] for c in extra}}, orient="row")


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


def _extra(table: pl.DataFrame, with_setting: bool | None) -> list[str]:
    if with_setting is None:
        return varying(table)
    return list(SETTING) if with_setting else []


def _conditions(table: pl.DataFrame, extra: list[str]) -> Iterator[tuple[tuple[object, ...], pl.DataFrame]]:
    """Yield the conditions in the order of the study; the setting, where it varies, changes slowest."""
    yield from table.group_by(*VARIED, *extra, maintain_order=True)
