"""Numbers are compared before they are timed."""

from __future__ import annotations

import numpy as np

from askwise.types import FloatArray


class WrongNumbersError(Exception):
    """Two ways disagree, so timing them would mean nothing."""


def deviation(values: FloatArray, reference: FloatArray) -> float:
    """Return the largest relative deviation; infinite and missing values must be the same ones in both."""
    same = (values == reference) | (np.isnan(values) & np.isnan(reference))
    with np.errstate(invalid="ignore"):
        off = np.where(same, 0.0, np.abs(values - reference) / np.abs(reference))
    return float(np.max(np.where(np.isnan(off), np.inf, off), initial=0.0))


def agree(name: str, values: FloatArray, reference: FloatArray, tolerance: float = 1e-9) -> float:
    """Return the largest relative deviation, or refuse to go on if it is above `tolerance`."""
    off = deviation(values, reference)
    if off > tolerance:
        raise WrongNumbersError(f"{name}: off by {off:.2g}, timing refused")
    return off
