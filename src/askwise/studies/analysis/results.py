"""All numbers of a study, computed from its tables and written as CSV files.

The marginal cost of an episode is its cost minus the cost for an agent that knows the goal from the start. It has two
parts: the price of questions, and lost steps, which an agent that knew the goal would not take.

Results are computed for each *condition*: a combination of prior, method and price of naming a goal in a question. The
teammate and the base price of questions also belong to the condition if they vary in the study. The file of the
instance belongs to it if the instances come from files (see `askwise.studies.analysis.tables.with_files`).

Expected costs are computed instead of sampled: the exact costs of methods, and lower bounds. They exist only for the
first instances of a study. So they are compared only with each other, on these instances, and never with means over all
instances.
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

    A condition is a combination of prior, method and price of naming a goal in a question. The marginal cost of an
    episode is its cost minus the cost for an agent that knows the goal from the start.

    Attributes:
        tables: the checked tables of the study itself.
        summary: the mean marginal cost in each condition.
        parts: the two parts of the mean marginal cost in each condition: lost steps, and the price of questions.
        failures: the conditions in which episodes failed or were cut off.
        ratios: the mean marginal cost of each method divided by that of a reference method.
        comparisons: the difference of the mean marginal costs of each pair of methods, with tests.
        claims: the verdict on each claim of the paper on which askwise is based; empty if the claims were not judged.
        timing_summary: the computing time of each method.
        expected_summary: the exact expected marginal cost of each method, with lower bounds.
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
        queries: one row for each question; None for none.
        timings: one row for each episode whose computing time was measured; None for none.
        expected: one row for each expected cost that was computed instead of sampled: exact costs of methods, and lower
            bounds; None for none.
        words: the words that the report uses for the goals and the teammate; None for those of tool fetching.
        files: if the instances come from files, the name of each instance's file, in the order of the instances. Each
            file is then reported separately. None otherwise.
        judged: whether to judge the claims of the paper on which askwise is based. Judging them makes sense only for
            the paper's study.

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
    """Write the computed tables of a study as CSV files into a folder; return the paths of the files.

    Numbers are written with all digits. Each table named in `WRITTEN` becomes a file with the name of the table. An
    existing file is replaced only when the new one is complete.

    Args:
        folder: the folder to write to; created if it does not exist.
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

    The marginal cost of an episode is its cost minus the cost for an agent that knows the goal. A condition is a
    combination of prior, method and price of naming a goal in a question. The first nine columns are those of
    `SUMMARY`. ``ci_low`` and ``ci_high`` are the ends of Student's 95 % interval of the mean cost. The columns
    ``teammate`` and ``base`` (the base price) follow if they vary in the study.

    Episodes that failed or were cut off have no marginal cost. They count neither in the column ``episodes`` nor in the
    means; `failures` counts them.

    If the instances come from files, there are rows for each file, named in the column ``file`` after the first nine
    columns, and then rows for the mean over all files. In the rows of the mean, the price is null if the files have
    different prices.

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

    The values are the prior, the method and the price of naming a goal in a question, and then those of the columns in
    `extra`.

    Args:
        table: one row for each episode.
        extra: the names of the columns that also identify a condition, such as ``teammate``.
    """
    yield from table.group_by(*VARIED, *extra, maintain_order=True)


def failures(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the conditions in which episodes failed with an error or were cut off at the limit of steps.

    A condition is a combination of prior, method and price of naming a goal in a question. The first columns are those
    of `FAILURES`: prior, method and price, then the numbers of all, failed and cut-off episodes, and the first error.
    The columns ``file``, ``teammate`` and ``base`` (the base price) follow if they vary in the study.

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
    """Return the computing time of each method, in seconds for an episode and for a decision.

    There is one row for each method, with the mean, the median and the 95th percentile of the time for an episode and
    of the time for a decision. Every step of an episode is a decision. Single decisions are not timed, only all
    decisions of an episode together. So the median and the percentile for a decision are taken over the mean time of a
    decision in each episode.

    Args:
        timings: one row for each timed episode, with its time in the column ``seconds`` and the time of all its
            decisions in the column ``decide_seconds``.
        episodes: one row for each episode, with its number of steps in the column ``steps``.
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
    """Return the two parts of the mean marginal cost in each condition.

    The marginal cost of an episode is its cost minus the cost for an agent that knows the goal. A condition is a
    combination of prior, method and price of naming a goal in a question; these are the first three columns. The column
    ``steps_lost`` has the mean number of steps that an agent which knew the goal would not take, and the column
    ``questions`` the mean price of all questions of an episode. The column ``file`` follows if the instances come from
    files, then ``teammate`` and ``base`` (the base price) if they vary in the study.

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
    """Return the mean lower bound of the marginal cost for each prior and price; None if there are no lower bounds.

    The marginal cost of an episode is its cost minus the cost for an agent that knows the goal. The column ``base`` has
    the base price of a question, and ``per_goal`` the price of each goal named in it. The column ``mean`` has the mean
    bound over the instances for which a bound is known, and ``instances`` their number. If the instances come from
    files, there are rows for each file, and then for all files.

    Args:
        expected: one row for each computed expected cost of a method, and for each lower bound.
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

    The columns are those of `EXPECTED_SUMMARY`, then ``file`` if the instances come from files. For each prior and
    price, only the instances on which every method could be evaluated count. So all means, those of the bounds
    included, are over the same instances and can be compared. A mean bound is null if one of these instances has no
    lower bound.

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
