"""Report the results of a study with people: tables, traces, figures and a report.

DIR is the folder --output of the studio in which the study ran; the studio may still be running.
The report compares people with simulations: each round that a person played, and the same
round with a simulated person.

  askwise study-report out/mine
"""

from __future__ import annotations

import argparse
from pathlib import Path

from askwise.text.reading import parse_number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise study-report``."""
    parser.add_argument("folder", metavar="DIR", help="folder of the studio")
    parser.add_argument(
        "--time-limit", metavar="SECONDS", default="300", help="time limit per decision (default: %(default)s)"
    )


def run(options: argparse.Namespace) -> int:
    """Run ``askwise study-report``: write tables, figures and a report of a study with people; return exit code 0."""
    from askwise.studio.study.report import write_people_report

    folder = Path(options.folder)
    counted = write_people_report(folder, parse_number(options.time_limit, "--time-limit", above=0))
    print(", ".join(f"{what}: {n}" for what, n in counted.items()))
    print(f"Written: {folder / 'export'} (people, rounds, answers, traces)")
    print(f"Written: {folder / 'report' / 'report.html'}")
    return 0
