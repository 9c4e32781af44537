r"""Compute how long goals look alike: expected and worst-case divergence points from one state.

MAP is a text drawing, or an instance file of any domain, JSON or TOML. In a drawing the top
line is the highest row:

  #  a wall             W  where the teammate is
  .  a free cell        F  where the ego agent is (not used here)
  any other letter or digit: a goal of that name

In the matrices, row i and column j have the number of steps until goal i is ruled out if the
teammate pursues goal j: the expected number (EDP), or the largest (worst case, WCD).

MAP may also be a planning problem: an archive or a folder with domain.pddl, template.pddl and
hyps.dat, as in goal-recognition data sets, or these files separately. With --obs, steps are
counted from the state after the observed actions.

  askwise edp map.txt
  askwise edp instance.json --at 3,4 --json
  askwise edp ward.toml --at hall
  askwise edp map.txt --evidence 0.05
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
from askwise.cli.parsing import Subcommand
from askwise.errors import InputError
from askwise.text.files import check_picture, naming_file
from askwise.text.wording import printable, square

if TYPE_CHECKING:
    from askwise.divergence import Divergence
    from askwise.model import Model
    from askwise.pddl.pairs import Pairs
    from askwise.types import StateLike

WIDEST_TABLE = 12
"""Largest number of goals for which the whole matrix is printed; for more, a summary is easier to read."""

COLUMN = 3.3
"""Width of a picture in inches: a column of most papers."""

LARGEST_TABLE = 2**30
"""Largest table, in bytes, that a picture may need; larger maps are drawn without colours."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise edp``."""
    parser.add_argument(
        "map", metavar="MAP", help="text drawing, instance file or planning problem; - reads standard input"
    )
    parser.add_argument("template", metavar="TEMPLATE", nargs="?", help="problem file, if MAP is a PDDL domain")
    parser.add_argument("--goals", metavar="FILE", help="goals of a planning problem, one per line")
    parser.add_argument(
        "--obs",
        metavar="FILE",
        nargs="?",
        const=True,
        help="observed actions of a planning problem (default: those in MAP)",
    )
    planning_problems.add_limits(parser)
    parser.add_argument(
        "--at", metavar="STATE", help="where the teammate is, a cell as X,Y (default: the W, or the start)"
    )
    parser.add_argument(
        "--evidence",
        metavar="E",
        help="rule a goal out when actions are at most this likely under it, relative to the pursued one, such as 0.05",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, with null for infinity")
    common.add_picture(parser, "a map or the matrix of all pairs", "--png")


@dataclass(frozen=True)
class Watched:
    """The teammate's part of a map or an instance, from which `Divergence` computes how long its goals look alike.

    Attributes:
        model: the teammate's states and moves.
        goals: a dict from each goal to the states in which it is reached, by name or as cells ``(x, y)``.
        start: the teammate's state; None if unknown.
        policies: one policy for each goal; None for uniformly random shortest paths.
    """

    model: Model
    goals: dict[str, Any]
    start: StateLike | None
    policies: Any = None


def run(options: argparse.Namespace) -> int:
    """Run ``askwise edp``: print how long the goals of each pair look alike; return exit code 0.

    For up to 12 goals, print matrices of the expected step at which a goal is ruled out (EDP), and of the latest one
    (WCD). With ``--picture``, also write a picture.
    """
    if options.picture is not None:
        check_picture(options.picture)
    if options.evidence is not None:
        options.evidence = read_evidence(options.evidence)
    if planning_problems.is_planning(options.map):
        return run_planning(options)
    for name in ("template", "goals", "obs", "search_limit"):
        if getattr(options, name) is not None:
            field = "TEMPLATE" if name == "template" else f"--{name.replace('_', '-')}"
            raise InputError(field, repr(getattr(options, name)), "a planning problem, MAP.pddl or an archive, with it")
    from askwise.divergence import Divergence
    from askwise.model.grid import state_from_text

    watched = read_map(options.map)
    at = watched.start if options.at is None else state_from_text(watched.model, options.at, "--at")
    if at is None:
        raise InputError("--at", "nothing, and no W in the drawing", "the teammate's cell X,Y")
    divergence = Divergence(watched.model, watched.goals, policies=watched.policies, evidence=options.evidence)
    state = watched.model.state(at, "teammate" if options.at is None else "--at")
    edp, wcd = divergence.matrices_at(watched.model.name(state))
    bounds = divergence.bounds_at(watched.model.name(state)) if options.evidence is not None else (edp, edp)
    if options.picture is not None:
        draw(divergence, at, options.picture)
    if options.json:
        print(json.dumps(as_json(divergence, at, edp, wcd, bounds)))
    else:
        common.show(matrices_to_text(divergence, at, edp, wcd, bounds))
        if options.picture is not None:
            print(f"\nWritten: {options.picture}")
    return 0


def read_evidence(text: str) -> float:
    """Parse and return the value of ``--evidence``, the relative likelihood at which a goal counts as ruled out.

    Raise an `InputError` unless it is a number above 0 and below 1.
    """
    from askwise.divergence.evidence import check_evidence

    try:
        return check_evidence(float(text), "--evidence")
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError("--evidence", repr(text), "a number above 0 and below 1, such as 0.05") from None


def run_planning(options: argparse.Namespace) -> int:
    """Run ``askwise edp`` on a planning problem: print how long its goals look alike; return exit code 0.

    With ``--picture``, also write a picture, unless only one goal is possible.
    """
    from askwise.pddl.pairs import after_seen, pairs_at
    from askwise.pddl.text import pairs_to_json, pairs_to_text

    if options.at is not None:
        raise InputError("--at", repr(options.at), "a map or an instance; for a planning problem use --obs")
    problem = planning_problems.read(options, options.map, options.template)
    seen = problem.seen if options.obs is not None else ()
    cones = planning_problems.cones_of(problem, "edp")
    pairs = pairs_at(cones, after_seen(cones, seen), evidence=options.evidence)
    drawn = options.picture is not None and len(pairs.goals) > 1
    if drawn:
        draw_pairs(list(cones.goals), pairs, options.picture)
    if options.json:
        print(json.dumps(pairs_to_json(problem.name, cones, pairs, [action for _, action in seen])))
    else:
        common.show(pairs_to_text(problem.name, cones, pairs, len(seen)))
        if options.picture is not None:
            print(
                f"\nWritten: {options.picture}" if drawn else "\nNo picture was drawn: there is nothing to tell apart."
            )
    return 0


def read_map(path: str) -> Watched:
    """Return the teammate's model, goals, start and policies from a drawing or an instance file.

    Args:
        path: the path of the file, or ``-`` for standard input.

    Raises:
        InputError: the file is empty, or a drawing has no goals.
    """
    from askwise.api import as_problem
    from askwise.core.problem import teammate_goals
    from askwise.domains.registry import read
    from askwise.model import Drawing
    from askwise.text.data import looks_like_data
    from askwise.text.files import find, read_stdin, read_text
    from askwise.text.reading import refuse_blank

    text = read_stdin() if path == "-" else read_text(find(path))
    if looks_like_data(text) or find(path).suffix.lower() == ".toml":
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


def as_json(divergence: Divergence, at: StateLike, edp: Any, wcd: Any, bounds: tuple[Any, Any]) -> dict[str, Any]:
    """Return the dict that ``--json`` prints, with ``at``, ``goals``, ``edp``, ``wcd`` and ``wcd_convention``.

    The last key says how WCD is defined. ``--evidence`` adds ``evidence``, ``edp_lower`` and ``edp_upper``. Infinite
    numbers become None.

    Args:
        divergence: has the names of the goals and the value of ``--evidence``.
        at: the teammate's state, by name or as a cell.
        edp: ``float64 [n_goals, n_goals]``, expected step at which the row's goal is ruled out if the column's is
            pursued.
        wcd: ``float64 [n_goals, n_goals]``, latest step at which plans for the two goals first differ.
        bounds: lower and upper bound on `edp`, for ``--evidence``.
    """
    by_evidence = {}
    if divergence.evidence is not None:
        by_evidence = {
            "evidence": divergence.evidence,
            "edp_lower": _without_infinity(bounds[0]),
            "edp_upper": _without_infinity(bounds[1]),
        }
    return {
        **by_evidence,
        "at": list(at) if isinstance(at, tuple) else at,
        "goals": list(divergence.names),
        "edp": _without_infinity(edp),
        "wcd": [[int(value) if math.isfinite(value) else None for value in row] for row in wcd.tolist()],
        "wcd_convention": "step that tells apart",
    }


def _without_infinity(matrix: Any) -> list[list[float | None]]:
    return [[value if math.isfinite(value) else None for value in row] for row in matrix.tolist()]


def matrices_to_text(divergence: Divergence, at: StateLike, edp: Any, wcd: Any, bounds: tuple[Any, Any]) -> str:
    """Return the matrices `edp` and `wcd` as text; for many goals, only the pairs of goals that look alike longest.

    Args:
        divergence: has the model, the names of the goals and the value of ``--evidence``.
        at: the teammate's state, by name or as a cell.
        edp: ``float64 [n_goals, n_goals]``, expected step at which the row's goal is ruled out if the column's is
            pursued.
        wcd: ``float64 [n_goals, n_goals]``, latest step at which plans for the two goals first differ.
        bounds: lower and upper bound on `edp`, for ``--evidence``.
    """
    goals = f"{divergence.n_goals} goal{'s' if divergence.n_goals != 1 else ''}"
    head = f"{_size(divergence.model)}, {goals}, teammate at {printable(str(at))}\n"
    if divergence.evidence is not None:
        head += f"\nGoals are ruled out by evidence of {divergence.evidence:g} (WCD: by impossible actions only).\n"
        head += _accuracy(*bounds)
    if divergence.n_goals == 1:
        return head + "\nOnly one goal: there is nothing to tell apart."
    if divergence.n_goals > WIDEST_TABLE:
        return head + _hardest_pairs(divergence, edp, wcd)
    names = tuple(printable(name) for name in divergence.names)
    return (
        head
        + "\nExpected divergence point, EDP(row | column): steps until the row's goal is\n"
        + "ruled out if the teammate pursues the column's goal.\n"
        + _table(names, edp, "{:.3f}")
        + "\n\nWorst case (WCD): the latest step at which plans for the two goals first differ.\n"
        + _table(names, wcd, "{:.0f}")
    )


def _accuracy(lower: Any, upper: Any) -> str:
    """Return a line that says how far bounds on EDP (the expected step at which a goal is ruled out) are apart.

    It is empty if the bounds, both ``float64 [n_goals, n_goals]``, are equal.
    """
    import numpy as np

    finite = np.isfinite(lower)
    if not finite.any() or (lower[finite] == upper[finite]).all():
        return ""
    width = float(((upper - lower) / lower)[finite].max())
    if math.isinf(width):
        return "Some values are lower bounds: no upper bound was found (--json prints both bounds).\n"
    return f"Each EDP is the middle of proven bounds at most {width:.1%} apart (--json prints both bounds).\n"


def _size(model: Model) -> str:
    from askwise.model import GridWorld

    if not isinstance(model, GridWorld):
        return f"graph of {model.n_states} state{'s' if model.n_states != 1 else ''}"
    walls = int(model.walls.sum())
    return f"{model.width} x {model.height} grid, {walls or 'no'} wall{'s' if walls != 1 else ''}"


def _table(names: tuple[str, ...], values: Any, form: str) -> str:
    cells = [[form.format(v) if math.isfinite(v) else "inf" for v in row] for row in values.tolist()]
    return square(names, cells)


def _hardest_pairs(divergence: Divergence, edp: Any, wcd: Any, most: int = 10) -> str:
    import numpy as np

    names = tuple(printable(name) for name in divergence.names)
    first = max(14, *(len(name) + 2 for name in names))
    off_diagonal = ~np.eye(divergence.n_goals, dtype=bool)
    finite = edp[np.isfinite(edp) & off_diagonal]
    never = int(np.isinf(edp[off_diagonal]).sum())
    spread = f"mean EDP {finite.mean():.3f}, median {np.median(finite):.3f}, largest {finite.max():.3f}"
    left_out = f"; {never} pairs that share a target never diverge and are not counted" if never else ""
    lines = [
        f"\nAll {off_diagonal.sum()} ordered pairs: {spread}{left_out}",
        f"\nThe {most} pairs that look alike longest (--json prints all); "
        "WCD is the step by which they are told apart:",
        f"  {'pursued':<{first}}{'to rule out':<{first}}{'EDP':>8}{'WCD':>6}",
    ]
    order = np.argsort(-np.where(np.isfinite(edp), edp, -1.0), axis=None, kind="stable")[:most]
    for i, j in zip(*np.unravel_index(order, edp.shape), strict=True):
        lines.append(f"  {names[j]:<{first}}{names[i]:<{first}}{edp[i, j]:>8.3f}{wcd[i, j]:>6.0f}")
    return "\n".join(lines)


def draw(divergence: Divergence, at: StateLike, path: str) -> None:
    """Write a picture of EDP, the expected step at which a goal is ruled out while the teammate pursues another goal.

    For a grid, the picture has a map with the mean EDP over all pairs of goals from each cell. Unless there are two
    goals, a very large map shows only the goals, and below the map is a matrix of the EDP of each pair from the
    teammate's state `at`. For other models, the picture has only this matrix. The file is PNG, SVG or PDF by the ending
    of `path`.
    """
    from matplotlib.figure import Figure

    from askwise.model import GridWorld
    from askwise.text import files
    from askwise.view import plot

    grid = divergence.model if isinstance(divergence.model, GridWorld) else None
    stacked = grid is not None and divergence.n_goals != 2
    high = 0.0 if grid is None else min(max(2.4 * grid.height / grid.width + 0.7, 1.9), 6.0)
    figure = Figure(figsize=(COLUMN, high + (2.6 if stacked or grid is None else 0.0)), layout="constrained")
    if stacked:
        upper, lower = figure.subplots(2, 1, height_ratios=(high, 2.6))
        # Colours need the whole table; a large map shows only its goals.
        colourful = divergence.table_bytes <= LARGEST_TABLE
        (plot.ambiguity_map if colourful else plot.goal_map)(divergence, teammate=at, ax=upper)
        plot.edp_matrix(divergence, at, ax=lower)
    elif grid is not None:
        plot.edp_map(divergence, teammate=at, ax=figure.subplots())
    else:
        plot.edp_matrix(divergence, at, ax=figure.subplots())
    files.save_figure(figure, path, dpi=300)


def draw_pairs(names: list[str], pairs: Pairs, path: str) -> None:
    """Write a picture of the expected step at which a goal of a planning problem is ruled out while another is pursued.

    Args:
        names: names of all goals.
        pairs: these steps for each pair of goals that are still possible.
        path: the file to write, PNG, SVG or PDF by its ending.
    """
    from matplotlib.figure import Figure

    from askwise.text import files
    from askwise.view import plot

    figure = Figure(figsize=(COLUMN, 2.8), layout="constrained")
    ax = figure.subplots()
    plot.pair_matrix(ax, [names[goal] for goal in pairs.goals], pairs.edp, numbers=[goal + 1 for goal in pairs.goals])
    ax.set_title("EDP" + plot.by_evidence(pairs.evidence), fontsize=8)
    files.save_figure(figure, path, dpi=300)


SUBCOMMANDS = {"edp": Subcommand(__doc__, add_arguments, run)}
