"""Who looks after the work: threads of this process (`cluster` has processes of other machines).

Anything that is a `concurrent.futures.Executor` will do. It does not play itself: each task is played in a process of
its own, which whoever takes the task looks after (`askwise.studies.running.supervising`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from askwise.studies.running import children


def nothing_to_say() -> str | None:
    """Say nothing: what is here stays here."""
    return None


@dataclass
class Crew:
    """Who does the work.

    Attributes:
        executor: takes the tasks.
        width: how many tasks it can work on at once.
        ahead: tasks out for each one that can be worked on: with 2, the next is there when one is done.
        news: called every now and then while all wait; what it returns is said to whoever started the run.
    """

    executor: Executor
    width: Callable[[], int]
    ahead: int = 2
    news: Callable[[], str | None] = nothing_to_say


@contextmanager
def local(workers: int, run: str) -> Iterator[Crew]:
    """Yield so many threads, each of which looks after one process of the run."""
    pool = ThreadPoolExecutor(workers, "askwise-supervisor")
    try:
        yield Crew(pool, lambda: workers)
    finally:
        children.end(run)  # first: threads wait for their processes
        pool.shutdown(wait=True, cancel_futures=True)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
