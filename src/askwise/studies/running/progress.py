"""Showing how far a study is: a bar with rate and time left in a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Protocol


class Progress(Protocol):
    """Somebody who is told about progress."""

    def __enter__(self) -> Progress:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End, well or not."""

    def advance(self, episodes: int) -> None:
        """Learn that so many more episodes have been stored."""

    def say(self, text: str) -> None:
        """Say something on a line of its own."""


class Silent:
    """Says nothing about progress."""

    def __enter__(self) -> Silent:
        """See `Progress`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """See `Progress`."""

    def advance(self, episodes: int) -> None:
        """See `Progress`."""

    def say(self, text: str) -> None:
        """See `Progress`."""
        print(text, file=sys.stderr, flush=True)


class Bar:
    """A bar on standard error.

    Args:
        title: what is being played.
        total: episodes in all.
        done: episodes that were there before; the rate does not count them.
    """

    def __init__(self, title: str, total: int, done: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress
        from rich.progress import Task as RichTask
        from rich.text import Text

        class Rate(ProgressColumn):
            """Episodes a second since the run began."""

            def render(self, task: RichTask) -> Text:
                elapsed = task.finished_time if task.finished else task.elapsed
                rate = (task.completed - done) / elapsed if elapsed else 0.0
                return Text(f"{rate:,.0f} episodes/s" if rate else "starting")

        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            Rate(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task(title, total=total, completed=done)

    def __enter__(self) -> Bar:
        """See `Progress`."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """See `Progress`."""
        self._bar.stop()

    def advance(self, episodes: int) -> None:
        """See `Progress`."""
        self._bar.advance(self._task, episodes)

    def say(self, text: str) -> None:
        """See `Progress`; above the bar, which stays where it is."""
        self._bar.console.print(text, markup=False, highlight=False)


def progress_for(title: str, total: int, done: int) -> Progress:
    """Return a bar if somebody can see it."""
    return Bar(title, total, done) if sys.stderr.isatty() else Silent()
