"""Describe an instance and draw it.

FILE is an instance file of any domain, JSON or TOML (askwise new writes one), an example
(askwise examples lists them), or - for standard input.

  askwise show instance.json
  askwise generate --seed 7 | askwise show -
  askwise show instance.json --picture instance.pdf
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from askwise.cli import common
from askwise.text.wording import line_width


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise show``."""
    parser.add_argument("file", metavar="FILE", help="instance file; - reads standard input")
    common.add_picture(parser, "a picture for a paper", "--png")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise show``: print a description and a drawing of an instance; return exit code 0."""
    from askwise.api import as_problem
    from askwise.text.files import check_picture
    from askwise.view import text
    from askwise.view.scene import Map
    from askwise.view.scene_builder import start_scene
    from askwise.view.summary import describe

    if options.picture is not None:
        check_picture(options.picture)
    problem = as_problem(common.read_instance(options.file))
    scene = start_scene(problem, problem.prior)
    maps = all(isinstance(floor, Map) for floor in scene.floors)
    columns = line_width() - 1 if maps else max(line_width(), text.COLUMNS)  # lines of graphs are wrapped
    common.show(describe(problem) + "\n")
    drawing = text.draw(replace(scene, progress=""), colour=common.colourful(), columns=columns)
    common.show(drawing)
    if options.picture is not None:
        from askwise.view.scene_figure import save_scene

        save_scene(scene, options.picture)
        print(f"\nWritten: {options.picture}")
    return 0
