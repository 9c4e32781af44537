"""The watchdog: a thread that reports, once, that a process exceeds one of its time limits.

It sleeps until the earliest moment at which a limit could be exceeded, and a second at most. Time in which the watchdog
itself could not run (a suspended job, a machine that stood still) does not count.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from askwise.workers.heartbeat import DECIDING, LOADING, SINCE, Heartbeat
from askwise.workers.limits import Limits

LONGEST_SLEEP = 1.0
SHORTEST_SLEEP = 0.01
OVERSLEPT = 1.0
"""Seconds that the watchdog may wake late on a busy machine; a longer delay means that nothing ran."""


class Watchdog:
    """A thread that compares a heartbeat with limits.

    Args:
        heartbeat: what the process shows.
        limits: the time limits.
        exceeded: called in the watchdog's thread with a sentence about what took too long.
    """

    def __init__(self, heartbeat: Heartbeat, limits: Limits, exceeded: Callable[[str], None]) -> None:
        self._heartbeat, self._exceeded = heartbeat, exceeded
        self._things = {DECIDING: "for a decision", SINCE: f"for {limits.unit}", LOADING: "to be loaded"}
        allowed = {DECIDING: limits.decision, SINCE: limits.episode, LOADING: limits.loading}
        self._allowed = {slot: seconds for slot, seconds in allowed.items() if not math.isinf(seconds)}
        self._seen = dict.fromkeys(self._allowed, 0.0)
        self._lost = 0.0
        self._lost_before = dict.fromkeys(self._allowed, 0.0)
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, unless nothing is limited."""
        if self._allowed:
            self._thread = threading.Thread(target=self._look, name="askwise-watchdog", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread; a report that has begun is finished first."""
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
        """Return the seconds that are left for each limited slot of the heartbeat.

        Args:
            now: the time.
            lost: seconds since the last call in which nothing ran.
        """
        lost_before, self._lost = self._lost, self._lost + lost
        left = {}
        for slot, allowed in self._allowed.items():
            since = self._heartbeat.numbers[slot]
            if since != self._seen[slot]:
                # It may have begun before the time that was just lost.
                self._seen[slot], self._lost_before[slot] = since, lost_before
            taken = now - since - (self._lost - self._lost_before[slot]) if since else 0.0
            left[slot] = allowed - taken
        return left
