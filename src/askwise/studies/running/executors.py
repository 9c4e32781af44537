"""Executors take the tasks of a study, and worker processes play them.

A task is one instance in all conditions. It consists of units: each is one episode, or one expected cost to compute.

An executor is a set of threads, or a Dask cluster. Each thread calls `play_isolated` for a task, and waits for its
worker processes. Before a Dask cluster gets tasks, its scheduler must answer, and its workers must have this version of
askwise. If the cluster fails later, the run ends with one error.

Worker processes protect a study from code of other people. If an agent exceeds a limit or its process dies, only the
current unit fails, and a new process continues. An agent can also harm its process without ending it. Therefore each
method from outside askwise (a guest) has its own process.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from askwise import __version__
from askwise.errors import AskwiseError, InputError
from askwise.studies.running.play import Problems, Rows, TaskResult, Unit, collect_rows, play, units
from askwise.studies.schema.study import Method, Task
from askwise.text.files import reason
from askwise.workers import heartbeat, pool
from askwise.workers.heartbeat import Limits
from askwise.workers.pool import WorkerDied
from askwise.workers.process import RequestRefused

TIMEOUT = 10
"""Seconds to wait for a Dask scheduler, and for its first worker."""
PATIENCE = 10
"""Seconds without any Dask worker after which the user gets a message."""
GONE = "The cluster has no workers: waiting for new ones. Press Ctrl-C to stop; results so far are stored."
BACK = "The cluster has workers again: continuing."
SCHEMES = ("tcp", "tls")
HIGHEST_PORT = 65535


def no_news() -> str | None:
    """Return None: there is no status message for the user.

    This function is the default of `Workers.news`.
    """
    return None


@dataclass
class Workers:
    """An executor that plays the instances of a study, and how many of them it can play at the same time.

    Attributes:
        executor: gets one task for each instance.
        width: returns how many instances can be played at the same time.
        ahead: at most `ahead` times `width()` tasks are unfinished at a time.
        news: returns a message for the user, or None; called about once a second.
    """

    executor: Executor
    width: Callable[[], int]
    ahead: int = 2
    news: Callable[[], str | None] = no_news


@contextmanager
def local(number: int, run: str) -> Iterator[Workers]:
    """Provide an executor of `number` threads for the instances of a study, while a ``with`` block runs.

    Each thread has worker processes play its instance. These processes are ended when the block ends.

    Args:
        number: number of threads.
        run: name of the run that the worker processes belong to (`askwise.workers.pool.new_run`).
    """
    with pool.supervisors(number, run) as threads:
        yield Workers(threads, lambda: number)


# -- Dask --------------------------------------------------------------------------------------------------------


@contextmanager
def dask(address: str) -> Iterator[Workers]:
    """Provide an executor that sends the instances of a study to a Dask cluster, while a ``with`` block runs.

    Args:
        address: address of the scheduler, such as ``tcp://127.0.0.1:8786``.

    Raises:
        InputError: the package ``distributed`` is missing, no scheduler answers, there are no workers, or they have
            another version of askwise.
    """
    with _connected(address) as client:
        _check_workers(client, address)
        executor = ClusterExecutor(client.get_executor(pure=False))
        counted = WorkerCount(lambda: int(_call(lambda: sum(client.nthreads().values()))))
        yield Workers(executor, counted.count, news=counted.news)


class WorkerCount:
    """A counter of the threads of a Dask cluster's workers, which also reports when all workers are gone or back.

    Args:
        ask: returns the current number of threads of all workers.
        clock: returns the time, in seconds.
    """

    def __init__(self, ask: Callable[[], int], clock: Callable[[], float] = time.monotonic) -> None:
        self._ask, self._clock = ask, clock
        self._gone_since: float | None = None
        self._reported = False

    def count(self) -> int:
        """Return the current number of threads, and remember since when it has been 0, for `news`."""
        found = self._ask()
        if found:
            self._gone_since = None
        elif self._gone_since is None:
            self._gone_since = self._clock()
        return found

    def news(self) -> str | None:
        """Return a message for the user if the workers are gone or back again; None if there is nothing new.

        The workers are gone if `count` has found no worker thread for `PATIENCE` (10) seconds. They are back when it
        finds one again.
        """
        if self._gone_since is None:
            back, self._reported = self._reported, False
            return BACK if back else None
        if self._reported or self._clock() - self._gone_since < PATIENCE:
            return None
        self._reported = True
        return GONE


class ClusterExecutor(Executor):
    """An executor that passes calls to the executor of a Dask cluster.

    If a call cannot be submitted, `submit` raises `BrokenExecutor` instead of Dask's various exceptions.

    Args:
        executor: the executor of the Dask client.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit the call ``fn(*args, **kwargs)`` to the Dask cluster; return the future with its result.

        Raises:
            BrokenExecutor: the cluster is gone.
        """
        future: Future[Any] = _call(lambda: self._executor.submit(fn, *args, **kwargs))
        return future


def _call(request: Callable[[], Any]) -> Any:
    """Call a function that uses Dask, and return its result; any exception is turned into `BrokenExecutor`."""
    try:
        return request()
    except Exception as error:
        raise BrokenExecutor(f"{type(error).__name__}: {error}") from None


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "--dask", "no package 'distributed'", "it to be installed: pip install '.[cluster]' in askwise's folder"
        ) from None
    # A client that cannot connect logs errors for a long time, so the address is tried first.
    _check_address(address)
    with _quiet():
        try:
            client = Client(address, timeout=TIMEOUT, set_as_default=False)
        except Exception as error:  # the program at this address may not be a scheduler
            raise _no_answer(address, " ".join(str(error).split()) or type(error).__name__) from None
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):  # the cluster may be gone; the results are on the disk
                client.close(timeout=TIMEOUT)


def _check_address(address: str) -> None:
    """Check that `address` has the form of a Dask scheduler's address, and that a server at this address answers.

    Raises:
        InputError: the address does not have the form ``tcp://HOST:PORT`` or ``tls://HOST:PORT``, or no server answers
            within 10 seconds.
    """
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
            # A scheduler sends the first byte. A client would wait for ever if it did not.
            answer = line.recv(1) if scheme == "tcp" else b"?"
    except TimeoutError:
        raise _no_answer(address, "it sends nothing") from None
    except OSError as error:
        raise _no_answer(address, reason(error)) from None
    if not answer:
        raise _no_answer(address, "it closes the connection")


def _no_answer(address: str, why: str) -> InputError:
    return InputError(
        "--dask", f"{address!r}, which does not answer ({why})", "the address of a running Dask scheduler"
    )


def _check_workers(client: Any, address: str) -> None:
    """Check that a Dask cluster has workers, and that all of them run this version of askwise.

    Raises:
        InputError: there are no workers after 10 seconds, or a worker has no askwise or another version.
    """
    try:
        client.wait_for_workers(1, timeout=TIMEOUT)
    except TimeoutError:
        raise InputError("--dask", f"{address!r}, a scheduler without workers", "at least one dask worker") from None
    for worker, version in sorted(client.run(worker_version, on_error="return").items()):
        if version != __version__:
            found = f"askwise {version}" if isinstance(version, str) else f"no askwise ({version})"
            raise InputError("--dask", f"{found} at the worker {worker}", f"askwise {__version__} at each one")


def worker_version() -> str:
    """Return the version of askwise in this process. The function is sent to each Dask worker to compare versions."""
    return __version__


@contextmanager
def _quiet() -> Iterator[None]:
    """While the ``with`` block runs, disable the log messages of Dask; failures are reported as exceptions anyway."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]
    loggers = [logger for logger in map(logging.getLogger, names) if not logger.disabled]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger in loggers:
            logger.disabled = False


