"""Methods of others are loaded in a worker first, so that one that hangs or ends its process cannot stop the command.

To load a method is to run the file in which it is written. Ordinary errors are ignored here; they are reported when the
method is loaded for real.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

from askwise.errors import AskwiseError
from askwise.studies.schema.study import Method
from askwise.workers import heartbeat, pool
from askwise.workers.child import Refused
from askwise.workers.limits import Limits


def preload(methods: Sequence[Method], limits: Limits) -> None:
    """Load and make the methods that are not askwise's own; refuse one that takes too long or ends its process."""
    others = [method for method in methods if not method.is_ours]
    if not others:
        return
    run = pool.new_run()
    try:
        with pool.borrowed(run, f"{__name__}:load_methods", limits) as worker:
            list(worker.replies(others))
    except Refused:
        pass
    except pool.WorkerDied as death:
        if death.unit in range(len(others)):
            raise AskwiseError(f"method {others[death.unit or 0].name!r}: {death}") from None
    finally:
        pool.end(run)


def load_methods(methods: Sequence[Method]) -> Iterator[None]:
    """Load and make methods in this process, without output; yields nothing of interest."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # what methods print while they are loaded appears when they are loaded for real
        os.dup2(nothing, stream)
    for number, method in enumerate(methods):
        heartbeat.own.begin(number)
        with contextlib.suppress(BaseException):
            method.make()
        heartbeat.own.end()
    yield None
