"""A proven error bound for any candidate solution of ``V = 1 + Q V``.

Let ``r = 1 + Q V - V``. If ``V > 0`` and ``eps = max|r| < 1``, then ``(I - Q) V = 1 - r > 0`` for a positive
`V`, so ``I - Q`` is a nonsingular M-matrix and its inverse is nonnegative. Therefore

    |V - V*| = |(I - Q)^-1 r| <= eps (I - Q)^-1 1 = eps V*

that is, `eps` bounds the relative error of every value. Nothing is assumed about how `V` was found. The
residual is itself computed with rounding, so what rounding may hide is added to it; that also covers the
rounding of each probability in `Q`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.types import FloatArray

_UNIT = np.finfo(np.float64).eps / 2


def proven_bound(matrix: Any, values: FloatArray) -> tuple[float, float]:
    """Return the largest residual and the proven relative error bound (``inf`` where nothing is proven)."""
    if not (np.isfinite(values).all() and (values > 0).all()):
        return np.inf, np.inf
    carried = matrix @ values
    residual = np.abs(1 + carried - values)
    operations = int(np.diff(matrix.indptr).max(initial=0)) + 5
    rounding = operations * _UNIT * (1 + carried + values)
    bound = float((residual + rounding).max(initial=0.0))
    return float(residual.max(initial=0.0)), bound if bound < 1 else np.inf
