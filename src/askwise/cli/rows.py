"""What commands that work through many planning problems share: options, progress, rows, a CSV file."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askwise.cli import stopping
from askwise.cli.common import Progress
from askwise.errors import InputError
from askwise.text.reading import parse_number, parse_whole
from askwise.text.wording import printable

if TYPE_CHECKING:
    from askwise.recognition.archives import Collected
    from askwise.studies.running.jobs import Job, Row


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--csv", metavar="FILE", help="write all rows; FILE.rows/ keeps what is done meanwhile")
    parser.add_argument("--workers", metavar="N", help="processes on this machine (default: one for each core)")
    parser.add_argument("--seconds", metavar="S", default="600", help="a problem fails after that (%(default)s)")


def work(
    options: argparse.Namespace, command: str, paths: Sequence[str], job_for: Callable[[Collected], Job]
) -> list[Row]:
    """Return the rows of all problems below the paths, in their order."""
    from askwise.recognition.archives import collect

    for path in paths:
        if path.lower().endswith(".pddl") and Path(path).is_file():
            how = f"askwise {'edp' if command == 'grd' else command} DOMAIN.pddl TEMPLATE.pddl --goals HYPS.dat"
            raise InputError("arguments", repr(path), f"archives, or folders of them (files by themselves: {how})")
    seconds = parse_number(options.seconds, "--seconds", above=0)
    workers = _workers(options)
    problems, unreadable = collect(paths)
    if not problems:
        first = f"of the first: {printable(unreadable[0].why)}" if len(unreadable) > 1 else printable(unreadable[0].why)
        raise InputError("archives", f"{len(unreadable)}, none that can be read ({first})", "at least one that can")
    for each in unreadable:
        print(f"askwise {command}: {printable(each.name)} is left out: {printable(each.why)}", file=sys.stderr)
    jobs = [job_for(problem) for problem in problems]
    done: dict[int, list[Row]] = {}
    try:
        with stopping.terminable(), Progress(command, "{} of {} problems", show=len(jobs) > 1) as progress:
            for finished in _done(options, jobs, workers, seconds):
                done[finished.number] = finished.rows
                if not finished.before:
                    progress(len(done), len(jobs))
    except KeyboardInterrupt:
        if options.csv is not None:
            told = f"{len(done)} of {len(jobs)} problems are done and kept; the same command goes on with the others"
            print(f"askwise {command}: {told}", file=sys.stderr)
        raise
    return [row for number in sorted(done) for row in done[number]]


def _done(options: argparse.Namespace, jobs: list[Job], workers: int, seconds: float) -> Any:
    from tempfile import TemporaryDirectory

    from askwise.studies.running.jobs import do_all
    from askwise.workers.limits import Limits

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
    """Write the CSV file, if one is wanted."""
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
    print(f"Written: {options.csv} ({len(found)} row{'' if len(found) == 1 else 's'})", file=sys.stderr)


def _cell(value: object) -> object:
    return json.dumps(value) if isinstance(value, bool | list) else value


def say_failures(found: Sequence[Row]) -> int:
    """Say in full what did not come to an exact end; return the exit code, 2 where everything failed."""
    for row in found:
        if not row["verdict"].startswith("exact"):
            name = row.get("archive") or row["problem"]
            print(f"{printable(name)}: {printable(row['verdict'])}", file=sys.stderr)
    return 2 if all(row["verdict"].startswith("failed") for row in found) else 0
