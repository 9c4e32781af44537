"""The ``askwise`` command: one file for each subcommand, no logic here.

Only the standard library is imported before a subcommand is chosen, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from askwise import __version__
from askwise.errors import AskwiseError

COMMANDS = {
    "edp": "how long goals look alike, on a map or an instance",
    "reproduce": "rebuild the paper's two-goal grid: its numbers and its picture",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; bad input ends with a message and exit code 2, never with a traceback."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    try:
        run = importlib.import_module(f"askwise.cli.{options.command}").run
        return int(run(options))
    except AskwiseError as error:
        print(f"askwise {options.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (head, less) has gone; what is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with all subcommands."""
    parser = argparse.ArgumentParser(
        prog="askwise",
        description="Decide when to ask a teammate, and what to ask.",
        epilog="askwise COMMAND --help explains each command.",
    )
    parser.add_argument("--version", action="version", version=f"askwise {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        module = importlib.import_module(f"askwise.cli.{name}")
        command = commands.add_parser(
            name,
            help=summary,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
    return parser
