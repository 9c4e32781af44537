"""Means with Student intervals, paired tests, and Holm's correction.

The episodes of one instance share its map, so each instance is one independent unit. In a study of one instance, each
episode is a unit. Let ``S`` be the sum of ``value - mean`` over a unit. For ``N`` values from ``k`` units, the standard
error has ``k - 1`` degrees of freedom::

    stderr^2 = k / (k - 1) * (sum of S^2 over all units) / N^2

Problems from files were chosen, not drawn at random. The mean over ``k`` files is the mean of their means (`combined`)
and says nothing about other files. Its standard error has Welch and Satterthwaite's degrees of freedom::

    stderr^2 = sum over files of stderr(file)^2 / k^2

Differences of costs are rounded to `DIGITS` (9) decimals, so that tests on ranks ignore rounding errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from askwise.types import FloatArray, IntArray, LazyModule

special = LazyModule("scipy.special")

LEVEL = 0.95
DIGITS = 9
FEW = 13
"""Up to this many values, the exact distribution of Wilcoxon's statistic is computed here. scipy computes the same, but
enumerates all signs if some values are equal, which took most of the time for the tables of a small study."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard error, interval and test.

    With fewer than two units, all attributes from `stderr` on are None.

    Attributes:
        n: number of values.
        units: number of independent units: instances, or values of a single instance.
        mean: the mean, NaN without values.
        stderr: standard error.
        low: lower end of the 95 % interval.
        high: upper end of the 95 % interval.
        t: Student's t for the hypothesis that the mean is 0.
        p: two-sided p value.
    """

    n: int
    units: int
    mean: float
    stderr: float | None = None
    low: float | None = None
    high: float | None = None
    t: float | None = None
    p: float | None = None


def estimate(values: FloatArray, instances: IntArray) -> Estimate:
    """Return the mean of `values` ``[n]``, with a 95 % interval and a test of whether the mean is 0.

    `instances` ``[n]`` has the index of each value's instance; values of one instance may depend on each other.
    """
    n = values.size
    if n == 0:
        return Estimate(0, 0, math.nan)
    # The mean of equal numbers is that number; summing them would add rounding errors.
    mean = float(values[0]) if np.ptp(values) == 0 else float(values.sum() / n)
    sums, _ = _by_unit(values - mean, _units(instances))
    if sums.size < 2:
        return Estimate(n, sums.size, mean)
    variance = sums.size / (sums.size - 1) * float(sums @ sums) / n**2
    return _with_interval(n, sums.size, mean, math.sqrt(variance))


def combined(parts: Sequence[Estimate]) -> Estimate:
    """Return the unweighted mean of independent estimates; those without values are left out.

    If an estimate has no standard error, the interval is computed from the differences between the estimates.
    """
    known = [part for part in parts if part.n]
    if len(known) < 2:
        return known[0] if known else Estimate(0, 0, math.nan)
    n, k, means = sum(part.n for part in known), len(known), np.array([part.mean for part in known])
    if any(part.stderr is None for part in known):
        return replace(estimate(means, np.arange(k, dtype=np.int32)), n=n)
    mean = float(means[0]) if np.ptp(means) == 0 else float(means.sum() / k)
    shares = [((part.stderr or 0.0) / k) ** 2 for part in known]
    variance = sum(shares)
    freedoms = [part.units - 1 for part in known]
    # If the variance is 0, the degrees of freedom do not matter.
    spread = sum(share**2 / freedom for share, freedom in zip(shares, freedoms, strict=True))
    freedom = variance**2 / spread if spread > 0 else sum(freedoms)
    return _with_interval(n, sum(part.units for part in known), mean, math.sqrt(variance), freedom)


def mean_over_files(values: FloatArray, instances: IntArray) -> Estimate:
    """Return the mean of the means of several files, each with the same weight.

    Args:
        values: the values ``[n]``.
        instances: the index of the file to which each value belongs ``[n]``; each file is one instance.
    """
    return combined(
        [estimate(values[instances == file], instances[instances == file]) for file in np.unique(instances)]
    )


@dataclass(frozen=True, slots=True)
class Ratio:
    """Paired values whose ratio ``sum(upper) / sum(lower)`` is to be estimated.

    Attributes:
        upper: first value of each pair ``[n]``.
        lower: second value of each pair ``[n]``.
        units: index of each pair's independent unit ``[n]``.
    """

    upper: FloatArray
    lower: FloatArray
    units: IntArray


def ratio(upper: FloatArray, lower: FloatArray, instances: IntArray) -> Estimate:
    """Return ``sum(upper) / sum(lower)`` for pairs of values ``[n]``, with a confidence interval by linearisation.

    `instances` ``[n]`` has the index of each pair's instance; pairs of one instance may depend on each other.
    """
    return mean_ratio([Ratio(upper, lower, _units(instances))])


def mean_ratio(ratios: Sequence[Ratio]) -> Estimate:
    """Return the mean of several ratios ``sum(upper) / sum(lower)``, with a confidence interval by linearisation.

    To first order, two paired values contribute ``(upper - q lower) / sum(lower)`` to the error of their ratio ``q``.
    Contributions of one unit are summed before the variance is computed. If all values of some ratio belong to one
    unit, there is no interval.
    """
    n = sum(each.lower.size for each in ratios)
    if not ratios or any(each.lower.sum() == 0 for each in ratios):
        return Estimate(n, 0, math.nan)
    quotients = [float(each.upper.sum()) / float(each.lower.sum()) for each in ratios]
    changes = [
        (each.upper - quotient * each.lower) / float(each.lower.sum())
        for each, quotient in zip(ratios, quotients, strict=True)
    ]
    mean = sum(quotients) / len(quotients)
    sums, _ = _by_unit(np.concatenate(changes) / len(ratios), np.concatenate([each.units for each in ratios]))
    if any(np.unique(each.units).size < 2 for each in ratios):
        return Estimate(n, sums.size, mean)
    variance = sums.size / (sums.size - 1) * float(sums @ sums)
    return _with_interval(n, sums.size, mean, math.sqrt(variance))


def rounded(values: FloatArray) -> FloatArray:
    """Return `values`, differences of costs, rounded to `DIGITS` (9) decimals and without negative zeros."""
    clean: FloatArray = np.round(values, DIGITS) + 0.0
    return clean


def wilcoxon(differences: FloatArray, instances: IntArray) -> float | None:
    """Return the two-sided p value of Wilcoxon's signed-rank test of paired differences ``[n]``.

    `instances` ``[n]`` has the index of each difference's instance. The differences of one instance are replaced by
    their mean, unless there is only one instance. The result is None if fewer than two values remain.
    """
    sums, counts = _by_unit(differences, _units(instances))
    values = rounded(sums / counts)
    if values.size < 2:
        return None
    if not values.any():
        return 1.0
    if values.size <= FEW:
        return _exact_wilcoxon(values)
    from scipy import stats

    return float(stats.wilcoxon(values).pvalue)


def _exact_wilcoxon(values: FloatArray) -> float:
    """Return the exact two-sided p value of Wilcoxon's signed-rank test for few differences ``[n]``.

    Differences of equal size share the mean of their ranks; zeros are left out. The sign combinations for each sum of
    ranks (doubled, so that they are integers) are counted by dynamic programming.
    """
    sizes = np.abs(values[values != 0])
    twice = (sizes < sizes[:, None]).sum(axis=1) * 2 + (sizes == sizes[:, None]).sum(axis=1) + 1
    ways = np.zeros(int(twice.sum()) + 1, dtype=np.int64)
    ways[0] = 1
    for rank in twice.tolist():
        ways[rank:] += ways[:-rank].copy()
    found = int(twice[values[values != 0] > 0].sum())
    tail = min(int(ways[: found + 1].sum()), int(ways[found:].sum()))
    return min(1.0, 2 * tail / float(2**sizes.size))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p values with Holm's correction for many tests, in the given order; None stays None and is not counted.

    The smallest of m p values is multiplied by m, the next by m - 1, and so on, up to 1.
    """
    known = [k for k, p in enumerate(p_values) if p is not None]
    known.sort(key=lambda k: (p_values[k] or 0.0, k))
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, k in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - rank) * (p_values[k] or 0.0)))
        adjusted[k] = largest
    return adjusted


