"""Descriptions of how a process ended, and at which line."""

from __future__ import annotations

import signal
import sysconfig
from pathlib import Path

import pytest

import askwise
from askwise.workers.process import describe_exit, place_in


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "its process ended itself (exit code 0)"),
        (3, "its process ended itself (exit code 3)"),
        (-signal.SIGSEGV, "its process died (signal 11, segmentation fault; mine.py, line 4)"),
        (-signal.SIGABRT, "its process died (signal 6, aborted; mine.py, line 4)"),
        (-signal.SIGKILL, "its process was killed (signal 9; out of memory?)"),
        (-200, "its process died (signal 200; mine.py, line 4)"),
    ],
)
def test_ends(code: int, words: str) -> None:
    assert describe_exit(code, "mine.py, line 4") == words


def stack(*files: str) -> str:
    frames = [f'  File "{name}", line {10 + k} in decide' for k, name in enumerate(files)]
    return "\n".join(
        ["Fatal Python error: Segmentation fault", "", "Current thread (most recent call first):", *frames]
    )


MINE = str(Path("agents", "mine.py"))
ASKWISE = f"{Path(askwise.__file__).parent}/simulation.py"
STANDARD = f"{sysconfig.get_path('stdlib')}/json/decoder.py"
LIBRARY = f"{sysconfig.get_path('purelib')}/numpy/linalg.py"


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ([MINE, ASKWISE], "mine.py, line 10"),
        ([STANDARD, MINE, ASKWISE], "mine.py, line 11"),
        ([LIBRARY, MINE, ASKWISE], "mine.py, line 11"),
        ([LIBRARY, ASKWISE], "linalg.py, line 10"),
        (["<string>", ASKWISE], ""),
        ([], ""),
    ],
)
def test_places(files: list[str], place: str) -> None:
    assert place_in(stack(*files)) == place
