"""Rebuild the paper's two-goal grid: print its numbers beside the paper's and draw the EDP map.

Writes edp-map.png and edp-map.svg to the output folder.
"""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise reproduce``."""
    parser.add_argument("--out", metavar="DIR", default="out/reproduce", help="folder for the pictures (%(default)s)")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise reproduce``; the exit code is 1 if a number differs from the paper's."""
    from askwise import files
    from askwise.experiments import two_goal_grid

    folder = files.make_folder(options.out)
    rows = list(two_goal_grid.comparisons())
    print("The two-goal grid of the paper: 9 x 7 cells, goals g1 at (8, 0) and g2 at (8, 6)\n")
    print(f"{'':<58}{'paper':<14}askwise")
    for row in rows:
        print(f"{row.what:<58}{row.paper:<14}{row.ours:<14}{'' if row.agrees else 'DIFFERS'}".rstrip())
    there, back = two_goal_grid.edps()
    print(f"\nExpected divergence points with the teammate at {two_goal_grid.TEAMMATE} (in the paper's lost figure):")
    print(f"  EDP(g1 | g2) = {there}, EDP(g2 | g1) = {back}")
    drawn = two_goal_grid.figure()
    for ending in ("png", "svg"):
        files.save_figure(drawn, folder / f"edp-map.{ending}")
        print(f"{'Drawn:' if ending == 'png' else '      '} {folder / f'edp-map.{ending}'}")
    agreeing = sum(row.agrees for row in rows)
    print(f"\n{agreeing} of {len(rows)} numbers agree with the paper.")
    return 0 if agreeing == len(rows) else 1
