"""The ``askwise`` command: one file for each subcommand, no logic here.

Only the standard library is imported before a subcommand is chosen, so that ``--help`` answers at once.
"""

from __future__ import annotations

from askwise.cli import stopping  # before all others: from here on, Ctrl-C shows no traceback

# isort: split
import argparse
import contextlib
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence

from askwise import __version__
from askwise.cli import memory
from askwise.errors import AskwiseError
from askwise.reading import printable

COMMANDS = {
    "ask": "what the ego agent would do now, and why",
    "edp": "how long goals look alike, on a map or an instance",
    "evaluate": "what a method costs on average: exactly, or from episodes",
    "generate": "draw a random instance of tool fetching",
    "new": "write a commented file to start from: a problem, a study, an agent",
    "reproduce": "reproduce the paper: its example, its evaluation, its figures, a report",
    "run": "play an episode: account, animation, page",
    "study": "run many episodes: tables, figures and a report; on this machine or a cluster",
    "show": "describe and draw an instance",
    "solve": "the least that any method can cost on average, exactly",
}

RUN_AGENTS = ("ask", "evaluate", "reproduce", "run", "study")
"""The commands that put agents to work, which may be anybody's."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; bad input ends with a message and exit code 2, never with a traceback.

    Without `arguments` it is the whole program, which then decides what Ctrl-C does.
    """
    with stopping.as_program() if arguments is None else contextlib.nullcontext():
        parser = build_parser()
        given = sys.argv[1:] if arguments is None else list(arguments)
        options = parser.parse_args(given)
        options.arguments = given
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names may hold letters that the terminal lacks
    try:
        run = importlib.import_module(f"askwise.cli.{options.command}").run
        with memory.allowed(options):
            code = int(run(options))
        sys.stdout.flush()
        return code
    except AskwiseError as error:
        if getattr(options, "traceback", False):
            traceback.print_exception(error)
        return _complain(options.command, printable(str(error)))
    except KeyboardInterrupt as stopped:
        _drop_output()
        print(f"askwise {options.command}: interrupted", file=sys.stderr)
        return stopping.exit_code(stopped)
    except MemoryError:
        return _complain(options.command, "this takes more memory than there is; try a smaller map or fewer goals")
    except BrokenPipeError:
        _drop_output()  # the reader (head, less) has seen enough; whether it left before the end is a matter of luck
        return 0
    except OSError as error:
        _drop_output()
        return _complain(options.command, f"the output cannot be written: {error.strerror or error}")


def _complain(command: str, message: str) -> int:
    print(f"askwise {command}: {message}", file=sys.stderr)
    return 2


def _drop_output() -> None:
    """Send what is left in the buffer nowhere; otherwise Python would try once more when it ends, and complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
        if name in RUN_AGENTS:
            command.add_argument("--traceback", action="store_true", help="show all of an error that ends the command")
        if name != "new":
            memory.add_option(command)
    return parser
