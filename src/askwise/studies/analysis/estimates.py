"""Means with Student intervals, paired tests, and Holm's correction.

The episodes of one instance share its map, so they are not independent of each other: the unit of every interval and
test is the instance. With one episode on each instance that is the ordinary standard error. With several,

    mean = sum(values) / N,    stderr^2 = k / (k - 1) * sum over instances of (sum of (value - mean))^2 / N^2

for k instances and N values, with k - 1 degrees of freedom; with equally many episodes on each instance it is the
standard error of the instances' means. In a study of one instance there is nothing to generalise over, and each
episode is a unit.

Problems that come from files were chosen, not drawn. Each is estimated alone, by its episodes. The mean over k files is
the mean of their means (`combined`), with

    stderr^2 = sum over files of stderr(file)^2 / k^2

and Welch and Satterthwaite's degrees of freedom. It is about these files, not about others.

Costs are sums of decimal fractions such as 0.1, so two equal costs may differ in their last bits. Differences are
rounded to `DIGITS` decimals, or a test on ranks would take that noise for evidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from askwise.lazy_module import LazyModule
from askwise.types import FloatArray, IntArray

special = LazyModule("scipy.special")

LEVEL = 0.95
DIGITS = 9
FEW = 13
"""Up to so many values Wilcoxon's test goes through all signs, as in scipy, which tries them one by one if some values
are equal: that took nearly all of the time for the tables of a small study."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and how well it is known.

    Attributes:
        n: number of values.
        units: number of independent units among them.
        mean: their mean, nan if there are none.
        stderr: its standard error, None with fewer than two units, as all that follows.
        low: lower end of the 95 % interval.
        high: upper end of it.
        t: Student's t against a mean of 0.
        p: two-sided p value of that.
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
    """Return the mean of `values` ``[n]``, with `instances` ``[n]`` telling which instance each belongs to."""
    n = values.size
    if n == 0:
        return Estimate(0, 0, math.nan)
    # The mean of equal numbers is that number; summing would leave noise in the last bits.
    mean = float(values[0]) if np.ptp(values) == 0 else float(values.sum() / n)
    sums, _ = _by_unit(values - mean, _units(instances))
    if sums.size < 2:
        return Estimate(n, sums.size, mean)
    variance = sums.size / (sums.size - 1) * float(sums @ sums) / n**2
    return _with_interval(n, sums.size, mean, math.sqrt(variance))


def combined(parts: Sequence[Estimate]) -> Estimate:
    """Return the mean of independent estimates, each of which counts the same.

    If one of them has no standard error (a file with one episode), the estimates themselves are the units.
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
    # Where nothing varies, any number of degrees of freedom gives the same.
    spread = sum(share**2 / freedom for share, freedom in zip(shares, freedoms, strict=True))
    freedom = variance**2 / spread if spread > 0 else sum(freedoms)
    return _with_interval(n, sum(part.units for part in known), mean, math.sqrt(variance), freedom)


def mean_over_files(values: FloatArray, instances: IntArray) -> Estimate:
    """Return the mean of the means of the files; the arguments are those of `estimate`."""
    return combined(
        [estimate(values[instances == file], instances[instances == file]) for file in np.unique(instances)]
    )


@dataclass(frozen=True, slots=True)
class Ratio:
    """Paired values whose sums are divided, and the unit that each pair belongs to; all ``[n]``."""

    upper: FloatArray
    lower: FloatArray
    units: IntArray


def ratio(upper: FloatArray, lower: FloatArray, instances: IntArray) -> Estimate:
    """Return ``sum(upper) / sum(lower)`` for paired values, with an interval by linearisation."""
    return mean_ratio([Ratio(upper, lower, _units(instances))])


def mean_ratio(ratios: Sequence[Ratio]) -> Estimate:
    """Return the mean of several ``sum(upper) / sum(lower)``, with an interval by linearisation.

    Around its value `q` a ratio changes with each pair by ``(upper - q lower) / sum(lower)``. What the pairs of one
    unit change is summed over all ratios, so that ratios which share their units are not taken for independent ones.
    The changes of a single unit are 0 by definition and tell nothing: a ratio with one unit leaves no interval.
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
    """Return differences of costs without the noise of their last bits; no negative zero either."""
    clean: FloatArray = np.round(values, DIGITS) + 0.0
    return clean


def wilcoxon(differences: FloatArray, instances: IntArray) -> float | None:
    """Return the two-sided p value of Wilcoxon's signed-rank test; 1 if all differences are 0, None with fewer than 2.

    Ranks need independent values, so several episodes of one instance enter by their mean.
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
    """Return the p value by all signs that the values could have, each as likely as any other.

    A rank is one number for equal sizes, their mean; zeros have none. Twice a rank is a whole number, so that the signs
    can be counted by the sum of those ranks that have a plus.
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
    """Return Holm's adjusted p values, in the given order; None stays None and is not counted.

    The smallest p is multiplied by their number m, the next by m - 1, and so on; none gets below one before it, none
    above 1.
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
    """Return the unit of each value: its instance, or itself if there is one instance only."""
    return instances if np.unique(instances).size > 1 else np.arange(instances.size, dtype=np.int32)


def _by_unit(values: FloatArray, units: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the sum and the number of the values of each unit."""
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
        # All values are equal: no doubt is left, one way or the other.
        t, p = (0.0, 1.0) if mean == 0 else (math.copysign(math.inf, mean), 0.0)
    return Estimate(n, units, mean, stderr, mean - reach, mean + reach, t, p)
