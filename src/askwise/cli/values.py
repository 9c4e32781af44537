"""Values of options, checked: a wrong one is refused in one line that names the option."""

from __future__ import annotations

import argparse
import math
import os
import secrets
import sys
from typing import TYPE_CHECKING

from askwise.errors import InputError

if TYPE_CHECKING:
    from askwise.domains.tool_fetching import Instance


def whole(text: str, option: str, lowest: int = 0) -> int:
    """Return a whole number, at least `lowest`."""
    # int() would also take underscores, spaces and digits of other scripts.
    if not (text.isascii() and text.isdecimal() and len(text) <= 40) or int(text) < lowest:
        raise InputError(option, repr(text), f"a whole number from {lowest}")
    return int(text)


def real(text: str, option: str, *, above: float | None = None) -> float:
    """Return a finite number from 0, or above the given bound."""
    allowed = "a finite number from 0" if above is None else f"a finite number above {above:g}"
    try:
        value = float(text)
    except ValueError:
        raise InputError(option, repr(text), allowed) from None
    if not math.isfinite(value) or (value < 0 if above is None else value <= above):
        raise InputError(option, repr(text), allowed)
    return value


def seed(text: str | None) -> int:
    """Return the seed that was given, or a new one, which can then be shown and used again."""
    return secrets.randbelow(2**32) if text is None else whole(text, "--seed")


def add_file_and_method(parser: argparse.ArgumentParser) -> None:
    """Declare what every command takes that puts an agent to work: an instance, a method, its options."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="instance file; - reads standard input")
    parser.add_argument(
        "--method", metavar="NAME", default="ezq", help="how the fetcher decides (%(default)s); help lists all"
    )
    add_agent_options(parser)


def need_file(options: argparse.Namespace) -> None:
    """Refuse a command without FILE; only its help can do without."""
    if options.file is None:
        raise InputError("FILE", "nothing", "an instance file (askwise generate makes one)")


def add_agent_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that every agent with a belief takes."""
    parser.add_argument("--belief", metavar="KIND", help="elimination (the default), bayes or robust")
    parser.add_argument(
        "--tie-break", metavar="KIND", help="among equally good moves: random (the default), or late, to part late"
    )


def agent_options(options: argparse.Namespace) -> dict[str, str]:
    """Return the options for the agent that were given: an agent of another package need not know the others."""
    given = {"belief": options.belief, "tie_break": options.tie_break}
    return {name: value for name, value in given.items() if value is not None}


def read_instance(path: str) -> Instance:
    """Return the instance in a file, or from standard input for ``-``."""
    from askwise.domains.tool_fetching import Instance
    from askwise.reading import read_stdin

    return Instance.from_text(read_stdin(), "standard input") if path == "-" else Instance.load(path)


def colourful() -> bool:
    """Whether standard output is a terminal that should get colours (NO_COLOR says that it should not)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
