"""The work that is timed in both versions. Only names that both have are used here.

Seconds are those of this process on a core (`process_time`), so that waiting for other users of the machine is not
counted. Garbage is collected before each turn, outside the clock: where objects refer to each other in a circle, what
an earlier turn left behind would make the next one wait for fresh memory, several times as long as it computes.
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
"""Work is done again until it has taken that many seconds: shorter times say little."""


@dataclass(frozen=True)
class Done:
    """Work done once: its seconds, how many pieces it had, and what came out of it."""

    seconds: float
    pieces: int
    outcome: Any


Go = Callable[[], Done]
"""Does the work once."""


@dataclass(frozen=True)
class Job:
    """Something to be timed.

    Attributes:
        part: the part of the table it belongs to.
        name: what one piece of it is.
        prepare: does what is not timed and returns the rest.
    """

    part: str
    name: str
    prepare: Callable[[], Go]


def clocked(pieces: int, work: Callable[[], Any]) -> Go:
    """Return `work` by the clock."""

    def go() -> Done:
        start = process_time()
        outcome = work()
        return Done(process_time() - start, pieces, outcome)

    return go


def seconds_a_piece(go: Go) -> float:
    """Return the mean seconds of a piece, over as many turns as it takes to measure them."""
    total, pieces = 0.0, 0
    while total < LEAST:
        gc.collect()
        done = go()
        total, pieces = total + done.seconds, pieces + done.pieces
    return total / pieces


def digest(outcome: Any) -> str:
    """Return a short text that is the same only for the same outcome: arrays in every bit, numbers in ten digits."""
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
