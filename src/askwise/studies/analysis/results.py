"""All numbers of a study, computed from its tables and written as CSV files.

A condition is a combination of prior, method and per-station cost; teammate and base price belong to it if they vary in
the study, and the file in a study over files (see `askwise.studies.analysis.tables.with_files`).

Marginal cost has two parts: the price of questions, and lost steps, which an agent that knew the goal would not take.

Expected costs are computed instead of sampled: the exact costs of methods, and lower bounds. They exist for the first
instances of a study only, so they are compared with each other on these instances, never with means over all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from askwise.studies.analysis.claims import COLUMNS, claims
from askwise.studies.analysis.comparisons import comparisons, ratios
from askwise.studies.analysis.estimates import estimate, mean_over_files
from askwise.studies.analysis.tables import (
    ALL_FILES,
    FILE,
    GROUPING,
    KEY,
    VARIED,
    Tables,
    checked,
    checked_episodes,
    is_mean,
    usable,
    varying,
    with_files,
    with_mean,
)
from askwise.studies.schema.domain import StudyWords
from askwise.studies.schema.tables import BOUND, EXPECTED
from askwise.text.files import make_folder, whole_file

SUMMARY = {
    "prior": pl.String, "method": pl.String, "per_goal": pl.Float64, "episodes": pl.Int32, "mean": pl.Float64,
    "stderr": pl.Float64, "ci_low": pl.Float64, "ci_high": pl.Float64, "queries_mean": pl.Float64,
}  # fmt: skip
FAILURES = {
    "prior": pl.String, "method": pl.String, "per_goal": pl.Float64, "episodes": pl.Int32, "failed": pl.Int32,
    "unfinished": pl.Int32, "first_error": pl.String,
}  # fmt: skip
EXPECTED_SUMMARY = {
    "prior": pl.String, "base": pl.Float64, "per_goal": pl.Float64, "method": pl.String,
    "instances": pl.Int64, "mean": pl.Float64, "stderr": pl.Float64, "bound": pl.Float64,
}  # fmt: skip
TERMS = ("prior", "base", "per_goal")
"""The columns of a condition except teammate and method."""
WRITTEN = (
    "summary", "parts", "ratios", "comparisons", "claims", "failures", "timing_summary", "expected_summary",
)  # fmt: skip
"""The tables of an `Analysis` that are written as CSV files of the same name."""


@dataclass(frozen=True)
class Analysis:
    """The tables of a study and all tables computed from them. The function `analyse` returns it.

    Attributes:
        tables: the checked tables of the study itself.
        summary: the mean marginal cost in each condition.
        parts: the two parts of that mean: lost steps, and the price of questions.
        failures: the conditions in which episodes failed or were cut off.
        ratios: the mean cost of each method divided by that of a reference method.
        comparisons: the difference between each pair of methods, with tests.
        claims: the verdict on each claim of the paper; empty if they were not judged.
        timing_summary: the computing time of each method.
        expected_summary: exact expected costs, with lower bounds.
    """

    tables: Tables
    summary: pl.DataFrame
    parts: pl.DataFrame
    failures: pl.DataFrame
    ratios: pl.DataFrame
    comparisons: pl.DataFrame
    claims: pl.DataFrame
    timing_summary: pl.DataFrame
    expected_summary: pl.DataFrame


def analyse(
    episodes: pl.DataFrame,
    queries: pl.DataFrame | None = None,
    timings: pl.DataFrame | None = None,
    expected: pl.DataFrame | None = None,
    *,
    words: StudyWords | None = None,
    files: Sequence[str] | None = None,
    judged: bool = False,
) -> Analysis:
    """Check the tables of a study and compute everything that its report shows, except the figures.

    Args:
        episodes: one row for each episode.
        queries: one row for each question.
        timings: one row for each timed episode.
        expected: one row for each computed expected cost: exact costs of methods, and lower bounds.
        words: the words that the report uses for goals and teammate; by default those of tool fetching.
        files: if the instances come from files, the name of each instance's file; each file is then reported
            separately.
        judged: whether to judge the paper's claims, which are about the paper's study only.
    """
    computed = pl.DataFrame(schema=dict(EXPECTED)) if expected is None else expected
    if files is not None:
        episodes, computed = with_files(episodes, files), with_files(computed, files)
        queries = None if queries is None else with_files(queries, files)
    tables = checked(episodes, queries, timings, bounds_of(computed), words=words)
    return Analysis(
        tables,
        summary(tables.episodes),
        parts(tables.episodes),
        failures(tables.episodes),
        ratios(tables.episodes),
        comparisons(tables.episodes),
        claims(tables.episodes, tables.queries, tables.timings) if judged else pl.DataFrame(schema=COLUMNS),
        timing_summary(tables.timings, tables.episodes),
        expected_summary(computed),
    )


def write_tables(folder: str | Path, analysis: Analysis) -> list[Path]:
    """Write the results of a study as CSV files into `folder`, with all digits; return their paths.

    Each table named in `WRITTEN` becomes a file of the same name, which is replaced only when it is complete.
    """
    target = make_folder(folder)
    written = []
    for name in WRITTEN:
        path = target / f"{name}.csv"
        with whole_file(path) as temporary:
            getattr(analysis, name).write_csv(temporary)
        written.append(path)
    return written


def summary(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the mean marginal cost and the mean number of questions in each condition.

    A condition is a combination of prior, method and price. The first nine columns are those of `SUMMARY`; ``teammate``
    and ``base`` follow if they vary in the study. ``ci_low`` and ``ci_high`` are Student's interval at 95 %.
    Episodes that failed or were cut off have no marginal cost: they are not counted in ``episodes`` nor in the means;
    `failures` counts them.

    If the instances come from files, there are rows for each file, named in the column ``file`` after the first nine,
    and then rows for the mean over all files. If each file has its own price, the price of the mean is null.

    Args:
        episodes: one row for each episode of a study.
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


def _conditions(table: pl.DataFrame, extra: list[str]) -> Iterator[tuple[tuple[object, ...], pl.DataFrame]]:
    """Yield each condition, in the order of the study, as a pair: the values that identify it, and its episodes.

    The values are prior, method and price, and then those of the columns in `extra`.

    Args:
        table: the episodes.
        extra: the columns that identify a condition in addition to prior, method and price.
    """
    yield from table.group_by(*VARIED, *extra, maintain_order=True)


def failures(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the conditions in which episodes failed or were cut off.

    The columns are those of `FAILURES`: prior, method and price, then the numbers of all, failed and unfinished
    episodes, and the first error; ``file``, ``teammate`` and ``base`` follow if they vary.

    Args:
        episodes: one row for each episode of a study.
    """
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
    """Return the computing times of each method: mean, median and 95th percentile for an episode and for a decision.

    Times are in seconds. Single decisions are not in the tables: the median and the percentile for a decision are those
    of each episode's mean.

    Args:
        timings: one row for each timed episode.
        episodes: one row for each episode; each of its steps is a decision.
    """
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


