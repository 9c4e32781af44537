"""Lines to and from a process, as an event loop hears them.

Where the loop can watch pipes itself it does (`LoopLines`): through threads, each line would cost switches of threads
and wake-ups of the loop. Elsewhere, as on Windows, two threads do it (`ThreadLines`). Both call `heard` with every line
and, when the process says nothing any more, `ended` with how it ended; both on the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Protocol

from askwise.workers.process import SupervisedProcess

AT_ONCE = 1 << 18
"""Bytes that are taken from a pipe at once."""

Heard = Callable[[bytes], None]
Ended = Callable[[str], None]


class Lines(Protocol):
    """The lines of one process."""

    def send(self, line: bytes) -> None:
        """Send a line, its end included; one to a process that has died is lost, and `ended` says so."""

    def close(self) -> None:
        """End the process, and call nobody any more."""


def lines_of(process: SupervisedProcess, heard: Heard, ended: Ended) -> Lines:
    """Return the lines of a process, in whatever way the running loop can hear them."""
    loop = asyncio.get_running_loop()
    try:
        return LoopLines(loop, process, heard, ended)
    except NotImplementedError:
        return ThreadLines(loop, process, heard, ended)


class LoopLines:
    """Lines that the loop reads and writes itself; raises `NotImplementedError` where it cannot."""

    def __init__(self, loop: asyncio.AbstractEventLoop, process: SupervisedProcess, heard: Heard, ended: Ended) -> None:
        self._loop, self._process, self._heard, self._ended = loop, process, heard, ended
        self._to, self._from = (stream.fileno() for stream in process.streams)
        self._begun: list[bytes] = []
        self._waiting = bytearray()
        self._open = True
        loop.add_reader(self._from, self._read)
        for pipe in (self._to, self._from):
            os.set_blocking(pipe, False)

    def send(self, line: bytes) -> None:
        """See `Lines`."""
        if not self._open:
            return
        behind = bool(self._waiting)
        self._waiting += line
        if not behind and not self._written():
            self._loop.add_writer(self._to, self._go_on)

    def _written(self) -> bool:
        """Write what the pipe takes; whether that was all."""
        try:
            del self._waiting[: os.write(self._to, self._waiting)]
        except BlockingIOError:
            return False  # the pipe is full: the loop says when it is not
        except OSError:
            self._waiting.clear()  # it died, which the reader finds out
        return not self._waiting

    def _go_on(self) -> None:
        if self._written():
            self._loop.remove_writer(self._to)

    def _read(self) -> None:
        try:
            found = os.read(self._from, AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            found = b""
        if not found:
            self._leave()
            threading.Thread(target=self._bury, daemon=True).start()
            return
        *lines, rest = found.split(b"\n")
        if lines:  # a long line comes in many parts, which are put together once
            lines[0] = b"".join([*self._begun, lines[0]])
            self._begun.clear()
        self._begun.append(rest)
        for line in lines:
            self._heard(line)

    def _bury(self) -> None:
        """Find out how the process ended, which may take a while."""
        why = self._process.end_in_words()
        self._process.close()
        with contextlib.suppress(RuntimeError):  # the server is gone
            self._loop.call_soon_threadsafe(self._ended, why)

    def _leave(self) -> None:
        self._open = False
        self._loop.remove_reader(self._from)
        self._loop.remove_writer(self._to)

    def close(self) -> None:
        """See `Lines`."""
        if self._open:
            self._leave()
            self._process.close()


class ThreadLines:
    """Lines that two threads read and write."""

    def __init__(self, loop: asyncio.AbstractEventLoop, process: SupervisedProcess, heard: Heard, ended: Ended) -> None:
        self._loop, self._process, self._heard, self._ended = loop, process, heard, ended
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._open = True
        for task in (self._write, self._read):
            threading.Thread(target=task, daemon=True).start()

    def send(self, line: bytes) -> None:
        """See `Lines`."""
        self._outgoing.put(line)

    def _write(self) -> None:
        stream = self._process.streams[0]
        with contextlib.suppress(OSError, ValueError):  # it died: the reader says so
            while (line := self._outgoing.get()) is not None:
                stream.write(line)
                stream.flush()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in self._process.streams[1]:
                self._tell(self._heard, line)
        self._outgoing.put(None)
        if self._open:
            why = self._process.end_in_words()
            self._process.close()
            self._tell(self._ended, why)

    def _tell(self, call: Any, *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the server is gone
            self._loop.call_soon_threadsafe(call, *arguments)

    def close(self) -> None:
        """See `Lines`."""
        self._open = False
        self._outgoing.put(None)
        self._process.close()
