"""Run each task in other processes, so that a misbehaving agent cannot affect the others.

If an agent takes too long, or its process dies, only the unit that it was playing fails. A row says why, a new process
continues with the next unit, and all other rows are the same bit for bit as if nothing had happened. An agent can also
harm its process without ending it: by threads that it leaks, or by changing classes or memory. So each method that is
not askwise's own plays in a process in which no other method plays. Those of askwise share one. This holds in this
process's threads, in those of a Dask worker, and on any executor: all of them call `play_apart`.
"""

from __future__ import annotations

import pickle

from askwise.studies.running import children
from askwise.studies.running.children import Died, Refused
from askwise.studies.running.play import play, units
from askwise.studies.running.rows import Played, Rows, Unit, gathered
from askwise.studies.schema.study import Task


def play_apart(task: Task, run: str) -> Played:
    """Play a task in other processes: one for the methods of askwise, and one for each other method.

    Args:
        task: what to play.
        run: names the run that the task is part of: processes are kept for its other tasks.
    """
    try:
        sent = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
    except Exception:  # an instance that somebody made by hand, of a class that exists only here
        return play(task)
    wanted = dict(enumerate(units(task)))
    found: dict[int, Rows] = {}
    try:
        for guest in dict.fromkeys(map(_guest, wanted.values())):
            its = {number: unit for number, unit in wanted.items() if _guest(unit) == guest}
            while its.keys() - found.keys():
                _go_on(task, sent, run, guest, its, found)
    except Refused:
        return play(task)
    return gathered(task, [found[number] for number in range(len(wanted))])


def _guest(unit: Unit) -> str:
    """Return a name for the method of others that a unit runs, nothing if it runs code of askwise only."""
    return "" if unit.method is None or unit.method.is_ours else repr(unit.method)


def _go_on(task: Task, sent: bytes, run: str, guest: str, wanted: dict[int, Unit], found: dict[int, Rows]) -> None:
    """Play what is missing of a guest's units, up to the end or to the first one that ends the process."""
    before, was_fresh = len(found), False
    try:
        with children.borrowed(run, task.study.limits, guest=guest) as child:
            was_fresh = child.is_fresh
            for number, rows in child.play(sent, frozenset(wanted.keys() - found.keys())):
                found[number] = rows  # noqa: PERF403 - what came before a death counts
    except Died as death:
        guilty = death.unit
        if guilty is None or (guilty in found and not death.certainly):
            if len(found) > before or not was_fresh:
                return  # between two units; or it had waited too long for work, and went while this task was on its way
            guilty = next(number for number in wanted if number not in found)
        found[guilty] = wanted[guilty].failed(task, death.why, death.prices)
