r"""How long do goals look alike? Expected and worst-case divergence points from one state.

MAP is a drawing in text, or an instance file of any domain, JSON or TOML. In a drawing the top
line is the highest row:

  #  a wall             W  where the teammate is
  .  a free cell        F  where the ego agent is (not used here)
  any other letter or digit: a goal of that name

Row i, column j of the table: the teammate pursues goal j; how many steps until goal i is ruled out?

Planning problems: an archive or a folder with domain.pddl, template.pddl and hyps.dat, as
goal-recognition data sets have them, or these files by themselves. --obs goes on from the last of
the actions seen.

  askwise edp map.txt
  askwise edp instance.json --at 3,4 --json
  askwise edp ward.toml --at hall
  askwise edp blocks.tar.bz2 --obs
  askwise edp domain.pddl template.pddl --goals hyps.dat --obs obs.dat --json
  printf 'B....\n.....\nW...A\n' | askwise edp -
"""

from __future__ import annotations

import argparse
import json
import math
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askwise.cli import common, planning_problems
from askwise.errors import InputError
from askwise.text.files import naming_file
from askwise.text.wording import printable

if TYPE_CHECKING:
    from askwise.divergence import Divergence
    from askwise.model import Model
    from askwise.types import StateLike

WIDEST_TABLE = 12
"""Goals up to which the whole matrix is printed; above, a summary and the hardest pairs are easier to read."""

LARGEST_TABLE = 2**30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise edp``."""
    parser.add_argument(
        "map", metavar="MAP", help="text drawing, instance file or planning problem; - reads standard input"
    )
    parser.add_argument("template", metavar="TEMPLATE", nargs="?", help="problem, where MAP is a PDDL domain")
    parser.add_argument("--goals", metavar="FILE", help="planning problem: its goals, one in each line")
    parser.add_argument(
        "--obs",
        metavar="FILE",
        nargs="?",
        const=True,
        help="planning problem: actions seen so far (default: those in MAP)",
    )
    planning_problems.add_limits(parser)
    parser.add_argument(
        "--at", metavar="STATE", help="where the teammate is, a cell as X,Y (default: the W, or the instance's start)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON; null stands for infinite")
    parser.add_argument("--png", metavar="FILE", help="also draw a picture")


@dataclass(frozen=True)
class Watched:
    """The teammate's side of a map or an instance: its model, its goals by name, where it is, how it walks."""

    model: Model
    goals: dict[str, Any]
    start: StateLike | None
    policies: Any = None


def run(options: argparse.Namespace) -> int:
    """Run ``askwise edp``."""
    if planning_problems.is_planning(options.map):
        return run_planning(options)
    for name in ("template", "goals", "obs", "limit"):
        if getattr(options, name) is not None:
            field = "TEMPLATE" if name == "template" else f"--{name}"
            raise InputError(
                field, repr(getattr(options, name)), "a planning problem, MAP.pddl or an archive, beside it"
            )
    from askwise.divergence import Divergence
    from askwise.model.grid import state_from_text

    watched = read_map(options.map)
    at = watched.start if options.at is None else state_from_text(watched.model, options.at, "--at")
    if at is None:
        raise InputError("--at", "nothing, and no W in the drawing", "the teammate's cell X,Y")
    divergence = Divergence(watched.model, watched.goals, policies=watched.policies)
    state = watched.model.state(at, "teammate" if options.at is None else "--at")
    edp, wcd = divergence.matrices_at(watched.model.name(state))
    if options.png is not None:
        draw(divergence, at, options.png)
    if options.json:
        print(json.dumps(as_json(divergence, at, edp, wcd)))
    else:
        print(describe(divergence, at, edp, wcd))
        if options.png:
            print(f"\nDrawn: {options.png}")
    return 0


def run_planning(options: argparse.Namespace) -> int:
    """Run ``askwise edp`` on a planning problem."""
    from askwise.pddl.pairs import after_seen, pairs_at
    from askwise.pddl.text import pairs_to_json, pairs_to_text

    for name in ("at", "png"):
        if getattr(options, name) is not None:
            raise InputError(f"--{name}", repr(getattr(options, name)), "a map or an instance beside it")
    problem = planning_problems.read(options, options.map, options.template)
    seen = problem.seen if options.obs is not None else ()
    cones = planning_problems.cones_of(problem, "edp")
    pairs = pairs_at(cones, after_seen(cones, seen))
    if options.json:
        print(json.dumps(pairs_to_json(problem.name, cones, pairs, [action for _, action in seen])))
    else:
        print(pairs_to_text(problem.name, cones, pairs, len(seen)))
    return 0


def read_map(path: str) -> Watched:
    """Return the teammate's side of a drawing or an instance file."""
    from askwise.api import as_problem
    from askwise.core.problem import teammate_goals
    from askwise.domains.registry import read
    from askwise.model import Drawing
    from askwise.text.data import looks_like_data
    from askwise.text.files import read_stdin, read_text
    from askwise.text.reading import refuse_blank

    text = read_stdin() if path == "-" else read_text(path)
    if looks_like_data(text) or Path(path).suffix.lower() == ".toml":
        instance = read(text, "standard input", Path()) if path == "-" else common.read_instance(path)
        problem = as_problem(instance)
        return Watched(*teammate_goals(problem), problem.policies)
    source = "standard input" if path == "-" else f"file {path!r}"
    refuse_blank(text, source, "a drawing of a map, or an instance file")
    with naming_file(path) if path != "-" else nullcontext():
        drawing = Drawing.parse(text)
        if not drawing.goals:
            raise InputError("drawing", "no goals", "at least one letter or digit other than W and F")
    return Watched(drawing.grid, dict(drawing.goals), drawing.teammate)


