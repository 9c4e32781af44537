"""One run in a folder at a time, by a lock that dies with its process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from askwise.errors import InputError
from askwise.text import files


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; refuse if somebody else has it."""
    try:
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"folder {str(folder)!r}", files.reason(error), "a folder that can be written to") from None
    try:
        if not _taken(handle):
            raise InputError(f"folder {str(folder)!r}", "another run that is working in it", "to be the only one there")
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    """Lock a file until its process closes it or dies; False if somebody else holds it."""
    try:
        import fcntl
    except ImportError:  # Windows: parts still appear whole, and two runs would write the same
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
