"""The program of every supervised process: `main` sets it up, `serve` answers requests.

Messages are pickles, one after the other. From the parent: ``((folder, environment) or None, pickled request)``. To the
parent: ``(READY, None)`` once; then for each request ``(REPLY, value)`` for every value that the service yields, and
finally ``(DONE, None)`` or ``(REFUSED, why)``. Output of agents cannot disturb the messages: standard output is
redirected to standard error, and standard input to the null device.

This module imports nothing heavy, so that libraries are loaded after their number of threads is limited.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import math
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from askwise.workers.heartbeat import DUMP_SIGNAL, GIB, own

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


class RequestRefused(Exception):  # noqa: N818 - it names what happened
    """Raised when a worker process cannot handle a request, for instance because it does not know a class in it."""


def main() -> None:
    """Run a supervised process: set it up and answer requests, until it is ended.

    The command line has the heartbeat file and the arguments of `serve`.
    """
    _, heartbeat_file, *arguments = sys.argv
    begin(heartbeat_file)
    serve(arguments)


def begin(heartbeat_file: str) -> None:
    """Set up a supervised process: show what it does in the heartbeat file, and end it when the parent process ends.

    On a crash and on `DUMP_SIGNAL`, the process also writes its stack to this file.
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
    """Answer requests from the parent process until it closes the pipe, or sends no request for some time.

    Args:
        arguments: the `Service` as ``module:name``; the limit of the address space in GiB; and the seconds without a
            request after which the process ends.
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
    """Send all replies of a service to a request; return the final message, which the caller has to send.

    It is ``(DONE, None)``, or ``(REFUSED, reason)`` if the request cannot be handled.

    Args:
        service: the function that answers requests.
        request: the pickled request.
        replies: the pipe to the parent.
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
    """Set environment variables so that libraries that are loaded later use one thread each.

    Variables that are set already are not changed.
    """
    for variable, value in ONE_THREAD.items():
        os.environ.setdefault(variable, value)


def _named(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes from and to the parent, which were standard input and output.

    Afterwards standard input is empty, and standard output is redirected to standard error.
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
    """Change to the parent's current folder, which may contain agents' files, and take over its environment variables.

    `folder` is None if the parent's folder was removed; then the current one is kept.
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

    Does nothing for infinity, and on systems without this limit.
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
