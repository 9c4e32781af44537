"""How likely each station is at the start.

``far`` weighs a station by ``exp(+d / T)``, ``near`` by ``exp(-d / T)``, with `d` the worker's distance to it and
`T` the temperature; ``fetcher-far`` and ``fetcher-near`` do the same with the fetcher's distance to the station's
tool.
"""

from __future__ import annotations

import numpy as np

from askwise.domains.tool_fetching.instance import PRIOR_KINDS, Instance
from askwise.errors import InputError
from askwise.model.policy import SMALLEST, normalised
from askwise.types import FloatArray, IntArray


def prior_of(instance: Instance, worker_steps: IntArray, tool_steps: IntArray) -> FloatArray:
    """Return the prior, ``float64 [n_stations]``, summing to 1.

    Args:
        instance: the instance, whose ``prior`` is applied.
        worker_steps: ``int [n_stations]``, the worker's steps to each station.
        tool_steps: ``int [n_stations]``, the fetcher's steps to each station's tool.
    """
    prior = instance.prior
    if prior.weights is not None:
        return normalised(np.array([prior.weights[name] for name in instance.stations], dtype=np.float64))
    if prior.kind == "uniform":
        return np.full(len(instance.stations), 1 / len(instance.stations))
    if prior.kind not in PRIOR_KINDS:
        raise InputError("prior", repr(prior.kind), "one of " + ", ".join(map(repr, PRIOR_KINDS)))
    steps = tool_steps if prior.kind.startswith("fetcher-") else worker_steps
    signed = steps if prior.kind.endswith("far") else -steps
    with np.errstate(over="ignore"):  # a temperature next to 0 leaves the likeliest stations only, and the floor
        exponent = (signed - signed.max()) / prior.temperature
    return normalised(np.maximum(np.exp(exponent), SMALLEST))
