"""Draw a random instance of tool fetching, always solvable.

The same options and seed always give the same file.

  askwise generate --seed 7 -o instance.json
  askwise generate --size 30x12 --stations 20 --toolboxes 3 --walls 0.2 --clustered --prior far
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from askwise.cli import values
from askwise.errors import InputError

if TYPE_CHECKING:
    from askwise.domains.tool_fetching import Instance, Prior


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise generate``."""
    parser.add_argument("--size", metavar="N|WxH", default="20", help="columns and rows (%(default)s)")
    parser.add_argument("--stations", metavar="N", default="50", help="number of stations (%(default)s)")
    parser.add_argument("--toolboxes", metavar="N", default="5", help="number of toolboxes (%(default)s)")
    parser.add_argument("--walls", metavar="SHARE", default="0", help="share of the cells that are walls (%(default)s)")
    parser.add_argument("--clustered", action="store_true", help="put the stations in clusters")
    parser.add_argument(
        "--prior", metavar="KIND", default="uniform", help="uniform, far, near, fetcher-far or fetcher-near"
    )
    parser.add_argument("--temperature", metavar="T", default="1", help="how even the prior is (%(default)s)")
    parser.add_argument("--base", metavar="COST", default="0.5", help="cost of any question (%(default)s)")
    parser.add_argument("--per-station", metavar="COST", default="0", help="and of each station in it (%(default)s)")
    parser.add_argument("--seed", metavar="N", help="makes the instance repeatable")
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where to write; - prints (the default)")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise generate``."""
    from askwise.reading import as_text
    from askwise.showing.scene import size_of

    seed = values.seed(options.seed)
    instance = draw(options, seed)
    if options.output == "-":
        sys.stdout.write(as_text(instance.to_json()))
    else:
        instance.save(options.output)
        print(f"Written: {options.output} ({size_of(instance)}, seed {seed})")
    return 0


def draw(options: argparse.Namespace, seed: int) -> Instance:
    """Return the instance that the options ask for."""
    from askwise.domains.tool_fetching.generate import generate
    from askwise.questions import QueryCost

    width, height = size(options.size)
    return generate(
        width=width,
        height=height,
        stations=values.whole(options.stations, "--stations", 1),
        toolboxes=values.whole(options.toolboxes, "--toolboxes", 1),
        walls=values.real(options.walls, "--walls"),
        clustered=options.clustered,
        prior=prior(options),
        query_cost=QueryCost(
            values.real(options.base, "--base"),
            values.real(options.per_station, "--per-station"),
        ),
        seed=seed,
    )


def size(text: str) -> tuple[int, int]:
    """Return columns and rows of ``20`` or ``30x12``."""
    parts = text.lower().split("x")
    if len(parts) > 2 or not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise InputError("--size", repr(text), "a whole number N, or WxH")
    return int(parts[0]), int(parts[-1])


def prior(options: argparse.Namespace) -> Prior:
    """Return the prior that the options ask for."""
    from difflib import get_close_matches

    from askwise.domains.tool_fetching import Prior
    from askwise.domains.tool_fetching.instance import PRIOR_KINDS

    if options.prior not in PRIOR_KINDS:
        near = get_close_matches(options.prior, PRIOR_KINDS, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise InputError("--prior", repr(options.prior), "one of " + ", ".join(map(repr, PRIOR_KINDS)) + hint)
    return Prior(options.prior, values.real(options.temperature, "--temperature", above=0))
