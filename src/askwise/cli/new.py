"""Write a commented template.

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

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from askwise.errors import InputError, did_you_mean

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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise new``."""
    parser.add_argument("--kind", metavar="KIND", help=f"what to write: {', '.join(ENDINGS)}")
    parser.add_argument(
        "--from", metavar="FILE", dest="drawing", help="text drawing to start from; - reads standard input"
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where to write; - prints (default)")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise new``: write or print a commented template, such as of a problem or agent; return exit code 0."""
    from askwise.text.files import whole_file

    check(options)
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


def check(options: argparse.Namespace) -> None:
    """Raise an InputError for bad options, or if the output file exists and ``--force`` was not given."""
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
    """Return the text of the template that the options ask for."""
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
    """Raise an InputError if `text` is not a valid problem file, for instance because a goal cannot be reached."""
    from askwise.domains.registry import read

    read(text)


def _tool_fetching() -> str:
    from askwise.core.questions import QueryCost
    from askwise.domains.tool_fetching.generate import generate
    from askwise.text.data import json_text

    drawn = generate(width=8, height=8, stations=5, toolboxes=2, query_cost=QueryCost(0.5, 0.1), seed=1)
    return json_text(drawn.to_json())
