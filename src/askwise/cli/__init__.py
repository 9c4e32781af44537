"""The ``askwise`` command: one file for each subcommand, no logic here.

Only the standard library is imported before a subcommand is chosen, so that ``--help`` answers at once.
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
    "ask": "what the ego agent would do now, and why",
    "audit": "what asking and not asking cost in episodes and conversations",
    "completion": "print what a shell needs to complete commands",
    "decide": "ask or act: one decision without a map, from what may be meant, losses and prices",
    "design": "what to forbid so that goals become plain soonest",
    "edp": "how long goals look alike, on a map or an instance",
    "evaluate": "what a method costs on average: exactly, or from episodes",
    "generate": "draw a random instance of tool fetching",
    "grd": "how alike the goals of many planning problems are: one row for each",
    "new": "write a commented file to start from: a problem, a decision, a study, an agent",
    "recognise": "which goal somebody pursues, after each action seen, in planning problems",
    "reproduce": "reproduce the paper: its example, its evaluation, its figures, a report",
    "run": "play an episode: account, animation, page",
    "serve-mcp": "serve askwise to a language-model agent, over standard input and output",
    "show": "describe and draw an instance",
    "solve": "the least that any method can cost on average, exactly",
    "studio": "people play in the browser, or take part in a study",
    "study": "run many episodes: tables, figures and a report; on this machine or a cluster",
    "study-report": "what a study with people gave: tables, figures and a report",
}

OPTIONS = ("-h", "--help", "--version")
"""What may stand in the place of a command."""

RUN_AGENTS = ("ask", "evaluate", "reproduce", "run", "study")
"""The commands that put agents to work, which may be anybody's."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; bad input ends with a message and exit code 2, never with a traceback.

    Without `arguments` it is the whole program, which then decides what Ctrl-C does.
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
            stream.reconfigure(errors="backslashreplace")  # names may hold letters that the terminal lacks
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
        return _complain(options.command, "this takes more memory than there is; try a smaller map or fewer goals")
    except BrokenPipeError:
        _drop_output()  # the reader (head, less) has seen enough; whether it left before the end is a matter of luck
        return 0
    except OSError as error:
        _drop_output()
        return _complain(options.command, f"the output cannot be written: {error.strerror or error}")


def _module(command: str) -> Any:
    """Return the module of a command."""
    return importlib.import_module(f"askwise.cli.{command.replace('-', '_')}")


def _complain(command: str, message: str) -> int:
    print(f"askwise {command}".rstrip() + f": {message}", file=sys.stderr)
    return 2


def _drop_output() -> None:
    """Send what is left in the buffer nowhere; otherwise Python would try once more when it ends, and complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def build_parser(only: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser with all subcommands, or with the options of some of them.

    Args:
        only: commands to load; the others are known by name and summary. None loads all.
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
    """Give the parser of a command its description and its options."""
    module = _module(name)
    command.description = module.__doc__
    module.add_arguments(command)
    if name in RUN_AGENTS:
        command.add_argument("--traceback", action="store_true", help="show all of an error that ends the command")
    if name not in ("completion", "new"):
        common.add_memory(command)
