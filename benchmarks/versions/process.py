"""Processes that run one version of askwise, and do work on request."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.tools import ROOT
from benchmarks.versions.trees import Tree


class FailedError(Exception):
    """The error that a version could not do some work, with the message of its process."""


class VersionProcess:
    """A running process of one version, in which `benchmarks.versions.server` answers requests.

    Args:
        tree: the version.
        size: ``quick`` or ``full``.
    """

    def __init__(self, tree: Tree, size: str) -> None:
        self.tree = tree
        words = [sys.executable, "-m", "benchmarks.versions.server", size]
        self._process = subprocess.Popen(
            words, cwd=ROOT, env=tree.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        home = Path(self.call("home"))
        if not home.is_relative_to(tree.folder.resolve()):
            raise FailedError(f"askwise was imported from {home}, not from {tree.folder}")

    def call(self, request: str, **arguments: Any) -> Any:
        """Call a function of the server, and return its result."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"request": request, **arguments}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the process has ended, so there is no reply
        line = self._process.stdout.readline()
        if not line:
            raise FailedError(f"the process has ended with exit code {self._process.wait()}")
        reply = json.loads(line)
        if "error" in reply:
            raise FailedError(reply["error"])
        return reply["result"]

    def __enter__(self) -> VersionProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None:
            self._process.kill()
        self._process.communicate()


def first_use(tree: Tree, method: str, side: int, stations: int, *, cache: str) -> float:
    """Return the CPU seconds of a process that makes one decision, with the compiled code in the folder `cache`."""
    words = [sys.executable, "-m", "benchmarks.versions.first_use", method, str(side), str(stations)]
    done = subprocess.run(words, cwd=ROOT, env=tree.environment(cache), capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
    return float(done.stdout.splitlines()[-1])
