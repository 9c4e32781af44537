"""Run a study: send its tasks to workers, and store each result as soon as it arrives.

A task is one instance in all conditions. Memory does not grow with the size of the study. Each run adds an entry on
program, machine and times to ``provenance.json``.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from askwise import __version__
from askwise.studies.running import executors
from askwise.studies.running.checksums import Damaged
from askwise.studies.running.executors import Workers, play_isolated
from askwise.studies.running.play import TaskResult, failed_task
from askwise.studies.running.store import PROVENANCE, Store
from askwise.studies.schema.study import Study
from askwise.studies.schema.tables import error_text
from askwise.workers import pool
from askwise.workers.pool import POLL_SECONDS, RunEnded, new_run, usable_cores
from askwise.workers.pool import WorkersGone as WorkersGone

LINE_SECONDS = 30.0
"""Time between two lines of progress where standard error is no terminal."""
SOURCE = Path(__file__).parents[2]
"""The folder of the package."""
PACKAGES = ("numpy", "scipy", "numba", "polars", "matplotlib", "distributed")
"""Packages whose version can change numbers, times or pictures."""


@dataclass(frozen=True)
class Ran:
    """The outcome of a run of a study.

    Attributes:
        store: the folder of the results.
        before: the number of instances whose results earlier runs had stored.
        played: the number of instances that this run played, or played again.
        damaged: the files that could not be used at the beginning. Instances with damaged results were played again.
    """

    store: Store
    before: int
    played: int
    damaged: tuple[Damaged, ...] = ()


class Interrupted(KeyboardInterrupt):
    """Raised when Ctrl-C is pressed during a study.

    Args:
        store: the folder with all results so far; also an attribute.
    """

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
    """Play all instances of a study that have no stored results, and store the results.

    Agents play in separate processes, within the study's limits of time and memory. Instances that cannot be pickled
    are played in this process, without limits.

    Args:
        study: the study.
        folder: the folder of the results; created if needed.
        workers: number of local processes.
        executor: used instead of `workers` and `dask`; not shut down.
        dask: address of a Dask scheduler to use instead of `workers`.
        retry_failed: whether to play instances with errors again.
        show_progress: whether to show progress on standard error.
        on_damage: called first with each damaged or unfinished file.

    Raises:
        Interrupted: Ctrl-C was pressed.
        InputError: another study or run has the folder, or the Dask cluster cannot be used.
        WorkersGone: worker processes did not start, or the executor failed.
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
                with RunRecord(store, len(left)), _executor(workers, executor, dask, run) as chosen:
                    _play_all(store, left, chosen, show_progress, run)
            return Ran(store, len(done), len(left), tuple(damaged))
    except KeyboardInterrupt as pressed:
        raise Interrupted(store) from pressed
    finally:
        pool.end(run)


def _executor(number: int, executor: Executor | None, dask: str | None, run: str) -> AbstractContextManager[Workers]:
    if executor is not None:
        width = getattr(executor, "_max_workers", None) or usable_cores()
        return nullcontext(Workers(executor, lambda: int(width)))
    return executors.local(number, run) if dask is None else executors.dask(dask)


def _play_all(store: Store, left: list[int], workers: Workers, show_progress: bool, run: str) -> None:
    each = store.study.episodes_per_task
    total, before = store.study.n_tasks * each, (store.study.n_tasks - len(left)) * each
    shown = (ProgressBar if sys.stderr.isatty() else ProgressLines)(store.study.name, total, before)
    with shown if show_progress else NoProgress() as progress:
        for result in results(store.study, left, workers, run, progress.say):
            store.write(result)
            progress.advance(each)


def results(
    study: Study, indices: Iterable[int], workers: Workers, run: str, say: Callable[[str], None]
) -> Iterator[TaskResult]:
    """Play instances of a study in all conditions; yield the rows of each instance as soon as it is finished.

    Args:
        study: the study.
        indices: the numbers of the instances.
        workers: the executor and its capacity.
        run: the name of the run (`askwise.workers.pool.new_run`).
        say: called with status messages.

    Raises:
        WorkersGone: the executor failed.
    """
    waiting = deque(indices)
    out: dict[Future[TaskResult], int] = {}
    try:
        while waiting or out:
            _submit(study, waiting, out, workers, run)
            for future in wait(out, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED).done:
                result = _result(study, out[future], future)
                del out[future], future
                yield result
                del result
            news = workers.news()
            if news is not None:
                say(news)
    except (BrokenExecutor, CancelledError) as error:
        raise WorkersGone(f"the workers are gone ({error_text(error)})") from None
    finally:
        for future in out:
            future.cancel()


def _submit(study: Study, waiting: deque[int], out: dict[Future[TaskResult], int], workers: Workers, run: str) -> None:
    most = workers.ahead * max(1, workers.width())
    while waiting and len(out) < most:
        out[workers.executor.submit(play_isolated, study.task(waiting[0]), run)] = waiting[0]
        waiting.popleft()


