"""How a process ended, as a sentence, and the line of the agent's file at which it ended."""

from __future__ import annotations

import os
import re
import signal
import sysconfig
from pathlib import Path

FRAME = re.compile(r'^  File "(.*)", line (\d+) in ', re.MULTILINE)
"""A line of a stack as `faulthandler` writes it, innermost first."""
KNOWN = {number.value: number for number in signal.Signals}


def describe_exit(code: int, place: str = "") -> str:
    """Return a sentence about a process that ended unexpectedly, from its exit code and the place where it was."""
    where = f"; {place}" if place else ""
    if code >= 0:
        return f"its process ended itself (exit code {code})"
    number = KNOWN.get(-code)
    if number is None:
        return f"its process died (signal {-code}{where})"
    if number.name == "SIGKILL":  # the system sends it when memory runs out
        return "its process was killed (signal 9; out of memory?)"
    words = (signal.strsignal(number) or number.name).lower()
    return f"its process died (signal {-code}, {words}{where})"


def place_in(stack: str) -> str:
    """Return file and line of the innermost frame that is neither askwise's nor Python's, empty if there is none."""
    foreign = [(name, line) for name, line in FRAME.findall(stack) if _is_foreign(name)]
    # Prefer the agent's own line to one deep in a library that it called.
    own = [frame for frame in foreign if not frame[0].startswith(_folders("purelib", "platlib"))] or foreign
    return f"{Path(own[0][0]).name}, line {own[0][1]}" if own else ""


def _is_foreign(name: str) -> bool:
    askwise = f"{Path(__file__).parents[1]}{os.sep}"
    if name.startswith(("<", askwise)):
        return False
    # Packages may be installed below the standard library, and a plugin is a package, too.
    return name.startswith(_folders("purelib", "platlib")) or not name.startswith(_folders("stdlib", "platstdlib"))


def _folders(*kinds: str) -> tuple[str, ...]:
    return tuple(f"{sysconfig.get_path(kind)}{os.sep}" for kind in kinds)
