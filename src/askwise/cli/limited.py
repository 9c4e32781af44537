"""``--limit``: the command again, in a process that is ended if a decision takes too long.

Nothing inside a process can stop an agent that hangs in compiled code, or that catches whatever is raised in it. So the
command runs in a second process, which shares terminal, standard input and output, and this one waits.
"""

from __future__ import annotations

import argparse
import math
import signal
import subprocess
import sys

from askwise.cli import stopping, values
from askwise.errors import AskwiseError
from askwise.workers import child
from askwise.workers.limits import Limits
from askwise.workers.process import SupervisedProcess

SECONDS_TO_STOP = 5.0
_inside: list[bool] = []


def add_limit(parser: argparse.ArgumentParser) -> None:
    """Declare the option."""
    parser.add_argument("--limit", metavar="SECONDS", help="end with an error if a decision takes longer")


def wanted(options: argparse.Namespace) -> bool:
    """Whether the command is to be run again under a limit; inside that, it is not."""
    return options.limit is not None and not _inside


def run(options: argparse.Namespace) -> int:
    """Run the command again and return its exit code; refuse what takes too long or dies."""
    seconds = values.real(options.limit, "--limit", above=0)
    limits = Limits(decision=seconds, episode=math.inf)
    sys.stdout.flush()
    with stopping.terminable():
        watched = SupervisedProcess("askwise.cli.limited", options.arguments, limits)
        try:
            code = watched.process.wait()
        except stopping.Terminated:
            raise
        except KeyboardInterrupt:
            code = _stopped(watched)
        else:
            if code == -signal.SIGINT:
                raise KeyboardInterrupt
            if watched.verdict is not None or code < 0 or watched.heartbeat.runs_agent:
                raise AskwiseError(f"agent {options.method!r}: {watched.end_in_words()}")
        finally:
            watched.close()
    return code


def _stopped(watched: SupervisedProcess) -> int:
    """Let the command say that it was interrupted: it has heard Ctrl-C, too, unless it hangs."""
    try:
        return watched.process.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        raise KeyboardInterrupt from None


def main() -> None:
    """Be that second process."""
    from askwise.cli import main as command

    child.begin(sys.argv.pop(1))
    _inside.append(True)
    sys.exit(command())
