"""The tables of a study for the analysis: checked, sorted, and grouped by condition.

``episodes`` has one row for each episode, ``queries`` one for each question, ``timings`` one for each timed episode.
The columns of `KEY` identify the episode. Only ``timings`` differs from run to run.

Comparisons of methods match episodes with the same instance, episode number, prior and teammate. These have the same
goal and the same path of the teammate.

`checked` sorts priors, methods and teammates by first appearance, and prices in ascending order.

If instances come from files, results are computed for each ``file`` (`with_files`) and for the mean over all files
(`with_mean`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from askwise.errors import InputError
from askwise.studies.schema import tables
from askwise.studies.schema.domain import StudyWords
from askwise.studies.schema.instances import words_of

KEY = tuple(tables.KEY)
NAMED = ("prior", "teammate", "method")
VARIED = ("prior", "method", "per_goal")
"""The columns that the paper varies. With `SETTING` they are a condition (`askwise.studies.schema.study.Condition`)."""
SETTING = ("teammate", "base")
"""The columns that the paper keeps fixed, and other studies may vary."""
FILE = "file"
"""The column that names the file of an instance, in studies over files."""
ALL_FILES = "mean over files"
"""The value of that column in rows about all files."""
PRICES = ("base", "per_goal")
GROUPING: Mapping[str, Any] = {FILE: pl.String, "teammate": pl.String, "base": pl.Float64}
"""Columns that results may have in addition to prior, method and price."""


def _required(schema: Mapping[str, Any], *optional: str) -> Mapping[str, Any]:
    return {column: kind for column, kind in schema.items() if column not in optional}


EPISODES = _required(tables.EPISODES, "known_at")
QUERIES = _required(tables.QUERIES, "goals")
TIMINGS = _required(tables.TIMINGS, "setup_seconds")
BOUNDS: Mapping[str, Any] = {
    "prior": pl.String, "per_goal": pl.Float64, "mean": pl.Float64, "stderr": pl.Float64
}  # fmt: skip

FEW_EPISODES = 10
"""With fewer episodes than this in a mean, reports say that its interval is rough."""

PRICE_DIGITS = 9
"""Prices are rounded to this many decimals, so that 0.1 + 0.2 and 0.3 are the same price."""


@dataclass(frozen=True)
class Tables:
    """The tables of a study, checked and sorted; `checked` returns it.

    Attributes:
        episodes: one row for each episode (`EPISODES`); optionally ``known_at``, the first step at which only one goal
            was possible, or null.
        queries: one row for each question (`QUERIES`).
        timings: one row for each timed episode (`TIMINGS`); optionally ``setup_seconds``, the time to make the problem.
        bounds: lower bounds of mean marginal costs by prior and price (`BOUNDS`), optionally also by ``teammate`` and
            ``base`` price; may be None.
        words: words for goals and teammate.
    """

    episodes: pl.DataFrame
    queries: pl.DataFrame
    timings: pl.DataFrame
    bounds: pl.DataFrame | None = None
    words: StudyWords = field(default_factory=words_of)


def checked(
    episodes: pl.DataFrame,
    queries: pl.DataFrame | None = None,
    timings: pl.DataFrame | None = None,
    bounds: pl.DataFrame | None = None,
    *,
    words: StudyWords | None = None,
) -> Tables:
    """Check and sort the tables of a study, and return them.

    Args:
        episodes: one row for each episode.
        queries: one row for each question, or None.
        timings: one row for each timed episode, or None.
        bounds: lower bounds of mean marginal costs by prior and price, or None.
        words: words for goals and teammate; None for those of tool fetching.

    Raises:
        InputError: a column is missing or wrong, or a row occurs twice or belongs to an unknown episode.
    """
    sorted_episodes = checked_episodes(episodes)
    order = orders(episodes)
    return Tables(
        sorted_episodes,
        _companion(queries, "queries", QUERIES, (*KEY, "number"), sorted_episodes, order),
        _companion(timings, "timings", TIMINGS, KEY, sorted_episodes, order),
        None if bounds is None else _typed(bounds, "bounds", BOUNDS),
        words or words_of(),
    )


def checked_episodes(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return a table of episodes with the types of `EPISODES`, and with sorted rows.

    Teammates, priors and methods are sorted by their first appearance, prices and other identifying columns in
    ascending order.

    Raises:
        InputError: a column is missing or has wrong values, or an episode occurs twice.
    """
    table = _typed(episodes, "episodes", EPISODES)
    _refuse_duplicates(table, "episodes", KEY)
    # NaN stands for the missing cost of a failed episode, and would make every mean NaN.
    table = table.with_columns(pl.col("marginal_cost").fill_nan(None))
    if table["marginal_cost"].is_infinite().any():
        raise InputError("episodes, column 'marginal_cost'", "an infinite number", "finite numbers, null where failed")
    return _sorted(table, orders(episodes), KEY)


