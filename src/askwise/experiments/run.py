"""Running a study: tasks go out to a crew, results come back in any order and are stored one by one.

No more tasks are out at a time than keep the crew busy, and what came back is on the disk before the next is looked
at: memory does not grow with the study.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.errors import AskwiseError
from askwise.experiments import executors
from askwise.experiments.executors import Crew
from askwise.experiments.play import Played, failed, play
from askwise.experiments.progress import Progress, Silent, progress_for
from askwise.experiments.provenance import now, provenance
from askwise.experiments.store import Store
from askwise.experiments.study import Study
from askwise.reading import parse_json, read_text

AHEAD = 2
"""Tasks out for each one that can be worked on: the next is there when one is done."""


@dataclass(frozen=True)
class Ran:
    """What a run did: its folder, how many tasks were done before, and how many it played."""

    store: Store
    before: int
    played: int


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
    """
    store = Store(folder, study)
    with store.locked():
        done = store.done()
        left = [index for index in range(study.n_tasks) if index not in done]
        if retry_failed:
            left = sorted({*left, *store.failed()})
        if left:
            with _recorded(store, len(left)), _crew(workers, executor, dask) as crew:
                _play_all(store, left, crew, show_progress)
        return Ran(store, len(done), len(left))


def _crew(workers: int, executor: Executor | None, dask: str | None) -> AbstractContextManager[Crew]:
    if executor is not None:
        width = getattr(executor, "_max_workers", None) or executors.usable_cores()
        return nullcontext(Crew(executor, lambda: int(width)))
    return executors.local(workers) if dask is None else executors.dask(dask)


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
    waiting = iter(indices)
    out: dict[Future[Played], int] = {}
    try:
        while True:
            for index in _next_ones(waiting, AHEAD * max(1, crew.width()) - len(out)):
                out[crew.executor.submit(play, study.task(index))] = index
            if not out:
                return
            finished = wait(out, return_when=FIRST_COMPLETED).done
            for future in finished:
                yield _outcome(study, out[future], future)
                del out[future]
    except (BrokenExecutor, CancelledError) as error:
        if crew.alone is None:
            raise WorkersGone(f"the workers are gone ({type(error).__name__}); what was played is stored") from None
        yield from _one_by_one(study, [*out.values(), *waiting], crew)
    finally:
        for future in out:
            future.cancel()


def _next_ones(waiting: Iterator[int], most: int) -> Iterator[int]:
    for _ in range(most):
        index = next(waiting, None)
        if index is None:
            return
        yield index


def _outcome(study: Study, index: int, future: Future[Played]) -> Played:
    """Return what came of a task; whatever went wrong with it becomes its rows."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError):
        raise  # nothing is known about the task, it was just not played
    except Exception as error:
        return failed(study.task(index), f"{type(error).__name__}: {error}")


def _one_by_one(study: Study, indices: list[int], crew: Crew) -> Iterator[Played]:
    """Go on after a process died: each task alone, so that one that kills its process is known by it."""
    assert crew.alone is not None
    pool = crew.alone()
    try:
        for index in indices:
            future = pool.submit(play, study.task(index))
            try:
                yield _outcome(study, index, future)
            except BrokenExecutor:
                yield failed(study.task(index), "the process that played it died")
                pool = crew.alone()
    finally:
        executors.stop(pool)


class _recorded:  # noqa: N801 - used like a function
    """Write who ran what and when beside the data, at the beginning and at the end of a run."""

    def __init__(self, store: Store, tasks: int) -> None:
        self._store = store
        self._runs = previous_runs(store)
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


def previous_runs(store: Store) -> list[dict[str, Any]]:
    """Return what earlier runs in this folder wrote down."""
    path = store.folder / "provenance.json"
    return list(parse_json(read_text(path)).get("runs", [])) if path.exists() else []
