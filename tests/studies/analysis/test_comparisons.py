"""Paired comparisons against scipy, ratios to a reference by hand, and cases without a test or a ratio."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from askwise.studies.analysis.comparisons import ALL, COMPARISONS, RATIOS, comparisons, ratios
from askwise.studies.analysis.estimates import combined, holm, ratio
from tests.studies.analysis.studies import METHODS, PRICES, of_files, paper_like, simple


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
    """Only episodes that both methods finished are compared; a method without finished episodes is in no comparison."""
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
    assert found["per_goal"].head(60).is_sorted()
    first = found.head(10).select("first", "second").rows()
    assert first == [(a, b) for k, a in enumerate(METHODS) for b in METHODS[k + 1 :]]
    for raw in ("p_t", "p_wilcoxon"):
        assert found[f"{raw}_holm"].to_list() == holm(found[raw].to_list())
        assert (found[f"{raw}_holm"] >= found[raw]).all()


def test_priors_come_in_the_order_of_the_study_and_prices_ascend() -> None:
    order, prices = [f"prior {k}" for k in (3, 7, 1, 8, 0, 5, 2, 9, 4, 6)], [0.4, 0.0, 0.2]
    study = pl.concat(
        simple({"a": [1.0, 5.0], "b": [2.0, 4.0]}).with_columns(prior=pl.lit(prior), per_goal=pl.lit(price))
        for prior in order
        for price in prices
    )
    found = comparisons(study).select("prior", "per_goal").rows()
    assert found == [(prior, price) for prior in order for price in sorted(prices)]


def test_teammates_are_never_mixed() -> None:
    one = simple({"a": [1.0, 2.0], "b": [2.0, 4.0]})
    other = simple({"a": [5.0, 5.0], "b": [1.0, 2.0]}).with_columns(pl.lit("noisy").alias("teammate"))
    found = comparisons(pl.concat([one, other]))
    assert found.select("teammate", "difference").rows() == [("urop", -1.5), ("noisy", 3.5)]


COLUMNS = ["prior", "method", "per_goal", "reference", "pairs", "ratio"]


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
    """The mean of the ratios 0.5 and 2 is 1.25, although costs are a hundred times higher in the second condition."""
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
    """With two files of different prices, the interval of the mean is that of two independent ratios."""
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
    """Under near only one instance was finished, so the variation of its ratio is unknown."""
    far = simple({"ezq": [2.0, 4.0, 4.0], "planner": [2.0, 2.0, 4.0]})
    near = simple({"ezq": [2.0, None, None], "planner": [1.0, None, None]}, prior="near")
    found = ratios(pl.concat([far, near]))
    assert found.filter(pl.col("prior") == ALL).select("ratio", "ci_low", "ci_high").row(0) == (0.65, None, None)


def test_a_whole_study() -> None:
    found = ratios(paper_like(20)[0])
    assert found.height == (len(METHODS) - 1) * (3 * 6 + 1)
    assert found.filter(pl.col("prior") == ALL)["pairs"].to_list() == [20 * 18] * 4
