"""Options, input files and progress messages that several commands share."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askwise.cli.parsing import removed
from askwise.errors import InputError
from askwise.text.files import naming_file
from askwise.text.reading import MEMORY_VARIABLE, parse_memory, parse_whole
from askwise.text.wording import fitted

if TYPE_CHECKING:
    from askwise.core.problem import Problem


def seed(text: str | None) -> int:
    """Return the seed that `text` states; for None a random seed, which the caller prints so that it can be reused."""
    return secrets.randbelow(2**32) if text is None else parse_whole(text, "--seed")


def add_file_and_method(parser: argparse.ArgumentParser) -> None:
    """Declare FILE and the options ``--method``, ``--belief`` and ``--answers`` of commands with agents."""
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
    """Declare ``--picture FILE``; `what` says what is drawn, `old` are earlier spellings that still work."""
    parser.add_argument("--picture", metavar="FILE", help=f"also draw {what}, as FILE.png, FILE.svg or FILE.pdf")
    for name in old:
        parser.add_argument(name, dest="picture", metavar="FILE", help=argparse.SUPPRESS)


def read_problem(options: argparse.Namespace) -> Problem:
    """Return the problem in the file of the argument FILE, with the answer model of ``--answers`` if that was given."""
    from askwise.api import as_problem
    from askwise.core.question_json import parse_answers

    # Errors in options are reported before the file is read.
    answers = None if options.answers is None else parse_answers(options.answers, "--answers")
    problem = as_problem(read_instance(options.file))
    return problem if answers is None else problem.with_answers(answers)


def need_file(options: argparse.Namespace) -> None:
    """Raise an InputError if there is no FILE; the parser cannot demand it, because ``--method help`` needs none."""
    if options.file is None:
        raise InputError("FILE", "nothing", "an instance file (askwise new writes one)")


def agent_options(options: argparse.Namespace) -> dict[str, str]:
    """Return the keyword arguments for the agent: ``belief`` if ``--belief`` was given, otherwise none.

    An option that was not given is left out, because agents of other packages need not accept it.
    """
    return {} if options.belief is None else {"belief": options.belief}


def read_instance(path: str) -> Any:
    """Return the instance of any domain that a file describes. The path ``-`` means standard input."""
    from askwise.domains.registry import read, read_file
    from askwise.text.files import read_stdin

    if path == "-":
        return read(read_stdin(), "standard input", Path())
    with naming_file(path):
        return read_file(path)


def show(text: str) -> None:
    """Print a text, with lines that fit the width of the terminal.

    The width is `COLUMNS` if this variable is set, and 80 without a terminal.
    """
    print(fitted(text.removesuffix("\n")))


def colourful() -> bool:
    """Return whether to print colours.

    True if standard output is a terminal that can show them, unless NO_COLOR is set.
    """
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# -- the option ``--memory`` -----------------------------------------------------------------------------------------


def add_memory(parser: argparse.ArgumentParser) -> None:
    """Declare the option ``--memory``: memory for the tables of each process."""
    text = f"memory for the tables of each process, such as 16GB (default: {MEMORY_VARIABLE}, or 4GiB)"
    parser.add_argument("--memory", metavar="AMOUNT", help=text)


@contextmanager
def allowed_memory(options: argparse.Namespace) -> Iterator[None]:
    """While the ``with`` block runs, limit the memory for tables to the value of ``--memory``.

    The limit holds in this process and in those that it starts.
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


# -- progress --------------------------------------------------------------------------------------------------------

PAUSE_SECONDS = 0.5
"""Time between two messages of a patient `Progress` on a terminal, and before the first."""
LOG_SECONDS = 20.0
"""The same where standard error is no terminal, for example a log file."""


class Progress:
    """Prints progress to standard error: on a terminal in one line that is erased at the end, otherwise line by line.

    Use it as a context manager, and call it with the current numbers.

    Args:
        command: the name of the subcommand, which begins each line.
        text: a format string with a ``{}`` for each number of a call.
        show: whether to print anything.
        patient: whether to print at most every `PAUSE_SECONDS`, or `LOG_SECONDS` if there is no terminal.
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
        """Print a line of progress with these numbers, unless the last line was printed too recently."""
        if self.show and time.monotonic() - self._printed >= self._pause:
            self._printed = time.monotonic()
            line = f"askwise {self.command}: {self.text.format(*numbers)} so far"
            self.width = max(self.width, len(line))
            terminal = sys.stderr.isatty()
            print(line.ljust(self.width), end="\r" if terminal else "\n", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.width and sys.stderr.isatty():
            print(" " * self.width, end="\r", file=sys.stderr, flush=True)
