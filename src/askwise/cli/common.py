"""Functions and classes that several commands share: options, reading files, kinds of files, progress messages."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askwise.cli.parsing import removed
from askwise.errors import AskwiseError, InputError
from askwise.text.files import find, naming_file, read_text
from askwise.text.reading import MEMORY_VARIABLE, parse_memory, parse_whole
from askwise.text.wording import either, fitted

if TYPE_CHECKING:
    from askwise.core.problem import Problem


def seed(text: str | None) -> int:
    """Return the random seed in a text, a whole number from 0; for None, draw one.

    Raises `InputError` if the text is invalid.
    """
    return secrets.randbelow(2**32) if text is None else parse_whole(text, "--seed")


def add_file_and_method(parser: argparse.ArgumentParser) -> None:
    """Add the argument FILE and the options ``--method``, ``--belief`` and ``--answers`` to the parser of a command."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="instance file, example, or - for standard input")
    parser.add_argument(
        "--method",
        metavar="NAME",
        default="planner",
        help="decision method (default: %(default)s), also with options (mine.py,enough=0.5); use help to list all",
    )
    parser.add_argument(
        "--belief",
        metavar="KIND",
        help="elimination, bayes or robust (default: that of the method, or robust if the teammate can err)",
    )
    parser.add_argument(
        "--answers",
        metavar="MODEL",
        help="how questions are answered: truthful, or some of wrong:E, refused:R and persistent, separated by commas"
        " (default: as FILE says, or truthful)",
    )
    for name in ("--time-limit", "--limit"):
        removed(parser, name, "your system can limit the time: timeout 60 {prog} ...")


def add_picture(parser: argparse.ArgumentParser, what: str, *old: str) -> None:
    """Add the option ``--picture FILE`` to the parser of a command.

    `what` says what the command draws, such as "the plan". `old` has earlier names of the option, which still work.
    """
    parser.add_argument("--picture", metavar="FILE", help=f"also draw {what}, as FILE.png, FILE.svg or FILE.pdf")
    for name in old:
        parser.add_argument(name, dest="picture", metavar="FILE", help=argparse.SUPPRESS)


def read_problem(options: argparse.Namespace) -> Problem:
    """Return the problem that ``options.file`` describes, with the answer model of ``--answers`` if given.

    Raises:
        InputError: the option or the file is invalid.
    """
    from askwise.api import as_problem
    from askwise.core.question_json import parse_answers

    # Errors in options are reported before the file is read.
    answers = None if options.answers is None else parse_answers(options.answers, "--answers")
    problem = as_problem(read_instance(options.file))
    return problem if answers is None else problem.with_answers(answers)


def need_file(options: argparse.Namespace) -> None:
    """Raise an `InputError` if a command was given no FILE.

    The parser cannot demand FILE, because ``--method help`` works without it.

    Args:
        options: the parsed arguments and options of the command.
    """
    if options.file is None:
        raise InputError("FILE", "nothing", "an instance file (askwise new writes one)")


def agent_options(options: argparse.Namespace) -> dict[str, str]:
    """Return the keyword arguments for making an agent: ``{"belief": KIND}`` with ``--belief KIND``, otherwise none."""
    return {} if options.belief is None else {"belief": options.belief}


def read_instance(path: str) -> Any:
    """Return the instance (the description of a problem) in a file; ``-`` stands for standard input.

    Raises:
        InputError: the file cannot be read or is invalid.
    """
    from askwise.domains.registry import read, read_file
    from askwise.text.files import read_stdin

    if path == "-":
        return read(read_stdin(), "standard input", Path())
    with naming_file(path):
        return read_file(path)


def show(text: str) -> None:
    """Print a text to standard output, with long lines broken to fit the width of the terminal.

    Without a terminal, lines have 80 columns. The environment variable ``COLUMNS`` can state another width.
    """
    print(fitted(text.removesuffix("\n")))


def colourful() -> bool:
    """Return whether to print colours to standard output.

    True if it is a terminal that can show colours, and the environment variable ``NO_COLOR`` is not set.
    """
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# -- the option ``--memory`` -----------------------------------------------------------------------------------------


