"""Estimates from sampled divergence points, some of them censored: means, confidence intervals and survival curves.

A run follows the policy of one goal. At its divergence point `dp`, its actions rule out another goal. A run that ends
before, at step ``end``, is *censored*. The mean observed step estimates ``E[min(dp, end)]``, a lower bound of the mean
of `dp`.

Kaplan and Meier's product estimates the share of runs that have not diverged by step `t`. Let ``n_u`` be the number of
runs still observed at step ``u``, and ``d_u`` the number that diverge at this step::

    S(t) = product over steps u <= t of (1 - d_u / n_u)

It assumes that censored runs would have diverged like the others. If the environment ends runs at goals, use the option
`end_tells` of `sampled_divergence`.

The mean has one of two 95 % intervals:

- ``bernstein`` is the empirical Bernstein bound of Maurer and Pontil (2009) for values in [1, horizon]. It holds for
  any number of runs. Several intervals of one growing sample share the probability of an error.
- ``normal`` is narrower, and used from `ENOUGH` (200) runs on. It is unreliable if fewer than about five runs are
  expected to lie far from all others.

Cases of ``normal``:

- All `n` runs have the same value. Another value is assumed to have a probability of at most ``1 - 0.05^(1/n)``.
- More than half of the runs have the smallest value, or more than half the largest. The interval follows from the
  others (`_score_interval`).
- In all other cases, it is the mean plus and minus 1.96 standard errors, corrected for skewness by Hall's
  transformation (1992).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from askwise.types import BoolArray, FloatArray, IntArray

ENOUGH = 200
"""Number of runs from which normal intervals are used."""
ERROR = 0.05
"""Probability that an interval does not contain the mean."""
NORMAL_QUANTILE = 1.959963984540054


class Interval(NamedTuple):
    """A mean and its 95 % interval.

    Attributes:
        mean: the mean of the sample.
        low: lower end of the interval.
        high: upper end of the interval.
    """

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """The larger of the two distances from the mean to the ends of the interval."""
        return max(self.mean - self.low, self.high - self.mean)


def estimate(values: IntArray, horizon: int, kind: str = "normal", look: int = 1) -> Interval:
    """Return the mean of values between 1 and `horizon`, with its 95 % interval.

    Args:
        values: ``int32 [n]``, not empty.
        horizon: the largest possible value.
        kind: ``normal`` or ``bernstein``, which is always used with fewer than `ENOUGH` values.
        look: number of this interval in a growing sample, from 1; widens ``bernstein``.
    """
    n, mean = values.size, float(values.mean())
    variance = float(values.var(ddof=1)) if n > 1 else math.inf
    if kind == "bernstein" or n < ENOUGH:
        error = ERROR / (look * (look + 1))  # sums to ERROR over all looks
        term = math.log(4 / error)
        half = math.sqrt(2 * variance * term / n) + 7 * (horizon - 1) * term / (3 * max(n - 1, 1))
        low, high = mean - half, mean + half
    elif variance == 0:
        chance = 1 - ERROR ** (1 / n)
        low, high = mean - chance * (mean - 1), mean + chance * (horizon - mean)
    else:
        low, high = _score_interval(values) or _without_skewness(values, mean, math.sqrt(variance))
    return Interval(mean, max(low, 1.0), min(high, float(horizon)))


def _score_interval(values: IntArray) -> tuple[float, float] | None:
    """Return the score interval of a mean if more than half of the values equal the minimum or the maximum, else None.

    Let ``v`` be this frequent value, ``n`` the number of values, and ``s`` the share of values other than ``v``. Over
    these other values, let ``d`` be the mean of ``value - v``, and ``r`` the mean of ``(value - v)^2 / d^2``. The ends
    are ``v + p d`` for both roots of ``(s - p)^2 = (r p - p^2) 1.96^2 / n``.
    """
    n = values.size
    ends = [(np.count_nonzero(values == end), int(end)) for end in (values.min(), values.max())]
    equal, end = max(ends)
    if equal <= n / 2:
        return None
    away = (values[values != end] - end).astype(np.float64)
    share, distance = away.size / n, float(away.mean())
    c = NORMAL_QUANTILE**2 / n
    middle = 2 * share + c * float(np.square(away).mean()) / distance**2
    root = math.sqrt(max(middle**2 - 4 * (1 + c) * share**2, 0.0))
    found = sorted(end + distance * (middle + sign * root) / (2 * (1 + c)) for sign in (-1, 1))
    return found[0], found[1]


def _without_skewness(values: IntArray, mean: float, spread: float) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a mean by Hall's transformation, which corrects for skewness.

    Args:
        values: ``int32 [n]``, the sample.
        mean: the mean of the sample.
        spread: the standard deviation of the sample.
    """
    n = values.size
    skewness = float(np.mean(((values - mean) / spread) ** 3))
    z = NORMAL_QUANTILE / math.sqrt(n)
    if abs(skewness) < 1e-6:
        return mean - spread * z, mean + spread * z

    def back(x: float) -> float:
        return 3 / skewness * (float(np.cbrt(1 + skewness * (x - skewness / (6 * n)))) - 1)

    return mean - spread * back(z), mean - spread * back(-z)


