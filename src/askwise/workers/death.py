"""How a process ended, in words, and where in whose file it was."""

from __future__ import annotations

import os
import re
import signal
import sysconfig
from pathlib import Path

FRAME = re.compile(r'^  File "(.*)", line (\d+) in ', re.MULTILINE)
"""A line of a stack as `faulthandler` writes it, the innermost first."""
KNOWN = {number.value: number for number in signal.Signals}


def in_words(code: int, place: str = "") -> str:
    """Return how a process ended that nobody ended on purpose, by its exit code and the place where it was."""
    where = f"; {place}" if place else ""
    if code >= 0:
        return f"its process ended itself (exit code {code})"
    number = KNOWN.get(-code)
    if number is None:
        return f"its process died (signal {-code}{where})"
    if number.name == "SIGKILL":  # what the system does when memory runs out
        return "its process was killed (signal 9; out of memory?)"
    words = (signal.strsignal(number) or number.name).lower()
    return f"its process died (signal {-code}, {words}{where})"


def place_in(stack: str) -> str:
    """Return the innermost line of a stack that is neither askwise's nor Python's, nothing if there is none."""
    theirs = [(name, line) for name, line in FRAME.findall(stack) if _is_theirs(name)]
    # The line that is to be mended, not the one deep in a library that it led to.
    own = [frame for frame in theirs if not frame[0].startswith(_folders("purelib", "platlib"))] or theirs
    return f"{Path(own[0][0]).name}, line {own[0][1]}" if own else ""


def _is_theirs(name: str) -> bool:
    askwise = f"{Path(__file__).parents[1]}{os.sep}"
    if name.startswith(("<", askwise)):
        return False
    # Packages may be installed below the standard library, and a plugin is somebody's own.
    return name.startswith(_folders("purelib", "platlib")) or not name.startswith(_folders("stdlib", "platstdlib"))


def _folders(*kinds: str) -> tuple[str, ...]:
    return tuple(f"{sysconfig.get_path(kind)}{os.sep}" for kind in kinds)
