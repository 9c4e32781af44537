"""A Python process that its parent supervises: the parent uses `SupervisedProcess`, and the process runs `main`.

It is a new process with its parent's `sys.path`, not a fork: forks of a process with threads can hang. On Linux it ends
with its parent.

Messages are pickled. A service is the function that answers requests.

- The parent sends ``((folder, environment), pickled request)``, or ``(None, pickled request)`` to keep the folder and
  the environment variables of the last request.
- The process sends ``(READY, None)`` once. For each request it sends ``(REPLY, value)`` for every value that the
  service yields, then ``(DONE, None)``, or ``(REFUSED, why)`` if it cannot answer.

To keep agents' output out of the messages, the process redirects standard output to standard error, and standard input
to the null device. This module imports nothing heavy, because the process first limits the threads of libraries.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from askwise.workers.heartbeat import DUMP_SIGNAL, GIB, NO_UNIT, SIZE, UNIT, Heartbeat, Limits, Watchdog, own

BOOT = (
    "import ast, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "sys.path[:] = ast.literal_eval(sys.argv.pop(1)); from askwise.workers.process import main; main()"
)
"""The program of the process; with -P, Python adds no folder to its path."""
SECONDS_TO_DUMP = 2.0
SECONDS_TO_END = 10.0
FRAME = re.compile(r'^  File "(.*)", line (\d+) in ', re.MULTILINE)
"""A line of a stack that `faulthandler` wrote; the innermost call comes first."""
KNOWN = {number.value: number for number in signal.Signals}
READY, REPLY, DONE, REFUSED = "ready", "reply", "done", "refused"
ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment variables that limit libraries to one thread each: there are as many processes as cores."""
DIE_WITH_PARENT = 1
"""The option ``PR_SET_PDEATHSIG`` of Linux."""
_open_files: list[IO[bytes]] = []
"""Files of `faulthandler`, which only keeps their descriptors; they must not be closed."""

Surroundings = tuple[str | None, dict[str, str]]
"""The parent's current folder (None if it was removed), and its environment variables."""
Message = tuple[Surroundings | None, bytes]
"""A message from the parent: its surroundings, None if unchanged, and a pickled request."""
Service = Callable[[Any], Iterable[Any]]
"""A function from a request to its replies."""


class SupervisedProcess:
    """A child process that answers requests, and ends when it exceeds a time limit.

    On POSIX systems, it has its own process group: it does not receive Ctrl-C, and processes that it starts end with
    it.

    Attributes:
        exceeded: why the parent ended the process, such as "took longer than 60 s to be loaded"; None if it did not.
        exceeded_in: the number of the unit of work (such as an episode) that exceeded a limit; `NO_UNIT` (-1) for none.
        heartbeat: shows what the process is doing.
        process: the `subprocess.Popen` object, with pipes for input and output.

    Args:
        arguments: the arguments of `serve`, which the process calls.
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
        """A pair: the pipe to the standard input of the process, and the pipe from its standard output."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    def _end_for(self, exceeded: str) -> None:
        self.exceeded_in, self.exceeded = self.heartbeat.unit, exceeded
        if DUMP_SIGNAL is not None:
            self.process.send_signal(DUMP_SIGNAL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(SECONDS_TO_DUMP)  # the process ends once it has written all of its stack
        self.kill()

    def kill(self) -> None:
        """End the process now, and (except on Windows) the processes that it started."""
        with contextlib.suppress(OSError):
            if self._own_group:
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def close(self) -> None:
        """End the process if it still runs, and release its files, pipes and threads."""
        self._watchdog.stop()
        self.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._stack_file):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._file.unlink(missing_ok=True)  # usually the process has removed it

    def describe_end(self) -> str:
        """Wait until the process ends, and return a clause that says how it ended, such as "its process was killed".

        If the process has not ended after `SECONDS_TO_END` seconds, it is killed.
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
        code: the exit code, or the number of a signal with a minus sign.
        place: where it ended, such as "mine.py, line 3"; only stated after a signal other than SIGKILL.
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

    User code is code outside askwise and the standard library; installed packages count only if there is no other user
    code. If there is none at all, the result is empty. `stack` is written by `faulthandler`.
    """
    foreign = [(name, line) for name, line in FRAME.findall(stack) if _is_foreign(name)]
    # The agent's own line is more helpful than a line of a library that it called.
    nearest = [frame for frame in foreign if not frame[0].startswith(_folders("purelib", "platlib"))] or foreign
    return f"{Path(nearest[0][0]).name}, line {nearest[0][1]}" if nearest else ""


def _is_foreign(name: str) -> bool:
    askwise = f"{Path(__file__).parents[1]}{os.sep}"
    if name.startswith(("<", askwise)):
        return False
    # Packages, which may contain agents, can be installed in a folder of the standard library.
    return name.startswith(_folders("purelib", "platlib")) or not name.startswith(_folders("stdlib", "platstdlib"))


def _folders(*kinds: str) -> tuple[str, ...]:
    return tuple(f"{sysconfig.get_path(kind)}{os.sep}" for kind in kinds)


