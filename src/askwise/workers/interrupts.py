"""Deferring Ctrl-C while something must not be interrupted."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class DeferredInterrupt:
    """After ``hold()``, Ctrl-C waits until ``release()``; does nothing outside the main thread, which alone gets it."""

    def __init__(self) -> None:
        self._before: signal._HANDLER = None
        self._holding = False
        self._pressed = False

    def hold(self) -> None:
        """Defer Ctrl-C from now on."""
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        if before in (None, signal.SIG_IGN, signal.SIG_DFL):
            return  # no exception would be raised, so none can be lost
        self._before, self._holding, self._pressed = before, True, False
        signal.signal(signal.SIGINT, self._press)

    def release(self) -> None:
        """Handle Ctrl-C as before, and raise the one that was deferred."""
        if not self._holding or threading.current_thread() is not threading.main_thread():
            return
        self._holding = False
        signal.signal(signal.SIGINT, self._before)
        if self._pressed:
            signal.raise_signal(signal.SIGINT)

    def _press(self, _: int, __: FrameType | None) -> None:
        self._pressed = True
