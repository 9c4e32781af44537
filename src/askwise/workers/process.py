"""A supervised Python process: started, limited and ended, with a description of how it ended.

It is a new process, not a fork (forks of a process with threads can hang), with the same `sys.path` as this process. On
Linux it ends when this process ends for any reason.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from askwise.workers.heartbeat import DUMP_SIGNAL, NO_UNIT, SIZE, UNIT, Heartbeat, Limits, Watchdog

BOOT = (
    "import ast, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "sys.path[:] = ast.literal_eval(sys.argv.pop(1)); from askwise.workers.child import main; main()"
)
"""The program of the process; with -P, Python adds no folder to its path."""
SECONDS_TO_DUMP = 2.0
SECONDS_TO_END = 10.0
FRAME = re.compile(r'^  File "(.*)", line (\d+) in ', re.MULTILINE)
"""A line of a stack that `faulthandler` wrote; the innermost call comes first."""
KNOWN = {number.value: number for number in signal.Signals}


class SupervisedProcess:
    """A child process that answers requests, and is ended when it exceeds a time limit.

    It has its own process group: it does not receive Ctrl-C, and processes that it starts end with it. Its standard
    input and output are pipes to this process.

    Attributes:
        exceeded: a clause that says which limit it exceeded, None if it exceeded none.
        exceeded_in: the number of the unit of work (such as an episode) in which it exceeded a limit, or `NO_UNIT`.

    Args:
        arguments: the arguments of `askwise.workers.child.serve`, as text.
        limits: the time limits.
    """

    def __init__(self, arguments: Sequence[str], limits: Limits) -> None:
        self._own_group = os.name == "posix"
        self._file = _heartbeat_file()
        self.exceeded: str | None = None
        self.exceeded_in = NO_UNIT
        command = [sys.executable, "-P", "-c", BOOT, ascii([*map(str, sys.path)]), str(self._file), *arguments]
        options: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        if self._own_group:
            options["process_group"] = 0
        try:
            self.heartbeat = Heartbeat(self._file)
            self._stack_file = self._file.open("rb")
            self.process: subprocess.Popen[bytes] = _start(command, options)
        except BaseException:
            self._file.unlink()
            raise
        self._watchdog = Watchdog(self.heartbeat, limits, self._end_for)
        self._watchdog.start()

    @property
    def pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """The pipes to the standard input and from the standard output of the process, in this order."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    def _end_for(self, exceeded: str) -> None:
        self.exceeded_in, self.exceeded = self.heartbeat.unit, exceeded
        if DUMP_SIGNAL is not None:
            self.process.send_signal(DUMP_SIGNAL)
            give_up = time.monotonic() + SECONDS_TO_DUMP
            while not self._stack() and self.process.poll() is None and time.monotonic() < give_up:
                time.sleep(0.01)
        self.kill()

    def kill(self) -> None:
        """End the process now, and (except on Windows) the processes that it started."""
        with contextlib.suppress(OSError):
            if self._own_group:
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def close(self) -> None:
        """End the process if it still runs, and release its files and threads."""
        self._watchdog.stop()
        self.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._stack_file):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._file.unlink(missing_ok=True)  # usually the process has removed it

    def describe_end(self) -> str:
        """Wait until the process ends, and return a clause that says how, such as "its process was killed".

        A process that does not end within some seconds is killed.
        """
        try:
            code = self.process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self.exceeded = self.exceeded or "its process closed its pipe, and continued"
            self.kill()
            code = self.process.wait()
        self._watchdog.stop()
        place = place_in(self._stack())
        if self.exceeded is not None:
            return f"{self.exceeded} ({place})" if place else self.exceeded
        return describe_exit(code, place)

    def _stack(self) -> str:
        self._stack_file.seek(SIZE)
        return self._stack_file.read().decode("ascii", "replace")


def _heartbeat_file() -> Path:
    handle, name = tempfile.mkstemp(prefix="askwise-", suffix=".heartbeat")
    with os.fdopen(handle, "wb") as file:
        file.truncate(SIZE)
    Heartbeat(name).numbers[UNIT] = NO_UNIT
    return Path(name)


# Linux ends a process when the thread that started it ends. So one thread, which lives as long as this process, starts
# all processes. A fork of this process has no threads and needs a new one.
_starters: dict[int, ThreadPoolExecutor] = {}
_starting = threading.Lock()


def _start(command: list[str], options: dict[str, Any]) -> subprocess.Popen[bytes]:
    with _starting:
        if os.getpid() not in _starters:
            _starters[os.getpid()] = ThreadPoolExecutor(1, "askwise-starter")
        return _starters[os.getpid()].submit(lambda: subprocess.Popen(command, **options)).result()


# -- how a process ended ------------------------------------------------------------------------------------------


def describe_exit(code: int, place: str = "") -> str:
    """Return a clause that says how a process ended unexpectedly, such as "its process died (signal 11, ...)".

    Args:
        code: its exit code; negative for a signal.
        place: file and line at which it ended, empty if unknown.
    """
    where = f"; {place}" if place else ""
    if code >= 0:
        return f"its process ended itself (exit code {code})"
    number = KNOWN.get(-code)
    if number is None:
        return f"its process died (signal {-code}{where})"
    if number.name == "SIGKILL":  # the system sends it when memory runs out
        return "its process was killed (signal 9; out of memory?)"
    words = (signal.strsignal(number) or number.name).lower()
    return f"its process died (signal {-code}, {words}{where})"


def place_in(stack: str) -> str:
    """Return the file and line of the innermost call of user code in a stack dump, such as "mine.py, line 3".

    Calls in installed packages count only if there are no others. The result is empty if all calls are in askwise and
    the standard library.
    """
    foreign = [(name, line) for name, line in FRAME.findall(stack) if _is_foreign(name)]
    # The agent's own line is more helpful than a line of a library that it called.
    own = [frame for frame in foreign if not frame[0].startswith(_folders("purelib", "platlib"))] or foreign
    return f"{Path(own[0][0]).name}, line {own[0][1]}" if own else ""


def _is_foreign(name: str) -> bool:
    askwise = f"{Path(__file__).parents[1]}{os.sep}"
    if name.startswith(("<", askwise)):
        return False
    # Packages, which may contain agents, can be installed in a folder of the standard library.
    return name.startswith(_folders("purelib", "platlib")) or not name.startswith(_folders("stdlib", "platstdlib"))


def _folders(*kinds: str) -> tuple[str, ...]:
    return tuple(f"{sysconfig.get_path(kind)}{os.sep}" for kind in kinds)