# -- the program of the process ----------------------------------------------------------------------------------


class RequestRefused(Exception):  # noqa: N818 - it names what happened
    """Raised when a worker process cannot answer a request, for instance because it lacks a class in the request."""


def main() -> None:
    """Set up this supervised process, and answer requests from the parent process until there are no more.

    The command line has the path of the file that shows what this process does, then the arguments of `serve`.
    """
    _, heartbeat_file, *arguments = sys.argv
    begin(heartbeat_file)
    serve(arguments)


def begin(heartbeat_file: str) -> None:
    """From now on, show in the heartbeat file what this process is doing, and end with the parent process (on Linux).

    If this process crashes or gets the signal `DUMP_SIGNAL`, it also writes its stack into the file. The file, which
    the parent has opened, is removed from its folder, but stays usable.
    """
    own.show_in(heartbeat_file)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=own.mark_as_copy)
    stack_file = Path(heartbeat_file).open("ab")  # noqa: SIM115 - stays open as long as the process lives
    _open_files.append(stack_file)
    faulthandler.enable(stack_file, all_threads=False)
    if DUMP_SIGNAL is not None:
        # Afterwards the signal ends the process, so that no agent continues.
        faulthandler.register(DUMP_SIGNAL, stack_file, all_threads=False, chain=True)
    with contextlib.suppress(OSError):  # Windows cannot remove open files
        Path(heartbeat_file).unlink()
    _end_with_parent()


def serve(arguments: list[str]) -> None:
    """Answer requests from the parent process until it closes the pipe, or sends no request for some time; then exit.

    `arguments` are the function that answers requests (`Service`), as ``module:name``, the limit of the address space
    in GiB, and the longest time without a request, in seconds.
    """
    name, memory, idle = arguments
    one_thread()
    _die_first()
    _limit_memory(float(memory))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent receives it, and ends this process if necessary
    given, replies = _pipes()
    messages: SimpleQueue[Message] = SimpleQueue()
    Thread(target=_receive, args=(given, messages), daemon=True).start()
    service = _named(name)  # heavy imports happen here, before the first request
    _send(replies, (READY, None))
    while True:
        try:
            surroundings, request = messages.get(timeout=float(idle))
        except Empty:
            os._exit(0)
        if surroundings is not None:
            _move_to(*surroundings)
        _send(replies, _answer(service, request, replies))


def _answer(service: Service, request: bytes, replies: IO[bytes]) -> tuple[str, str | None]:
    """Answer a request: send all replies to the parent process, and return the final message for the caller to send.

    The message is ``(DONE, None)``, or ``(REFUSED, reason)`` if the request cannot be answered. `replies` is the pipe
    to the parent process.
    """
    try:
        understood = pickle.loads(request)
    except Exception as error:
        return REFUSED, f"{type(error).__name__}: {error}"
    try:
        for reply in service(understood):
            _send(replies, (REPLY, reply))
    except RequestRefused as error:
        return REFUSED, str(error)
    return DONE, None


def one_thread() -> None:
    """Set environment variables so that numeric libraries that are loaded later use one thread each.

    Variables that are set already are not changed.
    """
    for variable, value in ONE_THREAD.items():
        os.environ.setdefault(variable, value)


def _named(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipe from the parent process and the pipe to it, which were standard input and standard output.

    From then on, standard input is empty, and standard output is redirected to standard error.
    """
    given, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return given, replies


def _receive(given: IO[bytes], messages: SimpleQueue[Message]) -> None:
    # A thread that always reads notices when the parent is gone.
    while True:
        try:
            messages.put(pickle.load(given))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)


def _send(replies: IO[bytes], message: tuple[str, Any]) -> None:
    try:
        pickle.dump(message, replies, pickle.HIGHEST_PROTOCOL)
        replies.flush()
    except BrokenPipeError:
        os._exit(0)


def _move_to(folder: str | None, environment: Mapping[str, str]) -> None:
    """Change the current folder and the environment variables of this process to those of its parent process.

    If `folder` is None (it was removed), the current folder stays as it is. Libraries are limited to one thread unless
    the parent's variables say otherwise.
    """
    wanted = {**ONE_THREAD, **environment}
    if dict(os.environ) != wanted:
        os.environ.clear()
        os.environ.update(wanted)
    if folder is not None:
        os.chdir(folder)


def _die_first() -> None:
    """Ask Linux to end this process before others if memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _limit_memory(gib: float) -> None:
    """Limit the address space of this process to `gib` GiB, so that allocating more raises `MemoryError`.

    Nothing happens if `gib` is infinite, or if the operating system has no such limit.
    """
    if math.isinf(gib):
        return
    with contextlib.suppress(ImportError, OSError, ValueError):  # not every system has this limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(gib * GIB), resource.getrlimit(resource.RLIMIT_AS)[1]))


def _end_with_parent() -> None:
    if not sys.platform.startswith("linux"):
        return
    parent = os.getppid()
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
