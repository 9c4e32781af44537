"""Processes that have imported one of the versions, from outside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.versions.trees import ROOT, Tree


class FailedError(Exception):
    """A version could not do what it was told; the message is its own."""


class Child:
    """A process of one version that stays and takes orders, see `benchmarks.versions.doing`.

    Args:
        tree: the version.
        size: ``quick`` or ``full``.
    """

    def __init__(self, tree: Tree, size: str) -> None:
        self.tree = tree
        words = [sys.executable, "-m", "benchmarks.versions.doing", size]
        self._process = subprocess.Popen(
            words, cwd=ROOT, env=tree.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        home = Path(self.order("home"))
        if not home.is_relative_to(tree.folder.resolve()):
            raise FailedError(f"askwise was imported from {home}, not from {tree.folder}")

    def order(self, order: str, **more: Any) -> Any:
        """Let it do something and return what it found."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"order": order, **more}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended; then there is no answer either
        line = self._process.stdout.readline()
        if not line:
            raise FailedError(f"the process has ended with exit code {self._process.wait()}")
        told = json.loads(line)
        if "error" in told:
            raise FailedError(told["error"])
        return told["found"]

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None:
            self._process.kill()
        self._process.communicate()


def first_use(tree: Tree, method: str, side: int, stations: int, *, cache: str) -> float:
    """Return the seconds of a process that decides once, with the compiled code that is in a folder named `cache`."""
    words = [sys.executable, "-m", "benchmarks.versions.first", method, str(side), str(stations)]
    done = subprocess.run(words, cwd=ROOT, env=tree.environment(cache), capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
    return float(done.stdout.splitlines()[-1])
