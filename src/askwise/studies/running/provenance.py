"""The provenance of results: which program ran on which machine, and when; stored next to the data, not in them."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from askwise import __version__
from askwise.studies.running.store import PROVENANCE, Store

SOURCE = Path(__file__).parents[2]
"""The folder of the package."""
PACKAGES = ("numpy", "scipy", "numba", "polars", "matplotlib", "distributed")
"""Packages whose version can change numbers, times or pictures."""


def provenance() -> dict[str, Any]:
    """Return versions, machine and command line of this process, as JSON-compatible data.

    The keys are ``askwise``, ``git``, ``python``, ``packages``, ``system``, ``processor``, ``cores`` and ``command``.
    """
    return {
        "askwise": __version__,
        "git": git_state(SOURCE),
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := _version(name))},
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
    }


def now() -> str:
    """Return the current time in UTC, in ISO format to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def git_state(folder: Path) -> dict[str, Any] | None:
    """Return the commit of the source code in `folder`, None if it is not in its own repository.

    The keys are ``commit`` and ``changed``: whether files were changed since that commit.
    """
    commit = _git(folder, "rev-parse", "HEAD")
    # An installed package may lie inside the repository of another project (in a virtual environment). The commit of
    # that project says nothing about askwise unless it contains the files of askwise.
    if commit is None or not _git(folder, "ls-files", "--", "__init__.py"):
        return None
    return {"commit": commit, "changed": bool(_git(folder, "status", "--porcelain", "--", "."))}


class RunRecord:
    """A context manager that adds a run to `provenance.json` when it begins, and completes it when it ends.

    It states versions, machine, limits, times, and the number of instances.

    Args:
        store: the folder of the study.
        tasks: the number of instances that the run is going to play.
    """

    def __init__(self, store: Store, tasks: int) -> None:
        self._store = store
        self._earlier = store.previous_runs()
        limits = store.study.limits.describe()
        self._run = {**provenance(), "limits": limits, "tasks": tasks, "started": now(), "ended": None}

    def __enter__(self) -> None:
        self._write()

    def __exit__(self, *_: object) -> None:
        self._run["ended"] = now()
        self._run["tasks_done"] = len(self._store.done())
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
