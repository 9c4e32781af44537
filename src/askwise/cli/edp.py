r"""How long do goals look alike? Expected and worst-case divergence points from one cell.

MAP is a drawing in text or an instance file (JSON). In a drawing the top line is the highest row:

  #  a wall             W  where the teammate is
  .  a free cell        F  where the ego agent is (not used here)
  any other letter or digit: a goal of that name

Row i, column j of the table: the teammate pursues goal j; how many steps until goal i is ruled out?

  askwise edp map.txt
  askwise edp instance.json --at 3,4 --json
  printf 'B....\n.....\nW...A\n' | askwise edp -
"""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING, Any

from askwise.arguments import cell
from askwise.reading import printable

if TYPE_CHECKING:
    from askwise.divergence import Divergence
    from askwise.model import GridWorld

WIDEST_TABLE = 12
"""Goals up to which the whole matrix is printed; above, a summary and the hardest pairs are easier to read."""

LARGEST_TABLE = 2**30

Cell = tuple[int, int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise edp``."""
    parser.add_argument("map", metavar="MAP", help="text drawing or instance file; - reads standard input")
    parser.add_argument("--at", metavar="X,Y", help="the teammate's cell (default: the W, or the instance's worker)")
    parser.add_argument("--json", action="store_true", help="print JSON; null stands for infinite")
    parser.add_argument("--png", metavar="FILE", help="also draw a picture")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise edp``."""
    from askwise.divergence import Divergence
    from askwise.errors import InputError

    grid, goals, teammate = read_map(options.map)
    at = teammate if options.at is None else cell(options.at, "--at")
    if at is None:
        raise InputError("--at", "nothing, and no W in the drawing", "the teammate's cell X,Y")
    divergence = Divergence(grid, goals)
    state = grid.state(at, "worker" if options.at is None else "--at")
    edp, wcd = divergence.matrices_at(state)
    if options.png is not None:
        draw(divergence, at, options.png)
    if options.json:
        print(json.dumps(as_json(divergence, at, edp, wcd)))
    else:
        print(describe(divergence, at, edp, wcd))
        if options.png:
            print(f"\nDrawn: {options.png}")
    return 0


def read_map(path: str) -> tuple[GridWorld, dict[str, Any], Cell | None]:
    """Return grid, goals by name and the teammate's cell of a drawing or an instance file."""
    from askwise.domains.registry import domain_of, read
    from askwise.errors import InputError
    from askwise.model import Drawing, GridWorld
    from askwise.reading import read_stdin, read_text

    text = read_stdin() if path == "-" else read_text(path)
    if text.lstrip()[:1] in ("{", "["):
        instance = read(text)
        model, goals, start = domain_of(instance).moments.teammate_side(instance)
        if not isinstance(model, GridWorld):
            raise InputError("MAP", f"a {type(model).__name__}", "a map")
        return model, dict(goals), start
    drawing = Drawing.parse(text)
    if not drawing.goals:
        raise InputError("drawing", "no goals", "at least one letter or digit other than W and F")
    return drawing.grid, dict(drawing.goals), drawing.teammate


def as_json(divergence: Divergence, at: Cell, edp: Any, wcd: Any) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "at": list(at),
        "goals": list(divergence.names),
        "edp": [[value if math.isfinite(value) else None for value in row] for row in edp.tolist()],
        "wcd": [[int(value) if math.isfinite(value) else None for value in row] for row in wcd.tolist()],
    }


def describe(divergence: Divergence, at: Cell, edp: Any, wcd: Any) -> str:
    """Return a readable account: whole matrices for few goals, the hardest pairs for many."""
    grid: Any = divergence.model
    walls = int(grid.walls.sum())
    head = (
        f"{grid.width} x {grid.height} grid, {walls or 'no'} wall{'s' if walls != 1 else ''}, "
        f"{divergence.n_goals} goal{'s' if divergence.n_goals != 1 else ''}, teammate at {at}\n"
    )
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
    lines = [
        f"\nAll {off_diagonal.sum()} ordered pairs: mean EDP {finite.mean():.3f}, "
        f"median {np.median(finite):.3f}, largest {finite.max():.3f}"
        + (f"; {never} pairs share a target and never diverge" if never else ""),
        f"\nThe {most} pairs that look alike longest (--json prints all):",
        f"  {'pursued':<{first}}{'to rule out':<{first}}{'EDP':>8}{'WCD':>6}",
    ]
    order = np.argsort(-np.where(np.isfinite(edp), edp, -1.0), axis=None, kind="stable")[:most]
    for i, j in zip(*np.unravel_index(order, edp.shape), strict=True):
        lines.append(f"  {names[j]:<{first}}{names[i]:<{first}}{edp[i, j]:>8.3f}{wcd[i, j]:>6.0f}")
    return "\n".join(lines)


def draw(divergence: Divergence, at: Cell, path: str) -> None:
    """Draw the map of a pair of goals, or, for more goals, the map of all and the matrix at the cell."""
    from matplotlib.figure import Figure

    from askwise import files, plot

    figure = Figure(figsize=(10, 7) if divergence.n_goals == 2 else (14, 6), layout="constrained")
    if divergence.n_goals == 2:
        plot.edp_map(divergence, teammate=at, ax=figure.subplots())
    else:
        left, right = figure.subplots(1, 2)
        # Colouring every cell takes the whole table; a large map shows its goals only.
        colourful = divergence.table_bytes <= LARGEST_TABLE
        (plot.ambiguity_map if colourful else plot.goal_map)(divergence, teammate=at, ax=left)
        plot.edp_matrix(divergence, at, ax=right)
    files.save_figure(figure, path)
