"""Commands that make files to start with: ``examples``, ``new`` (templates) and ``generate`` (random instances)."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from askwise.cli import common
from askwise.cli.common import show
from askwise.cli.parsing import Subcommand, renamed
from askwise.errors import InputError, did_you_mean
from askwise.text.files import EXAMPLES, examples_folder, find_example
from askwise.text.reading import parse_number, parse_whole
from askwise.text.wording import aligned

if TYPE_CHECKING:
    from askwise.domains.tool_fetching import Instance, Prior


# -- askwise examples ------------------------------------------------------------------------------------------------

EXAMPLES_HELP = """List the examples that come with askwise, or copy one.

Every command that takes a file also takes the name of an example, unless there is a file of
that name. Copy an example to change it.

  askwise examples
  askwise examples ward -o mine.toml
  askwise examples ward
"""


def add_examples_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise examples``."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="the example to print or copy (default: list all)")
    parser.add_argument("-o", "--output", metavar="FILE", help="copy the example to this file or folder")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run_examples(options: argparse.Namespace) -> int:
    """Run ``askwise examples``: list the examples, print the example NAME, or copy it; return exit code 0."""
    if options.name is None:
        if options.output is not None:
            raise InputError("--output", "no NAME", "the name of the example to copy as well")
        if options.json:
            print(examples_to_json())
        else:
            show(examples_to_text())
        return 0
    source = examples_folder() / find_example(options.name).file
    if options.output is not None:
        copy_example(source, options.output, force=options.force)
        print(f"Written: {options.output}")
    elif source.is_dir():
        files = ", ".join(sorted(each.name for each in source.iterdir()))
        raise InputError("NAME", f"a folder of files ({files})", "-o FOLDER as well, to copy it")
    else:
        sys.stdout.write(source.read_text(encoding="utf-8"))
    return 0


def copy_example(source: Path, target: str, *, force: bool) -> None:
    """Copy the file or folder of an example, together with folders of other examples that the file reads.

    Args:
        source: the example's file or folder.
        target: path of the copy; the other folders go next to it.
        force: whether to overwrite existing files.

    Raises:
        InputError: a folder cannot be written; or, without `force`, `target` exists or a changed file would be
            overwritten.
    """
    from askwise.text.files import reason, whole_file

    place = Path(target)
    folders = (
        [(source, place)]
        if source.is_dir()
        else [(examples_folder() / each, place.parent / each) for each in needed_folders(source)]
    )
    if "\0" not in target and not force:
        changed = [file for pair in folders for file in _changed_copies(*pair)]
        for taken in [place] if place.exists() else changed:
            raise InputError("--output", f"{str(taken)!r}, which exists", "another name, or --force to overwrite it")
    if not source.is_dir():
        with whole_file(target) as temporary:
            temporary.write_bytes(source.read_bytes())
    for found, copied in folders:
        try:
            shutil.copytree(found, copied, dirs_exist_ok=True)
        except OSError as error:
            raise InputError("--output", reason(error), "a place that can be written to") from None


def _changed_copies(found: Path, copied: Path) -> list[Path]:
    """Return the files in the folder `copied` that differ from the files of the same names in the folder `found`.

    A folder in `copied` that has the name of a file in `found` is returned, too.
    """
    pairs = [(each, copied / each.relative_to(found)) for each in sorted(found.rglob("*")) if each.is_file()]
    return [to for each, to in pairs if to.exists() and not (to.is_file() and to.read_bytes() == each.read_bytes())]


def needed_folders(source: Path) -> list[str]:
    """Return the names of the example folders that an example file reads, relative to the folder of all examples.

    Args:
        source: the path of the example file.
    """
    text = source.read_text(encoding="utf-8")
    return [
        each.file for each in EXAMPLES.values() if f'"{each.file}"' in text and (examples_folder() / each.file).is_dir()
    ]


def examples_to_text() -> str:
    """Return the list of examples as a text table: the name, what it is, and a command to try."""
    rows = [
        ("name", "what it is", "try"),
        *((key, each.about, f"askwise {each.command}") for key, each in EXAMPLES.items()),
    ]
    return "\n".join(line[2:] for line in aligned(rows, whole=(2,)))


def examples_to_json() -> str:
    """Return the list of examples as JSON text: a list of dicts with name, path, description and a command to try."""
    rows = [
        {
            "name": key,
            "file": str(examples_folder() / each.file),
            "about": each.about,
            "command": f"askwise {each.command}",
        }
        for key, each in EXAMPLES.items()
    ]
    return json.dumps(rows, ensure_ascii=False)


# -- askwise new -----------------------------------------------------------------------------------------------------

NEW_HELP = """Write a commented template.

  askwise new --kind graph -o ward.toml       two agents on graphs
  askwise new --kind map -o kitchen.toml      two agents on drawn maps
  askwise new --kind map --from plan.txt      a problem from a drawing
  askwise new --kind coverage -o rooms.toml   go to any goal but the teammate's
  askwise new --kind tool-fetching            a small instance, without comments
  askwise new --kind decision -o ticket.toml  for askwise decide, without a map
  askwise new --kind study -o mine.toml       for askwise study
  askwise new --kind study-with-people        for askwise studio
  askwise new --kind agent -o mine.py         your own agent, in Python

