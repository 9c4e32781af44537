"""``python -m benchmarks.versions.server SIZE``: run the jobs of one version on request.

Requests and replies are lines of JSON, on stdin and stdout. SIZE is ``quick`` or ``full``.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import askwise
from askwise import ToolFetching
from benchmarks.versions.jobs import FULL, QUICK, all_jobs, paper_maps, plain_maps
from benchmarks.versions.moments import Moments, record
from benchmarks.versions.work import Go, Job, digest, seconds_per_unit


class Server:
    """The functions that can be requested; `functions` has them by name."""

    def __init__(self, size: str) -> None:
        self._setting = QUICK if size == "quick" else FULL
        self._jobs: list[Job] = []
        self._prepared: dict[int, Go] = {}
        self.functions: dict[str, Callable[..., Any]] = {
            each.__name__: each for each in (self.home, self.record, self.names, self.warm, self.time)
        }

    def home(self) -> str:
        """Return the path from which askwise was imported."""
        return str(Path(askwise.__file__).resolve())

    def record(self) -> Moments:
        """Return recorded moments at which decisions are measured."""
        paper = [ToolFetching(each) for each in paper_maps(self._setting)]
        small = [ToolFetching(each) for each in plain_maps(self._setting)]
        found = {f"paper {method}": record(method, paper) for method in self._setting.deciding}
        return {**found, **{f"plain {method}": record(method, small) for method in self._setting.compared}}

    def names(self, moments: Moments) -> list[tuple[str, str]]:
        """Make all jobs with these moments, and return the part and name of each."""
        self._jobs = all_jobs(self._setting, moments)
        return [(job.part, job.name) for job in self._jobs]

    def warm(self, job: int) -> str:
        """Do a job for the first time, which loads compiled code, and return a digest of its results."""
        self._prepared[job] = self._jobs[job].prepare()
        found = digest(self._prepared[job]().outcome)
        gc.collect()
        gc.freeze()  # permanent objects need not be searched for garbage before each turn
        return found

    def time(self, job: int) -> float:
        """Return the CPU seconds per unit of a job."""
        return seconds_per_unit(self._prepared[job])


def _main(size: str) -> None:
    server, replies = Server(size), sys.stdout
    for line in sys.stdin:
        arguments = json.loads(line)
        with redirect_stdout(sys.stderr):  # stdout is for replies only
            try:
                reply = {"result": server.functions[arguments.pop("request")](**arguments)}
            except Exception as error:  # an older version may lack something, which the tables report
                reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    _main(*sys.argv[1:])
