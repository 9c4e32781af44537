"""How long people wait for the studio: from a message's arrival to its acknowledgement, and to the next turn."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

KEPT = 100_000


@dataclass
class Times:
    """The latest times, in seconds.

    Attributes:
        kept: until a deed was on the disk and its tab was told.
        turn: until the method had decided, too.
    """

    kept: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))
    turn: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))

    def summary(self) -> dict[str, dict[str, float]]:
        """Return how many there are, and their quantiles, in milliseconds."""
        return {name: _quantiles(list(times)) for name, times in (("kept", self.kept), ("turn", self.turn))}


def _quantiles(times: list[float]) -> dict[str, float]:
    if not times:
        return {"count": 0}
    p50, p95, p99 = np.quantile(times, [0.5, 0.95, 0.99]) * 1000
    return {"count": len(times), "p50": float(p50), "p95": float(p95), "p99": float(p99), "max": 1000 * max(times)}
