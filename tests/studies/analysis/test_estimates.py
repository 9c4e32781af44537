"""Statistics against hand-computed cases and scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from askwise.studies.analysis.estimates import (
    Estimate,
    Ratio,
    combined,
    estimate,
    holm,
    mean_over_files,
    mean_ratio,
    ratio,
    wilcoxon,
)
from askwise.types import IntArray


def numbers(n: int, *, each: int = 1) -> IntArray:
    """Return the instances 0 to n - 1, each repeated `each` times."""
    return np.repeat(np.arange(n, dtype=np.int32), each)


def of(values: list[float], instances: list[int] | None = None) -> Estimate:
    return estimate(
        np.array(values), numbers(len(values)) if instances is None else np.array(instances, dtype=np.int32)
    )


def test_a_mean_by_hand() -> None:
    """1, 2, 3, 4: variance 5/3, standard error sqrt(5/12), t(3) quantile 3.1824."""
    found = of([1.0, 2.0, 3.0, 4.0])
    assert (found.n, found.units, found.mean) == (4, 4, 2.5)
    assert found.stderr == pytest.approx(math.sqrt(5 / 12))
    assert found.high == pytest.approx(2.5 + 3.182446 * math.sqrt(5 / 12), abs=1e-6)
    assert found.low == pytest.approx(2.5 - 3.182446 * math.sqrt(5 / 12), abs=1e-6)


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=30).filter(lambda values: float(np.std(values)) > 1e-3))
def test_t_test_and_interval_agree_with_scipy(values: list[float]) -> None:
    found, expected = of(values), stats.ttest_1samp(values, 0.0)
    assert found.t == pytest.approx(expected.statistic, rel=1e-6, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)
    interval = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-6, abs=1e-9)


def test_several_episodes_of_one_instance_count_as_one_observation() -> None:
    """Repeated episodes on each map add no information: the interval stays the same."""
    once = of([1.0, 2.0, 6.0])
    twice = of([1.0, 1.0, 2.0, 2.0, 6.0, 6.0], [0, 0, 1, 1, 2, 2])
    assert (twice.n, twice.units) == (6, 3)
    assert (twice.mean, twice.stderr, twice.p) == pytest.approx((once.mean, once.stderr, once.p))


def test_episodes_of_one_instance_agree_with_the_means_of_instances() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(8, 5)) + rng.normal(size=(8, 1))
    found = estimate(values.ravel(), numbers(8, each=5))
    expected = stats.ttest_1samp(values.mean(axis=1), 0.0)
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_with_a_single_instance_each_episode_counts() -> None:
    assert of([1.0, 2.0, 3.0, 4.0], [7, 7, 7, 7]) == of([1.0, 2.0, 3.0, 4.0])


def test_too_few_values() -> None:
    assert of([3.0]) == Estimate(1, 1, 3.0)
    nothing = of([])
    assert nothing.n == 0
    assert math.isnan(nothing.mean)


@pytest.mark.parametrize(("value", "t", "p"), [(0.0, 0.0, 1.0), (0.1, math.inf, 0.0), (-0.1, -math.inf, 0.0)])
def test_equal_values_leave_no_doubt(value: float, t: float, p: float) -> None:
    found = of([value] * 7)
    assert (found.mean, found.stderr, found.t, found.p) == (value, 0.0, t, p)


def test_a_ratio_by_hand() -> None:
    """8 of 10 questions are left; residuals 2 - 1.6, 2 - 3.2, 4 - 3.2."""
    found = ratio(np.array([2.0, 2.0, 4.0]), np.array([2.0, 4.0, 4.0]), numbers(3))
    assert found.mean == 0.8
    assert found.stderr == pytest.approx(math.sqrt(3 / 2 * (0.4**2 + 1.2**2 + 0.8**2)) / 10)


def test_the_mean_of_a_ratio_with_itself_is_known_no_better_for_it() -> None:
    """Two conditions with the same instances and costs are one observation, not two."""
    cell = Ratio(np.array([2.0, 2.0, 4.0]), np.array([2.0, 4.0, 4.0]), numbers(3))
    once, twice = mean_ratio([cell]), mean_ratio([cell, cell])
    assert (twice.mean, twice.units, twice.n) == (once.mean, 3, 6)
    assert twice.stderr == pytest.approx(once.stderr)


def test_ratios_that_differ_in_opposite_ways_have_a_certain_mean() -> None:
    """Each instance changes the two ratios by opposite amounts."""
    lower = np.full(4, 2.0)
    sway = np.array([0.5, -0.5, 1.0, -1.0])
    found = mean_ratio([Ratio(lower + sway, lower, numbers(4)), Ratio(lower / 2 - sway, lower, numbers(4))])
    assert (found.mean, found.stderr) == (0.75, 0.0)


def test_the_interval_of_a_mean_ratio_covers_the_truth() -> None:
    """Of 300 studies with a true mean ratio of 0.5, about 95 % have an interval that contains it."""
    rng, covered = np.random.default_rng(5), 0
    for _ in range(300):
        lower = rng.uniform(1.0, 3.0, 60)
        shared = rng.normal(0.0, 0.3, 60)
        cells = [Ratio(q * lower + shared + rng.normal(0.0, 0.1, 60), lower, numbers(60)) for q in (0.3, 0.7)]
        found = mean_ratio(cells)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.5 <= found.high
    assert 0.91 * 300 <= covered <= 0.985 * 300


def test_a_ratio_to_nothing_is_no_number() -> None:
    assert math.isnan(ratio(np.array([1.0]), np.array([0.0]), numbers(1)).mean)


def test_a_ratio_with_a_single_unit_has_no_interval() -> None:
    """Its residuals are 0 by definition; combined with another ratio they would halve the interval."""
    many = Ratio(np.array([2.0, 2.0, 4.0]), np.array([2.0, 4.0, 4.0]), numbers(3))
    single = Ratio(np.array([3.0]), np.array([2.0]), numbers(1))
    for found in (mean_ratio([single]), mean_ratio([many, single])):
        assert (found.stderr, found.low, found.high) == (None, None, None)


def test_two_files_combined_are_welchs_test() -> None:
    """The difference of two means, halved, has Welch's t, p and degrees of freedom."""
    rng = np.random.default_rng(2)
    one, other = rng.normal(3.0, 1.0, 6), rng.normal(-1.0, 5.0, 15)
    found = combined([of(list(one), [0] * 6), of(list(other), [1] * 15)])
    welch = stats.ttest_ind(one, -other, equal_var=False)
    interval = welch.confidence_interval(0.95)
    assert (found.n, found.units) == (21, 21)
    assert found.mean == pytest.approx((one.mean() + other.mean()) / 2)
    assert (found.t, found.p) == pytest.approx((welch.statistic, welch.pvalue))
    assert (found.low, found.high) == pytest.approx((interval.low / 2, interval.high / 2))
    values = np.concatenate([one, other])
    assert mean_over_files(values, np.repeat(np.array([4, 9], dtype=np.int32), [6, 15])) == found


