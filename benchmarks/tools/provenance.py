"""What the numbers were measured with: date, versions and machine."""

from __future__ import annotations

import math
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import askwise


def provenance() -> dict[str, Any]:
    """Return the date, versions, machine and load by name, as text or numbers."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "askwise": askwise.__version__,
        "git": _git_state(),
        "python": platform.python_version(),
        **{package: _version(package) for package in ("numpy", "scipy", "numba", "stormpy")},
        "system": platform.platform(),
        "cpu": _cpu(),
        "cores": cores(),
        "load": f"{load():.2f} at the start",
    }


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load() -> float:
    """Return the load of the last minute (processes that ran or waited for a core), nan if the system has none."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _git_state() -> str:
    commit = _git("rev-parse", "--short", "HEAD")
    if not commit:
        return "no commit available"
    return f"{commit} with uncommitted changes" if _git("status", "--porcelain") else commit


def _git(*words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=Path(__file__).resolve().parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _cpu() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
