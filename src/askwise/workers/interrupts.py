"""Holding Ctrl-C back while something must not be interrupted."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class HeldBack:
    """``hold()``, and Ctrl-C waits until ``release()``. Does nothing outside the main thread, which alone hears it."""

    def __init__(self) -> None:
        self._before: signal._HANDLER = None
        self._holding = False
        self._pressed = False

    def hold(self) -> None:
        """Hold Ctrl-C back from now on."""
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        if before in (None, signal.SIG_IGN, signal.SIG_DFL):
            return  # nothing would be raised, hence nothing got lost
        self._before, self._holding, self._pressed = before, True, False
        signal.signal(signal.SIGINT, self._press)

    def release(self) -> None:
        """Let it through again, and what was held back."""
        if not self._holding or threading.current_thread() is not threading.main_thread():
            return
        self._holding = False
        signal.signal(signal.SIGINT, self._before)
        if self._pressed:
            signal.raise_signal(signal.SIGINT)

    def _press(self, _: int, __: FrameType | None) -> None:
        self._pressed = True
