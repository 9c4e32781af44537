"""``--limit``: run the command in a second process, which is ended if a decision takes too long.

Nothing inside a process can stop an agent that hangs in compiled code, or that catches every exception. So the command
runs in a second process, which shares terminal, standard input and output, and this one waits.
"""

from __future__ import annotations

import argparse
import math
import signal
import subprocess
import sys

from askwise.cli import stopping
from askwise.errors import AskwiseError
from askwise.text.reading import parse_number
from askwise.workers.limits import Limits
from askwise.workers.process import SupervisedProcess

SECONDS_TO_STOP = 5.0
_inside: list[bool] = []


def add_limit(parser: argparse.ArgumentParser) -> None:
    """Declare the option."""
    parser.add_argument("--limit", metavar="SECONDS", help="end with an error if a decision takes longer")


def wanted(options: argparse.Namespace) -> bool:
    """Whether to run the command in a second process; in the second process itself, False."""
    return options.limit is not None and not _inside


def run(options: argparse.Namespace) -> int:
    """Run the command in a second process and return its exit code; raise an error if it takes too long or dies."""
    seconds = parse_number(options.limit, "--limit", above=0)
    limits = Limits(decision=seconds, episode=math.inf)
    sys.stdout.flush()
    with stopping.terminable():
        command = SupervisedProcess("askwise.cli.limited:run_inside", options.arguments, limits)
        try:
            code = command.process.wait()
        except stopping.Terminated:
            raise
        except KeyboardInterrupt:
            # The command has received Ctrl-C, too, and says so, unless it hangs.
            try:
                code = command.process.wait(SECONDS_TO_STOP)
            except subprocess.TimeoutExpired:
                raise KeyboardInterrupt from None
        else:
            if code == -signal.SIGINT:
                raise KeyboardInterrupt
            if command.exceeded is not None or code < 0 or command.heartbeat.runs_agent:
                raise AskwiseError(f"agent {options.method!r}: {command.describe_end()}")
        finally:
            command.close()
    return code


def run_inside(arguments: list[str]) -> int:
    """Run the command in the second process."""
    from askwise.cli import main

    _inside.append(True)
    sys.argv[1:] = arguments
    return main()
