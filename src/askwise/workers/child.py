"""What a supervised process does first: show its heartbeat, prepare to write its stack, and end with its parent.

Nothing heavy is imported here, so that libraries still see how many threads they are to use.
"""

from __future__ import annotations

import contextlib
import faulthandler
import math
import os
import signal
import sys
from pathlib import Path
from typing import IO

from askwise.workers.heartbeat import own
from askwise.workers.limits import GIB
from askwise.workers.process import DUMP_SIGNAL

THREADS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
DIE_WITH_PARENT = 1
"""``PR_SET_PDEATHSIG``."""
_kept: list[IO[bytes]] = []
"""`faulthandler` knows files by their number only; they must not be closed."""


def begin(path: str) -> None:
    """Show the heartbeat in a file, and write the stack behind it when the process crashes or is asked to."""
    own.show_in(path)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=own.mark_as_copy)
    tale = Path(path).open("ab")  # noqa: SIM115 - stays open as long as the process lives
    _kept.append(tale)
    faulthandler.enable(tale, all_threads=False)
    if DUMP_SIGNAL is not None:
        # And then dies of the signal, as is usual: no agent goes on with what the signal interrupted.
        faulthandler.register(DUMP_SIGNAL, tale, all_threads=False, chain=True)
    with contextlib.suppress(OSError):  # where a file that is in use can lose its name
        Path(path).unlink()
    _end_with_parent()


def one_thread() -> None:
    """Let the libraries that are not loaded yet use one thread each: there are as many processes as cores."""
    for variable in THREADS:
        os.environ.setdefault(variable, "1")


def die_first() -> None:
    """Ask the system to end this process, and no other, if memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def limit_memory(gib: float) -> None:
    """Let this process have so much address space: what goes beyond is a `MemoryError`."""
    if math.isinf(gib):
        return
    with contextlib.suppress(ImportError, OSError, ValueError):  # systems that know no such limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(gib * GIB), resource.getrlimit(resource.RLIMIT_AS)[1]))


def _end_with_parent() -> None:
    if not sys.platform.startswith("linux"):
        return
    parent = os.getppid()
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
