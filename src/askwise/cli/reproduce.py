"""Reproduce the paper: its two-goal grid, then its whole evaluation, beside what the paper says.

The evaluation plays 100 random instances under three priors, six prices and five methods, 9,000
episodes, and ends with tables, figures like the paper's, and report.html, which judges every
claim of the paper's results by the data. A run that was stopped goes on where it was when the
same command is given again.

  askwise reproduce
  askwise reproduce --quick
  askwise reproduce --grid-only
"""

from __future__ import annotations

import argparse
from pathlib import Path

from askwise.cli import study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise reproduce``."""
    parser.add_argument("--out", metavar="DIR", help="folder for everything (out/reproduce; with --quick out/quick)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--quick", action="store_true", help="10 instances and three prices: a first look in seconds")
    what.add_argument("--grid-only", action="store_true", help="the two-goal grid only")
    study.add_running_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run ``askwise reproduce``; the exit code is 1 if a number of the grid differs from the paper's."""
    from askwise.studies.schema.study_file import quicker, read_settings, study_from
    from askwise.text import files

    default = "out/quick" if options.quick else "out/reproduce"
    folder = files.make_folder(default if options.out is None else options.out)
    code = two_goal_grid(folder, quiet=options.json)
    if options.grid_only:
        return code
    settings, _ = read_settings("paper")
    if not options.json:
        print("\nThe paper's evaluation\n", flush=True)
    return study.conduct(study_from(quicker(settings) if options.quick else settings), str(folder), options) or code


def two_goal_grid(folder: Path, *, quiet: bool) -> int:
    """Print the grid's numbers beside the paper's and draw it; return 1 if a number differs."""
    from askwise.studies import two_goal_grid
    from askwise.text import files

    target = files.make_folder(folder / "figures")
    rows = list(two_goal_grid.comparisons())
    drawn = two_goal_grid.figure()
    for ending in ("png", "svg"):
        files.save_figure(drawn, target / f"edp-map.{ending}")
    if not quiet:
        print(two_goal_grid.text(rows))
        print(f"Drawn: {target / 'edp-map.png'}")
    return 0 if all(row.agrees for row in rows) else 1
