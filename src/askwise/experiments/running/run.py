"""Running a study: tasks go out to a crew, results come back in any order and are stored one by one.

No more tasks are out at a time than keep the crew busy, and what came back is on the disk before the next is looked
at: memory does not grow with the study.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.errors import AskwiseError
from askwise.experiments.running import cluster, executors
from askwise.experiments.running.damage import Damaged
from askwise.experiments.running.executors import Crew
from askwise.experiments.running.play import Played, failed, play
from askwise.experiments.running.progress import Progress, Silent, progress_for
from askwise.experiments.running.provenance import now, provenance
from askwise.experiments.running.store import Store
from askwise.experiments.schema.study import Study
from askwise.experiments.schema.tables import in_words


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


class WorkersGone(AskwiseError):  # noqa: N818 - it names what happened
    """The executor broke down, or the cluster went away."""


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

    Args:
        study: what to play.
        folder: where results go. If it holds part of this study already, the rest is played.
        workers: number of processes; 1 plays in this one.
        executor: somebody else's executor to use instead; it is not shut down.
        dask: address of a Dask scheduler to use instead.
        retry_failed: play those instances again in which something failed.
        show_progress: draw a bar if standard error is a terminal.
        on_damage: told at once about each file that is not as askwise wrote it.
    """
    store = Store(folder, study)
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
            with _recorded(store, len(left)), _crew(workers, executor, dask) as crew:
                _play_all(store, left, crew, show_progress)
        return Ran(store, len(done), len(left), tuple(damaged))


def _crew(workers: int, executor: Executor | None, dask: str | None) -> AbstractContextManager[Crew]:
    if executor is not None:
        width = getattr(executor, "_max_workers", None) or executors.usable_cores()
        return nullcontext(Crew(executor, lambda: int(width)))
    return executors.local(workers) if dask is None else cluster.dask(dask)


def _play_all(store: Store, left: list[int], crew: Crew, show_progress: bool) -> None:
    each = store.study.episodes_per_task
    before = (store.study.n_tasks - len(left)) * each
    shown: Progress = progress_for(store.study.name, store.study.n_tasks * each, before) if show_progress else Silent()
    try:
        with shown:
            for played in results(store.study, left, crew):
                store.write(played)
                shown.advance(each)
    except KeyboardInterrupt:
        raise Interrupted(store) from None


def results(study: Study, indices: Iterable[int], crew: Crew) -> Iterator[Played]:
    """Yield what comes of the tasks, in the order in which they are finished."""
    waiting = deque(indices)
    out: dict[Future[Played], int] = {}
    try:
        while waiting or out:
            try:
                _send_out(study, waiting, out, crew)
                for future in wait(out, return_when=FIRST_COMPLETED).done:
                    played = _outcome(study, out[future], future)
                    del out[future], future
                    yield played
                    del played
            except (BrokenExecutor, CancelledError) as error:
                yield from _after_a_break(study, out, crew, error)
    finally:
        if crew.fresh is None:  # one of our own is stopped as a whole
            for future in out:
                future.cancel()


def _send_out(study: Study, waiting: deque[int], out: dict[Future[Played], int], crew: Crew) -> None:
    most = crew.ahead * max(1, crew.width())
    while waiting and len(out) < most:
        out[crew.executor.submit(play, study.task(waiting[0]))] = waiting[0]
        waiting.popleft()


def _outcome(study: Study, index: int, future: Future[Played]) -> Played:
    """Return what came of a task; whatever went wrong with it becomes its rows."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError):
        raise  # nothing is known about the task, it was just not played
    except Exception as error:
        return failed(study.task(index), in_words(error))


def _after_a_break(study: Study, out: dict[Future[Played], int], crew: Crew, error: Exception) -> Iterator[Played]:
    """Go on after a process died: what was out is played one by one, so that a task that kills is known by it."""
    if crew.fresh is None:
        raise WorkersGone(f"the workers are gone ({in_words(error)})") from None
    lost = sorted(out.values())
    out.clear()
    executors.stop(crew.executor)
    yield from _one_by_one(study, lost, crew.fresh)
    crew.executor = crew.fresh(crew.width())


def _one_by_one(study: Study, indices: list[int], fresh: Callable[[int], ProcessPoolExecutor]) -> Iterator[Played]:
    """Play tasks in a process of their own, and in another one when that dies."""
    pool: ProcessPoolExecutor | None = None
    try:
        for index in indices:
            if pool is None:
                pool = fresh(1)
                _check_start(pool)
            try:
                played = _outcome(study, index, pool.submit(play, study.task(index)))
            except BrokenExecutor:
                played = failed(study.task(index), "the process that played it died")
                executors.stop(pool)
                pool = None
            yield played
    finally:
        if pool is not None:
            executors.stop(pool)


def _check_start(pool: ProcessPoolExecutor) -> None:
    """Make sure that it is not the start of processes that fails: no task is to blame for that."""
    try:
        pool.submit(executors.ready).result()
    except BrokenExecutor:
        raise WorkersGone(
            "worker processes cannot be started (a script that runs studies with workers needs its "
            "`if __name__ == '__main__':`); workers=1 does without"
        ) from None


class _recorded:  # noqa: N801 - used like a function
    """Write who ran what and when beside the data, at the beginning and at the end of a run."""

    def __init__(self, store: Store, tasks: int) -> None:
        self._store = store
        self._runs = store.previous_runs()
        self._run: dict[str, Any] = {**provenance(), "tasks": tasks, "started": now(), "ended": None}

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
