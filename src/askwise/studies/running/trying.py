"""Agents of others are loaded in a process that is watched before the command loads them for itself.

To load an agent is to run the file that it stands in. One that hangs there would hold the command for good, and one
that ends its process would end the command. What is merely wrong with an agent is not said here: whoever loads it next
finds it, too, and has the words for it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from collections.abc import Sequence

from askwise.errors import AskwiseError
from askwise.studies.schema.study import Method
from askwise.workers import child, heartbeat
from askwise.workers.heartbeat import NO_UNIT
from askwise.workers.limits import Limits
from askwise.workers.process import SupervisedProcess


def try_out(methods: Sequence[Method], limits: Limits) -> None:
    """Load and make those methods that are not askwise's own; refuse those that take too long or end their process."""
    others = [method for method in methods if not method.is_ours]
    if not others:
        return
    watched = SupervisedProcess("askwise.studies.running.trying", [pickle.dumps(others).hex()], limits, apart=True)
    try:
        if watched.process.wait() != 0 and watched.heartbeat.unit != NO_UNIT:
            raise AskwiseError(f"method {others[watched.heartbeat.unit].name!r}: {watched.end_in_words()}")
    finally:
        watched.close()


def main() -> None:
    """Be that process."""
    child.begin(sys.argv[1])
    silence()
    for number, method in enumerate(pickle.loads(bytes.fromhex(sys.argv[2]))):
        heartbeat.own.begin(number)
        with contextlib.suppress(BaseException):
            method.make()
        heartbeat.own.end()
    os._exit(0)


def silence() -> None:
    """Let nobody hear what agents print while they are loaded, nor ask anybody: they will do so once more."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
