"""Who takes the tasks of a study: threads of this process, or any `concurrent.futures.Executor`.

An executor does not play itself: each task is played in worker processes that it waits for
(`askwise.studies.running.isolation`).

A Dask cluster as a crew: somebody else's scheduler and workers, found by address.

The cluster is checked before anything is sent to it: that somebody listens, that there are workers, and that they run
the same askwise. Whatever happens to it later ends the run with one error; results are stored as they come, and the
same command goes on with them.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from askwise import __version__
from askwise.errors import InputError
from askwise.text.files import reason
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


TIMEOUT = 10
"""Seconds to wait for a scheduler, and for its first worker."""

PATIENCE = 10
"""Seconds without any worker after which somebody should know."""
GONE = "All workers of the cluster are gone: waiting for new ones. Ctrl-C stops; what was played is stored."
BACK = "There are workers again: going on."

SCHEMES = ("tcp", "tls")
HIGHEST_PORT = 65535


@contextmanager
def dask(address: str) -> Iterator[Workers]:
    """Yield the Dask cluster whose scheduler is at `address`."""
    with _connected(address) as client:
        _check_workers(client, address)
        executor = ClusterExecutor(client.get_executor(pure=False))
        counted = WorkerCount(lambda: int(_asked(lambda: sum(client.nthreads().values()))))
        yield Workers(executor, counted.count, news=counted.news)


class WorkerCount:
    """Counts the workers of a cluster, and reports when all of them are gone or some are back.

    Args:
        ask: returns the number of workers now.
        clock: returns the time, in seconds.
    """

    def __init__(self, ask: Callable[[], int], clock: Callable[[], float] = time.monotonic) -> None:
        self._ask, self._clock = ask, clock
        self._gone_since: float | None = None
        self._said_so = False

    def count(self) -> int:
        """Return the number of workers."""
        found = self._ask()
        if found:
            self._gone_since = None
        elif self._gone_since is None:
            self._gone_since = self._clock()
        return found

    def news(self) -> str | None:
        """Return a message if something changed since the last call, otherwise None."""
        if self._gone_since is None:
            back, self._said_so = self._said_so, False
            return BACK if back else None
        if self._said_so or self._clock() - self._gone_since < PATIENCE:
            return None
        self._said_so = True
        return GONE


class ClusterExecutor(Executor):
    """Dask's executor; whatever it raises when tasks are handed in means that the cluster is gone."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor`."""
        future: Future[Any] = _asked(lambda: self._executor.submit(fn, *args, **kwargs))
        return future


def _asked(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except Exception as error:
        raise BrokenExecutor(f"{type(error).__name__}: {error}") from None


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "--dask", "no package 'distributed'", "it to be installed: pip install 'askwise[cluster]'"
        ) from None
    # A client that cannot be made complains for a long time when it is thrown away, hence this.
    _knock(address)
    with _quiet():
        try:
            client = Client(address, timeout=TIMEOUT, set_as_default=False)
        except Exception as error:  # whatever answers there need not be a scheduler
            raise _silent(address, " ".join(str(error).split()) or type(error).__name__) from None
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):  # the cluster may be gone; the results are on the disk
                client.close(timeout=TIMEOUT)


def _knock(address: str) -> None:
    """Make sure that it is an address, and that somebody listens there."""
    from distributed.comm.addressing import get_address_host_port, parse_address

    scheme = ""
    try:
        scheme, _ = parse_address(address)
        host, port = get_address_host_port(address, strict=True) if scheme in SCHEMES else (None, None)
    except ValueError:
        host, port = None, None
    if not host or not port or port > HIGHEST_PORT:
        raise InputError("--dask", repr(address), "the address of a Dask scheduler, such as tcp://127.0.0.1:8786")
    try:
        with socket.create_connection((host, port), timeout=TIMEOUT) as line:
            # A scheduler speaks first. A client would wait for ever for one that says nothing.
            answer = line.recv(1) if scheme == "tcp" else b"?"
    except TimeoutError:
        raise _silent(address, "it says nothing") from None
    except OSError as error:
        raise _silent(address, reason(error)) from None
    if not answer:
        raise _silent(address, "it hangs up")


def _silent(address: str, why: str) -> InputError:
    return InputError(
        "--dask", f"{address!r}, which does not answer ({why})", "the address of a running Dask scheduler"
    )


def _check_workers(client: Any, address: str) -> None:
    """Make sure that there are workers, and that they would play what we would play."""
    try:
        client.wait_for_workers(1, timeout=TIMEOUT)
    except TimeoutError:
        raise InputError("--dask", f"{address!r}, a scheduler without workers", "at least one dask worker") from None
    for worker, version in sorted(client.run(their_version, on_error="return").items()):
        if version != __version__:
            found = f"askwise {version}" if isinstance(version, str) else f"no askwise ({version})"
            raise InputError("--dask", f"{found} at the worker {worker}", f"askwise {__version__} at each one")


def their_version() -> str:
    """Return the version of askwise; asked of each worker."""
    return __version__


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from logging what is going to be said as one error."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]
    loggers = [logger for logger in map(logging.getLogger, names) if not logger.disabled]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger in loggers:
            logger.disabled = False
