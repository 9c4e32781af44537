"""How much memory tables may take, and how much of it is taken.

Nothing takes more than `DEFAULT` without being told that it may: a large table is claimed before it is made, and
refused with the figure and a way on if it does not fit beside the large tables that are alive. What is allowed stands
in the environment variable `VARIABLE` (``16GB``, ``500MB``, ``2GiB``), which every command sets by ``--memory``.

The count is of tables, by their sizes, and not of what the system says of the process: so the same problem is refused
or not wherever it is tried, whatever else is in memory. Tables below `SMALL` are not counted.
"""

from __future__ import annotations

import math
import os
import re
import threading
import weakref
from typing import TypeVar

from askwise.errors import InputError

VARIABLE = "ASKWISE_MEMORY"
DEFAULT = 4 * 2**30
SMALL = 2**24
"""Bytes up to which a table is taken for nothing."""
RUNNING = 2**28
"""What the interpreter, its libraries and compiled loops take."""
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}

_Owner = TypeVar("_Owner")
_taken = 0
_counting = threading.RLock()
"""One that may be taken twice: a table may vanish, by the garbage collector, while another one is being counted."""


def amount(text: str, field: str) -> int:
    """Return the bytes that a text such as ``16GB`` stands for."""
    found = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,6})?)\s*([A-Za-z]*)\s*", text, re.ASCII)
    unit = None if found is None else UNITS.get(found[2].upper())
    if found is None or unit is None or float(found[1]) * unit < 1:
        raise InputError(field, repr(text), "an amount of memory, such as 16GB or 500MB")
    return int(float(found[1]) * unit)


def allowed() -> int:
    """Return the bytes that tables may take together."""
    stated = os.environ.get(VARIABLE, "")
    return amount(stated, VARIABLE) if stated.strip() else DEFAULT


def taken() -> int:
    """Return the bytes that the large tables alive take."""
    return _taken


def claim(n_bytes: int, field: str, sizes: str, instead: str = "a smaller one") -> None:
    """Refuse tables that do not fit beside those that are alive.

    Args:
        n_bytes: what they take, with the room to make them.
        field: what a refusal calls them.
        sizes: what makes them so large.
        instead: what would take less.
    """
    if n_bytes <= SMALL:
        return
    needed, most = RUNNING + _taken + n_bytes, allowed()
    if needed > most:
        more = f"{math.ceil(needed / 10**9)}GB"
        raise InputError(
            field,
            f"{sizes}, which take about {_gib(needed)} of memory",
            f"at most {_gib(most)}: {instead}, or allow more by {VARIABLE}={more} (commands: --memory {more})",
        )


def hold(owner: _Owner, n_bytes: int | None = None) -> _Owner:
    """Count a table, or all that an object holds, as long as it lives; return it."""
    size = int(getattr(owner, "nbytes", 0)) if n_bytes is None else int(n_bytes)
    if size > SMALL:
        _count(size)
        weakref.finalize(owner, _count, -size).atexit = False
    return owner


def _count(n_bytes: int) -> None:
    global _taken
    with _counting:
        _taken += n_bytes


def _gib(n_bytes: float) -> str:
    return f"{n_bytes / 2**30:.1f} GiB"