def orders(episodes: pl.DataFrame) -> dict[str, list[str]]:
    """Return the values of the columns ``prior``, ``teammate`` and ``method``, in the order of their first appearance.

    The result is a dict from the name of each of these columns to the list of its values.
    """
    return {column: episodes[column].cast(pl.String).unique(maintain_order=True).to_list() for column in NAMED}


def usable(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the episodes that have a marginal cost: episodes that neither failed nor were cut off."""
    return episodes.filter(pl.col("finished") & pl.col("error").is_null() & pl.col("marginal_cost").is_not_null())


def varying(episodes: pl.DataFrame) -> list[str]:
    """Return the names of the columns that, besides prior, method and price, divide a study into conditions.

    They are ``file`` if it exists, and ``teammate`` and ``base`` (the base price) if they vary.
    """
    return [column for column in grouping(episodes) if column == FILE or episodes[column].n_unique() > 1]


def grouping(table: pl.DataFrame) -> list[str]:
    """Return which of the columns ``file``, ``teammate`` and ``base`` a table has, as a list of names in this order."""
    return [column for column in GROUPING if column in table.columns]


def settings(table: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Return all combinations of file, teammate and base price in a table, in the order of their first appearance.

    A value whose column is missing is left out of the tuples.
    """
    return table.select(grouping(table)).unique(maintain_order=True).rows()


def in_setting(table: pl.DataFrame, setting: tuple[Any, ...]) -> pl.DataFrame:
    """Return the rows of a table with one combination of file, teammate and base price.

    Args:
        table: the table.
        setting: the combination, one of the tuples that `settings` returns for this table.
    """
    for column, value in zip(grouping(table), setting, strict=True):
        table = table.filter(pl.col(column) == value)
    return table


def with_files(table: pl.DataFrame, files: Sequence[str]) -> pl.DataFrame:
    """Return a copy of a table with the new column ``file``: the name of the file of each row's instance.

    Args:
        table: a table with the column ``instance``.
        files: the file names, indexed by ``instance``.
    """
    names = pl.Series([tables.encodable(name) for name in files], dtype=pl.String)
    return table.with_columns(names.gather(table["instance"]).alias(FILE))


def with_mean(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the episodes, then a copy with `ALL_FILES` in the column ``file``, for the results over all files.

    A price (``base`` or ``per_goal``) that differs between files is null in the copy. With a single file, or without
    the column ``file``, there is no copy.
    """
    files = episodes[FILE].n_unique() if FILE in episodes.columns else 0
    if files < 2:
        return episodes
    places = {column: episodes.group_by(column).agg(pl.col(FILE).n_unique())[FILE] for column in PRICES}
    own = [pl.lit(None, pl.Float64).alias(column) for column, found in places.items() if (found < files).any()]
    return pl.concat([episodes, episodes.with_columns(pl.lit(ALL_FILES).alias(FILE), *own)])


def is_mean(table: pl.DataFrame) -> bool:
    """Return whether a table is about all files together: all its rows have `ALL_FILES` in the column ``file``."""
    return FILE in table.columns and bool((table[FILE] == ALL_FILES).all())


def short_names(files: Sequence[str]) -> list[str]:
    """Return the paths in `files`, each shortened to its last `k` parts, such as ``b/c.json`` for `k` = 2.

    `k` is the same for all paths: the smallest number for which different paths keep different names.
    """
    parts = [Path(file).parts for file in files]
    for length in range(1, max(map(len, parts), default=1)):
        names = ["/".join(each[-length:]) for each in parts]
        if len(set(names)) == len(set(files)):
            return names
    return list(files)


def is_rough(summary: pl.DataFrame) -> bool:
    """Return whether the 95 % intervals in a summary are so rough that the report has to say so.

    They are rough if one of them is based on fewer than 10 episodes (`FEW_EPISODES`), or goes below 0 although no mean
    cost does.

    Args:
        summary: the mean costs (`askwise.studies.analysis.results.summary`).
    """
    known = summary.filter(pl.col("ci_low").is_not_null())
    few, below = (known["episodes"] < FEW_EPISODES).any(), (known["ci_low"] < 0).any()
    return bool(few or (below and (summary["mean"] >= 0).all()))


def _companion(
    given: pl.DataFrame | None,
    name: str,
    schema: Mapping[str, Any],
    key: tuple[str, ...],
    episodes: pl.DataFrame,
    order: Mapping[str, list[str]],
) -> pl.DataFrame:
    if given is None:
        return pl.DataFrame(schema=dict(schema))
    table = _typed(given, name, schema)
    _refuse_duplicates(table, name, key)
    orphans = table.join(episodes, on=KEY, how="anti").height
    if orphans:
        raise InputError(name, f"{orphans} rows of episodes that are not in 'episodes'", "tables of one study")
    return _sorted(table, order, key)


def _typed(table: pl.DataFrame, name: str, schema: Mapping[str, Any]) -> pl.DataFrame:
    missing = [column for column in schema if column not in table.columns]
    if missing:
        raise InputError(name, f"no column {missing[0]!r}", "the columns " + ", ".join(schema))
    for column, kind in schema.items():
        try:
            table = table.with_columns(pl.col(column).cast(kind))
        except pl.exceptions.PolarsError:
            found = f"values of type {table.schema[column]}"
            raise InputError(f"{name}, column {column!r}", found, f"values of type {kind.__name__}") from None
        if column in tables.KEY and table[column].null_count():
            raise InputError(f"{name}, column {column!r}", "missing values", "a value in every row")
    prices = [column for column in PRICES if column in schema]
    return table.with_columns(pl.col(prices).round(PRICE_DIGITS))


def _refuse_duplicates(table: pl.DataFrame, name: str, key: Iterable[str]) -> None:
    twice = table.select(key).is_duplicated()
    if twice.any():
        row = table.select(key).filter(twice).row(0, named=True)
        where = ", ".join(f"{column} {value}" for column, value in row.items())
        raise InputError(name, f"more than one row with {where}", "every episode once")


def _sorted(table: pl.DataFrame, order: Mapping[str, list[str]], key: Iterable[str]) -> pl.DataFrame:
    ranks = [pl.col(c).cast(pl.Enum(order[c])) if c in order else pl.col(c) for c in _sorting(key)]
    return table.sort(["instance", *ranks] if FILE in table.columns else ranks)


def _sorting(key: Iterable[str]) -> list[str]:
    """Return the names of the columns by which rows are sorted, the most important first.

    They are the columns in `key` in another order: first ``teammate`` and ``base``, then ``prior``, ``method`` and
    ``per_goal``, then all others.
    """
    given = list(key)
    front = [column for column in (*SETTING, *VARIED) if column in given]
    return front + [column for column in given if column not in front]
