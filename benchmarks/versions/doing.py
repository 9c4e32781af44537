"""``python -m benchmarks.versions.doing SIZE``: does what it is told with one version; a line of JSON each way."""

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
from benchmarks.versions.moments import Moments, recorded
from benchmarks.versions.work import Go, Job, digest, seconds_a_piece


class Doing:
    """What it can be told to do."""

    def __init__(self, size: str) -> None:
        self._setting = QUICK if size == "quick" else FULL
        self._jobs: list[Job] = []
        self._going: dict[int, Go] = {}
        self.orders: dict[str, Callable[..., Any]] = {
            each.__name__: each for each in (self.home, self.record, self.names, self.warm, self.time)
        }

    def home(self) -> str:
        """Return where askwise was imported from."""
        return str(Path(askwise.__file__).resolve())

    def record(self) -> Moments:
        """Return the moments at which decisions are to be measured."""
        paper = [ToolFetching(each) for each in paper_maps(self._setting)]
        small = [ToolFetching(each) for each in plain_maps(self._setting)]
        found = {f"paper {method}": recorded(method, paper) for method in self._setting.deciding}
        return {**found, **{f"plain {method}": recorded(method, small) for method in self._setting.compared}}

    def names(self, moments: Moments) -> list[tuple[str, str]]:
        """Take the moments, and return part and name of every job."""
        self._jobs = all_jobs(self._setting, moments)
        return [(job.part, job.name) for job in self._jobs]

    def warm(self, job: int) -> str:
        """Do a job for the first time, which loads compiled code, and return a digest of what came out."""
        self._going[job] = self._jobs[job].prepare()
        found = digest(self._going[job]().outcome)
        gc.collect()
        gc.freeze()  # what is here to stay need not be looked through before each turn
        return found

    def time(self, job: int) -> float:
        """Return the seconds for a piece of a job."""
        return seconds_a_piece(self._going[job])


def _main(size: str) -> None:
    doing, answers = Doing(size), sys.stdout
    for line in sys.stdin:
        asked = json.loads(line)
        with redirect_stdout(sys.stderr):  # stdout is for answers only
            try:
                told = {"found": doing.orders[asked.pop("order")](**asked)}
            except Exception as error:  # an older version may lack something: that is a row too
                told = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(told), file=answers, flush=True)


if __name__ == "__main__":
    _main(*sys.argv[1:])
