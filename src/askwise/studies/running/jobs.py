"""Run long lists of independent jobs in worker processes; the next run skips the jobs that have succeeded.

A job is a long computation that returns rows of a table. If it succeeds, they are stored in a file named by the job's
key, which depends on its input. If it fails, its rows state the reason and are not stored. The folder is locked during
a run.
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
    """The interface of a job: a long computation that returns rows, as dicts of JSON-compatible data.

    `do_all` runs jobs. A job must be picklable, because it is sent to a worker process. The jobs of
    ``askwise.recognition.tables`` implement the interface.
    """

    @property
    def key(self) -> str:
        """The name of the file with the job's stored rows, without its ending: letters, digits and hyphens.

        Two jobs whose rows may differ must have different keys.
        """

    def rows(self) -> list[Row]:
        """Compute and return the rows of the job, as dicts of JSON-compatible data.

        The job has failed if this method raises any exception.
        """

    def failed(self, why: str) -> list[Row]:
        """Return the rows to use if the job failed, as dicts of JSON-compatible data.

        Args:
            why: the reason, as text.
        """


@dataclass(frozen=True)
class Done:
    """The outcome of a job, which succeeded or failed.

    Attributes:
        number: index of the job in the list.
        rows: the rows, as dicts of JSON-compatible data; those of `Job.failed` if the job failed.
        failure: why the job failed; None if it succeeded.
        before: whether an earlier run computed the rows.
    """

    number: int
    rows: list[Row]
    failure: str | None = None
    before: bool = False


def do_all(jobs: Sequence[Job], folder: str | Path, *, workers: int, limits: Limits) -> Iterator[Done]:
    """Run jobs in worker processes, and yield the outcome of each job when it finishes.

    Jobs with stored rows come first, and do not run. Failed jobs run again in the next call.

    Args:
        jobs: the jobs.
        folder: the folder of stored rows; created if needed.
        workers: number of processes.
        limits: limits of each job; its time limit is ``limits.episode``, in seconds.

    Raises:
        InputError: another run uses the folder, or it cannot be written.
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
    """Run a job in a worker process; return its rows and None, or the rows of `Job.failed` and why the job failed.

    `run` is the name of the run that the worker process belongs to.
    """
    try:
        with borrowed(run, f"{__name__}:do_one", limits) as worker:
            ((rows, failure),) = worker.replies(job)
    except (WorkerDied, RequestRefused) as error:
        rows, failure = [], str(error)
    return (rows, None) if failure is None else (job.failed(failure), failure)


def do_one(job: Job) -> Iterator[Outcome]:
    """Run a job in this process, which is a worker process.

    Yields:
        one pair, either the rows of the job and None, or no rows and the reason of the failure as text.
    """
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
    """Return the rows of a job that an earlier run stored in the folder `kept`; None if no intact file has them."""
    try:
        found = read_record(_path(kept, job))
    except Corrupt:
        return None  # the job runs again and overwrites it
    return None if found is None or found.get("job") != job.key else found.get("rows")