# -- worker processes --------------------------------------------------------------------------------------------


def play_isolated(task: Task, run: str) -> TaskResult:
    """Play a task (one problem instance in all conditions of a study) in other processes, and return its rows.

    The methods of askwise share a process; each other method has its own. A task that cannot be sent to another process
    is played here, without limits.

    Args:
        task: the instance and the conditions.
        run: the run that owns the processes (`askwise.workers.pool.new_run`).
    """
    try:
        sent = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
    except Exception:  # its instance has a class that exists only in this process
        return play(task)
    wanted = dict(enumerate(units(task)))
    found: dict[int, Rows] = {}
    try:
        for guest in dict.fromkeys(map(_guest, wanted.values())):
            its = {number: unit for number, unit in wanted.items() if _guest(unit) == guest}
            while its.keys() - found.keys():
                _continue(task, sent, run, guest, its, found)
    except RequestRefused:
        return play(task)
    return collect_rows(task, [found[number] for number in range(len(wanted))])


def _guest(unit: Unit) -> str:
    """Return a text that identifies the third-party agent that a unit runs; empty if the unit runs a method of askwise.

    Args:
        unit: one episode, or one expected cost to compute.
    """
    return "" if unit.method is None or unit.method.is_ours else repr(unit.method)


def _continue(task: Task, sent: bytes, run: str, guest: str, wanted: dict[int, Unit], found: dict[int, Rows]) -> None:
    """Play units of a task (episodes, expected costs) in one worker process, until it dies or all are played.

    `sent` is the task, pickled; `guest` is the third-party agent to play, or empty. `wanted` has the units by index in
    the task. Their rows are added to `found` by index; if the process dies, its current unit gets rows with the error.
    """
    before, was_fresh = len(found), False
    try:
        with pool.borrowed(run, f"{__name__}:play_units", task.study.limits, guest) as worker:
            was_fresh = worker.is_fresh
            for number, rows in worker.replies((sent, wanted.keys() - found.keys())):
                found[number] = rows  # noqa: PERF403 - rows that arrive before the worker dies are kept
    except WorkerDied as death:
        guilty = death.unit if death.unit in wanted else None  # an agent may have overwritten the number
        if guilty is None or (guilty in found and not death.exceeded):
            if len(found) > before or not was_fresh:
                return  # it died between two units, or while it had no work
            guilty = next(number for number in wanted if number not in found)
        found[guilty] = wanted[guilty].failed(task, str(death), death.prices)


