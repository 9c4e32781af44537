"""Tables computed by hand: means, failures, times, the parts of marginal cost, and expected costs with bounds."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

from askwise.studies.analysis.results import (
    EXPECTED_SUMMARY,
    analyse,
    bounds_of,
    expected_summary,
    failures,
    parts,
    summary,
    timing_summary,
    write_tables,
)
from askwise.studies.schema.tables import BOUND, table
from tests.studies.analysis.studies import METHODS, PRICES, paper_like, simple

COLUMNS = ["prior", "method", "per_goal", "episodes", "mean", "stderr", "ci_low", "ci_high", "queries_mean"]


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
    analysis = analyse(paper_like(5)[0])
    write_tables(tmp_path, analysis)
    again = pl.read_csv(tmp_path / "summary.csv", schema_overrides={"episodes": pl.Int32})
    assert again.equals(analysis.summary)


def test_times_of_episodes_and_decisions() -> None:
    episodes, _, timings = paper_like(2)
    few = timings.filter(pl.col("method") == "ezq").head(2)
    few = few.with_columns(pl.Series("seconds", [1.0, 3.0]), pl.Series("decide_seconds", [0.2, 2.0]))
    row = timing_summary(few, episodes).row(0, named=True)
    assert (row["method"], row["episodes"], row["episode_mean"], row["episode_median"]) == ("ezq", 2, 2.0, 2.0)
    # 20 steps each: 2.2 s for 40 decisions; 0.01 and 0.1 s on average in the two episodes.
    assert (row["decision_mean"], row["decision_median"]) == pytest.approx((0.055, 0.055))


def test_the_parts_of_a_condition_by_hand() -> None:
    table = simple({"ezq": [1.0, 2.0, 6.0]}).with_columns(pl.Series("query_cost", [0.5, 0.0, 1.0]))
    assert parts(table).rows() == [("far", "ezq", 0.0, 2.5, 0.5)]


def test_parts_add_up_in_the_order_of_the_summary() -> None:
    episodes = paper_like(5)[0].with_columns(pl.col("marginal_cost").mul(0.3).alias("query_cost"))
    found, means = parts(episodes), summary(episodes)
    assert found.select("prior", "method", "per_goal").equals(means.select("prior", "method", "per_goal"))
    assert (found["steps_lost"] + found["questions"]).to_list() == pytest.approx(means["mean"].to_list())


def test_nothing_lost_is_nothing() -> None:
    """In floating point 0.1 + 0.2 - 0.3 is not 0; the table must not show 5.6e-17 steps."""
    table = simple({"ezq": [0.1 + 0.2]}).with_columns(pl.Series("query_cost", [0.3]))
    assert parts(table)["steps_lost"].to_list() == [0.0]


def rows(method: str, *expected: float | None) -> list[dict[str, object]]:
    return [
        {
            "instance": k,
            "prior": "near",
            "teammate": "urop",
            "method": method,
            "base": 0.5,
            "per_goal": 0.2,
            "expected": value,
            "verdict": None if value is None else "exact",
            "states": None if value is None else 10,
            "error": "too large" if value is None else None,
        }
        for k, value in enumerate(expected)
    ]


def test_bounds_are_means_over_the_instances_that_have_one() -> None:
    found = bounds_of(table("expected", rows(BOUND, 1.0, 2.0, None) + rows("never", 9.0)))
    assert found is not None
    assert found.rows(named=True) == [
        {
            "prior": "near", "base": 0.5, "per_goal": 0.2,
            "instances": 2, "mean": 1.5, "stderr": pytest.approx(0.5),
        }
    ]  # fmt: skip


def test_no_bounds_is_none() -> None:
    assert bounds_of(table("expected", rows("never", 1.0))) is None
    assert expected_summary(table("expected", rows(BOUND, 1.0))).schema == EXPECTED_SUMMARY


def test_a_cell_counts_the_instances_that_all_its_methods_have() -> None:
    data = table("expected", rows("never", 4.0, 6.0, 100.0) + rows("planner", 1.0, 2.0, None) + rows(BOUND, 1.0, 1.0))
    found = {row["method"]: row for row in expected_summary(data).iter_rows(named=True)}
    assert list(found) == ["never", "planner"]
    assert (found["never"]["instances"], found["never"]["mean"], found["never"]["bound"]) == (2, 5.0, 1.0)
    assert (found["planner"]["mean"], found["planner"]["stderr"]) == (1.5, pytest.approx(0.5))


def test_a_bound_over_fewer_instances_is_not_shown() -> None:
    data = table("expected", rows("never", 4.0, 6.0) + rows(BOUND, 1.0))
    assert expected_summary(data)["bound"].to_list() == [None]
