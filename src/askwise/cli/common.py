"""Values of options, checked: a wrong one is refused in one line that names the option.

A line on standard error that says how far long work has got.
"""

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

from askwise.errors import InputError
from askwise.text.files import naming_file
from askwise.text.reading import parse_whole
from askwise.text.table_budget import VARIABLE, amount

if TYPE_CHECKING:
    from askwise.core.problem import Problem


def seed(text: str | None) -> int:
    """Return the seed that was given, or a new one, which can then be shown and used again."""
    return secrets.randbelow(2**32) if text is None else parse_whole(text, "--seed")


def add_file_and_method(parser: argparse.ArgumentParser) -> None:
    """Declare what every command takes that puts an agent to work: an instance, a method, its options."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="instance file; - reads standard input")
    parser.add_argument(
        "--method", metavar="NAME", default="ezq", help="how the ego agent decides (%(default)s); help lists all"
    )
    add_agent_options(parser)
    parser.add_argument(
        "--answers",
        metavar="MODEL",
        help="how questions are answered: truthful, or some of wrong:E, refused:R, persistent, with commas in between"
        " (default: as FILE says, or truthful)",
    )


def read_problem(options: argparse.Namespace) -> Problem:
    """Return the problem in FILE, with a teammate that answers as ``--answers`` says."""
    from askwise.api import as_problem
    from askwise.core.question_json import parse_answers

    # What stands on the command line is refused before a file is read.
    answers = None if options.answers is None else parse_answers(options.answers, "--answers")
    problem = as_problem(read_instance(options.file))
    return problem if answers is None else problem.with_answers(answers)


def need_file(options: argparse.Namespace) -> None:
    """Refuse a command without FILE; only its help can do without."""
    if options.file is None:
        raise InputError("FILE", "nothing", "an instance file (askwise new writes one)")


def add_agent_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that every agent with a belief takes."""
    parser.add_argument(
        "--belief",
        metavar="KIND",
        help="elimination, bayes or robust; by default that of the method, or robust beside a teammate that errs",
    )


def agent_options(options: argparse.Namespace) -> dict[str, str]:
    """Return the options for the agent that were given: an agent of another package need not know the others."""
    return {} if options.belief is None else {"belief": options.belief}


def read_instance(path: str) -> Any:
    """Return the instance in a file, or from standard input for ``-``, of whichever domain it is."""
    from askwise.domains.registry import read, read_file
    from askwise.text.files import read_stdin

    if path == "-":
        return read(read_stdin(), "standard input", Path())
    with naming_file(path):
        return read_file(path)


def colourful() -> bool:
    """Whether standard output is a terminal that should get colours (NO_COLOR says that it should not)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# -- the option ``--memory`` of every command that may need much: how much its tables ------------------------------


def add_memory(parser: argparse.ArgumentParser) -> None:
    """Declare the option."""
    told = f"memory that each process may use for its tables, such as 16GB (default: {VARIABLE}, else 4GiB)"
    parser.add_argument("--memory", metavar="AMOUNT", help=told)


@contextmanager
def allowed_memory(options: argparse.Namespace) -> Iterator[None]:
    """Allow as much as the option says, here and in processes that are started meanwhile."""
    stated, before = getattr(options, "memory", None), os.environ.get(VARIABLE)
    if stated is None:
        yield
        return
    amount(stated, "--memory")
    os.environ[VARIABLE] = stated
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


A_MOMENT = 0.5
"""Seconds between two words of a patient one."""


class Progress:
    """Called with numbers, shows them; on a terminal in one line that it takes away at the end.

    Args:
        command: the subcommand at work.
        text: a format for the numbers.
        show: whether to show anything at all.
        patient: whether to be silent as long as the work may soon be done, and wherever nobody waits at a terminal.
    """

    def __init__(self, command: str, text: str, *, show: bool = True, patient: bool = False) -> None:
        self.command = command
        self.text = text
        self.show = show and (sys.stderr.isatty() or not patient)
        self.width = 0
        self._pause = A_MOMENT if patient else 0.0
        self._spoke = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __call__(self, *numbers: int | str) -> None:
        """Show how far it has got."""
        if self.show and time.monotonic() - self._spoke >= self._pause:
            self._spoke = time.monotonic()
            line = f"askwise {self.command}: {self.text.format(*numbers)} so far"
            self.width = max(self.width, len(line))
            terminal = sys.stderr.isatty()
            print(line.ljust(self.width), end="\r" if terminal else "\n", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.width and sys.stderr.isatty():
            print(" " * self.width, end="\r", file=sys.stderr, flush=True)
