"""Ways in which a command ends early: Ctrl-C and SIGTERM.

Both end a command at any time with one line, the right exit code and no traceback. Ctrl-C becomes a
`KeyboardInterrupt`, so that code that holds a file or a terminal can clean up. Python would lose this exception while a
module is imported (an extension module may turn it into another error) and in callbacks, where Python can only print
it. In both cases the interrupt is repeated a little later.

Python code cannot stop an agent that hangs in compiled code or catches every exception. SIGTERM (from ``timeout``, for
example) ends even such a process, because the operating system handles it, except inside `terminable`, where Python
does.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
RETRY_SECONDS = 0.05
"""Delay after which an interrupt that came at a bad time is repeated."""
MAX_DELAY = 3.0
"""Maximal time in seconds for which an interrupt is delayed: the import of another package may never end."""
MAX_PRESSES = 3
"""Number of Ctrl-C presses after which the process exits at once, even if an agent catches the interrupt."""


class Terminated(KeyboardInterrupt):
    """Raised when the process receives SIGTERM.

    It is handled like Ctrl-C, but the exit code is 143 instead of 130.
    """


def exit_code(stopped: KeyboardInterrupt) -> int:
    """Return the exit code of a command that was interrupted: 143 by SIGTERM (`Terminated`), 130 by Ctrl-C."""
    return TERMINATED if isinstance(stopped.__cause__ or stopped, Terminated) else INTERRUPTED


def exit_at_once(*_: object) -> None:
    """Print "interrupted" and end the process with exit code 130, without a traceback and without any cleaning up.

    It can be a signal handler; the two arguments of handlers are ignored.
    """
    with contextlib.suppress(OSError):
        os.write(2, b"askwise: interrupted\n")
    os._exit(INTERRUPTED)


def _started_as_command() -> bool:
    """Return whether this process was started as the command ``askwise``, not as another program that imports it."""
    program = sys.argv[0] if sys.argv else ""
    return program == "-m" or Path(program).name in ("askwise", "askwise.exe")


if _started_as_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, exit_at_once)  # until `as_program` takes over


@contextmanager
def as_program() -> Iterator[None]:
    """While the ``with`` block runs, Ctrl-C reliably raises `KeyboardInterrupt`; afterwards, Ctrl-C exits at once.

    Does nothing outside the main thread, or if the process ignores Ctrl-C, as in the background of a shell.
    """
    ignored = signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None)  # as in the background of a shell
    if ignored or threading.current_thread() is not threading.main_thread():
        yield
        return
    ctrl_c = CtrlC()
    signal.signal(signal.SIGINT, ctrl_c.pressed)
    sys.unraisablehook = ctrl_c.not_raised
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, exit_at_once)


class CtrlC:
    """The signal handler for Ctrl-C.

    It raises `KeyboardInterrupt`, raises it again if Python would lose it, and ends the process at the third press.
    """

    def __init__(self) -> None:
        self._presses: list[float] = []
        self._repeated = False

    def pressed(self, _: int, frame: FrameType | None) -> None:
        """Raise `KeyboardInterrupt` because Ctrl-C was pressed; during an import, where it could be lost, delay it.

        The third press ends the process at once. `frame` is the code that was interrupted.
        """
        now = time.monotonic()
        if not self._repeated:
            self._presses.append(now)
        self._repeated = False
        if len(self._presses) >= MAX_PRESSES:
            exit_at_once()
        if len(self._presses) == 1 and now - self._presses[0] < MAX_DELAY and _is_importing(frame):
            self._later()
            return
        raise KeyboardInterrupt

    def not_raised(self, unraisable: Any) -> None:
        """Raise a `KeyboardInterrupt` again a little later if Python could not raise it; print other exceptions.

        Python calls this method, as `sys.unraisablehook`, with a description of each exception that it cannot raise.
        """
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            self._later()
        else:
            sys.__unraisablehook__(unraisable)

    def _later(self) -> None:
        timer = threading.Timer(RETRY_SECONDS, self._repeat)
        timer.daemon = True
        timer.start()

    def _repeat(self) -> None:
        self._repeated = True
        main = threading.main_thread().ident
        if hasattr(signal, "pthread_kill") and main is not None:
            signal.pthread_kill(main, signal.SIGINT)  # also interrupts a blocking system call
        else:
            _thread.interrupt_main()


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def terminable() -> Iterator[None]:
    """While the ``with`` block runs, SIGTERM raises `Terminated`.

    Does nothing outside the main thread, or if the program handles or ignores SIGTERM already.
    """
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(_: int, __: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # raise only once
    raise Terminated
