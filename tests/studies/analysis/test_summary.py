"""Summaries by hand, failures counted, columns as promised."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

from askwise.studies.analysis.results import failures, summary, timing_summary, write_csv
from tests.studies.analysis.studies import METHODS, PRICES, paper_like, simple

COLUMNS = ["prior", "method", "per_station_cost", "episodes", "mean", "stderr", "ci_low", "ci_high", "queries_mean"]


def test_a_cell_by_hand() -> None:
    table = simple({"ezq": [1.0, 2.0, 3.0, 4.0]}).with_columns(pl.Series("queries", [0, 1, 1, 4], pl.Int32))
    row = summary(table).row(0, named=True)
    reach = 3.182446 * math.sqrt(5 / 12)
    expected = [4, 2.5, math.sqrt(5 / 12), 2.5 - reach, 2.5 + reach, 1.5]
    assert [row[name] for name in COLUMNS[3:]] == pytest.approx(expected, abs=1e-6)


def test_columns_and_order() -> None:
    found = summary(paper_like(2)[0])
    assert found.columns == COLUMNS
    keys = [(p, m, c) for p in ("far", "uniform", "near") for m in METHODS for c in PRICES]
    assert found.select(COLUMNS[:3]).rows() == keys


def test_teammates_and_base_costs_follow_where_they_vary() -> None:
    one, other = simple({"ezq": [1.0]}), simple({"ezq": [2.0]})
    both = pl.concat([one, other.with_columns(pl.lit("noisy:0.1").alias("teammate"))])
    found = summary(both)
    assert found.columns == [*COLUMNS, "teammate"]
    assert found.select("teammate", "mean").rows() == [("urop", 1.0), ("noisy:0.1", 2.0)]


def test_one_episode_has_a_mean_but_no_interval() -> None:
    row = summary(simple({"ezq": [2.0]})).row(0, named=True)
    assert (row["mean"], row["stderr"], row["ci_low"], row["ci_high"]) == (2.0, None, None, None)


def test_failed_episodes_are_counted_elsewhere() -> None:
    table = simple({"ezq": [1.0, None, 3.0, None], "never": [5.0] * 4})
    broken = (pl.col("method") == "ezq") & (pl.col("instance") == 1)
    table = table.with_columns(pl.when(broken).then(pl.lit("boom")).otherwise(pl.col("error")).alias("error"))
    assert summary(table).select("method", "episodes", "mean").rows() == [("ezq", 2, 2.0), ("never", 4, 5.0)]
    assert failures(table).rows() == [("far", "ezq", 0.0, 4, 1, 1, "boom")]


def test_an_error_with_a_cost_is_still_an_error() -> None:
    table = simple({"ezq": [1.0, 2.0]}).with_columns(pl.Series("error", [None, "late"]))
    assert summary(table)["episodes"].to_list() == [1]
    assert failures(table)["failed"].to_list() == [1]


def test_no_episodes_at_all() -> None:
    empty = simple({"ezq": [1.0]}).clear()
    assert summary(empty).is_empty()
    assert failures(empty).is_empty()


def test_the_order_of_rows_changes_no_bit() -> None:
    episodes = paper_like(30)[0]
    mixed = episodes.sample(fraction=1.0, shuffle=True, seed=4)
    keys = COLUMNS[:3]
    assert summary(mixed).sort(keys).equals(summary(episodes).sort(keys))


def test_csv_keeps_every_digit(tmp_path: Path) -> None:
    found = summary(paper_like(5)[0])
    write_csv(found, tmp_path / "summary.csv")
    again = pl.read_csv(tmp_path / "summary.csv", schema_overrides={"episodes": pl.Int32})
    assert again.equals(found)


def test_times_of_episodes_and_decisions() -> None:
    episodes, _, timings = paper_like(2)
    few = timings.filter(pl.col("method") == "ezq").head(2)
    few = few.with_columns(pl.Series("seconds", [1.0, 3.0]), pl.Series("decide_seconds", [0.2, 2.0]))
    row = timing_summary(few, episodes).row(0, named=True)
    assert (row["method"], row["episodes"], row["episode_mean"], row["episode_median"]) == ("ezq", 2, 2.0, 2.0)
    # 20 steps each: 2.2 s for 40 decisions; 0.01 and 0.1 s on average in the two episodes.
    assert (row["decision_mean"], row["decision_median"]) == pytest.approx((0.055, 0.055))
