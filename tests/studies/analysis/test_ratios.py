"""Ratios to a reference: by hand, and what has none."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from askwise.studies.analysis.comparisons import ALL, RATIOS, ratios
from askwise.studies.analysis.estimates import combined, ratio
from tests.studies.analysis.studies import METHODS, of_files, paper_like, simple

COLUMNS = ["prior", "method", "per_station_cost", "reference", "pairs", "ratio"]


def test_a_cell_by_hand() -> None:
    found = ratios(simple({"never": [4.0, 8.0], "ezq": [2.0, 4.0], "planner": [1.0, 3.0]}))
    assert found.select(COLUMNS).rows() == [
        ("far", "never", 0.0, "ezq", 2, 2.0),
        ("far", "planner", 0.0, "ezq", 2, pytest.approx(2 / 3)),
        (ALL, "never", None, "ezq", 2, 2.0),
        (ALL, "planner", None, "ezq", 2, pytest.approx(2 / 3)),
    ]
    never = found.row(0, named=True)
    assert (never["ci_low"], never["ci_high"]) == (2.0, 2.0)


def test_every_cell_counts_the_same() -> None:
    """Of ratios 0.5 and 2 the mean is 1.25, though the second cell is a hundred times as dear."""
    cheap = simple({"ezq": [2.0, 2.0], "planner": [1.0, 1.0]})
    dear = simple({"ezq": [100.0, 100.0], "planner": [200.0, 200.0]})
    both = pl.concat([cheap, dear.with_columns(pl.lit("near").alias("prior"))])
    assert ratios(both).filter(pl.col("prior") == ALL)["ratio"].to_list() == [1.25]


def test_only_episodes_that_both_finished_count() -> None:
    found = ratios(simple({"ezq": [2.0, 4.0, None], "planner": [1.0, None, 9.0]}))
    assert found.select("pairs", "ratio").row(0) == (1, 0.5)


def test_without_the_papers_method_the_first_is_the_reference() -> None:
    found = ratios(simple({"never": [4.0], "planner": [1.0]}))
    assert found.select("method", "reference", "ratio").row(0) == ("planner", "never", 0.25)


def test_a_reference_that_costs_nothing_has_no_ratio() -> None:
    found = ratios(simple({"ezq": [0.0, 0.0], "never": [1.0, 2.0]}))
    assert found.select("prior", "ratio").rows() == [(ALL, None)]


def test_one_method_alone_has_none() -> None:
    found = ratios(simple({"ezq": [1.0, 2.0]}))
    assert found.is_empty()
    assert found.schema == RATIOS


def test_teammates_are_cells_of_their_own() -> None:
    one, other = simple({"ezq": [2.0], "never": [4.0]}), simple({"ezq": [2.0], "never": [8.0]})
    both = pl.concat([one, other.with_columns(pl.lit("noisy:0.1").alias("teammate"))])
    found = ratios(both)
    assert found.select("teammate", "ratio").rows() == [("urop", 2.0), ("noisy:0.1", 4.0), (None, 3.0)]


def test_conditions_with_an_instance_each_have_an_interval_by_episode() -> None:
    """Two files with prices of their own: the interval of the mean is that of two independent ratios."""
    costs = {
        0.1: {"ezq": [2.0, 4.0, 4.0], "planner": [2.0, 2.0, 4.0]},
        0.2: {"ezq": [3.0, 5.0, 4.0, 8.0], "planner": [4.0, 4.0, 1.0, 6.0]},
    }
    found = ratios(of_files(costs))
    alone = [
        ratio(np.array(each["planner"]), np.array(each["ezq"]), np.zeros(len(each["ezq"]), dtype=np.int32))
        for each in costs.values()
    ]
    expected = [(each.mean, each.low, each.high) for each in (*alone, combined(alone))]
    assert found.select("ratio", "ci_low", "ci_high").rows() == [pytest.approx(each) for each in expected]
    assert found["ci_high"][-1] - found["ci_low"][-1] > 0.2


def test_conditions_with_an_episode_each_have_an_interval_by_file() -> None:
    found = ratios(of_files({0.1: {"a": [2.0], "b": [1.0]}, 0.2: {"a": [2.0], "b": [2.0]}}))
    assert found.select("ratio", "ci_low").rows()[:2] == [(0.5, None), (1.0, None)]
    assert found.row(-1, named=True)["ratio"] == 0.75
    assert found.row(-1, named=True)["ci_high"] == pytest.approx(0.75 + 12.7062 * 0.25, abs=1e-4)


def test_without_two_units_in_each_condition_there_is_no_interval() -> None:
    """Under near one instance only was finished: nothing says how much its ratio differs from one to the next."""
    far = simple({"ezq": [2.0, 4.0, 4.0], "planner": [2.0, 2.0, 4.0]})
    near = simple({"ezq": [2.0, None, None], "planner": [1.0, None, None]}, prior="near")
    found = ratios(pl.concat([far, near]))
    assert found.filter(pl.col("prior") == ALL).select("ratio", "ci_low", "ci_high").row(0) == (0.65, None, None)


def test_a_whole_study() -> None:
    found = ratios(paper_like(20)[0])
    assert found.height == (len(METHODS) - 1) * (3 * 6 + 1)
    assert found.filter(pl.col("prior") == ALL)["pairs"].to_list() == [20 * 18] * 4
