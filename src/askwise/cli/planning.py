"""Planning problems on the command line: which arguments name one, its options, progress on long searches."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from askwise.cli.common import Progress
from askwise.errors import InputError, did_you_mean
from askwise.text.reading import parse_whole

if TYPE_CHECKING:
    from askwise.pddl import Cones, Limits, Recognition

ENDINGS = (".pddl", ".tar.bz2", ".tar.gz", ".tar.xz", ".tgz", ".tbz", ".tbz2", ".tar")
FIRST, EVERY = 2.0, 0.2
"""Seconds after which progress is first shown, and how often then."""


def is_planning(path: str) -> bool:
    """Whether an argument names a planning problem: a PDDL file, an archive or a folder."""
    return path.lower().endswith(ENDINGS) or (path != "-" and _is_folder(path))


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except OSError:
        return False  # whoever reads it says why


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare ``--limit``."""
    parser.add_argument(
        "--limit",
        metavar="NAME=N",
        action="append",
        help="raise a limit of reading or searching a planning problem: atoms, operators, tries, blind, states,"
        " evaluations, edges; may be repeated",
    )


def limits_of(options: argparse.Namespace) -> Limits:
    """Return the limits that ``--limit`` states."""
    from dataclasses import fields

    from askwise.pddl import Limits

    known = [field.name for field in fields(Limits)]
    given: dict[str, int] = {}
    for text in options.limit or ():
        name, equals, number = text.partition("=")
        if name not in known or not equals:
            raise InputError("--limit", repr(text), f"NAME=N with one of {', '.join(known)}{did_you_mean(name, known)}")
        given[name] = parse_whole(number, f"--limit {name}")
    return Limits(**given)


def read(options: argparse.Namespace, path: str, template: str | None) -> Recognition:
    """Return the problem that the arguments name."""
    from askwise.pddl import load

    if path.lower().endswith(".pddl") and template is None:
        raise InputError("arguments", f"{path!r} alone", "DOMAIN.pddl TEMPLATE.pddl --goals HYPS.dat, or an archive")
    if template is not None and not path.lower().endswith(".pddl"):
        raise InputError(
            "arguments", f"{template!r} after {path!r}", "one archive or folder, or DOMAIN.pddl TEMPLATE.pddl"
        )
    seen = options.obs if isinstance(options.obs, str) else None
    return load(path, template, goals=options.goals, seen=seen, limits=limits_of(options))


def cones_of(problem: Recognition, command: str) -> Cones:
    """Return all optimal plans, saying on standard error what takes long."""
    from askwise import pddl

    with speaking(command) as say:
        return pddl.cones_of(problem, progress=say)


@contextmanager
def speaking(command: str) -> Iterator[Callable[[str], None]]:
    """Give a function that shows how far a search has got, now and then.

    On a terminal only: what a program or a file gets does not depend on how fast the machine is.
    """
    with Progress(command, "{}", show=sys.stderr.isatty()) as progress:
        due = time.monotonic() + FIRST

        def say(text: str) -> None:
            nonlocal due
            if time.monotonic() >= due:
                due = time.monotonic() + EVERY
                progress(text)

        yield say


def is_one_problem(path: str) -> bool:
    """Whether an argument names one planning problem, and not a folder of them."""
    try:
        return not _is_folder(path) or (Path(path) / "domain.pddl").is_file()
    except OSError:
        return False  # a folder that cannot be looked into, which is said where it is searched
