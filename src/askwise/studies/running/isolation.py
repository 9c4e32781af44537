"""Worker processes for code of other people, so that a misbehaving agent cannot affect the rest of a study.

If an agent exceeds a time limit, or its process dies, only the unit that it was playing fails. The row of that unit
states the reason, a new process continues with the next unit, and all other rows are identical bit for bit. An agent
can also harm its process without ending it, by leaking threads or by changing classes or memory. Therefore each method
that is not part of askwise (a guest) plays in its own process; the methods of askwise share one. This holds on every
executor: threads of this process and Dask workers alike call `play_isolated`.

To load a method runs its file. `preload` does so in a worker first, because a method that hangs or ends its process
must not stop the command.
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
from askwise.workers.heartbeat import Limits
from askwise.workers.pool import WorkerDied


def play_isolated(task: Task, run: str) -> TaskResult:
    """Play one instance in all conditions in other processes: one for askwise's methods, one for each other agent.

    If the task cannot be sent to another process (for instance, a class of its instance exists only in this process),
    it is played in this process, without limits.

    Args:
        task: the instance and the conditions.
        run: a name shared by worker processes that are ended together (`askwise.workers.pool.new_run`). They are kept
            for other tasks of the same run.
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
    """Return a text that identifies the user's own agent whose code a unit runs; empty if all its code is askwise's.

    A unit is one episode or one expected cost.
    """
    return "" if unit.method is None or unit.method.is_ours else repr(unit.method)


def _continue(task: Task, sent: bytes, run: str, guest: str, wanted: dict[int, Unit], found: dict[int, Rows]) -> None:
    """Play units (episodes or expected costs) in a worker process until all are played or the process dies.

    If it dies while it plays a unit, this unit gets rows with the error. Call the function again for the units that are
    then missing.

    Args:
        task: the instance and the conditions.
        sent: the same, pickled.
        run: the name shared by the worker processes of the run.
        guest: identifies the user's own agent that is played (`_guest`); empty for the methods of askwise.
        wanted: all units that this kind of worker process plays, by number.
        found: the rows of the units that were played, by number; this function adds to it.
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
    """Play some units of a task, each one episode or one expected cost, in a worker process.

    Args:
        request: the pickled task (an instance and its conditions), and the numbers of the units to play.

    Yields:
        the number and the rows of each unit.
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
    """Load the methods that are not part of askwise in a worker process, to find out whether this is safe.

    Exceptions that a method raises are ignored here; they are reported when it is loaded in this process.

    Args:
        methods: the methods; those of askwise are skipped.
        limits: the limits of time and memory.

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
    """Load methods in this worker process, to find out whether the process survives.

    What they print is suppressed, and their exceptions are ignored. The function is a generator, as the worker expects,
    and yields None when all methods are loaded.
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
