"""Paired comparisons against scipy, and the cases in which there is nothing to test."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from askwise.studies.analysis.comparisons import COMPARISONS, comparisons
from askwise.studies.analysis.estimates import holm
from tests.studies.analysis.studies import METHODS, PRICES, paper_like, simple


def test_tests_agree_with_scipy() -> None:
    rng = np.random.default_rng(2)
    one, other = rng.normal(3, 1, 40), rng.normal(3.3, 1, 40)
    row = comparisons(simple({"a": one.tolist(), "b": other.tolist()})).row(0, named=True)
    t = stats.ttest_rel(one, other)
    interval = t.confidence_interval(0.95)
    assert (row["first"], row["second"], row["pairs"], row["note"]) == ("a", "b", 40, "")
    assert row["difference"] == pytest.approx((one - other).mean())
    assert (row["t"], row["p_t"]) == pytest.approx((t.statistic, t.pvalue), rel=1e-6)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((interval.low, interval.high), rel=1e-6)
    assert row["p_wilcoxon"] == pytest.approx(stats.wilcoxon(one, other).pvalue)


def test_methods_are_paired_by_instance_not_by_row() -> None:
    table = simple({"a": [1.0, 5.0, 9.0], "b": [2.0, 6.0, 10.0]})
    mixed = table.sample(fraction=1.0, shuffle=True, seed=3).sort("method", maintain_order=True)
    row = comparisons(mixed).row(0, named=True)
    assert (row["difference"], row["p_t"], row["note"]) == (-1.0, 0.0, "the same difference in every pair")


def test_no_difference_in_any_pair() -> None:
    row = comparisons(simple({"a": [1.0, 5.0, 9.0], "b": [1.0, 5.0, 9.0]})).row(0, named=True)
    assert (row["difference"], row["p_t"], row["p_wilcoxon"]) == (0.0, 1.0, 1.0)
    assert row["note"] == "no difference in any pair"


def test_costs_that_differ_in_the_last_bits_are_equal() -> None:
    row = comparisons(simple({"a": [0.3, 0.3], "b": [0.1 + 0.2, 0.3]})).row(0, named=True)
    assert (row["difference"], row["p_wilcoxon"], row["note"]) == (0.0, 1.0, "no difference in any pair")


@pytest.mark.parametrize(("other", "pairs"), [([2.0, None], 1), ([None, 2.0], 1), ([None, None], 0)])
def test_too_few_pairs(other: list[float | None], pairs: int) -> None:
    """Only episodes that both finished are compared; a method that finished none is in no comparison."""
    found = comparisons(simple({"a": [1.0, 1.0], "b": other}))
    if pairs == 0:
        assert found.is_empty()
        return
    row = found.row(0, named=True)
    assert (row["pairs"], row["difference"], row["p_t"], row["p_wilcoxon"]) == (1, -1.0, None, None)
    assert row["note"] == "too few pairs for a test"


def test_two_methods_that_never_finished_together() -> None:
    row = comparisons(simple({"a": [1.0, None], "b": [None, 1.0]})).row(0, named=True)
    assert (row["pairs"], row["difference"], row["note"]) == (0, None, "too few pairs for a test")


def test_every_pair_in_every_cell_and_holm_over_all_of_them() -> None:
    found = comparisons(paper_like(12)[0])
    assert found.columns == list(COMPARISONS)
    assert found.height == 3 * len(PRICES) * 10
    assert found["per_station_cost"].head(60).is_sorted()
    first = found.head(10).select("first", "second").rows()
    assert first == [(a, b) for k, a in enumerate(METHODS) for b in METHODS[k + 1 :]]
    for raw in ("p_t", "p_wilcoxon"):
        assert found[f"{raw}_holm"].to_list() == holm(found[raw].to_list())
        assert (found[f"{raw}_holm"] >= found[raw]).all()


def test_priors_come_in_the_order_of_the_study_and_prices_ascend() -> None:
    order, prices = [f"prior {k}" for k in (3, 7, 1, 8, 0, 5, 2, 9, 4, 6)], [0.4, 0.0, 0.2]
    study = pl.concat(
        simple({"a": [1.0, 5.0], "b": [2.0, 4.0]}).with_columns(prior=pl.lit(prior), per_station_cost=pl.lit(price))
        for prior in order
        for price in prices
    )
    found = comparisons(study).select("prior", "per_station_cost").rows()
    assert found == [(prior, price) for prior in order for price in sorted(prices)]


def test_teammates_are_never_mixed() -> None:
    one = simple({"a": [1.0, 2.0], "b": [2.0, 4.0]})
    other = simple({"a": [5.0, 5.0], "b": [1.0, 2.0]}).with_columns(pl.lit("noisy").alias("teammate"))
    found = comparisons(pl.concat([one, other]))
    assert found.select("teammate", "difference").rows() == [("urop", -1.5), ("noisy", 3.5)]
