"""Size checks: tables that would take too much memory are refused before they are made.

Three kinds of tables decide whether a problem fits, and each is checked where it is made: the model and the steps to
its goals, the tables of all pairs of goals (divergence, the values of questions), and the tables of the planner. Tables
that are not checked take at most a few times as much as one of these. A refusal says how large a table would be and
what to do.

The limit is `DEFAULT` unless the environment variable `VARIABLE` says otherwise (``16GB``, ``500MB``, ``2GiB``); the
option ``--memory`` of a command sets it. Each check looks at one table alone, by its size, so the same problem is
refused or not on every machine.
"""

from __future__ import annotations

import math
import os
import re

from askwise.errors import InputError

VARIABLE = "ASKWISE_MEMORY"
DEFAULT = 4 * 2**30
SMALL = 2**24
"""Tables of up to this many bytes are not checked."""
RUNNING = 2**28
"""Bytes that the interpreter, its libraries and compiled loops take."""
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def amount(text: str, field: str) -> int:
    """Return the number of bytes that a text such as ``16GB`` stands for."""
    found = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,6})?)\s*([A-Za-z]*)\s*", text, re.ASCII)
    unit = None if found is None else UNITS.get(found[2].upper())
    if found is None or unit is None or float(found[1]) * unit < 1:
        raise InputError(field, repr(text), "an amount of memory, such as 16GB or 500MB")
    return int(float(found[1]) * unit)


def allowed() -> int:
    """Return how many bytes a table may take."""
    stated = os.environ.get(VARIABLE, "")
    return amount(stated, VARIABLE) if stated.strip() else DEFAULT


def claim(n_bytes: int, field: str, sizes: str, instead: str = "a smaller one") -> None:
    """Refuse a table that is too large.

    Args:
        n_bytes: the bytes that the table takes, including the memory needed to make it.
        field: what a refusal calls the table.
        sizes: the sizes that make it so large.
        instead: what would take less memory.
    """
    if n_bytes <= SMALL:
        return
    needed, most = RUNNING + n_bytes, allowed()
    if needed > most:
        more = f"{math.ceil(needed / 10**9)}GB"
        raise InputError(
            field,
            f"{sizes}, which take about {_gib(needed)} of memory",
            f"at most {_gib(most)}: {instead}, or allow more by {VARIABLE}={more} (commands: --memory {more})",
        )


def _gib(n_bytes: float) -> str:
    return f"{n_bytes / 2**30:.1f} GiB"