A drawing for --from has a W (the teammate), an F (the ego agent) and other letters, the goals.
Both agents then have the same map and goals; comments in the file explain how to change the ego
agent's.
"""
ENDINGS = {
    "graph": ".toml",
    "map": ".toml",
    "coverage": ".toml",
    "tool-fetching": ".json",
    "decision": ".toml",
    "study": ".toml",
    "study-with-people": ".toml",
    "agent": ".py",
}
"""The extension of each kind of file."""
NOTE = "JSON has no comments: the reference lists all keys (instance files); askwise generate draws other instances"
DRAWN = ("map", "coverage")
"""Kinds that can be made from a drawing."""
LEAST = {1: "one letter or digit", 2: "two different letters or digits"}
"""Minimal numbers of goals in a drawing, for error messages."""


def add_new_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise new``."""
    parser.add_argument("--kind", metavar="KIND", help=f"what to write: {', '.join(ENDINGS)}")
    parser.add_argument(
        "--from", metavar="FILE", dest="drawing", help="text drawing to start from; - reads standard input"
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where to write; - prints (default)")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")


def run_new(options: argparse.Namespace) -> int:
    """Run ``askwise new``: write or print a template, such as of a problem or an agent; return exit code 0."""
    from askwise.text.files import whole_file

    check_new(options)
    text = starter(options)
    if options.output == "-":
        sys.stdout.write(text)
    else:
        with whole_file(options.output) as temporary:
            temporary.write_text(text, encoding="utf-8")
        print(f"Written: {options.output}")
    if options.kind == "tool-fetching":
        print(f"askwise new: {NOTE}", file=sys.stderr)
    return 0


def check_new(options: argparse.Namespace) -> None:
    """Raise an `InputError` for bad options of ``askwise new``.

    It is also raised if the output file exists and ``--force`` was not given.
    """
    if options.kind not in ENDINGS:
        allowed = "one of " + ", ".join(map(repr, ENDINGS)) + did_you_mean(options.kind or "", ENDINGS)
        raise InputError("--kind", "nothing" if options.kind is None else repr(options.kind), allowed)
    if options.drawing is not None and options.kind not in DRAWN:
        raise InputError("--from", f"--kind {options.kind}", f"--kind {' or '.join(DRAWN)} with it")
    if options.output == "-":
        return
    ending = ENDINGS[options.kind]
    if Path(options.output).suffix.lower() != ending:
        raise InputError("--output", repr(options.output), f"a name that ends with {ending}")
    if "\0" not in options.output and Path(options.output).exists() and not options.force:
        raise InputError("--output", f"{options.output!r}, which exists", "another name, or --force to overwrite it")


def starter(options: argparse.Namespace) -> str:
    """Return the text of the template that the options of ``askwise new`` ask for."""
    if options.kind == "tool-fetching":
        return _tool_fetching()
    if options.drawing is not None:
        return _from_drawing(options.kind, options.drawing)
    return _template(options.kind)


def _template(kind: str) -> str:
    from importlib import resources

    return resources.files("askwise.starters").joinpath(f"{kind}.txt").read_text(encoding="utf-8")


