"""The pulse: a few numbers by which a process that works shows how far it is to the one that watches it.

They are in memory that both processes see. To write them takes a tenth of a microsecond and asks nobody: neither a
lock nor the watcher, and a process that hangs in compiled code shows since when. A process that nobody watches writes
them all the same, into memory of its own.
"""

from __future__ import annotations

import mmap
import os
import time
from pathlib import Path

SIZE = 64
"""Bytes of the numbers. What stands behind them in the file is the stack of a process that was ended or crashed."""
UNIT, SINCE, DECIDING, BASE, PER_GOAL, LOADING = range(6)
NO_UNIT = -1


class Pulse:
    """The numbers, as both sides see them.

    Args:
        path: a file that both sides know; without one nobody watches.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._paused: tuple[float, dict[int, float]] = (0.0, {})
        self._pauses = 0
        self.is_copy = False
        self.show_in(path)

    def show_in(self, path: str | Path | None) -> None:
        """Show the numbers in a file from now on."""
        if path is None:
            self.numbers = memoryview(bytearray(SIZE)).cast("d")
            self.numbers[UNIT] = NO_UNIT
            return
        with Path(path).open("r+b") as file:
            self.numbers = memoryview(mmap.mmap(file.fileno(), SIZE)).cast("d")

    def copied(self) -> None:
        """Say that this process is a copy (a fork) of the one that is watched: it shows nothing."""
        self.is_copy = True
        self.show_in(None)

    @property
    def unit(self) -> int:
        """The unit of work that was begun last and is not done, `NO_UNIT` if there is none."""
        return int(self.numbers[UNIT])

    @property
    def is_deciding(self) -> bool:
        """Whether an agent decides."""
        return self.numbers[DECIDING] != 0

    @property
    def is_others(self) -> bool:
        """Whether an agent decides, or is loaded: code of others runs."""
        return self.is_deciding or self.numbers[LOADING] != 0

    @property
    def prices(self) -> tuple[float, float]:
        """What questions cost in that unit, NaN while that is not known."""
        return self.numbers[BASE], self.numbers[PER_GOAL]

    def begin(self, unit: int) -> None:
        """Say that a unit of work begins."""
        self.numbers[BASE] = self.numbers[PER_GOAL] = float("nan")
        self.numbers[DECIDING] = 0.0
        self.numbers[SINCE] = time.monotonic()
        self.numbers[UNIT] = unit

    def priced(self, base: float, per_goal: float) -> None:
        """Say what questions cost in this unit."""
        self.numbers[BASE], self.numbers[PER_GOAL] = base, per_goal

    def end(self) -> None:
        """Say that a unit is done."""
        self.numbers[UNIT] = NO_UNIT
        self.numbers[SINCE] = 0.0

    def pause(self) -> None:
        """Stop the clocks until `resume` is called as often: what follows is nobody's fault."""
        self._pauses += 1
        if self._pauses > 1:
            return
        self._paused = time.monotonic(), {slot: self.numbers[slot] for slot in (SINCE, DECIDING, LOADING)}
        self.numbers[SINCE] = self.numbers[DECIDING] = self.numbers[LOADING] = 0.0

    def resume(self) -> None:
        """Let the clocks go on where they were."""
        self._pauses -= 1
        if self._pauses > 0:
            return
        when, stood = self._paused
        for slot, since in stood.items():
            self.numbers[slot] = since + time.monotonic() - when if since else 0.0


class Timed:
    """``with deciding:`` an agent decides, ``with loading:`` it is loaded; several within each other count as one.

    Args:
        pulse: where to show it.
        slot: which of the two it is.
    """

    def __init__(self, pulse: Pulse, slot: int = DECIDING) -> None:
        self._pulse, self._slot = pulse, slot
        self._depth = 0

    def __enter__(self) -> None:
        self._depth += 1
        if self._depth == 1:
            self._pulse.numbers[self._slot] = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            if self._pulse.is_copy:
                # An agent forked, and both processes came back. One of them plays: two would send rows twice, and fork
                # again at the next decision.
                os._exit(0)
            self._pulse.numbers[self._slot] = 0.0


own = Pulse()
"""The pulse of this process."""
deciding = Timed(own, DECIDING)
loading = Timed(own, LOADING)
"""Around all that runs code of others before there is an agent: its file or module, and what makes it."""
