"""The paper's way: sweeps of ``V <- 1 + Q V`` over all states until nothing changes any more.

Started from 0 the values grow towards the truth from below. The change of a sweep is the residual of the
values before it, so stopping at `tolerance` also proves a relative error of about `tolerance`.
"""

from __future__ import annotations

import numpy as np

from askwise.model.chain.absorbing import AbsorbingChain
from askwise.types import FloatArray


def sweep(chain: AbsorbingChain, tolerance: float, max_iterations: int) -> tuple[FloatArray, int]:
    """Sweep until the largest change is well within `tolerance`; also return the number of sweeps."""
    values = np.zeros(chain.size)
    for sweeps in range(1, max_iterations + 1):
        new = 1 + chain.matrix @ values
        change = float(np.abs(new - values).max(initial=0.0))
        values = new
        # Half of it, because the bound that is proven afterwards also counts what rounding may hide.
        if change <= tolerance / 2:
            return values, sweeps
    return values, max_iterations
