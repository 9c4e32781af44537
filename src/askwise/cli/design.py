"""Which cells, edges or actions to forbid so that goals become plain soonest.

FILE is a drawing in text as askwise edp takes it, or an instance file of any domain, JSON or
TOML (askwise new writes one); - reads standard input. On a map, forbidden cells become walls,
for both agents if they share the map; on a graph, edges are closed. Where agents start and
where their targets are stays free. FILE may also be a planning problem: an archive or a folder,
or a domain with TEMPLATE and --goals; there actions are forbidden. At most N are forbidden,
fewer where that is as good.

  --minimise wcd    the step that tells any two goals apart at the latest; for planning problems
                    the longest common prefix of plans, one less
  --minimise edp    expected EDP: the true goal and another one drawn from the prior
  --minimise cost   expected cost of not knowing the goal, of the planner or of the optimum

No shortest way to a goal grows by more than --budget, neither the teammate's nor, on a map
that both share, the ego agent's.

  askwise design map.txt -k 3
  askwise design problem.toml -k 2 --minimise cost --by optimum --png design.png
  askwise design problem.toml -k 5 --minimise edp --budget 2 -o changed.toml
  askwise design map.txt --forbid 3,4 --forbid 5,6
  askwise design domain.pddl template.pddl --goals hyps.dat -k 2 -o changed.tar.bz2
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from askwise.cli import common, planning_problems
from askwise.cli.common import Progress
from askwise.errors import InputError
from askwise.text.files import naming_file
from askwise.text.reading import parse_whole

OPTIONS = {
    "most": "-k",
    "minimise": "--minimise",
    "by": "--by",
    "budget": "--budget",
    "forbid": "--forbid",
    "most, forbid": "-k, --forbid",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise design``."""
    parser.add_argument("file", metavar="FILE", help="text drawing or instance file; - reads standard input")
    parser.add_argument("template", metavar="TEMPLATE", nargs="?", help="the problem, if FILE is a planning domain")
    parser.add_argument("--goals", metavar="FILE", help="the goals of a planning problem, one in each line")
    parser.add_argument("-k", metavar="N", help="forbid at most N")
    parser.add_argument("--minimise", metavar="WHAT", default="wcd", help="wcd (the default), edp or cost")
    parser.add_argument("--by", metavar="WHO", help="for cost: planner (the default) or optimum")
    parser.add_argument("--budget", metavar="N", default="0", help="steps that a way may grow by (%(default)s)")
    parser.add_argument(
        "--forbid",
        metavar="WHAT",
        action="append",
        help="instead of -k: a design of your own, cells as X,Y, edges as FROM,ACTION,TO; may be repeated",
    )
    parser.add_argument("--designs", metavar="N", help="look at no more than N designs")
    planning_problems.add_limits(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--png", metavar="FILE", help="also draw the place before and after, side by side")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the changed problem")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise design``."""
    check(options)
    from askwise.designs.design import design
    from askwise.designs.results import as_json, save, to_text

    own = None if options.forbid is None else [_thing(text) for text in options.forbid]
    given = read_place(options)
    progress = Progress("design", "{:,} designs looked at", patient=True)
    with naming_options(options), progress:
        found = design(
            given,
            None if options.k is None else int(options.k),
            minimise=options.minimise,
            by=options.by,
            budget=int(options.budget),
            forbid=own,
            limit=None if options.designs is None else int(options.designs),
            progress=progress,
        )
    if options.output is not None:
        save(found, options.output)
    if options.png is not None:
        from askwise.designs.picture import draw
        from askwise.text import files

        files.save_figure(draw(found), options.png)
    if options.json:
        print(json.dumps(as_json(found), ensure_ascii=False))
        return 0
    print(to_text(found), end="")
    for what, path in (("Written", options.output), ("Drawn", options.png)):
        if path is not None:
            print(f"{what}: {path}")
    return 0


def check(options: argparse.Namespace) -> None:
    """Refuse what can be refused before anything is read."""
    if options.k is None and options.forbid is None:
        raise InputError("-k", "nothing", "how many may be forbidden, a whole number from 1")
    if options.k is not None:
        parse_whole(options.k, "-k", 1)
    parse_whole(options.budget, "--budget")
    if options.designs is not None:
        parse_whole(options.designs, "--designs", 1)
    if options.png is not None and Path(options.png).suffix.lower() not in (".png", ".svg", ".pdf"):
        raise InputError("--png", repr(options.png), "a file name that ends in .png, .svg or .pdf")


def read_place(options: argparse.Namespace) -> Any:
    """Return what is to be changed: a drawing, an instance, or all designs of a planning problem."""
    if planning_problems.is_planning(options.file):
        from askwise.designs.actions import space_of_actions

        options.obs = None  # what was seen does not matter here
        problem = planning_problems.read(options, options.file, options.template)
        if not sys.stderr.isatty():
            return space_of_actions(problem)
        with planning_problems.speaking("design") as say:
            return space_of_actions(problem, say)
    given = {"TEMPLATE": options.template, "--goals": options.goals, "--limit": options.limit}
    for name, value in given.items():
        if value is not None:
            raise InputError(name, repr(value), "a planning problem, FILE.pddl or an archive, beside it")
    return read_instance_or_drawing(options.file)


def read_instance_or_drawing(path: str) -> Any:
    """Return the drawing or the instance in a file."""
    from askwise.domains.registry import read
    from askwise.model import Drawing
    from askwise.text.data import looks_like_data
    from askwise.text.files import read_stdin, read_text
    from askwise.text.reading import refuse_blank

    text = read_stdin() if path == "-" else read_text(path)
    if looks_like_data(text) or Path(path).suffix.lower() == ".toml":
        return read(text, "standard input", Path()) if path == "-" else common.read_instance(path)
    source = "standard input" if path == "-" else f"file {path!r}"
    refuse_blank(text, source, "a drawing of a map, an instance file, or a planning problem")
    with naming_file(path) if path != "-" else nullcontext():
        return Drawing.parse(text)


@contextmanager
def naming_options(options: argparse.Namespace) -> Iterator[None]:
    """Let what is refused in here name the option, or the file."""
    try:
        yield
    except InputError as error:
        if error.field in OPTIONS:
            raise InputError(OPTIONS[error.field], error.found, error.expected) from None
        where = "standard input" if options.file == "-" else f"file {options.file!r}"
        raise InputError(f"{where}, {error.field}", error.found, error.expected) from None


def _thing(text: str) -> Any:
    """Return what somebody typed: a cell, or an edge as its state, its action and the next state."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 2:
        from askwise.text.reading import parse_cell

        return parse_cell(text, "--forbid")
    return tuple(parts) if len(parts) == 3 else text
