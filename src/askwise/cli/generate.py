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
from askwise.domains.registry import domain

if TYPE_CHECKING:
    from askwise.domains.parts import Generator

DOMAIN = "tool-fetching"
"""The domain whose instances are drawn."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise generate``: those of the domain, and where to write."""
    generator().add_arguments(parser)
    parser.add_argument("--seed", metavar="N", help="makes the instance repeatable")
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where to write; - prints (the default)")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise generate``."""
    from askwise.files import whole_file
    from askwise.reading import as_text
    from askwise.showing.episodes import start_scene

    seed = values.seed(options.seed)
    instance = generator().draw(options, seed)
    text = as_text(domain(DOMAIN).recording.write(instance))
    if options.output == "-":
        sys.stdout.write(text)
        return 0
    with whole_file(options.output) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(f"Written: {options.output} ({start_scene(instance).size}, seed {seed})")
    return 0


def generator() -> Generator:
    """Return what draws instances."""
    found = domain(DOMAIN).generator
    assert found is not None
    return found