def add_memory(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--memory AMOUNT`` to the parser of a command: memory for the tables of each process."""
    text = f"memory for the tables of each process, such as 16GB (default: {MEMORY_VARIABLE}, or 4GiB)"
    parser.add_argument("--memory", metavar="AMOUNT", help=text)


@contextmanager
def allowed_memory(options: argparse.Namespace) -> Iterator[None]:
    """While the ``with`` block runs, limit the memory for tables to the value of the option ``--memory``, if given.

    Raises `InputError` if the value is invalid.
    """
    stated, before = getattr(options, "memory", None), os.environ.get(MEMORY_VARIABLE)
    if stated is None:
        yield
        return
    parse_memory(stated, "--memory")
    os.environ[MEMORY_VARIABLE] = stated
    try:
        yield
    finally:
        os.environ.pop(MEMORY_VARIABLE)
        if before is not None:
            os.environ[MEMORY_VARIABLE] = before


# -- kinds of files: a command that gets a file for another command names that one ------------------------------------


@dataclass(frozen=True)
class Kind:
    """A kind of file that commands take, such as instance files.

    Attributes:
        name: what error messages call it, such as "an instance file".
        commands: the commands that take such files, the recommended one first.
        hint: further advice for error messages, with ``{}`` for the file's name.
    """

    name: str
    commands: tuple[str, ...]
    hint: str = ""


INSTANCE = Kind("an instance file", ("ask", "run", "show", "solve", "evaluate", "edp", "design", "studio"))
DRAWING = Kind("a drawn map", ("edp", "design"), "askwise new --kind map --from {} makes an instance file")
PLANNING = Kind("a planning problem", ("recognise", "grd", "edp", "design"))
DECISION = Kind("a decision file", ("decide",))
EPISODES = Kind("episodes or conversations", ("audit",))
STUDY = Kind("a study file", ("study",))
PEOPLE = Kind("a study with people", ("studio",))
CODE = Kind("Python code", (), "an agent is given as --method FILE.py:CLASS")
KINDS = (INSTANCE, DRAWING, PLANNING, DECISION, EPISODES, STUDY, PEOPLE, CODE)


def with_right_command(error: AskwiseError, options: argparse.Namespace) -> AskwiseError:
    """Return the error to report after a command has failed.

    If only other commands take the file, it is a new error that names the right command; otherwise it is `error`.
    """
    path = _file(options)
    if path is None or (isinstance(error, InputError) and error.field.startswith("-")):
        return error  # no file, or a wrong option
    kind = kind_of(path)
    taken = [each.name for each in KINDS if options.command in each.commands]
    if kind is None or not taken or options.command in kind.commands:
        return error
    takes = f"askwise {kind.commands[0]} takes this one" if kind.commands else ""
    hints = "; ".join(hint for hint in (takes, kind.hint.format(shlex.quote(path))) if hint)
    return InputError(f"file {path!r}", kind.name, f"{either(taken)} ({hints})")


def _file(options: argparse.Namespace) -> str | None:
    """Return the path of the first file that a command was given as an argument; None if there is none or it is ``-``.

    Args:
        options: the parsed arguments and options of the command.
    """
    names = [action.dest for action in options.parser._actions if not action.option_strings]
    given = getattr(options, names[0]) if names else None
    first = given[0] if isinstance(given, list) and given else given
    return first if isinstance(first, str) and first != "-" else None


def kind_of(path: str) -> Kind | None:
    """Return the kind of a file, a folder or an example of askwise; None if it is unknown or cannot be read."""
    from askwise.pddl.archive import ENDINGS

    try:
        where = find(path)
        name = where.name.lower()
        if where.is_dir():
            return PLANNING if (where / "domain.pddl").is_file() else None
        for endings, kind in (((*ENDINGS, ".pddl"), PLANNING), (".py", CODE), (".jsonl", EPISODES)):
            if name.endswith(endings):
                return kind if where.is_file() else None
        return _kind_of_text(read_text(where), toml=name.endswith(".toml"))
    except (AskwiseError, OSError, ValueError):
        return None


def _kind_of_text(text: str, *, toml: bool) -> Kind | None:
    from askwise.audits.audit import FORMATS
    from askwise.decisions import problem
    from askwise.domains.registry import domains
    from askwise.model import Drawing
    from askwise.studio.study import file
    from askwise.text.data import looks_like_data, parse_text

    if not toml and not looks_like_data(text):
        return DRAWING if Drawing.parse(text).goals else None
    data: Any = parse_text(text, toml=toml)
    if not isinstance(data, dict):
        return None
    if "format" not in data:
        return STUDY if {"name", "methods"} <= data.keys() else None
    formats = {written: INSTANCE for each in domains() for written in each.formats}
    formats |= dict.fromkeys(FORMATS, EPISODES) | {problem.FORMAT: DECISION, file.FORMAT: PEOPLE}
    return formats.get(str(data["format"]))


# -- progress --------------------------------------------------------------------------------------------------------

PAUSE_SECONDS = 0.5
"""Time between two messages of a patient `Progress` on a terminal, and before the first."""
LOG_SECONDS = 20.0
"""The same where standard error is no terminal, for example a log file."""


class Progress:
    """Prints the progress of a command to standard error.

    Use it as a context manager, and call it with the current numbers, such as ``progress(3, 10)``. On a terminal, each
    message replaces the one before.

    Args:
        command: name of the subcommand, which begins each message.
        text: a format string with a ``{}`` for each number of a call.
        show: whether to print anything.
        patient: whether to leave out messages that come too soon after the last: within 0.5 s on a terminal, 20 s
            elsewhere.
    """

    def __init__(self, command: str, text: str, *, show: bool = True, patient: bool = False) -> None:
        self.command = command
        self.text = text
        self.show = show
        self.width = 0
        self._pause = (PAUSE_SECONDS if sys.stderr.isatty() else LOG_SECONDS) if patient else 0.0
        self._printed = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __call__(self, *numbers: int | str) -> None:
        """Print a progress message with the given numbers, unless it comes too soon for ``patient=True``."""
        if self.show and time.monotonic() - self._printed >= self._pause:
            self._printed = time.monotonic()
            line = f"askwise {self.command}: {self.text.format(*numbers)} so far"
            self.width = max(self.width, len(line))
            terminal = sys.stderr.isatty()
            print(line.ljust(self.width), end="\r" if terminal else "\n", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.width and sys.stderr.isatty():
            print(" " * self.width, end="\r", file=sys.stderr, flush=True)
