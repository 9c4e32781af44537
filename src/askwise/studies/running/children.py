"""The processes in which this one lets agents play: started when they are needed, kept for the next task, ended.

Each belongs to a run and is not used for another: what an agent's module is like is looked up anew. Each method of
others has processes that no other method plays in.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from askwise.errors import AskwiseError
from askwise.studies.running.child import DONE, READY, REFUSED, Message
from askwise.studies.running.rows import Prices
from askwise.workers.heartbeat import NO_UNIT
from askwise.workers.limits import Limits
from askwise.workers.process import SupervisedProcess

MOST_IDLE = 16
"""Processes that are kept without work; a study may have many methods of others."""
PLAYS = "askwise.studies.running.child"
"""What the processes of studies run."""


class WorkersGone(AskwiseError):  # noqa: N818 - it names what happened
    """The executor broke down, the cluster went away, or processes cannot be started."""


class Ended(Exception):  # noqa: N818 - nothing is wrong
    """The run is over, and its processes with it."""


class Refused(Exception):  # noqa: N818 - it names what happened
    """Another process cannot make sense of a task."""


class Died(Exception):  # noqa: N818 - it names what happened
    """A process ended in the middle of its work.

    Attributes:
        unit: what it was at, None if it was between two units.
        prices: what questions cost there.
        why: in words.
        certainly: that unit is to blame, even if it came to an end before the process did.
    """

    def __init__(self, unit: int | None, prices: Prices, why: str, *, certainly: bool = False) -> None:
        super().__init__(why)
        self.unit, self.prices, self.why, self.certainly = unit, prices, why, certainly


class Child:
    """A process in which agents play.

    Args:
        run: the run that it belongs to.
        limits: what its agents may take.
        module: what it runs.
        guest: names the method of others that plays in it, and alone; empty for those that share a process.
    """

    def __init__(self, run: str, limits: Limits, module: str, guest: str) -> None:
        self.belongs_to = (run, limits, module, guest, tuple(sys.path))
        self.is_fresh = True
        self._is_ready = False
        self._process = SupervisedProcess(module, [repr(limits.memory)], limits, apart=True, pipes=True)
        self._tasks, self._results = self._process.streams

    def wait_until_ready(self) -> None:
        """Wait until it can work."""
        if self._is_ready:
            return
        try:
            self._is_ready = pickle.load(self._results) == (READY, None)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise WorkersGone(f"worker processes cannot be started ({self._process.end_in_words()})") from None

    def play(self, task: bytes, units: frozenset[int]) -> Iterator[tuple[int, Any]]:
        """Play some units of a task, and yield their rows as they come."""
        message: Message = (_here(), dict(os.environ), task, units)
        try:
            pickle.dump(message, self._tasks, pickle.HIGHEST_PROTOCOL)
            self._tasks.flush()
            while True:
                number, rows = pickle.load(self._results)
                if number == DONE:
                    self.is_fresh = False
                    return
                if number == REFUSED:
                    raise Refused(rows)
                yield number, rows
        except (EOFError, OSError, pickle.UnpicklingError):
            raise self._death() from None

    def _death(self) -> Died:
        why, heartbeat = self._process.end_in_words(), self._process.heartbeat
        took_too_long = self._process.verdict is not None
        unit = self._process.convicted if took_too_long else heartbeat.unit
        base, per_station = (None if math.isnan(price) else price for price in heartbeat.prices)
        return Died(None if unit == NO_UNIT else unit, (base, per_station), why, certainly=took_too_long)

    @property
    def number(self) -> int:
        """What the system calls it."""
        return self._process.process.pid

    def is_gone(self) -> bool:
        """Whether it has ended, by itself: nobody had work for it."""
        return self._process.process.poll() is not None

    def kill(self) -> None:
        """End it; whoever waits for it learns so."""
        self._process.kill()

    def close(self) -> None:
        """End it and let go of everything."""
        with contextlib.suppress(OSError):
            self._process.close()


def _here() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:  # the folder was removed
        return None


_lock = threading.Lock()
_home = os.getpid()
_idle: list[Child] = []
_busy: set[Child] = set()
_ended: set[str] = set()


@contextlib.contextmanager
def borrowed(run: str, limits: Limits, module: str = PLAYS, guest: str = "") -> Iterator[Child]:
    """Yield a process of a run and a guest: one without work, or else a new one. One that failed is not kept."""
    child = _taken(run, limits, module, guest)
    try:
        child.wait_until_ready()
        yield child
    except BaseException as error:
        _drop(child)
        if run in _ended and not isinstance(error, Ended):
            raise Ended from None
        raise
    with _lock:
        _busy.discard(child)
        _idle.append(child)
        waited_longest = _idle.pop(0) if len(_idle) > MOST_IDLE else None
    if waited_longest is not None:
        waited_longest.close()


def _taken(run: str, limits: Limits, module: str, guest: str) -> Child:
    _forget_if_copied()
    wanted = (run, limits, module, guest, tuple(sys.path))
    with _lock:
        gone = [child for child in _idle if child.is_gone()]
        _idle[:] = [child for child in _idle if child not in gone]
        fit = next((child for child in _idle if child.belongs_to == wanted), None)
        if fit is not None:
            _idle.remove(fit)
            _busy.add(fit)
    for child in gone:
        child.close()
    return _new(run, limits, module, guest) if fit is None else fit


def _new(run: str, limits: Limits, module: str, guest: str) -> Child:
    try:
        new = Child(run, limits, module, guest)
    except (OSError, RuntimeError) as error:
        raise WorkersGone(f"worker processes cannot be started ({error})") from None
    with _lock:
        if run not in _ended:
            _busy.add(new)
            return new
    new.close()
    raise Ended


def _drop(child: Child) -> None:
    with _lock:
        _busy.discard(child)
    child.close()


def end(run: str) -> None:
    """End all processes of a run, and start no more for it."""
    with _lock:
        _ended.add(run)
        idle = [child for child in _idle if child.belongs_to[0] == run]
        _idle[:] = [child for child in _idle if child not in idle]
        for child in _busy:
            if child.belongs_to[0] == run:
                child.kill()  # whoever waits for it drops it
    for child in idle:
        child.close()


def _forget_if_copied() -> None:
    """Start afresh in a copy of this process, which has no children."""
    global _home
    if os.getpid() != _home:
        _home = os.getpid()
        _idle.clear()
        _busy.clear()


@atexit.register
def _end_all() -> None:
    if os.getpid() != _home:
        return
    for child in [*_idle, *_busy]:
        child.kill()
    for child in _idle:
        child.close()