def test_every_file_counts_the_same() -> None:
    assert mean_over_files(np.array([1.0, 1.0, 1.0, 5.0]), np.array([0, 0, 0, 1])).mean == 3.0


def test_files_with_one_episode_each_are_the_units() -> None:
    assert mean_over_files(np.array([1.0, 2.0, 6.0]), numbers(3)) == of([1.0, 2.0, 6.0])


@pytest.mark.parametrize("spread", [(0.0, 0.0), (0.0, 1.0)])
def test_files_that_do_not_vary(spread: tuple[float, float]) -> None:
    values = np.array([2.0, 2.0 + spread[0], 2.0, 2.0 + spread[1]])
    found = mean_over_files(values, np.array([0, 0, 1, 1]))
    assert found.stderr == pytest.approx(spread[1] / 4)


def test_the_interval_of_a_mean_over_files_covers_the_truth() -> None:
    """Of 400 studies of three files with few episodes and very different variances, about 95 % cover the mean."""
    rng, covered = np.random.default_rng(6), 0
    for _ in range(400):
        cells = []
        for file, (q, episodes, noise) in enumerate([(0.3, 8, 0.1), (0.7, 12, 0.5), (1.1, 20, 0.3)]):
            lower = rng.uniform(1.0, 3.0, episodes)
            upper = q * lower + rng.normal(0.0, noise, episodes)
            cells.append(ratio(upper, lower, np.full(episodes, file)))
        found = combined(cells)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.7 <= found.high
    assert 0.92 * 400 <= covered <= 0.98 * 400


def test_holm_by_hand() -> None:
    """Sorted: 0.005 x 4, 0.01 x 3, 0.03 x 2, then 0.04 x 1, which is raised to the previous value."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_stops_at_one_and_leaves_out_what_was_not_tested() -> None:
    assert holm([0.6, None, 0.7]) == [1.0, None, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_rejects_step_by_step(p_values: list[float]) -> None:
    """By definition: from the smallest p value on, reject until one is not below 0.05 / (number of remaining ones)."""
    adjusted = holm(list(p_values))
    rejected = set()
    for rank, k in enumerate(sorted(range(len(p_values)), key=lambda k: p_values[k])):
        if p_values[k] * (len(p_values) - rank) >= 0.05:
            break
        rejected.add(p_values[k])
    assert {p_values[k] for k, p in enumerate(adjusted) if p is not None and p < 0.05} == rejected


def test_wilcoxon_agrees_with_scipy() -> None:
    values = np.random.default_rng(5).normal(0.3, size=40)
    assert wilcoxon(values, numbers(40)) == stats.wilcoxon(values).pvalue


@pytest.mark.parametrize("n", [2, 3, 5, 8, 10, 13, 14])
def test_wilcoxon_of_few_values_is_that_of_scipy_to_the_bit(n: int) -> None:
    random = np.random.default_rng(n)
    for kind in range(4 if n > 10 else 12):
        values = random.normal(0.3, 1.0, size=n)
        if kind % 2:
            values = np.round(2 * values) / 2  # ties and zeros
        if values.any():
            expected = stats.wilcoxon(np.round(values, 9)).pvalue
            assert wilcoxon(values, numbers(n)) == expected


def test_wilcoxon_by_hand() -> None:
    """With five positive differences, the probability of equal signs is 2 / 2^5."""
    assert wilcoxon(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), numbers(5)) == pytest.approx(2 / 2**5)


def test_wilcoxon_without_differences_or_values() -> None:
    assert wilcoxon(np.zeros(9), numbers(9)) == 1.0
    assert wilcoxon(np.array([2.0]), numbers(1)) is None


def test_wilcoxon_ranks_instances_by_their_mean() -> None:
    values = np.array([1.0, 3.0, 2.0, 4.0, -1.0, 0.0, 5.0, 5.0, 6.0, 8.0])
    means = values.reshape(5, 2).mean(axis=1)
    assert wilcoxon(values, numbers(5, each=2)) == stats.wilcoxon(means).pvalue
