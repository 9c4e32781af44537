"""Reproduce the paper: its two-goal grid and its whole evaluation, compared with its numbers.

The evaluation runs 9,000 episodes: 100 random instances with three priors, six prices and five
methods. It writes tables, figures like the paper's, and report.html, which checks every claim
about the results. If it is interrupted, run the same command again to resume.

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
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        dest="out",
        help="output folder (default: out/reproduce, with --quick out/quick)",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--quick", action="store_true", help="10 instances and three prices, in seconds")
    what.add_argument("--grid-only", action="store_true", help="only the two-goal grid")
    study.add_running_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run ``askwise reproduce``: repeat the paper's example and evaluation, and write a report.

    Returns:
        the exit code: that of the evaluation if it is not 0, otherwise 1 if a number of the paper's two-goal example
        differs, else 0.
    """
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
    """Compute the paper's example, a grid with two goals, compare it with the paper's numbers, and draw it.

    Args:
        folder: the output folder; the pictures are written to its subfolder ``figures``.
        quiet: whether to print nothing.

    Returns:
        the exit code: 1 if a number differs, otherwise 0.
    """
    from askwise.studies import two_goal_grid
    from askwise.text import files

    target = files.make_folder(folder / "figures")
    rows = list(two_goal_grid.comparisons())
    drawn = two_goal_grid.figure()
    for ending in ("png", "svg"):
        files.save_figure(drawn, target / f"edp-map.{ending}")
    if not quiet:
        print(two_goal_grid.text(rows))
        print(f"Written: {target / 'edp-map.png'}")
    return 0 if all(row.agrees for row in rows) else 1
