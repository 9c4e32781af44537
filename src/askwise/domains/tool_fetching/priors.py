"""How likely each station is at the start.

``far`` weighs a station by ``exp(+d / T)``, ``near`` by ``exp(-d / T)``, with `d` the worker's distance to it and
`T` the temperature; ``fetcher-far`` and ``fetcher-near`` do the same with the fetcher's distance to the station's
tool.
"""

from __future__ import annotations

import numpy as np

from askwise.domains.tool_fetching.instance import Instance
from askwise.types import FloatArray, IntArray

SMALLEST = 1e-300
"""A weight that underflows is raised to this: an unlikely station is not an impossible one."""


def prior_of(instance: Instance, worker_steps: IntArray, tool_steps: IntArray) -> FloatArray:
    """Return the prior, ``float64 [n_stations]``, summing to 1.

    Args:
        instance: the instance, whose ``prior`` is applied.
        worker_steps: ``int [n_stations]``, the worker's steps to each station.
        tool_steps: ``int [n_stations]``, the fetcher's steps to each station's tool.
    """
    prior = instance.prior
    if prior.weights is not None:
        weights = np.array([prior.weights[name] for name in instance.stations], dtype=np.float64)
        return np.asarray(weights / weights.sum())
    if prior.kind == "uniform":
        return np.full(len(instance.stations), 1 / len(instance.stations))
    steps = tool_steps if prior.kind.startswith("fetcher-") else worker_steps
    exponent = (steps if prior.kind.endswith("far") else -steps) / prior.temperature
    weights = np.maximum(np.exp(exponent - exponent.max()), SMALLEST)
    return np.asarray(weights / weights.sum())
