"""The command ``askwise study`` as a process that can be disturbed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 120
"""Seconds after which a test gives up; everything should take less than a tenth of it."""


def start(*arguments: str, preexec_fn: Callable[[], object] | None = None) -> subprocess.Popen[str]:
    """Start ``askwise study ARGUMENTS`` in a new session, so that signals for it do not reach other processes."""
    return subprocess.Popen(
        [sys.executable, "-m", "askwise.cli", "study", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        preexec_fn=preexec_fn,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait until a process ends; return its exit code, output and error output."""
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def parts(folder: Path) -> int:
    """Return the number of stored parts."""
    return len(list((folder / "parts" / "episodes").glob("[0-9]*.parquet")))


def wait_for_parts(process: subprocess.Popen[str], folder: Path, at_least: int) -> None:
    """Wait until `number` parts are stored or the process has ended."""
    give_up = time.monotonic() + PATIENCE
    while parts(folder) < at_least and process.poll() is None:
        assert time.monotonic() < give_up, f"{parts(folder)} parts only"
        time.sleep(0.01)


def is_alive(process: int) -> bool:
    """Whether a process runs."""
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def of_session(session: int) -> list[int]:
    """Return the processes of a session that are alive."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, their_session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(their_session) == session and state != "Z":
            found.append(int(entry.name))
    return found


def wait_until_gone(session: int) -> None:
    """Wait until a session has no processes."""
    give_up = time.monotonic() + PATIENCE
    while left := of_session(session):
        assert time.monotonic() < give_up, f"left over: {left}"
        time.sleep(0.02)