def runs_needed(values: IntArray, within: float) -> int:
    """Estimate how many runs are needed in total until a ``normal`` interval has the requested width.

    Args:
        values: ``int32 [n]``, the values of the runs so far.
        within: half of the requested width, as a share of the mean.
    """
    half = within * float(values.mean())
    return math.ceil(1.05 * float(values.var(ddof=1)) * (NORMAL_QUANTILE / half) ** 2)


class Survival(NamedTuple):
    """The estimated share of runs in which a goal is not ruled out yet, after each step.

    Attributes:
        steps: ``int64 [m]``, 0 and all steps at which a run ended or ruled the goal out.
        share: ``float64 [m]``, the share after the step.
        low: ``float64 [m]``, lower end of the 95 % interval.
        high: ``float64 [m]``, upper end of the 95 % interval.
    """

    steps: IntArray
    share: FloatArray
    low: FloatArray
    high: FloatArray

    def quantile(self, q: float) -> float:
        """Return the first step by which a share `q` of the runs has ruled out the goal; ``inf`` if there is none."""
        reached = np.flatnonzero(self.share <= 1 - q + 1e-12)
        return float(self.steps[reached[0]]) if reached.size else math.inf


def kaplan_meier(values: IntArray, diverged: BoolArray) -> Survival:
    """Return the Kaplan-Meier estimate of the share of runs in which a goal is not ruled out yet, after each step.

    Args:
        values: ``int32 [n]``, the step of each run at which the goal was ruled out, or else its last step.
        diverged: ``bool [n]``, whether the goal was ruled out in the run.
    """
    steps = np.unique(values)
    events = np.array([np.count_nonzero(diverged & (values == step)) for step in steps], dtype=np.float64)
    at_risk = np.array([np.count_nonzero(values >= step) for step in steps], dtype=np.float64)
    share = np.cumprod(1 - events / at_risk)
    left = at_risk - events
    with np.errstate(divide="ignore", invalid="ignore"):
        greenwood = np.cumsum(np.divide(events, at_risk * left, out=np.zeros_like(share), where=left > 0))
        spread = NORMAL_QUANTILE * np.sqrt(greenwood) / np.abs(np.log(share))
        low, high = share ** np.exp(spread), share ** np.exp(-spread)
    inside = (share > 0) & (share < 1)
    low, high = np.where(inside, low, share), np.where(inside, high, share)
    begin = np.ones(1)
    return Survival(
        np.concatenate(([0], steps)),
        np.concatenate((begin, share)),
        np.concatenate((begin, low)),
        np.concatenate((begin, high)),
    )
