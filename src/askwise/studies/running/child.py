"""The process in which agents play: it takes tasks from its parent, and sends back the rows of each unit as they come.

Messages are pickles, one after the other: from the parent ``(folder, environment, task, units to play)``, to it
``(READY, None)``, then for each task ``(number of a unit, its rows)`` ... ``(DONE, None)``, or ``(REFUSED, why)`` for a
task that cannot be understood here. What agents print goes to standard error: standard output is for the messages.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from askwise.workers import child, heartbeat

READY, DONE, REFUSED = "ready", "done", "refused"
IDLE = 60.0
"""Seconds without work after which the process ends: nobody may ever come back to it."""

Message = tuple[str | None, dict[str, str], bytes, frozenset[int]]


Player = Callable[[bytes, frozenset[int], IO[bytes]], None]
"""Does some units of what is pickled, and sends back what comes of them."""


def main(play: Player | None = None) -> None:
    """Take tasks until the parent has no more; `play` does something else with them."""
    child.begin(sys.argv[1])
    child.one_thread()
    child.die_first()
    child.limit_memory(float(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and ends this process if need be
    given, results = _streams()
    tasks: SimpleQueue[Message] = SimpleQueue()
    Thread(target=_take, args=(given, tasks), daemon=True).start()
    _work(tasks, results, play)


def _streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes to and from the parent, out of the way of whatever agents read and print."""
    given, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return given, results


def _take(given: IO[bytes], tasks: SimpleQueue[Message]) -> None:
    # All the time, and not between tasks only: this is how the end of the parent is noticed.
    while True:
        try:
            tasks.put(pickle.load(given))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)


def _work(tasks: SimpleQueue[Message], results: IO[bytes], play: Player | None) -> None:
    if play is None:
        import askwise.studies.running.play  # what takes long is loaded before the first task comes

        assert askwise.studies.running.play
        play = _play
    send(results, (READY, None))
    while True:
        try:
            folder, environment, task, wanted = tasks.get(timeout=IDLE)
        except Empty:
            os._exit(0)
        _move_to(folder, environment)
        play(task, wanted, results)


def _move_to(folder: str | None, environment: Mapping[str, str]) -> None:
    """Be where the parent is: agents may be named by a file in its folder."""
    if dict(os.environ) != environment:
        os.environ.clear()
        os.environ.update(environment)
    if folder is not None:
        os.chdir(folder)


def _play(pickled: bytes, wanted: frozenset[int], results: IO[bytes]) -> None:
    from askwise.studies.running.play import units
    from askwise.studies.running.problems import Problems

    try:
        task = pickle.loads(pickled)
        problems = Problems(task)
    except Exception as error:
        send(results, (REFUSED, f"{type(error).__name__}: {error}"))
        return
    for number, unit in enumerate(units(task)):
        if number not in wanted:
            continue
        heartbeat.own.begin(number)
        try:
            rows = unit.play(task, problems)
        except KeyboardInterrupt as error:  # nobody's but the agent's: this process does not hear Ctrl-C
            rows = unit.failed(task, type(error).__name__)
        send(results, (number, rows))
        heartbeat.own.end()
    send(results, (DONE, None))


def send(results: IO[bytes], message: Any) -> None:
    """Send something to the parent."""
    try:
        pickle.dump(message, results, pickle.HIGHEST_PROTOCOL)
        results.flush()
    except BrokenPipeError:
        os._exit(0)