def _result(study: Study, index: int, future: Future[TaskResult]) -> TaskResult:
    """Return the result of a finished future: the rows of the instance with number `index`.

    If playing raised an exception, all rows have the message of the exception. But if the instance was not played at
    all, because the workers are gone or the run has ended, the exception is raised.
    """
    try:
        return future.result()
    except (BrokenExecutor, CancelledError, WorkersGone, RunEnded):
        raise  # the task was not played, so nothing is known about it
    except Exception as error:
        return failed_task(study.task(index), error_text(error))


# -- provenance --------------------------------------------------------------------------------------------------


def provenance() -> dict[str, Any]:
    """Return the versions of programs, the machine and the command line of this process, as JSON-compatible data.

    Keys:

    - ``askwise``, ``python``: versions;
    - ``git``: ``commit`` of the source code, and whether files have ``changed`` since; None without git;
    - ``packages``: versions by name;
    - ``system``, ``processor``: names;
    - ``cores``: number of cores;
    - ``command``: the words of the command line.
    """
    return {
        "askwise": __version__,
        "git": _git_state(SOURCE),
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := _version(name))},
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
    }


def utc_now() -> str:
    """Return the current time in UTC as ISO 8601 text, such as ``2025-01-31T12:00:00+00:00``."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _git_state(folder: Path) -> dict[str, Any] | None:
    """Return the commit of the source code in `folder`; None if the source code belongs to no git repository.

    The result has the keys ``commit`` (a hash) and ``changed`` (whether files have changed since).
    """
    commit = _git(folder, "rev-parse", "HEAD")
    # An installed package may lie inside the repository of another project (in a virtual environment). The commit of
    # that project says nothing about askwise unless it contains the files of askwise.
    if commit is None or not _git(folder, "ls-files", "--", "__init__.py"):
        return None
    return {"commit": commit, "changed": bool(_git(folder, "status", "--porcelain", "--", "."))}


class RunRecord:
    """A context manager that adds an entry about a run to ``provenance.json``, and completes it when the run ends.

    Args:
        store: the folder of the study.
        tasks: the number of instances to play.
    """

    def __init__(self, store: Store, tasks: int) -> None:
        self._store = store
        self._earlier = store.previous_runs()
        limits = store.study.limits.describe()
        self._run = {**provenance(), "limits": limits, "tasks": tasks, "started": utc_now(), "ended": None}

    def __enter__(self) -> None:
        self._write()

    def __exit__(self, *_: object) -> None:
        self._run["ended"] = utc_now()
        # Counted from the disk: an interrupted `Store.write` may have listed an instance that its memory does not have.
        self._run["tasks_done"] = len(Store(self._store.folder, self._store.study).done())
        self._write()

    def _write(self) -> None:
        study = self._store.study
        head = {"study": study.name, "fingerprint": study.fingerprint, "seed": study.seed}
        self._store.write_json(PROVENANCE, {**head, "runs": [*self._earlier, self._run]})


def _git(folder: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


# -- progress ----------------------------------------------------------------------------------------------------


class NoProgress:
    """A display that does not show the progress of a run; it only prints messages on standard error.

    It is a context manager, like the displays that show progress.
    """

    def __enter__(self) -> NoProgress:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def advance(self, episodes: int) -> None:
        """Do nothing: this class shows no progress.

        Args:
            episodes: the number of episodes that have just finished.
        """

    def say(self, text: str) -> None:
        """Print a message on a separate line on standard error."""
        print(text, file=sys.stderr, flush=True)


class ProgressLines(NoProgress):
    """A display for logs: a line about the progress on standard error at most every 30 seconds.

    Args:
        title: the beginning of each line.
        total: number of episodes.
        done: number of episodes stored before this run.
    """

    def __init__(self, title: str, total: int, done: int) -> None:
        self._title, self._total, self._before, self._done = title, total, done, done
        self._began = self._printed = time.monotonic()

    def advance(self, episodes: int) -> None:
        """Add `episodes` to the number of finished episodes; print a line if the last line is at least 30 seconds old.

        No line is printed once all episodes of the study are finished.
        """
        self._done += episodes
        now = time.monotonic()
        if now - self._printed < LINE_SECONDS or self._done >= self._total:
            return
        self._printed = now
        left = (self._total - self._done) * (now - self._began) / (self._done - self._before)
        self.say(f"{self._title}: {self._done:,} of {self._total:,} episodes, about {left:,.0f} s left")


class ProgressBar(NoProgress):
    """A progress bar on standard error, with episodes per second and the remaining time.

    Args:
        title: the text before the bar.
        total: number of episodes.
        done: number of episodes stored before this run.
    """

    def __init__(self, title: str, total: int, done: int) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Task as RichTask
        from rich.text import Text

        class Rate(ProgressColumn):
            """A column of the progress bar that shows the episodes per second since the run began."""

            def render(self, task: RichTask) -> Text:
                elapsed = task.finished_time if task.finished else task.elapsed
                rate = (task.completed - done) / elapsed if elapsed else 0.0
                return Text(f"{rate:,.0f} episodes/s" if rate else "starting")

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            Rate(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task(title, total=total, completed=done)

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def advance(self, episodes: int) -> None:
        """Move the bar forward.

        Args:
            episodes: the number of episodes that have just finished.
        """
        self._bar.advance(self._task, episodes)

    def say(self, text: str) -> None:
        """Print a message above the bar, on standard error."""
        self._bar.console.print(text, markup=False, highlight=False)
