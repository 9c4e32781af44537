"""The pool of worker processes, which start on demand, serve several requests, and end with their run.

A run is one execution of a study, a list of jobs, an audit or the web studio; `new_run` names it. A guest is an agent
that is not part of askwise; it has its own workers.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from askwise.errors import AskwiseError
from askwise.workers.heartbeat import NO_UNIT, Limits
from askwise.workers.process import DONE, READY, REFUSED, REPLY, Message, RequestRefused, SupervisedProcess

MOST_IDLE = 16
"""The largest number of idle workers, not counting reserved ones; a study may have many guests."""
IDLE_SECONDS = 60.0
"""Seconds without a request after which a worker ends: on a cluster, the run may not need it again."""
POLL_SECONDS = 1.0
"""Seconds after which a thread that waits for results checks for messages and for Ctrl-C."""


class WorkersGone(AskwiseError):  # noqa: N818 - it names what happened
    """Raised when worker processes cannot be started, or the executor or cluster that runs them has failed."""


class RunEnded(Exception):  # noqa: N818 - nothing is wrong
    """Raised when a worker process is requested or used although its run has ended.

    A run is one execution of a study, for instance. All its worker processes end with it.
    """


class WorkerDied(Exception):  # noqa: N818 - it names what happened
    """Raised when a worker process ends during a request; the message says how it ended.

    Attributes:
        unit: the number of the unit of work (such as an episode) in which the process ended or exceeded a limit; None
            between units.
        prices: the base price of a question and the price of each goal in the question; None if unknown.
        exceeded: whether `unit` exceeded a time limit; even then, the unit may have finished.

    Args:
        why: the message.
    """

    def __init__(self, why: str, unit: int | None, prices: tuple[float | None, float | None], exceeded: bool) -> None:
        super().__init__(why)
        self.unit, self.prices, self.exceeded = unit, prices, exceeded


class Key(NamedTuple):
    """The properties of a worker process; a request may use only a worker with equal properties.

    Attributes:
        run: the name of the run, such as an execution of a study.
        service: the function that answers requests, as ``module:name``.
        limits: the limits of time and memory.
        guest: the third-party agent in the worker; empty for none.
        reserved: whether the worker is kept until the run ends.
        path: the folders for imports (`sys.path`).
    """

    run: str
    service: str
    limits: Limits
    guest: str
    reserved: bool
    path: tuple[str, ...]


class WorkerProcess:
    """A worker process that answers requests, as an object in the parent process; creating it starts the worker.

    Attributes:
        key: the properties of the worker.
        is_fresh: whether the worker has not finished a request yet.
    """

    def __init__(self, key: Key) -> None:
        self.key, self.is_fresh = key, True
        idle = threading.TIMEOUT_MAX if key.reserved else IDLE_SECONDS
        arguments = [key.service, repr(key.limits.memory), repr(idle)]
        self._process = SupervisedProcess(arguments, key.limits)
        self._requests, self._replies = self._process.pipes
        self._is_ready = False

    def wait_until_ready(self) -> None:
        """Wait until the process can answer requests; raise `WorkersGone` if the process ends first."""
        if not self._is_ready:
            try:
                self._is_ready = self._receive()[0] == READY
            except EOFError:
                raise WorkersGone(f"worker processes cannot be started ({self._process.describe_end()})") from None

    def replies(self, request: Any) -> Iterator[Any]:
        """Send a request to the process, and yield the replies as they arrive.

        Args:
            request: an object that can be pickled, or its pickle.

        Raises:
            RequestRefused: the process cannot answer the request.
            WorkerDied: the process ended, exceeded a limit, or wrote something that is not a reply.
        """
        sent = request if isinstance(request, bytes) else pickle.dumps(request, pickle.HIGHEST_PROTOCOL)
        # Copying the environment takes longer than everything else; a reserved worker gets it with its first request.
        stays = self.key.reserved and not self.is_fresh
        message: Message = (None if stays else (_folder(), dict(os.environ)), sent)
        try:
            pickle.dump(message, self._requests, pickle.HIGHEST_PROTOCOL)
            self._requests.flush()
            while True:
                kind, value = self._receive()
                if kind == REFUSED:
                    raise RequestRefused(value)
                if kind == DONE:
                    self.is_fresh = False
                    return
                yield value
        except (EOFError, OSError):
            raise self._death() from None

    def _receive(self) -> tuple[str, Any]:
        try:
            kind, value = pickle.load(self._replies)
            if kind in (READY, REPLY, DONE, REFUSED):
                return kind, value
        except (EOFError, OSError):
            raise EOFError from None
        except Exception:
            pass
        self._process.exceeded = self._process.exceeded or "wrote into the pipe of its process"
        self._process.kill()
        raise EOFError

    def _death(self) -> WorkerDied:
        why, heartbeat = self._process.describe_end(), self._process.heartbeat
        exceeded = self._process.exceeded_in != NO_UNIT
        unit = self._process.exceeded_in if exceeded else heartbeat.unit
        base, per_goal = (None if math.isnan(price) else price for price in heartbeat.prices)
        return WorkerDied(why, None if unit == NO_UNIT else unit, (base, per_goal), exceeded)

    @property
    def pid(self) -> int:
        """The process identifier of the worker."""
        return self._process.process.pid

    def is_gone(self) -> bool:
        """Return whether the process has ended."""
        return self._process.process.poll() is not None

    def kill(self) -> None:
        """End the process now; a thread that iterates over `replies` gets `WorkerDied`."""
        self._process.kill()

    def close(self) -> None:
        """End the process, and release its files, pipes and threads."""
        with contextlib.suppress(OSError):
            self._process.close()


def _folder() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:  # the folder was removed
        return None


_lock = threading.Lock()
_idle: list[WorkerProcess] = []
_busy: set[WorkerProcess] = set()
_ended: set[str] = set()


def new_run() -> str:
    """Return a unique name for a new run, such as one execution of a study.

    Worker processes belong to a run, and are ended together at its end.
    """
    return uuid4().hex


def usable_cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def supervisors(number: int, run: str) -> Iterator[ThreadPoolExecutor]:
    """Provide an executor with `number` threads in a ``with`` block; each thread can wait for a worker process.

    Afterwards, all worker processes of `run` (from `new_run`) are ended, and work that has not begun is cancelled.
    """
    threads = ThreadPoolExecutor(number, "askwise-supervisor")
    try:
        yield threads
    finally:
        end(run)  # before `shutdown`, because the threads wait for their workers
        threads.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def borrowed(
    run: str, service: str, limits: Limits, guest: str = "", *, reserved: bool = False
) -> Iterator[WorkerProcess]:
    """Provide a worker process in a ``with`` block: an idle one with the given properties, or a new one.

    If the block raises an error, the worker ends; otherwise it can be borrowed again.

    Args:
        run: the name from `new_run`.
        service: the function that answers requests (`Service`), as ``module:name``.
        limits: the limits of time and memory.
        guest: the third-party agent in the worker; empty for none.
        reserved: whether the worker is kept until the run ends; if not, it ends after some idle time.

    Raises:
        WorkersGone: no worker process can be started.
        RunEnded: the run has ended already, or had ended when the block raised an error.
    """
    worker = _take(Key(run, service, limits, guest, reserved, tuple(sys.path)))
    try:
        worker.wait_until_ready()
        yield worker
    except BaseException:
        _drop(worker)
        if run in _ended:
            raise RunEnded from None
        raise
    with _lock:
        if run in _ended:
            surplus: WorkerProcess | None = worker
        else:
            _busy.discard(worker)
            _idle.append(worker)
            free = [each for each in _idle if not each.key.reserved]
            surplus = free[0] if len(free) > MOST_IDLE else None
            if surplus is not None:
                _idle.remove(surplus)
    if surplus is not None:
        _drop(surplus)


def _take(key: Key) -> WorkerProcess:
    with _lock:
        gone = [worker for worker in _idle if worker.is_gone()]
        _idle[:] = [worker for worker in _idle if worker not in gone]
        fit = next((worker for worker in _idle if worker.key == key), None)
        if fit is not None:
            _idle.remove(fit)
            _busy.add(fit)
    for worker in gone:
        worker.close()
    return _start(key) if fit is None else fit


def _start(key: Key) -> WorkerProcess:
    try:
        new = WorkerProcess(key)
    except (OSError, RuntimeError) as error:
        raise WorkersGone(f"worker processes cannot be started ({error})") from None
    with _lock:
        if key.run not in _ended:
            _busy.add(new)
            return new
    new.close()
    raise RunEnded


def _drop(worker: WorkerProcess) -> None:
    with _lock:
        _busy.discard(worker)
    worker.close()


def end(run: str) -> None:
    """End all worker processes of the run called `run`; later requests for a worker of this run raise `RunEnded`."""
    with _lock:
        _ended.add(run)
        idle = [worker for worker in _idle if worker.key.run == run]
        _idle[:] = [worker for worker in _idle if worker not in idle]
        for worker in _busy:
            if worker.key.run == run:
                worker.kill()  # the thread that waits for it closes it
    for worker in idle:
        worker.close()


def _forget() -> None:
    """Empty the lists of worker processes.

    Python calls this in a fork of this process, because the worker processes belong to the parent.
    """
    _idle.clear()
    _busy.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@atexit.register
def _end_all() -> None:
    for worker in [*_idle, *_busy]:
        worker.kill()
    for worker in _idle:
        worker.close()
