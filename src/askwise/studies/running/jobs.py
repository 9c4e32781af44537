"""Long lists of independent jobs: each done in a worker process, recorded, and not repeated by the next run.

A study plays episodes; this is for everything else that takes long and gives rows. Records have checksums and appear
whole or not at all, and the folder is locked. A job that takes too long or kills its process becomes a row that says
so. The next run with the same jobs finds those that are done; a job whose input has changed has another key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from askwise.errors import AskwiseError
from askwise.studies.running.checksums import Corrupt, read_record, write_record
from askwise.studies.running.executors import POLL_SECONDS
from askwise.studies.running.ownership import lock
from askwise.text import files
from askwise.workers import heartbeat
from askwise.workers.child import RequestRefused
from askwise.workers.limits import Limits
from askwise.workers.pool import WorkerDied, borrowed, new_run, supervisors

Row = dict[str, Any]
"""Plain data, fit for JSON."""


Outcome = tuple[list[Row], str | None]


class Job(Protocol):
    """Something to be done, in whatever process; it can be pickled."""

    @property
    def key(self) -> str:
        """Name the job and all that its rows depend on: letters, digits and hyphens."""

    def rows(self) -> list[Row]:
        """Do it."""

    def failed(self, why: str) -> list[Row]:
        """Return its rows if it could not be done."""


@dataclass(frozen=True)
class Done:
    """A job that is done.

    Attributes:
        number: its place among the jobs.
        rows: what came of it.
        failure: why it could not be done, None if it could.
        before: whether an earlier run did it.
    """

    number: int
    rows: list[Row]
    failure: str | None = None
    before: bool = False


def do_all(jobs: Sequence[Job], folder: str | Path, *, workers: int, limits: Limits) -> Iterator[Done]:
    """Yield what comes of all jobs: first what an earlier run did, the others as they are finished.

    Args:
        jobs: what to do.
        folder: where what is done is kept.
        workers: how many processes work at once.
        limits: what each job may take; ``episode`` counts for a job as a whole.
    """
    kept, run = files.make_folder(folder), new_run()
    with lock(kept):
        files.remove_left_overs(kept)
        left = []
        for number, job in enumerate(jobs):
            found = _read(kept, job)
            if found is None:
                left.append(number)
            else:
                yield Done(number, found, before=True)
        with supervisors(workers, run) as threads:
            yield from _finished(jobs, left, kept, lambda job: threads.submit(_apart, job, run, limits))


def _finished(
    jobs: Sequence[Job], left: Sequence[int], kept: Path, submit: Callable[[Job], Future[Outcome]]
) -> Iterator[Done]:
    out = {submit(jobs[number]): number for number in left}
    while out:
        # Not for ever at once: Ctrl-C is heard between two looks.
        for future in wait(out, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED).done:
            number = out.pop(future)
            rows, failure = future.result()
            if failure is None:  # what failed is tried again next time: with more time, or more memory
                write_record(_path(kept, jobs[number]), {"job": jobs[number].key, "rows": rows})
            yield Done(number, rows, failure)


def _apart(job: Job, run: str, limits: Limits) -> Outcome:
    """Do a job in a worker process; return its rows, and why it failed if it did."""
    try:
        with borrowed(run, f"{__name__}:do_one", limits) as worker:
            ((rows, failure),) = worker.replies(job)
    except (WorkerDied, RequestRefused) as error:
        rows, failure = [], str(error)
    return (rows, None) if failure is None else (job.failed(failure), failure)


def do_one(job: Job) -> Iterator[Outcome]:
    """Do a job in this process; yield its rows, and why it failed if it did."""
    heartbeat.own.begin(0)
    rows: list[Row] = []
    failure = None
    try:
        rows = job.rows()
    except AskwiseError as error:
        failure = str(error)
    except MemoryError:
        failure = "it takes more memory than there is"
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    yield rows, failure
    heartbeat.own.end()


def _path(kept: Path, job: Job) -> Path:
    return kept / f"{job.key}.json"


def _read(kept: Path, job: Job) -> list[Row] | None:
    """Return what an earlier run made of a job; None if it is not there, or not as it was written."""
    try:
        found = read_record(_path(kept, job))
    except Corrupt:
        return None  # it is done again, and written over
    return None if found is None or found.get("job") != job.key else found.get("rows")
