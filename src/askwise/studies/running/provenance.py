"""Where results come from: what ran, on what, when. It stands beside the data and never inside it."""

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

SOURCE = Path(__file__).parents[2]
"""Where the package lies."""
PACKAGES = ("numpy", "scipy", "numba", "polars", "matplotlib", "distributed")
"""Those whose version can change numbers, times or pictures."""


def provenance() -> dict[str, Any]:
    """Return what can be said about this program and this machine."""
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
    """Return the time, to the second, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def git_state(folder: Path) -> dict[str, Any] | None:
    """Return the commit that the source is at and whether it was changed since; None outside a repository."""
    commit = _git(folder, "rev-parse", "HEAD")
    # An installed package may lie inside somebody else's repository (a virtual environment in a project): their
    # commit says nothing about askwise, unless askwise's own files belong to it.
    if commit is None or not _git(folder, "ls-files", "--", "__init__.py"):
        return None
    return {"commit": commit, "changed": bool(_git(folder, "status", "--porcelain", "--", "."))}


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
