"""The heartbeat: a few numbers in shared memory that show what a worker process is doing, and since when.

To write a number takes a tenth of a microsecond and no lock, so a process that hangs in compiled code still shows since
when. A process that nobody supervises writes the numbers into memory of its own.
"""

from __future__ import annotations

import math
import mmap
import os
import time
from pathlib import Path

SIZE = 64
"""Bytes of the numbers. Behind them, the file holds the stack of a process that crashed or was ended."""
UNIT, SINCE, DECIDING, BASE, PER_GOAL, LOADING = range(6)
NO_UNIT = -1


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
