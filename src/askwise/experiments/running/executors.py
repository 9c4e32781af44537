"""Who does the work: this process, or processes of this machine (`cluster` has those of others).

Anything that is a `concurrent.futures.Executor` will do. What is added here is how wide to feed it, and, for the pool
of this machine, that it can be replaced when a process dies.

This module is the first that a new worker process imports. It imports nothing heavy, so that `_start_worker` can
still say how many threads the libraries are to use.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any


@dataclass
class Crew:
    """Who does the work.

    Attributes:
        executor: takes the tasks.
        width: how many tasks it can work on at once.
        ahead: tasks out for each one that can be worked on: with 2, the next is there when one is done.
        fresh: makes a pool of so many processes to go on with if this one breaks; None if nobody can.
    """

    executor: Executor
    width: Callable[[], int]
    ahead: int = 2
    fresh: Callable[[int], ProcessPoolExecutor] | None = None


class InThisProcess(Executor):
    """Plays each task at once, right here."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor`."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def local(workers: int) -> Iterator[Crew]:
    """Yield this process for one worker, else a pool of processes."""
    if workers == 1:
        yield Crew(InThisProcess(), lambda: 1, ahead=1)
        return
    crew = Crew(process_pool(workers), lambda: workers, fresh=process_pool)
    try:
        yield crew
    finally:
        stop(crew.executor)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool(ProcessPoolExecutor):
    """Fresh processes; copies of a process with threads can hang."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers, mp_context=multiprocessing.get_context("spawn"), initializer=_start_worker)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor`; this is where processes are started."""
        with uninterrupted():
            return super().submit(fn, *args, **kwargs)


def process_pool(workers: int) -> ProcessPoolExecutor:
    """Return a pool of fresh processes."""
    return Pool(workers)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back. Processes that are started meanwhile never hear of it, not even before they can ignore it."""
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    # The mask is what new processes inherit. It holds for this thread only: another may still take the signal.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    pressed: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, signal.default_int_handler if handler is None else handler)
    if pressed and callable(handler):
        handler(signal.SIGINT, None)


def stop(pool: Executor) -> None:
    """End a pool now: what is being played is given up, it is played again when the study is gone on with."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    results = getattr(pool, "_result_queue", None)
    pool.shutdown(wait=False)
    for process in processes:
        process.terminate()  # what was not played yet fails with it; a pool trips over futures that were cancelled
    for process in processes:
        process.join()
    # A result that was cut in half is waited for as long as anybody could still write the rest.
    writer = getattr(results, "_writer", None)
    if writer is not None:
        writer.close()


def ready() -> bool:
    """Whether this process can work at all."""
    return True


def _start_worker() -> None:
    """Prepare a worker: one thread, no interest in Ctrl-C (the parent handles it), and an end with its parent."""
    for variable in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    # A worker whose parent was killed would wait for work for ever.
    wait([sentinel])
    os._exit(1)
