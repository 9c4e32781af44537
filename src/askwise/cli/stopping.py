"""Ctrl-C and SIGTERM, at any moment of a command: one line, the right exit code, no traceback.

Ctrl-C becomes a `KeyboardInterrupt`, so that whoever holds a file or a terminal can put it in order. There are moments
at which that would go wrong: while a module is loaded (an extension turns it into an error of its own), and in
callbacks, where Python can only print it and go on. There it is put off for a moment.
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
A_MOMENT = 0.05
LONGEST = 3.0
"""Seconds for which Ctrl-C is put off at most: a module of somebody else's may never end loading."""
ENOUGH = 3
"""Presses after which the command ends on the spot, whatever an agent does with the interrupt."""


class Terminated(KeyboardInterrupt):
    """SIGTERM: to be ended like Ctrl-C, but for the exit code."""


def exit_code(stopped: KeyboardInterrupt) -> int:
    """Return the exit code that goes with an interrupt, or with one that was passed on as another."""
    return TERMINATED if isinstance(stopped.__cause__ or stopped, Terminated) else INTERRUPTED


def at_once(*_: object) -> None:
    """End the process without a word of Python's: there is nothing to put in order."""
    with contextlib.suppress(OSError):
        os.write(2, b"askwise: interrupted\n")
    os._exit(INTERRUPTED)


def started_as_command() -> bool:
    """Whether this process is the command itself, and not somebody who imports it."""
    program = sys.argv[0] if sys.argv else ""
    return program == "-m" or Path(program).name in ("askwise", "askwise.exe")


if started_as_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, at_once)  # until `as_program` takes over


@contextmanager
def as_program() -> Iterator[None]:
    """Handle Ctrl-C as long as the command works, and end at once when it is over and Python clears up."""
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
        signal.signal(signal.SIGINT, at_once)


class CtrlC:
    """What happens on Ctrl-C."""

    def __init__(self) -> None:
        self._presses: list[float] = []
        self._again = False

    def pressed(self, _: int, frame: FrameType | None) -> None:
        """Raise `KeyboardInterrupt`, now or in a moment."""
        now = time.monotonic()
        if not self._again:
            self._presses.append(now)
        self._again = False
        if len(self._presses) >= ENOUGH:
            at_once()
        if len(self._presses) == 1 and now - self._presses[0] < LONGEST and is_importing(frame):
            self._later()
            return
        raise KeyboardInterrupt

    def not_raised(self, unraisable: Any) -> None:
        """Raise an interrupt again that was raised where nobody could catch it; let others be shown."""
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            self._later()
        else:
            sys.__unraisablehook__(unraisable)

    def _later(self) -> None:
        timer = threading.Timer(A_MOMENT, self._press_again)
        timer.daemon = True
        timer.start()

    def _press_again(self) -> None:
        self._again = True
        main = threading.main_thread().ident
        if hasattr(signal, "pthread_kill") and main is not None:
            signal.pthread_kill(main, signal.SIGINT)  # wakes it, too, if it waits for something
        else:
            _thread.interrupt_main()


def is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being loaded."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM raise `Terminated` meanwhile, unless somebody else has plans for it."""
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
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
    raise Terminated
