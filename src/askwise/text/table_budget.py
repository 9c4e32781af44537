"""Size checks: a table that would take too much memory raises an error before it is built.

Three kinds of tables decide whether a problem fits into memory: the model and the steps to its goals, the tables of all
pairs of goals (divergence, values of questions), and the tables of the planner. Each is checked where it is built.
Other tables take at most a few times as much as one of these. The error states the size and what to do about it.

The limit is `DEFAULT` unless the environment variable `VARIABLE` sets it (``16GB``, ``500MB``, ``2GiB``); the option
``--memory`` of a command sets that variable. Each check looks at the size of one table, so a problem is accepted or
refused alike on every machine.
"""

from __future__ import annotations

import math
import os
import re

from askwise.errors import InputError

VARIABLE = "ASKWISE_MEMORY"
DEFAULT = 4 * 2**30
SMALL = 2**24
"""Size in bytes up to which tables are not checked."""
RUNNING = 2**28
"""Bytes assumed for the interpreter, its libraries and compiled code."""
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def amount(text: str, field: str) -> int:
    """Parse an amount of memory, such as ``16GB`` or ``500MB``, and return it in bytes; errors call it `field`."""
    found = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,6})?)\s*([A-Za-z]*)\s*", text, re.ASCII)
    unit = None if found is None else UNITS.get(found[2].upper())
    if found is None or unit is None or float(found[1]) * unit < 1:
        raise InputError(field, repr(text), "an amount of memory, such as 16GB or 500MB")
    return int(float(found[1]) * unit)


def allowed() -> int:
    """Return the largest size of a table in bytes: from the environment variable `VARIABLE`, or else `DEFAULT`."""
    stated = os.environ.get(VARIABLE, "")
    return amount(stated, VARIABLE) if stated.strip() else DEFAULT


def check_size(n_bytes: int, field: str, sizes: str, instead: str = "a smaller one") -> None:
    """Raise an `InputError` if a table would take more memory than `allowed` returns.

    Args:
        n_bytes: bytes of the table and of the temporary memory needed to build it.
        field: the name of the table in the error message.
        sizes: the reason that the message gives, for example the numbers of states and goals.
        instead: what the message recommends to save memory.
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
