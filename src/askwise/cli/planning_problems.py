"""Planning problems on the command line: how commands read one problem, and compute tables of many problems."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askwise.cli import interruption
from askwise.cli.common import Progress
from askwise.cli.parsing import renamed
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.text.files import find
from askwise.text.reading import parse_number, parse_whole
from askwise.text.wording import printable

if TYPE_CHECKING:
    from askwise.pddl import Cones, Limits, Recognition
    from askwise.recognition.archives import Collected
    from askwise.studies.running.jobs import Job, Row


ENDINGS = (".pddl", ".tar.bz2", ".tar.gz", ".tar.xz", ".tgz", ".tbz", ".tbz2", ".tar")


def is_planning(path: str) -> bool:
    """Return whether an argument names a planning problem: a PDDL file, an archive (such as ``.tar.bz2``) or a folder.

    Only the ending of the name is checked, and whether it names a folder; files are not read.
    """
    return path.lower().endswith(ENDINGS) or (path != "-" and _is_folder(path))


def _is_folder(path: str) -> bool:
    try:
        return find(path).is_dir()
    except OSError:
        return False  # reading it will raise an error that explains why


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare the option ``--search-limit NAME=N``, which limits the size of planning problems and searches."""
    parser.add_argument(
        "--search-limit",
        metavar="NAME=N",
        action="append",
        help="limit for reading and searching planning problems: atoms, operators, tries, blind, states,"
        " evaluations, edges; may be repeated",
    )
    renamed(parser, "--limit", "--search-limit", many=True)


def limits_of(options: argparse.Namespace) -> Limits:
    """Return the limits on planning problems: the defaults, changed by each ``--search-limit NAME=N``.

    Raise an `InputError` for an unknown name or a bad number.
    """
    from dataclasses import fields

    from askwise.pddl import Limits

    known = [field.name for field in fields(Limits)]
    given: dict[str, int] = {}
    for text in options.search_limit or ():
        name, equals, number = text.partition("=")
        if name not in known or not equals:
            raise InputError(
                "--search-limit", repr(text), f"NAME=N with one of {', '.join(known)}{did_you_mean(name, known)}"
            )
        given[name] = parse_whole(number, f"--search-limit {name}")
    return Limits(**given)


def read(options: argparse.Namespace, path: str, template: str | None) -> Recognition:
    """Read the goal-recognition problem that the arguments of a command name.

    Args:
        options: the parsed options; used are ``--goals``, ``--obs`` and ``--search-limit``.
        path: an archive, a folder or, with `template`, a PDDL domain file.
        template: a PDDL problem file; None for an archive or a folder.

    Raises:
        InputError: an argument, an option or a file is not valid.
    """
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
    """Compute all optimal plans of all goals of a planning problem, and show progress on standard error.

    Args:
        problem: the problem.
        command: the name of the subcommand, for the progress messages.

    Returns:
        The plans, combined in one graph.
    """
    from askwise import pddl

    with Progress(command, "{}", patient=True) as progress:
        return pddl.cones_of(problem, progress=progress)


def is_one_problem(path: str) -> bool:
    """Return whether an argument names one planning problem, rather than a folder of several problems.

    A folder is one problem if it has the file ``domain.pddl``. For a folder that cannot be read, the result is False.
    """
    try:
        return not _is_folder(path) or (find(path) / "domain.pddl").is_file()
    except OSError:
        return False  # an unreadable folder, which is reported when it is searched


# -- tables of many problems -------------------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare ``--csv``, ``--workers`` and ``--time-limit``, for commands that compute a table of many problems."""
    parser.add_argument("--csv", metavar="FILE", help="write all rows; until it is finished, FILE.rows/ stores results")
    parser.add_argument("--workers", metavar="N", help="number of processes (default: one per core)")
    parser.add_argument(
        "--time-limit", metavar="SECONDS", default="600", help="time limit per problem (default: %(default)s)"
    )
    renamed(parser, "--seconds", "--time-limit")


