"""What marginal cost is made of: the parts add up to it."""

from __future__ import annotations

import polars as pl
import pytest

from askwise.studies.analysis.results import parts, summary
from tests.studies.analysis.studies import paper_like, simple


def test_a_cell_by_hand() -> None:
    table = simple({"ezq": [1.0, 2.0, 6.0]}).with_columns(pl.Series("query_cost", [0.5, 0.0, 1.0]))
    assert parts(table).rows() == [("far", "ezq", 0.0, 2.5, 0.5)]


def test_parts_add_up_in_the_order_of_the_summary() -> None:
    episodes = paper_like(5)[0].with_columns(pl.col("marginal_cost").mul(0.3).alias("query_cost"))
    found, means = parts(episodes), summary(episodes)
    assert found.select("prior", "method", "per_station_cost").equals(
        means.select("prior", "method", "per_station_cost")
    )
    assert (found["steps_lost"] + found["questions"]).to_list() == pytest.approx(means["mean"].to_list())


def test_nothing_lost_is_nothing() -> None:
    """0.1 + 0.2 - 0.3 is not 0 to a computer, and nobody wants to read 5.6e-17 steps."""
    table = simple({"ezq": [0.1 + 0.2]}).with_columns(pl.Series("query_cost", [0.3]))
    assert parts(table)["steps_lost"].to_list() == [0.0]
