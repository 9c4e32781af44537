"""Values that people type on a command line, checked: a wrong one is refused in one line that names the option."""

from __future__ import annotations

import math
import re

from askwise.errors import InputError


def whole(text: str, option: str, lowest: int = 0) -> int:
    """Return a whole number, at least `lowest`."""
    # int() would also take underscores, spaces and digits of other scripts.
    if not (text.isascii() and text.isdecimal() and len(text) <= 40) or int(text) < lowest:
        raise InputError(option, repr(text), f"a whole number from {lowest}")
    return int(text)


def real(text: str, option: str, *, above: float | None = None) -> float:
    """Return a finite number from 0, or above the given bound."""
    allowed = "a finite number from 0" if above is None else f"a finite number above {above:g}"
    try:
        value = float(text)
    except ValueError:
        raise InputError(option, repr(text), allowed) from None
    if not math.isfinite(value) or (value < 0 if above is None else value <= above):
        raise InputError(option, repr(text), allowed)
    return value


def cell(text: str, option: str) -> tuple[int, int]:
    """Return the cell written as ``X,Y``."""
    parts = re.fullmatch(r"\s*(-?\d{1,99})\s*,\s*(-?\d{1,99})\s*", text, re.ASCII)
    if parts is None:
        raise InputError(option, repr(text), "a cell X,Y, two whole numbers")
    return int(parts[1]), int(parts[2])
