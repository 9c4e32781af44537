"""Timed work and digests of its results, for both versions.

Only names that both versions have are used. Times are CPU seconds of the process (`process_time`), so waiting for other
users of the machine is not counted. Garbage is collected before each turn, outside the measured time. Otherwise objects
that refer to each other, left by an earlier turn, would delay the next one by several times its own duration.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

LEAST = 0.05
"""Work is repeated until it has taken so many seconds, because shorter times are inaccurate."""


@dataclass(frozen=True)
class Done:
    """The result of doing work once: CPU seconds, number of units, and outcome."""

    seconds: float
    units: int
    outcome: Any


Go = Callable[[], Done]
"""A function that does the work once."""


@dataclass(frozen=True)
class Job:
    """Work to time.

    Attributes:
        part: the part of the table that it belongs to.
        name: what one unit of it is.
        prepare: does what is not timed, and returns the work.
    """

    part: str
    name: str
    prepare: Callable[[], Go]


def timed(units: int, work: Callable[[], Any]) -> Go:
    """Return a function that does `work` and measures its time."""

    def go() -> Done:
        start = process_time()
        outcome = work()
        return Done(process_time() - start, units, outcome)

    return go


def seconds_per_unit(go: Go) -> float:
    """Return the mean CPU seconds per unit, over as many turns as an accurate measurement takes."""
    total, units = 0.0, 0
    while total < LEAST:
        gc.collect()
        done = go()
        total, units = total + done.seconds, units + done.units
    return total / units


def digest(outcome: Any) -> str:
    """Return a digest that is equal only for equal outcomes: arrays bit for bit, numbers to ten digits."""
    found = hashlib.sha256()
    for part in _parts(outcome):
        found.update(part)
    return found.hexdigest()[:16]


def _parts(outcome: Any) -> Iterable[bytes]:
    if isinstance(outcome, np.ndarray):
        yield f"{outcome.dtype} {outcome.shape}".encode()
        yield np.ascontiguousarray(outcome).tobytes()
    elif isinstance(outcome, Mapping):
        for key in sorted(outcome):
            yield from _parts(key)
            yield from _parts(outcome[key])
    elif isinstance(outcome, Sequence) and not isinstance(outcome, str):
        yield f"{len(outcome)} of".encode()
        for each in outcome:
            yield from _parts(each)
    elif isinstance(outcome, float):
        yield f"{outcome:.10g},".encode()
    else:
        yield f"{outcome},".encode()
