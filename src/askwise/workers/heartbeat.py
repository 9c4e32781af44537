"""The time limits of agents, the heartbeat of a process, the watchdog that checks the limits, and delayed Ctrl-C.

The heartbeat of a process is a few numbers in shared memory, which show what the process is doing and since when.
"""

from __future__ import annotations

import math
import mmap
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

GIB = 2**30
LEAST_LOADING = 10.0
"""The smallest time limit for loading an agent, in seconds: it may need large libraries."""
SIZE = 64
"""The size of the numbers in bytes. After them, the file contains the stack of a process that crashed or was ended."""
UNIT, SINCE, DECIDING, BASE, PER_GOAL, LOADING = range(6)
NO_UNIT = -1
DUMP_SIGNAL = getattr(signal, "SIGUSR2", None)
"""The signal that makes a process write its stack to that file and end."""
LONGEST_SLEEP = 1.0
SHORTEST_SLEEP = 0.01
OVERSLEPT = 1.0
"""Seconds by which the watchdog may wake up late on a busy machine; longer means that the machine was paused."""


@dataclass(frozen=True)
class Limits:
    """The limits of time and memory for an agent; infinity means no limit.

    Attributes:
        decision: seconds for a decision.
        episode: seconds for an episode or another unit of work, with loading the agent.
        memory: GiB of address space of the agent's process.
        unit: the name of the unit of work for error messages, such as "a problem".
    """

    decision: float = 300.0
    episode: float = 3600.0
    memory: float = math.inf
    unit: str = "an episode"

    @property
    def loading(self) -> float:
        """The time limit for loading and constructing an agent, in seconds: that of a decision, but at least 10."""
        return max(self.decision, LEAST_LOADING)

    def describe(self) -> dict[str, float | None]:
        """Return the limits as a JSON-compatible dict, in which None means no limit.

        The keys are ``decision_seconds``, ``episode_seconds`` and ``memory_gib``.
        """
        found = {"decision_seconds": self.decision, "episode_seconds": self.episode, "memory_gib": self.memory}
        return {name: None if math.isinf(value) else value for name, value in found.items()}


class Heartbeat:
    """Numbers by which a process shows its supervising process what it is doing, and since when.

    The supervised process writes the numbers into a file, from which the supervising process reads them. Their indices:

    - `UNIT`: the number of the unit of work, such as an episode;
    - `BASE`, `PER_GOAL`: the base price of a question, and the price of each goal in it;
    - `SINCE`, `DECIDING`, `LOADING`: when the unit, the decision and the loading of an agent began (`time.monotonic`);
      0 for none.

    Attributes:
        numbers: ``float64 [8]``.
        is_copy: whether this process is a fork of the supervised one.

    Args:
        path: an existing file of at least `SIZE` bytes; None if this process is not supervised.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._paused: tuple[float, dict[int, float]] = (0.0, {})
        self._pauses = 0
        self.is_copy = False
        self.show_in(path)

    def show_in(self, path: str | Path | None) -> None:
        """Keep the numbers of this heartbeat in a file from now on, so that the supervising process can read them.

        `path` is an existing file of at least `SIZE` bytes; None keeps them in the memory of this process.
        """
        if path is None:
            self.numbers = memoryview(bytearray(SIZE)).cast("d")
            self.numbers[UNIT] = NO_UNIT
            return
        with Path(path).open("r+b") as file:
            self.numbers = memoryview(mmap.mmap(file.fileno(), SIZE)).cast("d")

    def mark_as_copy(self) -> None:
        """Record that this process is a fork of the supervised process, and no longer write to the shared numbers."""
        self.is_copy = True
        self.show_in(None)

    @property
    def unit(self) -> int:
        """The number of the current unit of work, such as an episode; `NO_UNIT` (-1) if no work is being done."""
        unit = self.numbers[UNIT]
        return int(unit) if math.isfinite(unit) else NO_UNIT  # an agent may have overwritten the file

    @property
    def is_deciding(self) -> bool:
        """Whether an agent is making a decision in the process now."""
        return self.numbers[DECIDING] != 0

    @property
    def prices(self) -> tuple[float, float]:
        """The base price of a question and the price of each goal that it names, in the current unit of work.

        They are ``nan`` until they are known. A unit of work is, for instance, an episode.
        """
        return self.numbers[BASE], self.numbers[PER_GOAL]

    def begin(self, unit: int) -> None:
        """Show the supervising process that a unit of work, such as an episode, begins now; `unit` is its number."""
        self.numbers[BASE] = self.numbers[PER_GOAL] = float("nan")
        self.numbers[DECIDING] = 0.0
        self.numbers[SINCE] = time.monotonic()
        self.numbers[UNIT] = unit

    def set_prices(self, base: float, per_goal: float) -> None:
        """Show the supervising process the prices of questions in the current unit of work, such as an episode.

        Args:
            base: the price of every question.
            per_goal: the additional price of each goal that a question names.
        """
        self.numbers[BASE], self.numbers[PER_GOAL] = base, per_goal

    def end(self) -> None:
        """Show the supervising process that the current unit of work, such as an episode, is finished."""
        self.numbers[UNIT] = NO_UNIT
        self.numbers[SINCE] = 0.0

    def pause(self) -> None:
        """Stop the clocks of all time limits, for instance while code is compiled.

        The clocks run again when `resume` has been called as often as `pause`.
        """
        self._pauses += 1
        if self._pauses > 1:
            return
        self._paused = time.monotonic(), {slot: self.numbers[slot] for slot in (SINCE, DECIDING, LOADING)}
        self.numbers[SINCE] = self.numbers[DECIDING] = self.numbers[LOADING] = 0.0

    def resume(self) -> None:
        """Let the clocks of all time limits run again after `pause`; the time in between does not count.

        Each call of `pause` needs a call of `resume`; the clocks run again after the last one.
        """
        self._pauses -= 1
        if self._pauses > 0:
            return
        when, stood = self._paused
        for slot, since in stood.items():
            self.numbers[slot] = since + time.monotonic() - when if since else 0.0


class Timed:
    """A context manager: while its ``with`` block runs, a heartbeat shows that an agent is deciding or being loaded.

    In nested blocks, the time counts from the outermost one. At its end, a fork of the supervised process exits.

    Args:
        heartbeat: the heartbeat of this process.
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
                # An agent forked, and both processes returned. Only one may continue; otherwise rows would be sent
                # twice, and the next decision would fork again.
                os._exit(0)
            self._heartbeat.numbers[self._slot] = 0.0


