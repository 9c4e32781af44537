"""Ratios to a reference: by hand, and what has none."""

from __future__ import annotations

import polars as pl
import pytest

from askwise.experiments.analysis.ratios import ALL, RATIOS, ratios
from tests.experiments.analysis.studies import METHODS, paper_like, simple

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


def test_a_whole_study() -> None:
    found = ratios(paper_like(20)[0])
    assert found.height == (len(METHODS) - 1) * (3 * 6 + 1)
    assert found.filter(pl.col("prior") == ALL)["pairs"].to_list() == [20 * 18] * 4
