"""Run each task in other processes, so that a misbehaving agent cannot affect the others.

If an agent takes too long, or its process dies, only the unit that it was playing fails. A row says why, a new process
continues with the next unit, and all other rows are the same bit for bit as if nothing had happened. An agent can also
harm its process without ending it: by threads that it leaks, or by changing classes or memory. So each method that is
not askwise's own plays in a process in which no other method plays. Those of askwise share one. This holds in this
process's threads, in those of a Dask worker, and on any executor: all of them call `play_apart`.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator

from askwise.studies.running.play import Played, Problems, Rows, Unit, gathered, play, units
from askwise.studies.schema.study import Task
from askwise.workers import heartbeat, pool
from askwise.workers.child import Refused
from askwise.workers.pool import WorkerDied


def play_apart(task: Task, run: str) -> Played:
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
    except Refused:
        return play(task)
    return gathered(task, [found[number] for number in range(len(wanted))])


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
        raise Refused(f"{type(error).__name__}: {error}") from None
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