def as_json(divergence: Divergence, at: StateLike, edp: Any, wcd: Any) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "at": list(at) if isinstance(at, tuple) else at,
        "goals": list(divergence.names),
        "edp": [[value if math.isfinite(value) else None for value in row] for row in edp.tolist()],
        "wcd": [[int(value) if math.isfinite(value) else None for value in row] for row in wcd.tolist()],
        "wcd_convention": "step that tells apart",
    }


def describe(divergence: Divergence, at: StateLike, edp: Any, wcd: Any) -> str:
    """Return a readable account: whole matrices for few goals, the hardest pairs for many."""
    goals = f"{divergence.n_goals} goal{'s' if divergence.n_goals != 1 else ''}"
    head = f"{_size(divergence.model)}, {goals}, teammate at {printable(str(at))}\n"
    if divergence.n_goals == 1:
        return head + "\nOnly one goal: there is nothing to tell apart."
    if divergence.n_goals > WIDEST_TABLE:
        return head + _hardest_pairs(divergence, edp, wcd)
    names = tuple(printable(name) for name in divergence.names)
    return (
        head
        + "\nExpected divergence point, EDP(row | column): the teammate pursues the column's goal;\n"
        + "steps until the row's goal is ruled out.\n"
        + _table(names, edp, "{:.3f}")
        + "\n\nWorst case (WCD): the last step at which plans for the two can first differ.\n"
        + _table(names, wcd, "{:.0f}")
    )


def _size(model: Model) -> str:
    from askwise.model import GridWorld

    if not isinstance(model, GridWorld):
        return f"graph of {model.n_states} state{'s' if model.n_states != 1 else ''}"
    walls = int(model.walls.sum())
    return f"{model.width} x {model.height} grid, {walls or 'no'} wall{'s' if walls != 1 else ''}"


def _table(names: tuple[str, ...], values: Any, form: str) -> str:
    cells = [[form.format(v) if math.isfinite(v) else "inf" for v in row] for row in values.tolist()]
    width = max(len(text) for row in [names, *cells] for text in row) + 2
    first = max(map(len, names)) + 2
    lines = [" " * first + "".join(name.rjust(width) for name in names)]
    lines += [name.ljust(first) + "".join(t.rjust(width) for t in row) for name, row in zip(names, cells, strict=True)]
    return "\n".join(lines)


def _hardest_pairs(divergence: Divergence, edp: Any, wcd: Any, most: int = 10) -> str:
    import numpy as np

    names = tuple(printable(name) for name in divergence.names)
    first = max(14, *(len(name) + 2 for name in names))
    off_diagonal = ~np.eye(divergence.n_goals, dtype=bool)
    finite = edp[np.isfinite(edp) & off_diagonal]
    never = int(np.isinf(edp[off_diagonal]).sum())
    spread = f"mean EDP {finite.mean():.3f}, median {np.median(finite):.3f}, largest {finite.max():.3f}"
    left_out = f"; {never} pairs that share a target never diverge and are left out" if never else ""
    lines = [
        f"\nAll {off_diagonal.sum()} ordered pairs: {spread}{left_out}",
        f"\nThe {most} pairs that look alike longest (--json prints all); "
        "WCD is the step that tells them apart, at the latest:",
        f"  {'pursued':<{first}}{'to rule out':<{first}}{'EDP':>8}{'WCD':>6}",
    ]
    order = np.argsort(-np.where(np.isfinite(edp), edp, -1.0), axis=None, kind="stable")[:most]
    for i, j in zip(*np.unravel_index(order, edp.shape), strict=True):
        lines.append(f"  {names[j]:<{first}}{names[i]:<{first}}{edp[i, j]:>8.3f}{wcd[i, j]:>6.0f}")
    return "\n".join(lines)


def draw(divergence: Divergence, at: StateLike, path: str) -> None:
    """Draw the map of a pair of goals, or the map of more goals and the matrix at the state; of a graph the matrix."""
    from matplotlib.figure import Figure

    from askwise.model import GridWorld
    from askwise.text import files
    from askwise.view import plot

    mapped = isinstance(divergence.model, GridWorld)
    wide = mapped and divergence.n_goals != 2
    figure = Figure(figsize=(14, 6) if wide else (10, 7), layout="constrained")
    if wide:
        left, right = figure.subplots(1, 2)
        # Colouring every cell takes the whole table; a large map shows its goals only.
        colourful = divergence.table_bytes <= LARGEST_TABLE
        (plot.ambiguity_map if colourful else plot.goal_map)(divergence, teammate=at, ax=left)
        plot.edp_matrix(divergence, at, ax=right)
    elif mapped:
        plot.edp_map(divergence, teammate=at, ax=figure.subplots())
    else:
        plot.edp_matrix(divergence, at, ax=figure.subplots())
    files.save_figure(figure, path)