def _units(instances: IntArray) -> IntArray:
    """Return the index of each value's independent unit ``[n]``: its instance, or itself if there is one instance."""
    return instances if np.unique(instances).size > 1 else np.arange(instances.size, dtype=np.int32)


def _by_unit(values: FloatArray, units: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the sum and the number of the values of each unit, both in ascending order of the units.

    Args:
        values: the values ``[n]``.
        units: the index of each value's unit ``[n]``.
    """
    found, numbers = np.unique(units, return_inverse=True)
    sums = np.bincount(numbers, weights=values, minlength=found.size).astype(np.float64)
    return sums, np.bincount(numbers, minlength=found.size).astype(np.float64)


def _with_interval(n: int, units: int, mean: float, stderr: float, freedom: float | None = None) -> Estimate:
    freedom = units - 1 if freedom is None else freedom
    reach = float(special.stdtrit(freedom, 0.5 + LEVEL / 2)) * stderr
    if stderr > 0:
        t = mean / stderr
        p = 2 * float(special.stdtr(freedom, -abs(t)))
    else:
        # All values are equal, so the mean is known exactly.
        t, p = (0.0, 1.0) if mean == 0 else (math.copysign(math.inf, mean), 0.0)
    return Estimate(n, units, mean, stderr, mean - reach, mean + reach, t, p)


def to_text(found: Estimate, *, unit: str = "", digits: int = 2, signed: bool = True) -> str:
    """Return an estimate with its interval as text, such as ``+1.20 s (+0.80 to +1.60)``.

    Args:
        found: the estimate.
        unit: the unit, such as ``s``; empty for none.
        digits: number of decimals.
        signed: whether positive numbers have a plus sign.
    """
    space = f" {unit}" if unit else ""
    if found.low is None or found.high is None:
        return f"{_number(found.mean, digits, signed)}{space}"
    low, high = (_number(value, digits, signed) for value in (found.low, found.high))
    return f"{_number(found.mean, digits, signed)}{space} ({low} to {high})"


def _number(value: float, digits: int, signed: bool) -> str:
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    return text.replace("-", "\u2212")
