"""Running a study: tasks go out to workers, results come back in any order and are stored one by one.

No more tasks are out at a time than keep the workers busy, and what came back is on the disk before the next is looked
at: memory does not grow with the study.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.studies.running import executors
from askwise.studies.running.checksums import Damaged
from askwise.studies.running.executors import Workers
from askwise.studies.running.isolation import play_apart
from askwise.studies.running.play import Played, failed
from askwise.studies.running.progress import Progress, Silent, progress_for
from askwise.studies.running.provenance import now, provenance
from askwise.studies.running.store import Store
from askwise.studies.schema.study import Study
from askwise.studies.schema.tables import in_words
from askwise.workers import pool
from askwise.workers.pool import RunEnded, new_run, usable_cores
from askwise.workers.pool import WorkersGone as WorkersGone

LOOK_UP = 1.0
"""Seconds after which whoever waits for results looks up: is there still somebody who works?"""


@dataclass(frozen=True)
class Ran:
    """What a run did.

    Attributes:
        store: the folder.
        before: how many tasks were done before.
        played: how many this run played, those that were played again among them.
        damaged: files that were not as askwise wrote them; parts among them were played again.
    """

    store: Store
    before: int
    played: int
    damaged: tuple[Damaged, ...] = ()


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a study; what was played is stored."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store


def run_study(
    study: Study,
    folder: str | Path,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    dask: str | None = None,
    retry_failed: bool = False,
    show_progress: bool = False,
    on_damage: Callable[[Damaged], object] | None = None,
) -> Ran:
    """Play what is not played yet, and store it.

    Agents play in processes of their own, whoever takes the tasks, within the limits of the study.

    Args:
        study: what to play.
        folder: where results go. If it holds part of this study already, the rest is played.
        workers: number of processes that play at once.
        executor: somebody else's executor to use instead; it is not shut down.
        dask: address of a Dask scheduler to use instead.
        retry_failed: play those instances again in which something failed.
        show_progress: draw a bar if standard error is a terminal.
        on_damage: told at once about each file that is not as askwise wrote it.
    """
    store, run = Store(folder, study), new_run()
    try:
        with store.locked():
            damaged = store.clear()
            if on_damage is not None:
                for each in damaged:
                    on_damage(each)
            done = store.done()
            left = [index for index in range(study.n_tasks) if index not in done]
            if retry_failed:
                left = sorted({*left, *store.failed()})
            if left:
                with _recorded(store, len(left)), _hired(workers, executor, dask, run) as hired:
                    _play_all(store, left, hired, show_progress, run)
            return Ran(store, len(done), len(left), tuple(damaged))
    except KeyboardInterrupt as pressed:
        raise Interrupted(store) from pressed
    finally:
        pool.end(run)


def _hired(number: int, executor: Executor | None, dask: str | None, run: str) -> AbstractContextManager[Workers]:
    if executor is not None:
        width = getattr(executor, "_max_workers", None) or usable_cores()
        return nullcontext(Workers(executor, lambda: int(width)))
    return executors.local(number, run) if dask is None else executors.dask(dask)


def _play_all(store: Store, left: list[int], workers: Workers, show_progress: bool, run: str) -> None:
    each = store.study.episodes_per_task
    before = (store.study.n_tasks - len(left)) * each
    shown: Progress = progress_for(store.study.name, store.study.n_tasks * each, before) if show_progress else Silent()
    with shown:
        for played in results(store.study, left, workers, run, shown.say):
            store.write(played)
            shown.advance(each)


def results(
    study: Study, indices: Iterable[int], workers: Workers, run: str, say: Callable[[str], None]
) -> Iterator[Played]:
    """Yield what comes of the tasks, in the order in which they are finished; `say` what the workers have to report."""
    waiting = deque(indices)
    out: dict[Future[Played], int] = {}
    try:
        while waiting or out:
            _send_out(study, waiting, out, workers, run)
            for future in wait(out, timeout=LOOK_UP, return_when=FIRST_COMPLETED).done:
                played = _outcome(study, out[future], future)
                del out[future], future
                yield played
                del played
            news = workers.news()
            if news is not None:
                say(news)
    except (BrokenExecutor, CancelledError) as error:
        raise WorkersGone(f"the workers are gone ({in_words(error)})") from None
    finally:
        for future in out:
            future.cancel()


def _send_out(study: Study, waiting: deque[int], out: dict[Future[Played], int], workers: Workers, run: str) -> None:
    most = workers.ahead * max(1, workers.width())
    while waiting and len(out) < most:
        out[workers.executor.submit(play_apart, study.task(waiting[0]), run)] = waiting[0]
        waiting.popleft()


def _outcome(study: Study, index: int, future: Future[Played]) -> Played:
    """Return what came of a task; whatever went wrong with it becomes its rows."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError, WorkersGone, RunEnded):
        raise  # nothing is known about the task, it was just not played
    except Exception as error:
        return failed(study.task(index), in_words(error))


class _recorded:  # noqa: N801 - used like a function
    """Write who ran what and when beside the data, at the beginning and at the end of a run."""

    def __init__(self, store: Store, tasks: int) -> None:
        self._store = store
        self._runs = store.previous_runs()
        self._run: dict[str, Any] = {
            **provenance(),
            "limits": store.study.limits.describe(),
            "tasks": tasks,
            "started": now(),
            "ended": None,
        }

    def __enter__(self) -> None:
        self._write()

    def __exit__(self, *_: object) -> None:
        self._run["ended"] = now()
        self._run["tasks_done"] = len(self._store.done())
        self._write()

    def _write(self) -> None:
        study = self._store.study
        head = {"study": study.name, "fingerprint": study.fingerprint, "seed": study.seed}
        self._store.write_json("provenance.json", {**head, "runs": [*self._runs, self._run]})