own = Heartbeat()
"""The heartbeat of this process."""
deciding = Timed(own, DECIDING)
"""Use this around every decision of an agent."""
loading = Timed(own, LOADING)
"""Use this around all code of an agent that runs before it exists: its module and its constructor."""


class Watchdog:
    """A thread that reads the heartbeat of a process, and reports once if the process exceeds a time limit.

    Time in which the job or machine is suspended does not count.

    Args:
        heartbeat: the heartbeat of the process.
        limits: the time limits.
        exceeded: called in this thread with a clause such as "took longer than 60 s for a decision".
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
        """Start the thread; do nothing if all limits are infinite."""
        if self._allowed:
            self._thread = threading.Thread(target=self._look, name="askwise-watchdog", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread; if it is reporting, wait until it has finished."""
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
        """Return how many seconds are left until each finite time limit is exceeded.

        The keys are `DECIDING` (a decision), `SINCE` (a unit of work) and `LOADING` (loading an agent). For one that is
        not going on, the whole time is left.

        Args:
            now: the current time, as of `time.monotonic`.
            lost: seconds for which the machine was suspended since the last call.
        """
        lost_before, self._lost = self._lost, self._lost + lost
        left = {}
        for slot, allowed in self._allowed.items():
            since = self._heartbeat.numbers[slot]
            if since != self._seen[slot]:
                # The slot may have begun before the pause.
                self._seen[slot], self._lost_before[slot] = since, lost_before
            taken = now - since - (self._lost - self._lost_before[slot]) if since else 0.0
            left[slot] = allowed - taken
        return left


class DeferredInterrupt:
    """Delays the effect of Ctrl-C: if it is pressed between `hold` and `release`, it takes effect at `release`.

    Only the main thread receives Ctrl-C, so both methods do nothing in other threads.
    """

    def __init__(self) -> None:
        self._before: signal._HANDLER = None
        self._holding = False
        self._pressed = False

    def hold(self) -> None:
        """Delay the effect of Ctrl-C until `release` is called."""
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        if before in (None, signal.SIG_IGN, signal.SIG_DFL):
            return  # Ctrl-C would not raise an exception, so none can be lost
        self._before, self._holding, self._pressed = before, True, False
        signal.signal(signal.SIGINT, self._press)

    def release(self) -> None:
        """Restore the handling of Ctrl-C; if it was pressed since `hold`, let it take effect now."""
        if not self._holding or threading.current_thread() is not threading.main_thread():
            return
        self._holding = False
        signal.signal(signal.SIGINT, self._before)
        if self._pressed:
            signal.raise_signal(signal.SIGINT)

    def _press(self, _: int, __: FrameType | None) -> None:
        self._pressed = True
