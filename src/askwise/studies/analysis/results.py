"""All numbers of a study, computed from its tables and written as CSV files.

The marginal cost of an episode is its cost minus the cost for an agent that knows the goal. Its two parts are the price
of questions, and lost steps, which that agent would not take.

A *condition* is a combination of prior, method and price of naming a goal. Teammate and base price are part of it if
they vary, the file if instances come from files.

Expected costs (exact costs of methods, and lower bounds) exist only for the first instances. They are never compared
with means over all instances.
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
    """The tables of a study and all tables computed from them; `analyse` returns it.

    A condition is a combination of prior, method and price of naming a goal.

    Attributes:
        tables: the checked tables of the study.
        summary: mean marginal cost (cost minus the cost if the goal is known) in each condition.
        parts: the two parts of this mean: lost steps and the price of questions.
        failures: conditions with failed or unfinished episodes.
        ratios: mean marginal costs divided by those of a reference method.
        comparisons: differences of methods' mean marginal costs.
        claims: verdict on each claim of the paper; may be empty.
        timing_summary: computing time of each method.
        expected_summary: exact expected marginal costs, with lower bounds.
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
        episodes: one row for each episode (see `askwise.studies.analysis.tables`).
        queries: one row for each question, or None.
        timings: one row for each timed episode, or None.
        expected: exact costs and lower bounds, or None.
        words: words for goals and teammate; None for those of tool fetching.
        files: the file name of each instance, if instances come from files; each file is then reported separately.
        judged: whether to judge the paper's claims; only for the paper's study.

    Raises:
        InputError: a table lacks a column or has wrong values, a row occurs twice, or the tables are not of one study.
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
    """Write the tables named in `WRITTEN` as CSV files into a folder; return the paths of the files.

    Args:
        folder: the folder to write to; created if needed.
        analysis: the tables.
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

    A condition is a combination of prior, method and price of naming a goal. The marginal cost is the cost minus the
    cost if the goal is known. Only finished episodes count. The columns are those of `SUMMARY`; ``teammate`` and
    ``base`` (the base price) are added if they vary.

    With instances from files, ``file`` is added, with rows for the mean over all files, in which a price is null if it
    differs between files.
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
    """Yield each condition, in the order of the study: the values that identify it, and its episodes.

    The values are prior, method, price of naming a goal, and those of the columns `extra`.
    """
    yield from table.group_by(*VARIED, *extra, maintain_order=True)


def failures(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the conditions in which episodes failed with an error or were cut off at the limit of steps.

    The columns are those of `FAILURES`; ``file``, ``teammate`` and ``base`` (the base price) are added if they vary.
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
    """Return the computing time of each method, in seconds for an episode and for a decision.

    Each method has a row with mean, median and 95th percentile. For decisions, the mean is over all decisions; median
    and percentile are over the episodes, each with its mean time of a decision.

    Args:
        timings: one row for each timed episode: its time (``seconds``) and that of its decisions (``decide_seconds``).
        episodes: one row for each episode, with its number of ``steps``.
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
    """Return the two parts of the mean marginal cost in each condition (prior, method and price of naming a goal).

    ``steps_lost`` is the mean number of steps that an agent which knew the goal would not take, ``questions`` the mean
    price of an episode's questions. ``teammate`` and ``base`` (the base price) are added if they vary, ``file`` if
    instances come from files.
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
    """Return the mean lower bound of the marginal cost for each prior and price; None if there are no lower bounds.

    ``base`` is the base price, ``per_goal`` the price of naming a goal, ``mean`` the mean bound, and ``instances`` the
    number of instances with a bound. With files, the rows for each file come first, then those for all files.

    Args:
        expected: exact costs and lower bounds.
    """
    known = expected.filter(pl.col("expected").is_not_null(), pl.col("method") == BOUND)
    if known.is_empty():
        return None
    found = _means(known, _terms(known))
    if FILE not in known.columns:
        return found
    return pl.concat([found, _means(known, list(TERMS)).with_columns(pl.lit(ALL_FILES).alias(FILE))], how="diagonal")


def expected_summary(expected: pl.DataFrame) -> pl.DataFrame:
    """Return each method's mean expected marginal cost for each prior and price, and the mean lower bound.

    The columns are those of `EXPECTED_SUMMARY`, then ``file`` if instances come from files. Only instances on which
    every method could be evaluated count. The bound is null if one of these instances has none.

    Args:
        expected: exact costs and lower bounds.
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