def _from_drawing(kind: str, path: str) -> str:
    from askwise.model import Drawing
    from askwise.text.files import find, read_stdin, read_text

    drawing = Drawing.parse(read_stdin() if path == "-" else read_text(find(path)))
    for sign, who, cell in (("W", "teammate", drawing.teammate), ("F", "ego agent", drawing.ego)):
        if cell is None:
            raise InputError("drawing", f"no {sign} (the {who})", "both W and F")
    least = 2 if kind == "coverage" else 1
    if len(drawing.goals) < least:
        found = f"{len(drawing.goals)} goal" if drawing.goals else "no goals"
        raise InputError("drawing", found, f"at least {LEAST[least]} other than W and F")
    goals = ""
    for name in drawing.goals:
        ego = [other for other in drawing.goals if other != name] if kind == "coverage" else name
        goals += f'\n[goals.{name}]\nteammate = "{name}"\nego = {json.dumps(ego)}\n'
    text = _template("map-from-drawing").replace("@MAP@", str(drawing)).replace("@GOALS@", goals.strip("\n"))
    _checked(text)
    return text


def _checked(text: str) -> None:
    """Raise an `InputError` if `text` is not a valid problem file, for instance because a goal cannot be reached."""
    from askwise.domains.registry import read

    read(text)


def _tool_fetching() -> str:
    from askwise.core.questions import QueryCost
    from askwise.domains.tool_fetching.generate import generate
    from askwise.text.data import json_text

    drawn = generate(width=8, height=8, stations=5, toolboxes=2, query_cost=QueryCost(0.5, 0.1), seed=1)
    return json_text(drawn.to_json())


# -- askwise generate ------------------------------------------------------------------------------------------------

GENERATE_HELP = """Draw a random instance of tool fetching that can be solved.

The same options and the same seed give the same file.

  askwise generate --seed 7 -o instance.json
  askwise generate --size 30x12 --stations 20 --walls 0.2 --prior far
"""


def add_generate_arguments(parser: argparse.ArgumentParser) -> None:
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


def run_generate(options: argparse.Namespace) -> int:
    """Run ``askwise generate``: draw a random instance of tool fetching, and write or print it; return exit code 0."""
    from askwise.text.data import json_text
    from askwise.text.files import whole_file
    from askwise.view.scene_builder import start_scene

    seed = common.seed(options.seed)
    instance = draw_instance(options, seed)
    text = json_text(instance.to_json())
    if options.output == "-":
        sys.stdout.write(text)
        return 0
    with whole_file(options.output) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(f"Written: {options.output} ({start_scene(instance).size}, seed {seed})")
    return 0


def draw_instance(options: argparse.Namespace, seed: int) -> Instance:
    """Return a random instance of tool fetching on a grid, with the sizes, prior and prices of the options."""
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
    """Parse the size of a map, such as ``20`` (20 columns and 20 rows) or ``30x12``; return columns and rows.

    Raise an `InputError` for any other text.
    """
    parts = text.lower().split("x")
    if len(parts) > 2 or not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise InputError("--size", repr(text), "a whole number N, or WxH")
    return int(parts[0]), int(parts[-1])


def prior(options: argparse.Namespace) -> Prior:
    """Return the prior over goals that ``--prior`` and ``--temperature`` state.

    Raise an `InputError` if the kind of prior is unknown or the temperature is not a positive number.
    """
    from askwise.domains.tool_fetching.instance import PRIOR_KINDS, Prior

    if options.prior not in PRIOR_KINDS:
        allowed = "one of " + ", ".join(map(repr, PRIOR_KINDS)) + did_you_mean(options.prior, PRIOR_KINDS)
        raise InputError("--prior", repr(options.prior), allowed)
    return Prior(options.prior, parse_number(options.temperature, "--temperature", above=0))


SUBCOMMANDS = {
    "examples": Subcommand(EXAMPLES_HELP, add_examples_arguments, run_examples),
    "new": Subcommand(NEW_HELP, add_new_arguments, run_new),
    "generate": Subcommand(GENERATE_HELP, add_generate_arguments, run_generate),
}
