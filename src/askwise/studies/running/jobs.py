"""Run long lists of independent jobs in worker processes; the next run skips the jobs that have succeeded.

A job is a long computation that returns rows of a table; episodes of studies are no jobs. The rows of a job that
succeeds are stored in a file, its record, which has a checksum and is written atomically. The folder of the records is
locked during a run. A job that exceeds its limits or kills its process gives rows that state the reason. A record is
found by the job's key; a job whose input has changed has another key and runs again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from askwise.errors import AskwiseError
from askwise.studies.running.checksums import Corrupt, read_record, write_record
from askwise.studies.running.ownership import lock
from askwise.text import files
from askwise.workers import heartbeat
from askwise.workers.heartbeat import Limits
from askwise.workers.pool import POLL_SECONDS, WorkerDied, borrowed, new_run, supervisors
from askwise.workers.process import RequestRefused

Row = dict[str, Any]
"""JSON-compatible data."""

Outcome = tuple[list[Row], str | None]
"""The rows of a job, and the reason of its failure or None."""


class Job(Protocol):
    """The interface of a long computation whose results are rows, dicts of JSON-compatible data; `do_all` runs it.

    A job must be picklable, because it is sent to a worker process. The jobs of ``askwise.recognition.tables``
    implement the interface.
    """

    @property
    def key(self) -> str:
        """The name of the job's record: letters, digits and hyphens. Jobs whose rows may differ have different keys."""

    def rows(self) -> list[Row]:
        """Compute and return the rows of the job; an exception means that it failed."""

    def failed(self, why: str) -> list[Row]:
        """Return the rows that stand for the job if it failed; `why` is the reason as text."""


@dataclass(frozen=True)
class Done:
    """The outcome of a job, which succeeded or failed.

    Attributes:
        number: the index of the job in the list.
        rows: the rows that the job computed; if it failed, those that `Job.failed` returns.
        failure: the reason of its failure, None if it succeeded.
        before: whether the rows come from the records of an earlier run.
    """

    number: int
    rows: list[Row]
    failure: str | None = None
    before: bool = False


def do_all(jobs: Sequence[Job], folder: str | Path, *, workers: int, limits: Limits) -> Iterator[Done]:
    """Run jobs in worker processes, and yield the outcome of each when it finishes.

    Rows of successful jobs are recorded in `folder`. Jobs whose rows an earlier run recorded there are not run again;
    their outcomes are yielded first. Failed jobs run again.

    Args:
        jobs: the jobs.
        folder: the folder of the records; created if it does not exist. No other run may use it at the same time.
        workers: the number of worker processes.
        limits: the limits of each job; ``episode`` is the time limit of a whole job, in seconds.
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
            yield from _finished(jobs, left, kept, lambda job: threads.submit(_in_worker, job, run, limits))


def _finished(
    jobs: Sequence[Job], left: Sequence[int], kept: Path, submit: Callable[[Job], Future[Outcome]]
) -> Iterator[Done]:
    out = {submit(jobs[number]): number for number in left}
    while out:
        # With a timeout, so that Ctrl-C is handled.
        for future in wait(out, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED).done:
            number = out.pop(future)
            rows, failure = future.result()
            if failure is None:  # failed jobs are tried again next time, perhaps with higher limits
                write_record(_path(kept, jobs[number]), {"job": jobs[number].key, "rows": rows})
            yield Done(number, rows, failure)


def _in_worker(job: Job, run: str, limits: Limits) -> Outcome:
    """Run a job in a worker process; return its rows and None, or the rows of `Job.failed` and the reason of failure.

    Args:
        job: the job.
        run: a name shared by the worker processes, which are ended together.
        limits: the limits of time and memory.
    """
    try:
        with borrowed(run, f"{__name__}:do_one", limits) as worker:
            ((rows, failure),) = worker.replies(job)
    except (WorkerDied, RequestRefused) as error:
        rows, failure = [], str(error)
    return (rows, None) if failure is None else (job.failed(failure), failure)


def do_one(job: Job) -> Iterator[Outcome]:
    """Run a job in this process, a worker; yield one pair: its rows and None, or no rows and the reason of failure."""
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
    """Return the rows of a job that an earlier run recorded in the folder `kept`, None if there is no intact record."""
    try:
        found = read_record(_path(kept, job))
    except Corrupt:
        return None  # the job runs again and overwrites it
    return None if found is None or found.get("job") != job.key else found.get("rows")
