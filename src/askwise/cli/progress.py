"""A line on standard error that says how far long work has got."""

from __future__ import annotations

import sys
import time

A_MOMENT = 0.5
"""Seconds between two words of a patient one."""


class Progress:
    """Called with numbers, shows them; on a terminal in one line that it takes away at the end.

    Args:
        command: the subcommand at work.
        text: a format for the numbers.
        show: whether to show anything at all.
        patient: whether to be silent as long as the work may soon be done, and wherever nobody waits at a terminal.
    """

    def __init__(self, command: str, text: str, *, show: bool = True, patient: bool = False) -> None:
        self.command = command
        self.text = text
        self.show = show and (sys.stderr.isatty() or not patient)
        self.width = 0
        self._pause = A_MOMENT if patient else 0.0
        self._spoke = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __call__(self, *numbers: int | str) -> None:
        """Show how far it has got."""
        if self.show and time.monotonic() - self._spoke >= self._pause:
            self._spoke = time.monotonic()
            line = f"askwise {self.command}: {self.text.format(*numbers)} so far"
            self.width = max(self.width, len(line))
            terminal = sys.stderr.isatty()
            print(line.ljust(self.width), end="\r" if terminal else "\n", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.width and sys.stderr.isatty():
            print(" " * self.width, end="\r", file=sys.stderr, flush=True)
