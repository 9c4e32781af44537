"""How often somebody may do something: a bucket for each that fills steadily and is emptied by one for each time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from askwise.studio.limits import MOST_KNOWN


class Rates:
    """Buckets by name.

    Args:
        a_second: how much flows into each bucket.
        at_once: how much one holds.
        clock: tells the time, in seconds.
    """

    def __init__(self, a_second: float, at_once: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._at_once, self._clock = a_second, at_once, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allow(self, name: str) -> bool:
        """Whether it may be done once more."""
        now = self._clock()
        level, since = self._buckets.get(name, (self._at_once, now))
        level = min(self._at_once, level + (now - since) * self._a_second)
        allowed = level >= 1
        self._buckets[name] = (level - 1 if allowed else level, now)
        self._buckets.move_to_end(name)
        while len(self._buckets) > MOST_KNOWN:
            self._buckets.popitem(last=False)
        return allowed