def parts(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the two parts of the mean marginal cost in each condition (prior, method and price).

    The column ``steps_lost`` has the steps that an agent which knew the goal would not take, and ``questions`` the
    price of the questions. The column ``file`` follows if the instances come from files, then ``teammate`` and
    ``base`` if they vary in the study.

    Args:
        episodes: one row for each episode of a study.
    """
    table = usable(checked_episodes(episodes))
    extra = varying(table)
    lost = (pl.col("marginal_cost") - pl.col("query_cost")).mean()
    found = table.group_by(*VARIED, *extra, maintain_order=True).agg(
        # Costs are sums of decimal fractions, so a difference of 0 may come out as a rounding error.
        steps_lost=pl.when(lost.abs() > 1e-9).then(lost).otherwise(0.0),
        questions=pl.col("query_cost").mean(),
    )
    return found.select(*VARIED, "steps_lost", "questions", *extra)


# -- computed expected costs -------------------------------------------------------------------------------------


def bounds_of(expected: pl.DataFrame) -> pl.DataFrame | None:
    """Return the mean lower bound of marginal cost for each prior and prices of questions; None if there are no bounds.

    The columns ``base`` and ``per_goal`` have the base price of a question and the price of each goal named in it. The
    mean is over the instances that have a lower bound. If the instances come from files, there are rows for each file,
    and then for all files.

    Args:
        expected: one row for each computed expected cost.
    """
    known = expected.filter(pl.col("expected").is_not_null(), pl.col("method") == BOUND)
    if known.is_empty():
        return None
    found = _means(known, _terms(known))
    if FILE not in known.columns:
        return found
    return pl.concat([found, _means(known, list(TERMS)).with_columns(pl.lit(ALL_FILES).alias(FILE))], how="diagonal")


def expected_summary(expected: pl.DataFrame) -> pl.DataFrame:
    """Return each method's mean expected cost for each prior and price, and the mean lower bound on the same instances.

    The columns are those of `EXPECTED_SUMMARY`, then ``file`` if the instances come from files. Only instances on which
    all methods could be evaluated under a prior and price are included, so that the means can be compared.

    Args:
        expected: one row for each computed expected cost of a method, and for each lower bound.
    """
    methods, terms = expected.filter(pl.col("method") != BOUND), _terms(expected)
    schema = {**EXPECTED_SUMMARY, **{column: pl.String for column in terms if column == FILE}}
    if methods.is_empty():
        return pl.DataFrame(schema=schema)
    failed = methods.filter(pl.col("expected").is_null()).select("instance", *terms).unique()
    whole = methods.join(failed, on=["instance", *terms], how="anti")
    bounds = expected.filter(pl.col("method") == BOUND).select("instance", *terms, bound="expected")
    with_bounds = whole.join(bounds, on=["instance", *terms], how="left", maintain_order="left")
    means = _means(with_bounds, [*terms, "method"])
    # The mean bound must be over the same instances as the mean costs.
    complete = pl.when(pl.col("bound").null_count() == 0).then(pl.col("bound").mean())
    over = with_bounds.group_by([*terms, "method"], maintain_order=True).agg(complete.first().alias("bound"))
    return means.join(over, on=[*terms, "method"], how="left", maintain_order="left").select(list(schema))


def _terms(expected: pl.DataFrame) -> list[str]:
    return [*TERMS, FILE] if FILE in expected.columns else list(TERMS)


def _means(rows: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    value = pl.col("expected")
    found = rows.group_by(by, maintain_order=True).agg(
        instances=pl.len().cast(pl.Int64), mean=value.mean(), stderr=value.std() / pl.len().sqrt()
    )
    return found.with_columns(pl.col("stderr").fill_null(0.0))
