"""A Python process of our own that is watched: started, limited, ended, and asked how it ended.

It is a fresh process, not a copy of this one (copies of a process with threads can hang), and runs with this one's
`sys.path`. On Linux it ends when this one does, in whatever way that happens.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from askwise.workers import exit_status
from askwise.workers.heartbeat import NO_UNIT, SIZE, UNIT, Heartbeat
from askwise.workers.limits import Limits
from askwise.workers.watchdog import Watchdog

BOOT = (
    "import ast, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "sys.path[:] = ast.literal_eval(sys.argv.pop(1)); from {} import main; main()"
)
"""What the process runs; with -P, Python itself adds nothing to its path that this one does not have."""
DUMP_SIGNAL = getattr(signal, "SIGUSR2", None)
"""The signal on which the process writes down where it is, and dies."""
SECONDS_TO_DUMP = 2.0
SECONDS_TO_END = 10.0


class SupervisedProcess:
    """A process that is watched.

    Attributes:
        verdict: what it took too long for, None if it did not.
        convicted: the unit of work that it was at then.

    Args:
        module: the module whose ``main`` it runs.
        arguments: what that finds in ``sys.argv`` behind the file of the heartbeat.
        limits: what it may take.
        apart: in a group of its own, so that it does not hear Ctrl-C and all that it starts can be ended with it.
        pipes: talk to it by its standard input and output.
    """

    def __init__(
        self, module: str, arguments: Sequence[str], limits: Limits, *, apart: bool = False, pipes: bool = False
    ) -> None:
        self._apart = apart and os.name == "posix"
        self._file = _heartbeat_file()
        self.verdict: str | None = None
        self.convicted = NO_UNIT
        command = [sys.executable, "-P", "-c", BOOT.format(module), ascii([*map(str, sys.path)]), str(self._file)]
        pipe = subprocess.PIPE if pipes else None
        options: dict[str, Any] = {"stdin": pipe, "stdout": pipe}
        if self._apart:
            options["process_group"] = 0
        try:
            self.heartbeat = Heartbeat(self._file)
            self._stack_file = self._file.open("rb")
            self.process: subprocess.Popen[bytes] = _start([*command, *arguments], options)
        except BaseException:
            self._file.unlink()
            raise
        self._watch = Watchdog(self.heartbeat, limits, self._end_for)
        self._watch.start()

    @property
    def streams(self) -> tuple[IO[bytes], IO[bytes]]:
        """What the process reads, and what it writes."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    def _end_for(self, verdict: str) -> None:
        self.convicted, self.verdict = self.heartbeat.unit, verdict
        if DUMP_SIGNAL is not None:
            self.process.send_signal(DUMP_SIGNAL)
            give_up = time.monotonic() + SECONDS_TO_DUMP
            while not self._stack() and self.process.poll() is None and time.monotonic() < give_up:
                time.sleep(0.01)
        self.kill()

    def kill(self) -> None:
        """End the process now, with all that it started if it is in a group of its own."""
        with contextlib.suppress(OSError):
            if self._apart:
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def close(self) -> None:
        """End the process if it still runs, and let go of everything."""
        self._watch.stop()
        self.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._stack_file):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._file.unlink(missing_ok=True)  # unless the process has done so

    def end_in_words(self) -> str:
        """Return how a process ended that says nothing any more."""
        try:
            code = self.process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self.verdict = self.verdict or "its process hung up, and went on"
            self.kill()
            code = self.process.wait()
        self._watch.stop()
        place = exit_status.place_in(self._stack())
        if self.verdict is not None:
            return f"{self.verdict} ({place})" if place else self.verdict
        return exit_status.describe_exit(code, place)

    def _stack(self) -> str:
        self._stack_file.seek(SIZE)
        return self._stack_file.read().decode("ascii", "replace")


def _heartbeat_file() -> Path:
    handle, name = tempfile.mkstemp(prefix="askwise-", suffix=".heartbeat")
    with os.fdopen(handle, "wb") as file:
        file.truncate(SIZE)
    Heartbeat(name).numbers[UNIT] = NO_UNIT
    return Path(name)


# Linux ends a process with its parent, by which it means the thread that started it. So one thread starts all of them,
# and stays.
_starters: dict[int, ThreadPoolExecutor] = {}
_starting = threading.Lock()


def _start(command: list[str], options: dict[str, Any]) -> subprocess.Popen[bytes]:
    with _starting:
        here = os.getpid()  # a copy of this process has no threads
        if here not in _starters:
            _starters[here] = ThreadPoolExecutor(1, "askwise-starter")
        return _starters[here].submit(_open, command, options).result()


def _open(command: list[str], options: dict[str, Any]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, **options)
