"""Who does the work: this process, processes of this machine, or a Dask cluster.

Anything that is a `concurrent.futures.Executor` will do. What is added here is how wide to feed it, and, for the pool
of this machine, that it can be replaced when a process dies.

This module is the first that a new worker process imports. It imports nothing heavy, so that `_start_worker` can
still say how many threads the libraries are to use.
"""

from __future__ import annotations

import contextlib
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

from askwise.errors import InputError

DASK_TIMEOUT = 10
"""Seconds to wait for a Dask scheduler."""


@dataclass
class Crew:
    """An executor, how many tasks it can work on at once, and how to get a new one of one process if it breaks."""

    executor: Executor
    width: Callable[[], int]
    alone: Callable[[], ProcessPoolExecutor] | None = None


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
        yield Crew(InThisProcess(), lambda: 1)
        return
    pool = process_pool(workers)
    try:
        yield Crew(pool, lambda: workers, lambda: process_pool(1))
    finally:
        stop(pool)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def process_pool(workers: int) -> ProcessPoolExecutor:
    """Return a pool of fresh processes; copies of a process with threads can hang."""
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=_start_worker)


def stop(pool: ProcessPoolExecutor) -> None:
    """End a pool now: what is being played is given up, it is played again when the study is gone on with."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()


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


@contextmanager
def dask(address: str) -> Iterator[Crew]:
    """Yield the Dask cluster whose scheduler is at `address`."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "--dask", "no package 'distributed'", "it to be installed: pip install 'askwise[cluster]'"
        ) from None
    try:
        client = Client(address, timeout=DASK_TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # a timeout is an OSError
        why = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            "--dask", f"{address!r}, which does not answer ({why})", "the address of a running Dask scheduler"
        ) from None
    try:
        if not client.nthreads():
            client.wait_for_workers(1, timeout=DASK_TIMEOUT)
        yield Crew(client.get_executor(pure=False), lambda: sum(client.nthreads().values()))
    except TimeoutError:
        raise InputError("--dask", f"{address!r}, a scheduler without workers", "at least one dask worker") from None
    finally:
        with contextlib.suppress(Exception):  # the cluster may be gone; the results are on the disk
            client.close(timeout=DASK_TIMEOUT)
