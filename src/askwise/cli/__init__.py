"""The ``askwise`` command. The other modules of this package define its subcommands, in dicts named `SUBCOMMANDS`.

Until a subcommand is chosen, no packages outside the standard library are imported, so that ``--help`` is quick.
"""

from __future__ import annotations

from askwise.cli import interruption  # before all others: from here on, Ctrl-C shows no traceback

# isort: split
import argparse
import codecs
import contextlib
import importlib
import io
import os
import shutil
import sys
import textwrap
import traceback
from collections.abc import Sequence

from askwise import __version__
from askwise.cli import common, parsing
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.text.wording import printable

GROUPS = {
    "try": {
        "examples": "list the examples that come with askwise, or copy one",
        "new": "write a commented template: a problem, a decision, a study or an agent",
        "show": "describe and draw an instance",
        "ask": "show what the ego agent would do now, and why",
        "run": "simulate one episode and print, animate or save it",
        "studio": "play problems in the browser, or run a study with people",
    },
    "measure": {
        "edp": "compute how long goals look alike, on a map or an instance",
        "recognise": "recognise an actor's goal in planning problems, after each observed action",
        "grd": "measure how long goals look alike in many planning problems, one row each",
        "design": "find cells or actions to block so that goals can be recognised earlier",
    },
    "compare": {
        "evaluate": "compute the expected cost of one method or several",
        "solve": "compute the lowest expected cost that any method can have, exactly",
        "study": "run many episodes: tables, figures and a report",
        "study-report": "report the results of a study with people: tables and figures",
        "reproduce": "reproduce the paper: its example, evaluation and figures, with a report",
    },
    "build assistants": {
        "decide": "decide whether to ask or act, without a map",
        "audit": "measure the regret of each decision in episodes and conversations",
        "serve-mcp": "serve askwise to a language-model agent",
    },
    "more": {
        "generate": "draw a random instance of tool fetching",
        "completion": "print the completion script for a shell",
    },
}
"""The commands by what they are for, with a summary of each."""
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}
MODULES = {
    "audit": "assistants",
    "decide": "assistants",
    "serve-mcp": "assistants",
    "examples": "starters",
    "generate": "starters",
    "new": "starters",
    "grd": "recognise",
    "reproduce": "study",
    "show": "run",
    "solve": "evaluate",
    "study-report": "studio",
}
"""The modules of commands; the module of any other command has the name of the command."""
SPELLINGS = {("recognize",): "recognise", ("study", "report"): "study-report"}
"""Other ways to write a command."""

PLAIN = str.maketrans(
    "\u251c\u2514\u2502\u2500\u2026\u2212\u2013\u00d7\u2192\u2190\u2264\u2265\u00b7\u2019", "|`|-.--x><<>.'"
)
"""Characters of our output that some terminals cannot show, and what they show instead."""


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Return a replacement for characters that the terminal cannot show, and the position in the text after them.

    Called by `codecs`. A character becomes a similar ASCII one (`PLAIN`) or a Python escape.
    """
    assert isinstance(error, UnicodeEncodeError)
    shown = error.object[error.start : error.end].translate(PLAIN)
    return shown.encode("ascii", "backslashreplace").decode(), error.end


codecs.register_error("askwise.plain", _plain)

OPTIONS = ("-h", "--help", "--help-all", "--version")
"""Options that may be given instead of a command."""

RUN_AGENTS = ("ask", "evaluate", "reproduce", "run", "study")
"""Commands that run agents, possibly third-party ones; they have the option ``--traceback``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``askwise`` command and return its exit code, 2 for invalid input.

    Args:
        arguments: the arguments after ``askwise``. None: take those of this process, and also handle Ctrl-C.
    """
    with interruption.as_program() if arguments is None else contextlib.nullcontext():
        given = _spelt(sys.argv[1:] if arguments is None else list(arguments))
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
        options, extra = parser.parse_known_args(given)
        if extra:
            options.parser.refuse(extra)
        return _run(options)


def _spelt(given: list[str]) -> list[str]:
    """Return the arguments `given`, with another spelling of a command (`SPELLINGS`) replaced by the command's name."""
    for words, name in SPELLINGS.items():
        if tuple(given[: len(words)]) == words:
            return [name, *given[len(words) :]]
    return given


def _run(options: argparse.Namespace) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="askwise.plain")  # for characters that the terminal cannot show
    try:
        command = _subcommand(options.command)
        with common.allowed_memory(options):
            code = command.run(options)
        sys.stdout.flush()
        return code
    except AskwiseError as error:
        if getattr(options, "traceback", False):
            traceback.print_exception(error)
        return _complain(options.command, printable(str(common.with_right_command(error, options))))
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


def _subcommand(name: str) -> parsing.Subcommand:
    module = importlib.import_module(f"askwise.cli.{MODULES.get(name, name)}")
    found: parsing.Subcommand = module.SUBCOMMANDS[name]
    return found


def _complain(command: str, message: str) -> int:
    print(f"askwise {command}".rstrip() + f": {message}", file=sys.stderr)
    return 2


def _drop_output() -> None:
    """Discard output that is still buffered, after standard output was closed or the command was interrupted.

    Otherwise Python would try to write it at exit, and print an error. All later output to standard output is
    discarded, too.
    """
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def build_parser(only: Sequence[str] | None = None) -> parsing.Parser:
    """Return the parser of the command line.

    Args:
        only: names of the subcommands that get their options and descriptions; None for all. If it is None or has
            ``--help-all``, the help also lists rare commands.
    """
    everything = only is None or "--help-all" in only
    parser = parsing.Parser(
        prog="askwise",
        usage="askwise COMMAND ...",
        description=_overview(everything),
        epilog="askwise COMMAND --help explains a command"
        + ("." if everything else ", askwise --help-all lists two more."),
    )
    parser.add_argument("--help-all", action="help", help=argparse.SUPPRESS)
    parser.add_argument("--version", action="version", version=f"askwise {__version__}")
    commands = parser.add_subparsers(
        prog="askwise", dest="command", metavar="COMMAND", required=True, help=argparse.SUPPRESS
    )
    for name in COMMANDS:
        command = commands.add_parser(name)
        if only is None or name in only:
            _declare(command, name)
    return parser


def _overview(everything: bool) -> str:
    """Return the list of all commands as text, in groups with headings.

    Args:
        everything: whether to include the last group, the commands that few users need.
    """
    lines = ["Decide when to ask a teammate, and what to ask."]
    width = max(map(len, COMMANDS)) + 4
    for group, commands in GROUPS.items() if everything else list(GROUPS.items())[:-1]:
        lines += ["", f"{group}:"]
        for name, summary in commands.items():
            first, *rest = textwrap.wrap(summary, max(shutil.get_terminal_size().columns - 2 - width, 20))
            lines += [f"  {name}".ljust(width) + first, *(" " * width + line for line in rest)]
    return "\n".join(lines)


def _declare(command: parsing.Parser, name: str) -> None:
    """Add the description and the options of a subcommand to its parser.

    Args:
        command: the parser of the subcommand.
        name: the name of the subcommand.
    """
    subcommand = _subcommand(name)
    command.description = subcommand.description
    command.set_defaults(parser=command)
    subcommand.add_arguments(command)
    if name in RUN_AGENTS:
        command.add_argument("--traceback", action="store_true", help="print the full traceback on error")
    if name not in ("completion", "examples", "new"):
        common.add_memory(command)
    command.hide_less_common()
