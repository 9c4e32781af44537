"""Ways in which a command ends early: Ctrl-C and SIGTERM.

Both end a command with one line, the right exit code and no traceback. Ctrl-C becomes a `KeyboardInterrupt`. Python can
lose this exception during an import and in callbacks; then it is repeated a little later. Inside `terminable`, SIGTERM
also becomes an exception.
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
    """Raised when the process receives SIGTERM while `terminable` is active.

    It is handled like the `KeyboardInterrupt` of Ctrl-C, but the exit code of the command is 143 instead of 130.
    """


def exit_code(stopped: KeyboardInterrupt) -> int:
    """Return the exit code of a command that an exception ended: 143 for SIGTERM (`Terminated`), 130 for Ctrl-C.

    Args:
        stopped: the exception that ended the command. If it has a cause (``raise ... from cause``), the cause decides.
    """
    return TERMINATED if isinstance(stopped.__cause__ or stopped, Terminated) else INTERRUPTED


def exit_at_once(*_: object) -> None:
    """Print "interrupted" to standard error and end the process with exit code 130, without any clean-up.

    The function can be a signal handler; it ignores the two arguments that handlers get.
    """
    with contextlib.suppress(OSError):
        os.write(2, b"askwise: interrupted\n")
    os._exit(INTERRUPTED)


def _started_as_command() -> bool:
    """Return whether this process was started as the command ``askwise``, and not as a program that imports askwise."""
    program = sys.argv[0] if sys.argv else ""
    return program == "-m" or Path(program).name in ("askwise", "askwise.exe")


if _started_as_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, exit_at_once)  # until `as_program` takes over


@contextmanager
def as_program() -> Iterator[None]:
    """Make Ctrl-C reliably raise `KeyboardInterrupt` in the ``with`` block; after it, Ctrl-C ends the process at once.

    In the block, the third press of Ctrl-C also ends the process. Nothing changes outside the main thread, or if the
    process ignores Ctrl-C.
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
    """A signal handler for Ctrl-C.

    It raises `KeyboardInterrupt`, raises it again if Python lost it, and ends the process at the third press of Ctrl-C.
    """

    def __init__(self) -> None:
        self._presses: list[float] = []
        self._repeated = False

    def pressed(self, _: int, frame: FrameType | None) -> None:
        """Handle a press of Ctrl-C: raise `KeyboardInterrupt`, or end the process at the third press.

        During an import, where Python could lose the exception, it is raised a little later.
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
        """Handle an exception that Python cannot raise: repeat a `KeyboardInterrupt` a little later, print any other.

        Python calls this method if it is `sys.unraisablehook`.

        Args:
            unraisable: Python's description of the exception; ``unraisable.exc_type`` is its type.
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
    """Make SIGTERM raise `Terminated` while the ``with`` block runs.

    Nothing changes outside the main thread, or if the program already handles or ignores SIGTERM.
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
