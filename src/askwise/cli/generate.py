"""Draw a random instance of tool fetching that can be solved.

The same options and the same seed give the same file.

  askwise generate --seed 7 -o instance.json
  askwise generate --size 30x12 --stations 20 --walls 0.2 --prior far
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from askwise.cli import common
from askwise.cli.parsing import renamed
from askwise.errors import InputError, did_you_mean
from askwise.text.reading import parse_number, parse_whole

if TYPE_CHECKING:
    from askwise.domains.tool_fetching import Instance, Prior


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise generate``."""
    add = parser.add_argument
    add("--size", metavar="N|WxH", default="20", help="columns and rows (default: %(default)s)")
    add("--stations", metavar="N", default="50", help="number of stations (default: %(default)s)")
    add("--toolboxes", metavar="N", default="5", help="number of toolboxes (default: %(default)s)")
    add("--walls", metavar="SHARE", default="0", help="share of the cells that are walls (default: %(default)s)")
    add("--clustered", action="store_true", help="place the stations in clusters")
    add("--prior", metavar="KIND", default="uniform", help="uniform, far, near, fetcher-far or fetcher-near")
    add(
        "--temperature",
        metavar="T",
        default="1",
        help="temperature of the prior; higher is more even (default: %(default)s)",
    )
    add("--base", metavar="COST", default="0.5", help="base price of a question (default: %(default)s)")
    add("--per-goal", metavar="COST", default="0", help="price per station in a question (default: %(default)s)")
    renamed(parser, "--per-station", "--per-goal")
    add("--seed", metavar="N", help="random seed (default: a new one)")
    add("-o", "--output", metavar="FILE", default="-", help="where to write; - prints (default)")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise generate``: draw a random instance of tool fetching, and write or print it; return exit code 0."""
    from askwise.text.data import json_text
    from askwise.text.files import whole_file
    from askwise.view.scene_builder import start_scene

    seed = common.seed(options.seed)
    instance = draw(options, seed)
    text = json_text(instance.to_json())
    if options.output == "-":
        sys.stdout.write(text)
        return 0
    with whole_file(options.output) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(f"Written: {options.output} ({start_scene(instance).size}, seed {seed})")
    return 0


def draw(options: argparse.Namespace, seed: int) -> Instance:
    """Return a random instance of tool fetching with the size, prior and prices that the options state."""
    from askwise.core.questions import QueryCost
    from askwise.domains.tool_fetching.generate import generate

    width, height = size(options.size)
    return generate(
        width=width,
        height=height,
        stations=parse_whole(options.stations, "--stations", 1),
        toolboxes=parse_whole(options.toolboxes, "--toolboxes", 1),
        walls=parse_number(options.walls, "--walls"),
        clustered=options.clustered,
        prior=prior(options),
        query_cost=QueryCost(parse_number(options.base, "--base"), parse_number(options.per_goal, "--per-goal")),
        seed=seed,
    )


def size(text: str) -> tuple[int, int]:
    """Parse a size, such as ``20`` or ``30x12``; return columns and rows."""
    parts = text.lower().split("x")
    if len(parts) > 2 or not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise InputError("--size", repr(text), "a whole number N, or WxH")
    return int(parts[0]), int(parts[-1])


def prior(options: argparse.Namespace) -> Prior:
    """Return the prior of ``--prior`` and ``--temperature``; raise an InputError for an unknown kind."""
    from askwise.domains.tool_fetching.instance import PRIOR_KINDS, Prior

    if options.prior not in PRIOR_KINDS:
        allowed = "one of " + ", ".join(map(repr, PRIOR_KINDS)) + did_you_mean(options.prior, PRIOR_KINDS)
        raise InputError("--prior", repr(options.prior), allowed)
    return Prior(options.prior, parse_number(options.temperature, "--temperature", above=0))