def work(
    options: argparse.Namespace, command: str, paths: Sequence[str], job_for: Callable[[Collected], Job]
) -> list[Row]:
    """Compute the rows of a result table for each problem in the given archives and folders, in several processes.

    With ``--csv FILE``, finished rows are stored in the folder ``FILE.rows``, and the next call resumes. Unreadable
    problems are skipped, with a message on standard error.

    Args:
        options: the parsed options; used are ``--csv``, ``--workers`` and ``--time-limit``.
        command: name of the subcommand, for messages.
        paths: archives, and folders of archives.
        job_for: takes a problem, and returns the job that computes the problem's rows.

    Returns:
        the rows as dicts, in the order of the problems.

    Raises:
        AskwiseError: no problem can be read, or an option is invalid.
    """
    from askwise.recognition.archives import collect

    for path in paths:
        if path.lower().endswith(".pddl") and Path(path).is_file():
            how = f"askwise {'edp' if command == 'grd' else command} DOMAIN.pddl TEMPLATE.pddl --goals HYPS.dat"
            raise InputError("arguments", repr(path), f"archives, or folders of them (for separate files: {how})")
    seconds = parse_number(options.time_limit, "--time-limit", above=0)
    workers = _workers(options)
    problems, unreadable = collect(paths)
    if not problems and len(unreadable) == 1:
        raise AskwiseError(printable(unreadable[0].why))
    if not problems:
        first = printable(unreadable[0].why) if unreadable else "there is none"
        found = f"{len(unreadable)}, none that can be read (of the first: {first})"
        raise InputError("archives", found, "at least one that can")
    for each in unreadable:
        print(f"askwise {command}: {printable(each.name)} is skipped: {printable(each.why)}", file=sys.stderr)
    jobs = [job_for(problem) for problem in problems]
    done: dict[int, list[Row]] = {}
    try:
        with interruption.terminable(), Progress(command, "{} of {} problems", show=len(jobs) > 1) as progress:
            for finished in _done(options, jobs, workers, seconds):
                done[finished.number] = finished.rows
                if not finished.before:
                    progress(len(done), len(jobs))
    except KeyboardInterrupt:
        if options.csv is not None:
            text = f"{len(done)} of {len(jobs)} problems are stored; run the same command again to resume"
            print(f"askwise {command}: {text}", file=sys.stderr)
        raise
    return [row for number in sorted(done) for row in done[number]]


def _done(options: argparse.Namespace, jobs: list[Job], workers: int, seconds: float) -> Any:
    from tempfile import TemporaryDirectory

    from askwise.studies.running.jobs import do_all
    from askwise.workers.heartbeat import Limits

    limits = Limits(decision=math.inf, episode=seconds, unit="a problem")
    if options.csv is not None:
        yield from do_all(jobs, f"{options.csv}.rows", workers=workers, limits=limits)
        return
    with TemporaryDirectory(prefix="askwise-") as folder:
        yield from do_all(jobs, folder, workers=workers, limits=limits)


def _workers(options: argparse.Namespace) -> int:
    from askwise.workers.pool import usable_cores

    return usable_cores() if options.workers is None else parse_whole(options.workers, "--workers", 1)


def write(options: argparse.Namespace, columns: Sequence[str], found: Sequence[Row]) -> None:
    """Write result rows as a CSV table to the file of ``--csv``; without this option, do nothing.

    Also delete the folder ``FILE.rows``, in which `work` stored rows, and print the name of the file.

    Args:
        options: the parsed options.
        columns: the columns to write.
        found: the rows, as dicts by column.
    """
    from askwise.text.files import whole_file

    if options.csv is None:
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in found:
        writer.writerow([_cell(row[column]) for column in columns])
    with whole_file(options.csv) as temporary:
        temporary.write_text(text.getvalue(), encoding="utf-8")
    shutil.rmtree(f"{options.csv}.rows", ignore_errors=True)  # everything is in the table now
    print(f"Written: {options.csv} ({len(found)} row{'' if len(found) == 1 else 's'})", file=sys.stderr)


def _cell(value: object) -> object:
    return json.dumps(value) if isinstance(value, bool | list) else value


def print_failures(found: Sequence[Row]) -> int:
    """Print the name and the verdict of each problem that was not solved exactly, to standard error.

    Return the exit code: 2 if all problems failed, otherwise 0.
    """
    for row in found:
        if not row["verdict"].startswith("exact"):
            name = row.get("archive") or row["problem"]
            print(f"{printable(name)}: {printable(row['verdict'])}", file=sys.stderr)
    return 2 if all(row["verdict"].startswith("failed") for row in found) else 0
