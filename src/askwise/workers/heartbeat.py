"""The heartbeat: a few numbers in shared memory that show what a process is doing, and since when; and its watchdog.

To write a number takes a tenth of a microsecond and no lock, so a process that hangs in compiled code still shows since
when. A process that nobody supervises writes the numbers into memory of its own.

Deferring Ctrl-C while something must not be interrupted.
"""

from __future__ import annotations

import math
import mmap
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from askwise.workers.limits import Limits

SIZE = 64
"""Bytes of the numbers. Behind them, the file holds the stack of a process that crashed or was ended."""
UNIT, SINCE, DECIDING, BASE, PER_GOAL, LOADING = range(6)
NO_UNIT = -1
DUMP_SIGNAL = getattr(signal, "SIGUSR2", None)
"""The signal on which the process writes its stack to that file, and dies."""
LONGEST_SLEEP = 1.0
SHORTEST_SLEEP = 0.01
OVERSLEPT = 1.0
"""Seconds that the watchdog may wake late on a busy machine; a longer delay means that nothing ran."""


class Heartbeat:
    """The numbers, as the worker and its supervisor see them.

    Args:
        path: a file that both map into memory; None if nobody supervises this process.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._paused: tuple[float, dict[int, float]] = (0.0, {})
        self._pauses = 0
        self.is_copy = False
        self.show_in(path)

    def show_in(self, path: str | Path | None) -> None:
        """Write the numbers to a file from now on; None: to memory of this process."""
        if path is None:
            self.numbers = memoryview(bytearray(SIZE)).cast("d")
            self.numbers[UNIT] = NO_UNIT
            return
        with Path(path).open("r+b") as file:
            self.numbers = memoryview(mmap.mmap(file.fileno(), SIZE)).cast("d")

    def mark_as_copy(self) -> None:
        """Note that this process is a fork of the supervised one, and must not write its numbers."""
        self.is_copy = True
        self.show_in(None)

    @property
    def unit(self) -> int:
        """The number of the unit of work that has begun and is not finished, `NO_UNIT` if there is none."""
        unit = self.numbers[UNIT]
        return int(unit) if math.isfinite(unit) else NO_UNIT  # an agent may write anything into any file

    @property
    def is_deciding(self) -> bool:
        """Whether an agent is making a decision."""
        return self.numbers[DECIDING] != 0

    @property
    def runs_agent(self) -> bool:
        """Whether an agent is making a decision or being loaded."""
        return self.is_deciding or self.numbers[LOADING] != 0

    @property
    def prices(self) -> tuple[float, float]:
        """The base price of a question and its price per goal in this unit, NaN until they are known."""
        return self.numbers[BASE], self.numbers[PER_GOAL]

    def begin(self, unit: int) -> None:
        """Show that a unit of work begins."""
        self.numbers[BASE] = self.numbers[PER_GOAL] = float("nan")
        self.numbers[DECIDING] = 0.0
        self.numbers[SINCE] = time.monotonic()
        self.numbers[UNIT] = unit

    def set_prices(self, base: float, per_goal: float) -> None:
        """Show the prices of questions in this unit."""
        self.numbers[BASE], self.numbers[PER_GOAL] = base, per_goal

    def end(self) -> None:
        """Show that the unit of work is finished."""
        self.numbers[UNIT] = NO_UNIT
        self.numbers[SINCE] = 0.0

    def pause(self) -> None:
        """Stop all clocks until `resume` has been called as often as `pause`, for instance while code is compiled."""
        self._pauses += 1
        if self._pauses > 1:
            return
        self._paused = time.monotonic(), {slot: self.numbers[slot] for slot in (SINCE, DECIDING, LOADING)}
        self.numbers[SINCE] = self.numbers[DECIDING] = self.numbers[LOADING] = 0.0

    def resume(self) -> None:
        """Let the clocks run again, without the time that they were stopped."""
        self._pauses -= 1
        if self._pauses > 0:
            return
        when, stood = self._paused
        for slot, since in stood.items():
            self.numbers[slot] = since + time.monotonic() - when if since else 0.0


class Timed:
    """``with deciding:`` shows that an agent decides, ``with loading:`` that it is loaded; nested blocks count as one.

    Args:
        heartbeat: where to show it.
        slot: `DECIDING` or `LOADING`.
    """

    def __init__(self, heartbeat: Heartbeat, slot: int = DECIDING) -> None:
        self._heartbeat, self._slot = heartbeat, slot
        self._depth = 0

    def __enter__(self) -> None:
        self._depth += 1
        if self._depth == 1:
            self._heartbeat.numbers[self._slot] = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            if self._heartbeat.is_copy:
                # An agent forked, and both processes returned. Only one may continue: two would send rows twice, and
                # fork again in the next decision.
                os._exit(0)
            self._heartbeat.numbers[self._slot] = 0.0


own = Heartbeat()
"""The heartbeat of this process."""
deciding = Timed(own, DECIDING)
loading = Timed(own, LOADING)
"""Around everything that runs an agent's code before the agent exists: its file or module, and its constructor."""


class Watchdog:
    """A thread that reports, once, that a process exceeds one of its time limits.

    It sleeps until the earliest moment at which a limit could be exceeded, and a second at most. Time in which the
    watchdog itself could not run (a suspended job, a machine that stood still) does not count.

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


class DeferredInterrupt:
    """After ``hold()``, Ctrl-C waits until ``release()``; does nothing outside the main thread, which alone gets it."""

    def __init__(self) -> None:
        self._before: signal._HANDLER = None
        self._holding = False
        self._pressed = False

    def hold(self) -> None:
        """Defer Ctrl-C from now on."""
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        if before in (None, signal.SIG_IGN, signal.SIG_DFL):
            return  # no exception would be raised, so none can be lost
        self._before, self._holding, self._pressed = before, True, False
        signal.signal(signal.SIGINT, self._press)

    def release(self) -> None:
        """Handle Ctrl-C as before, and raise the one that was deferred."""
        if not self._holding or threading.current_thread() is not threading.main_thread():
            return
        self._holding = False
        signal.signal(signal.SIGINT, self._before)
        if self._pressed:
            signal.raise_signal(signal.SIGINT)

    def _press(self, _: int, __: FrameType | None) -> None:
        self._pressed = True
