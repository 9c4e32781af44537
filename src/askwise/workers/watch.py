"""Looking after a process: whoever takes longer than it may is told on, exactly once.

The watcher sleeps until the earliest moment at which something could take too long, and a second at most. Time in which
the watcher itself did not get to run (a suspended job, a machine that stood still) is not held against anybody.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from askwise.workers.limits import Limits
from askwise.workers.pulse import DECIDING, LOADING, SINCE, Pulse

LONGEST_SLEEP = 1.0
SHORTEST_SLEEP = 0.01
OVERSLEPT = 1.0
"""Seconds later than planned that still are the usual bustle."""


class Watch:
    """A thread that looks at a pulse.

    Args:
        pulse: what it looks at.
        limits: what is too long.
        exceeded: called, from that thread, with words about what took too long.
    """

    def __init__(self, pulse: Pulse, limits: Limits, exceeded: Callable[[str], None]) -> None:
        self._pulse, self._exceeded = pulse, exceeded
        self._things = {DECIDING: "for a decision", SINCE: f"for {limits.unit}", LOADING: "to be loaded"}
        allowed = {DECIDING: limits.decision, SINCE: limits.episode, LOADING: limits.loading}
        self._allowed = {slot: seconds for slot, seconds in allowed.items() if not math.isinf(seconds)}
        self._seen = dict.fromkeys(self._allowed, 0.0)
        self._lost = 0.0
        self._lost_before = dict.fromkeys(self._allowed, 0.0)
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Look from now on."""
        if self._allowed:
            self._thread = threading.Thread(target=self._look, name="askwise-watch", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Look no longer; return when whoever is being told on has been."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _look(self) -> None:
        sleep = SHORTEST_SLEEP
        while True:
            before = time.monotonic()
            if self._over.wait(sleep):
                return
            now = time.monotonic()
            overslept = now - before - sleep
            left = self.left(now, overslept if overslept > OVERSLEPT else 0.0)
            slot = min(left, key=lambda slot: left[slot])
            if left[slot] <= 0:
                self._exceeded(f"took longer than {self._allowed[slot]:g} s {self._things[slot]}")
                return
            sleep = max(SHORTEST_SLEEP, min(LONGEST_SLEEP, left[slot]))

    def left(self, now: float, lost: float) -> dict[int, float]:
        """Return for each thing that is limited how many seconds it has left, after so many in which nobody ran."""
        lost_before, self._lost = self._lost, self._lost + lost
        left = {}
        for slot, allowed in self._allowed.items():
            since = self._pulse.numbers[slot]
            if since != self._seen[slot]:
                # It may have begun before the time that was just lost.
                self._seen[slot], self._lost_before[slot] = since, lost_before
            taken = now - since - (self._lost - self._lost_before[slot]) if since else 0.0
            left[slot] = allowed - taken
        return left
