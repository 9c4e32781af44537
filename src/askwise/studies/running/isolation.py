"""Run each task in other processes, so that a misbehaving agent cannot affect the others.

If an agent takes too long, or its process dies, only the unit that it was playing fails. A row says why, a new process
continues with the next unit, and all other rows are the same bit for bit as if nothing had happened. An agent can also
harm its process without ending it: by threads that it leaks, or by changing classes or memory. So each method that is
not askwise's own plays in a process in which no other method plays. Those of askwise share one. This holds in this
process's threads, in those of a Dask worker, and on any executor: all of them call `play_isolated`.

Methods of others are loaded in a worker first, so that one that hangs or ends its process cannot stop the command.

To load a method is to run the file in which it is written. Ordinary errors are ignored here; they are reported when the
method is loaded for real.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Iterator, Sequence

from askwise.errors import AskwiseError
from askwise.studies.running.play import Problems, Rows, TaskResult, Unit, collect_rows, play, units
from askwise.studies.schema.study import Method, Task
from askwise.workers import heartbeat, pool
from askwise.workers.child import RequestRefused
from askwise.workers.limits import Limits
from askwise.workers.pool import WorkerDied


def play_isolated(task: Task, run: str) -> TaskResult:
    """Play a task in other processes: one for the methods of askwise, and one for each other method.

    Args:
        task: what to play.
        run: names the run that the task is part of: processes are kept for its other tasks.
    """
    try:
        sent = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
    except Exception:  # an instance of a class that exists only in this process
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
    """Return a name for the method of others that a unit runs, empty if it runs code of askwise only."""
    return "" if unit.method is None or unit.method.is_ours else repr(unit.method)


def _continue(task: Task, sent: bytes, run: str, guest: str, wanted: dict[int, Unit], found: dict[int, Rows]) -> None:
    """Play the units of a guest that are missing in `found`, up to the end or to the first that ends the process."""
    before, was_fresh = len(found), False
    try:
        with pool.borrowed(run, f"{__name__}:play_units", task.study.limits, guest) as worker:
            was_fresh = worker.is_fresh
            for number, rows in worker.replies((sent, wanted.keys() - found.keys())):
                found[number] = rows  # noqa: PERF403 - what came before a death counts
    except WorkerDied as death:
        guilty = death.unit if death.unit in wanted else None  # an agent may have overwritten the number
        if guilty is None or (guilty in found and not death.exceeded):
            if len(found) > before or not was_fresh:
                return  # between two units, or while it was without work
            guilty = next(number for number in wanted if number not in found)
        found[guilty] = wanted[guilty].failed(task, str(death), death.prices)


def play_units(request: tuple[bytes, set[int]]) -> Iterator[tuple[int, Rows]]:
    """Play some units of a pickled task; yield the number and the rows of each."""
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
    """Load and make the methods that are not askwise's own; refuse one that takes too long or ends its process."""
    others = [method for method in methods if not method.is_ours]
    if not others:
        return
    run = pool.new_run()
    try:
        with pool.borrowed(run, f"{__name__}:load_methods", limits) as worker:
            list(worker.replies(others))
    except RequestRefused:
        pass
    except pool.WorkerDied as death:
        if death.unit in range(len(others)):
            raise AskwiseError(f"method {others[death.unit or 0].name!r}: {death}") from None
    finally:
        pool.end(run)


def load_methods(methods: Sequence[Method]) -> Iterator[None]:
    """Load and make methods in this process, without output; yields nothing of interest."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # what methods print while they are loaded appears when they are loaded for real
        os.dup2(nothing, stream)
    for number, method in enumerate(methods):
        heartbeat.own.begin(number)
        with contextlib.suppress(BaseException):
            method.make()
        heartbeat.own.end()
    yield None
