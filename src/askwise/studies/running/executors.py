"""Who takes the tasks of a study: threads of this process, or any `concurrent.futures.Executor`.

An executor does not play itself: each task is played in worker processes that it waits for
(`askwise.studies.running.isolation`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass

from askwise.workers.pool import supervisors


def no_news() -> str | None:
    """Return None: threads of this process have no status messages."""
    return None


@dataclass
class Workers:
    """An executor, with what a run has to know of it.

    Attributes:
        executor: takes the tasks.
        width: returns how many tasks it can work on at once.
        ahead: tasks that are handed in for each one that can be worked on: with 2, the next one is there at once.
        news: called now and then while the run waits; returns a message for the user, or None.
    """

    executor: Executor
    width: Callable[[], int]
    ahead: int = 2
    news: Callable[[], str | None] = no_news


@contextmanager
def local(number: int, run: str) -> Iterator[Workers]:
    """Yield that many threads of this process, each of which waits for one worker process of the run."""
    with supervisors(number, run) as threads:
        yield Workers(threads, lambda: number)
