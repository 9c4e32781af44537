"""The process in which jobs are done: that of a study, but for what it does with what it is given."""

from __future__ import annotations

import pickle
from typing import IO

from askwise.errors import AskwiseError
from askwise.studies.running import child
from askwise.studies.running.child import DONE, REFUSED, send
from askwise.workers import heartbeat


def main() -> None:
    """Take jobs until the parent has no more."""
    child.main(_do)


def _do(pickled: bytes, units: frozenset[int], results: IO[bytes]) -> None:
    assert not units
    try:
        job = pickle.loads(pickled)
    except Exception as error:
        send(results, (REFUSED, f"{type(error).__name__}: {error}"))
        return
    heartbeat.own.begin(0)
    rows, failure = None, None
    try:
        rows = job.rows()
    except AskwiseError as error:
        failure = str(error)
    except MemoryError:
        failure = "it takes more memory than there is"
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    send(results, (0, (rows, failure)))
    heartbeat.own.end()
    send(results, (DONE, None))
