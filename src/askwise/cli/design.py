"""Find cells, edges or actions to block so that goals can be recognised earlier.

FILE is a text drawing as for askwise edp, or an instance file of any domain, JSON or TOML
(askwise new writes one); - reads standard input. On a map, blocked cells become walls, for both
agents if they share the map; on a graph, edges are removed. Starts and targets are never
blocked. FILE may also be a planning problem: an archive or a folder, or a domain with TEMPLATE
and --goals; then actions are forbidden. At most N cells, edges or actions are blocked (option
-k N), fewer if that is as good.

  --minimise wcd   the step by which any two goals are told apart; for planning
                   problems one less: the length of the longest common prefix
                   of plans for two goals
  --minimise edp   the expected step (EDP) at which a wrong goal is ruled out;
                   the true goal and the wrong goal are drawn from the prior
  --minimise cost  expected marginal cost (the cost of not knowing the goal) of
                   the planner or of the optimum

No shortest path of the teammate to a goal may get more than --longer steps longer. On a map
that both agents share, the same holds for the ego agent.

  askwise design map.txt -k 3
  askwise design kitchen -k 1 --minimise cost --picture design.pdf
  askwise design problem.toml -k 5 --minimise edp --longer 2 -o changed.toml
  askwise design map.txt --forbid 3,4 --forbid 5,6
  askwise design blocks.tar.bz2 -k 2 -o changed.tar.bz2
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from askwise.cli import common, planning_problems
from askwise.cli.common import Progress
from askwise.cli.parsing import Subcommand, renamed
from askwise.errors import InputError
from askwise.text.files import check_picture, naming_file
from askwise.text.reading import parse_whole

OPTIONS = {
    "most": "-k",
    "minimise": "--minimise",
    "by": "--by",
    "budget": "--longer",
    "forbid": "--forbid",
    "most, forbid": "-k, --forbid",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise design``."""
    parser.add_argument("file", metavar="FILE", help="text drawing or instance file; - reads standard input")
    parser.add_argument("template", metavar="TEMPLATE", nargs="?", help="problem file, if FILE is a PDDL domain")
    parser.add_argument("--goals", metavar="FILE", help="goals of a planning problem, one per line")
    parser.add_argument("-k", metavar="N", help="block at most N cells, edges or actions")
    parser.add_argument("--minimise", "--minimize", metavar="WHAT", default="wcd", help="wcd (default), edp or cost")
    parser.add_argument("--by", metavar="WHO", help="for --minimise cost: planner (default) or optimum")
    parser.add_argument(
        "--longer",
        metavar="N",
        default="0",
        help="steps by which a shortest path may get longer (default: %(default)s)",
    )
    parser.add_argument(
        "--forbid",
        metavar="WHAT",
        action="append",
        help="evaluate your own design instead: a cell X,Y, an edge FROM,ACTION,TO or the name of an action of a "
        "planning problem; may be repeated",
    )
    renamed(parser, "--budget", "--longer")
    parser.add_argument("--designs", metavar="N", help="search at most N designs")
    planning_problems.add_limits(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    common.add_picture(parser, "the map or graph before and after", "--png")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the changed problem")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise design``: print what to block so that goals are recognised earlier; return exit code 0.

    With ``--output``, also write the changed problem; with ``--picture``, a picture.
    """
    check(options)
    from askwise.designs.design import design
    from askwise.designs.results import as_json, save, to_text

    own = None if options.forbid is None else [_thing(text) for text in options.forbid]
    given = read_place(options)
    progress = Progress("design", "{:,} designs searched", patient=True)
    with naming_options(options), progress:
        found = design(
            given,
            None if options.k is None else int(options.k),
            minimise=options.minimise,
            by=options.by,
            budget=int(options.longer),
            forbid=own,
            limit=None if options.designs is None else int(options.designs),
            progress=progress,
        )
    if options.output is not None:
        save(found, options.output)
    drawn = options.picture is not None and bool(found.forbidden)
    if drawn:
        from askwise.designs.picture import draw
        from askwise.text import files

        files.save_figure(draw(found), options.picture, dpi=300)
    if options.json:
        print(json.dumps(as_json(found), ensure_ascii=False))
        return 0
    common.show(to_text(found))
    for path in (options.output, options.picture if drawn else None):
        if path is not None:
            print(f"Written: {path}")
    if options.picture is not None and not drawn:
        print("No picture was drawn: nothing is blocked, so before and after are the same.")
    return 0


def check(options: argparse.Namespace) -> None:
    """Raise an `InputError` if a number or the picture's file ending is invalid, or if nothing says what to block."""
    if options.k is None and options.forbid is None:
        raise InputError("-k", "nothing", "how many may be blocked, a whole number from 1")
    if options.k is not None:
        parse_whole(options.k, "-k", 1)
    parse_whole(options.longer, "--longer")
    if options.designs is not None:
        parse_whole(options.designs, "--designs", 1)
    if options.picture is not None:
        check_picture(options.picture)


def read_place(options: argparse.Namespace) -> Any:
    """Return the problem that the arguments FILE and TEMPLATE describe, in a form that `askwise.design` accepts.

    A drawn map gives a `Drawing`, an instance file an instance, and a planning problem a `Space` of actions, without
    its observations: ``options.obs`` is set to None.

    Raises:
        InputError: the file is no planning problem, but an option for planning problems was given.
    """
    if planning_problems.is_planning(options.file):
        from askwise.designs.actions import space_of_actions

        options.obs = None  # designs do not depend on observations
        problem = planning_problems.read(options, options.file, options.template)
        with Progress("design", "{}", patient=True) as progress:
            return space_of_actions(problem, progress)
    given = {"TEMPLATE": options.template, "--goals": options.goals, "--search-limit": options.search_limit}
    for name, value in given.items():
        if value is not None:
            raise InputError(name, repr(value), "a planning problem, FILE.pddl or an archive, with it")
    return read_instance_or_drawing(options.file)


def read_instance_or_drawing(path: str) -> Any:
    """Return what a file contains: the drawing of a map (`Drawing`), or an instance of any domain.

    Args:
        path: the path of the file, or ``-`` for standard input.
    """
    from askwise.domains.registry import read
    from askwise.model import Drawing
    from askwise.text.data import looks_like_data
    from askwise.text.files import find, read_stdin, read_text
    from askwise.text.reading import refuse_blank

    text = read_stdin() if path == "-" else read_text(find(path))
    if looks_like_data(text) or find(path).suffix.lower() == ".toml":
        return read(text, "standard input", Path()) if path == "-" else common.read_instance(path)
    source = "standard input" if path == "-" else f"file {path!r}"
    refuse_blank(text, source, "a drawing of a map, an instance file, or a planning problem")
    with naming_file(path) if path != "-" else nullcontext():
        return Drawing.parse(text)


@contextmanager
def naming_options(options: argparse.Namespace) -> Iterator[None]:
    """Replace each `InputError` raised in the ``with`` block by one that names the option or the file at fault."""
    try:
        yield
    except InputError as error:
        if error.field in OPTIONS:
            raise InputError(OPTIONS[error.field], error.found, error.expected) from None
        where = "standard input" if options.file == "-" else f"file {options.file!r}"
        raise InputError(f"{where}, {error.field}", error.found, error.expected) from None


def _thing(text: str) -> Any:
    """Parse a value of ``--forbid``, which names a cell, an edge or an action.

    Return two integers for a cell ``X,Y``, three names for an edge ``FROM,ACTION,TO``, otherwise the text.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 2:
        from askwise.text.reading import parse_cell

        return parse_cell(text, "--forbid")
    return tuple(parts) if len(parts) == 3 else text


SUBCOMMANDS = {"design": Subcommand(__doc__, add_arguments, run)}
