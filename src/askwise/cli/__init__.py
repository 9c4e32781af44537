"""The ``askwise`` command; each subcommand has its own module.

Only the standard library is imported before a subcommand is chosen, so that ``--help`` is quick.
"""

from __future__ import annotations

from askwise.cli import interruption  # before all others: from here on, Ctrl-C shows no traceback

# isort: split
import argparse
import contextlib
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from askwise import __version__
from askwise.cli import common
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.text.wording import printable

COMMANDS = {
    "ask": "show what the ego agent would do now, and why",
    "audit": "measure the regret of each decision in episodes and conversations",
    "completion": "print the completion script for a shell",
    "decide": "decide whether to ask or act, without a map: from intents, losses and prices",
    "design": "find cells or actions to block so that goals can be recognised earlier",
    "edp": "compute how long goals look alike, on a map or an instance",
    "evaluate": "compute the expected cost of a method, exactly or from episodes",
    "examples": "list the examples that come with askwise, or copy one",
    "generate": "draw a random instance of tool fetching",
    "grd": "measure how long goals look alike in many planning problems, one row each",
    "new": "write a commented template: a problem, a decision, a study or an agent",
    "recognise": "recognise an actor's goal in planning problems, after each observed action",
    "reproduce": "reproduce the paper: its example, evaluation and figures, with a report",
    "run": "simulate one episode and print, animate or save it",
    "serve-mcp": "serve askwise to a language-model agent, over standard input and output",
    "show": "describe and draw an instance",
    "solve": "compute the lowest expected cost that any method can have, exactly",
    "studio": "play problems in the browser, or run a study with people",
    "study": "run many episodes, on this machine or a cluster: tables, figures and a report",
    "study-report": "report the results of a study with people: tables and figures",
}

OPTIONS = ("-h", "--help", "--version")
"""Options that may be given instead of a command."""

RUN_AGENTS = ("ask", "evaluate", "reproduce", "run", "study")
"""Commands that run agents, possibly third-party ones; they have the option ``--traceback``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``askwise`` command and return its exit code; bad input gives a message and code 2, never a traceback.

    Args:
        arguments: the arguments after ``askwise``; None takes those of this process, and also handles Ctrl-C.
    """
    with interruption.as_program() if arguments is None else contextlib.nullcontext():
        given = sys.argv[1:] if arguments is None else list(arguments)
        parser = build_parser(only=given[:1])
        if not given:
            parser.print_help()
            return 0
        if not given[0].startswith("-") and given[0] not in COMMANDS:
            known = f"one of {', '.join(COMMANDS)}" + did_you_mean(given[0], COMMANDS)
            return _complain("", str(InputError("COMMAND", repr(given[0]), known)))
        if given[0].startswith("-") and not any(option.startswith(given[0]) for option in OPTIONS):
            known = f"a command, or one of {', '.join(OPTIONS)}" + did_you_mean(given[0], OPTIONS)
            return _complain("", str(InputError("option", repr(given[0]), known)))
        options = parser.parse_args(given)
        options.arguments = given
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names may contain characters that the terminal cannot show
    try:
        run = _module(options.command).run
        with common.allowed_memory(options):
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
        return interruption.exit_code(stopped)
    except MemoryError:
        return _complain(options.command, "not enough memory; try a smaller map or fewer goals")
    except BrokenPipeError:
        _drop_output()  # the reader (head, less) has closed the pipe
        return 0
    except OSError as error:
        _drop_output()
        return _complain(options.command, f"cannot write the output: {error.strerror or error}")


def _module(command: str) -> Any:
    return importlib.import_module(f"askwise.cli.{command.replace('-', '_')}")


def _complain(command: str, message: str) -> int:
    print(f"askwise {command}".rstrip() + f": {message}", file=sys.stderr)
    return 2


def _drop_output() -> None:
    """Discard output that is still buffered, after standard output was closed or the command was interrupted.

    Otherwise Python would try to write it at exit, and print an error.
    """
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def build_parser(only: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Args:
        only: the subcommands to which options are added, None for all; the others get only a name and a summary, which
            is quicker.
    """
    parser = argparse.ArgumentParser(
        prog="askwise",
        description="Decide when to ask a teammate, and what to ask.",
        epilog="askwise COMMAND --help explains each command.",
    )
    parser.add_argument("--version", action="version", version=f"askwise {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, formatter_class=argparse.RawDescriptionHelpFormatter)
        if only is None or name in only:
            _declare(command, name)
    return parser


def _declare(command: argparse.ArgumentParser, name: str) -> None:
    """Add the description and the options of a subcommand to its parser."""
    module = _module(name)
    command.description = module.__doc__
    module.add_arguments(command)
    if name in RUN_AGENTS:
        command.add_argument("--traceback", action="store_true", help="print the full traceback on error")
    if name not in ("completion", "examples", "new"):
        common.add_memory(command)
