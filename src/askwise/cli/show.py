"""Describe an instance and draw it.

FILE is an instance file of any domain, JSON or TOML (askwise new writes one); - reads
standard input.

  askwise show instance.json
  askwise generate --seed 7 | askwise show -
  askwise show instance.json --png instance.png
"""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import replace

from askwise.cli import common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise show``."""
    parser.add_argument("file", metavar="FILE", help="instance file; - reads standard input")
    parser.add_argument("--png", metavar="FILE", help="also draw a picture")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise show``: print a description and a drawing of an instance; return exit code 0."""
    from askwise.api import as_problem
    from askwise.view import raster, text
    from askwise.view.scene_builder import start_scene
    from askwise.view.summary import describe

    if options.png is not None:
        raster.check_ending(options.png, ".png")
    problem = as_problem(common.read_instance(options.file))
    scene = start_scene(problem, problem.prior)
    columns = shutil.get_terminal_size().columns - 1 if sys.stdout.isatty() else text.COLUMNS
    print(describe(problem))
    drawing = text.draw(replace(scene, progress=""), colour=common.colourful(), columns=columns)
    print(drawing, end="")
    if options.png is not None:
        raster.save_png(scene, options.png)
        print(f"\nDrawn: {options.png}")
    return 0