def play_units(request: tuple[bytes, set[int]]) -> Iterator[tuple[int, Rows]]:
    """Play some units of a task (episodes, or expected costs to compute), in a worker process; yield their rows.

    Args:
        request: the pickled task, and the indices of the units.

    Yields:
        the index of a unit and its rows, as soon as the unit is played.

    Raises:
        RequestRefused: the task cannot be loaded in this process.
    """
    try:
        task = pickle.loads(request[0])
        problems = Problems(task)
    except Exception as error:
        raise RequestRefused(f"{type(error).__name__}: {error}") from None
    for number, unit in enumerate(units(task)):
        if number not in request[1]:
            continue
        heartbeat.own.begin(number)
        try:
            rows = unit.play(task, problems)
        except KeyboardInterrupt as error:  # the agent raised it: this process ignores Ctrl-C
            rows = unit.failed(task, type(error).__name__)
        yield number, rows
        heartbeat.own.end()


def preload(methods: Sequence[Method], limits: Limits) -> None:
    """Load the methods that are not part of askwise in a worker process, to find out whether loading them is safe.

    Exceptions that a method raises are ignored here.

    Args:
        methods: the methods; those of askwise are skipped.
        limits: limits of time and memory.

    Raises:
        AskwiseError: a method exceeds the limit for loading, or ends its process.
    """
    others = [method for method in methods if not method.is_ours]
    if not others:
        return
    run = pool.new_run()
    try:
        with pool.borrowed(run, f"{__name__}:load_methods", limits) as worker:
            list(worker.replies(others))
    except RequestRefused:
        pass
    except WorkerDied as death:
        if death.unit in range(len(others)):
            raise AskwiseError(f"method {others[death.unit or 0].name!r}: {death}") from None
    finally:
        pool.end(run)


def load_methods(methods: Sequence[Method]) -> Iterator[None]:
    """Load methods in this worker process, so that its parent process finds out whether the worker survives.

    To load a method means to run its file and to construct its agent. Output and exceptions are ignored.

    Args:
        methods: the methods to load.

    Yields:
        None, once, when all methods are loaded.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # their output appears when they are loaded in the main process
        os.dup2(nothing, stream)
    for number, method in enumerate(methods):
        heartbeat.own.begin(number)
        with contextlib.suppress(BaseException):
            method.make()
        heartbeat.own.end()
    yield None
