"""Matplotlib figures that show how long the goals of an agent look alike: as maps, matrices and timelines.

``EDP(i | j)``, the expected divergence point, is the expected step at which the actions of an agent that pursues goal
`j` rule out goal `i`. A zone is an interval of steps in which a question may matter. Figures are drawn on given or new
axes, not shown or saved.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.patches import Rectangle

from askwise.divergence import Divergence, Zones, edp
from askwise.errors import InputError
from askwise.model import GridWorld
from askwise.text.wording import printable
from askwise.types import StateLike
from askwise.view.layout.net import in_lines
from askwise.view.palette import ALIKE, LIGHT, PAYS, hex_of, ink_on
from askwise.view.palette import EGO as EGO_COLOUR
from askwise.view.palette import PAPER as PAPER_COLOUR
from askwise.view.palette import TEAMMATE as TEAMMATE_COLOUR
from askwise.view.palette import WALL as WALL_COLOUR

TEAMMATE, EGO, PAPER, WALL = (hex_of(each) for each in (TEAMMATE_COLOUR, EGO_COLOUR, PAPER_COLOUR, WALL_COLOUR))
INK, FAINT = hex_of(LIGHT.ink), hex_of(LIGHT.faint)
ZONE_COLOURS = {"I": TEAMMATE_COLOUR, "B": EGO_COLOUR, "Q": PAYS}
"""Colours of the zones: I (the teammate's goal is hidden), B (the ego agent has to choose), Q (asking pays off)."""
COLOUR_MAP = LinearSegmentedColormap.from_list("alike", [hex_of(colour) for colour in ALIKE])
PLAIN: dict[str, Any] = {"parse_math": False}
"""Options for texts that contain names: a dollar sign does not start a formula."""
LARGEST_WITH_NUMBERS = 12
"""Largest width and height of a grid with numbers in its cells; on larger grids they would be too small to read."""
HEAT = 0.85
"""Opacity of the colours of a map on white."""
LONGEST_NAME = 28
"""Largest number of letters in a line of a goal's name next to a matrix."""
MOST_SOLVED = 250_000
"""Largest number of cells for which a map is solved by `edp`."""
MOST_DRAWN = 1_500
"""Largest number of cells per axis that are drawn; larger maps are sampled."""


def edp_map(
    divergence: Divergence,
    first: int | str = 0,
    second: int | str = 1,
    *,
    teammate: StateLike | None = None,
    ego: StateLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a map that shows how long two goals look alike, by the cell in which the agent starts; return the axes.

    ``EDP(i | j)`` is the expected step at which the actions of an agent that pursues goal `j` rule out goal `i`. The
    colour is the mean of ``EDP(first | second)`` and ``EDP(second | first)``. Small maps also show both numbers, in
    this order.

    Args:
        divergence: the EDP of all pairs of goals.
        first: a goal, by index or name.
        second: another goal.
        teammate: the cell for the teammate's mark; None for none.
        ego: the cell for the ego agent's mark; None for none.
        ax: the axes to draw on; None for a new figure.

    Raises:
        InputError: the model of `divergence` is not a `GridWorld`.
    """
    grid = _grid(divergence)
    one, other = divergence.goal(first, "first"), divergence.goal(second, "second")
    goals = [divergence.targets[one].tolist(), divergence.targets[other].tolist()]
    if divergence.optimal and divergence.evidence is None:
        there, back = _both_ways(grid, goals[0], goals[1])
    else:
        table = divergence.edp_table()
        there, back = table[:, one, other], table[:, other, one]
    ax = _axes(ax, grid)
    _heat(ax, grid, (there + back) / 2, "expected steps until one goal is ruled out\n(mean of both directions)")
    if max(grid.width, grid.height) <= LARGEST_WITH_NUMBERS:
        _numbers(ax, grid, there, back)
    for name, states in zip((divergence.names[one], divergence.names[other]), goals, strict=True):
        for state in states:
            _goal(ax, grid, state, name, corner=max(grid.width, grid.height) <= LARGEST_WITH_NUMBERS)
    _agents(ax, grid, teammate, ego)
    title = f"EDP({printable(divergence.names[one])} | {printable(divergence.names[other])}) / EDP(the other way)"
    ax.set_title(title + by_evidence(divergence.evidence, "\n"), fontsize=8, **PLAIN)
    return ax


def by_evidence(evidence: float | None, between: str = " ") -> str:
    """Return the end of a figure's caption that states the evidence, such as " by evidence of 0.05"; empty for None.

    Args:
        evidence: a goal is ruled out if the actions are at most this many times as likely for it as for the pursued
            goal; None if only impossible actions count.
        between: the space or line break in front.
    """
    return "" if evidence is None else f"{between}by evidence of {evidence:g}"


def ambiguity_map(divergence: Divergence, *, teammate: StateLike | None = None, ax: Axes | None = None) -> Axes:
    """Draw a map that shows how long all goals look alike, by the cell in which the agent starts; return the axes.

    ``EDP(i | j)`` is the expected step at which the actions of an agent that pursues goal `j` rule out goal `i`. The
    colour is the mean of all finite ``EDP(i | j)``.

    Args:
        divergence: the EDP of all pairs of goals.
        teammate: the cell for the teammate's mark; None for none.
        ax: the axes to draw on; None for a new figure.

    Raises:
        InputError: the model of `divergence` is not a `GridWorld`.
    """
    grid = _grid(divergence)
    table = divergence.edp_table()
    finite = np.isfinite(table)
    count = finite.sum(axis=(1, 2))
    total = np.where(finite, table, 0.0).sum(axis=(1, 2))
    mean = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
    ax = _axes(ax, grid)
    _heat(ax, grid, mean, "expected steps\n(mean of all pairs)")
    ax.set_title("where goals are hard to tell apart" + by_evidence(divergence.evidence, "\n"), fontsize=8)
    return goal_map(divergence, teammate=teammate, ax=ax)


def goal_map(divergence: Divergence, *, teammate: StateLike | None = None, ax: Axes | None = None) -> Axes:
    """Draw the walls and the goals of a map, and return the axes.

    Args:
        divergence: has the map (its model) and the goals.
        teammate: the teammate's cell, to be marked; None for no mark.
        ax: the axes to draw on; None for a new figure.

    Raises:
        InputError: the model of `divergence` is not a `GridWorld`.
    """
    grid = _grid(divergence)
    ax = _axes(ax, grid)
    _walls(ax, grid)
    for name, states in zip(divergence.names, divergence.targets, strict=True):
        for state in states:
            _goal(ax, grid, int(state), name, corner=False)
    _agents(ax, grid, teammate, None)
    return ax


def edp_matrix(divergence: Divergence, at: StateLike, *, ax: Axes | None = None) -> Axes:
    """Draw a matrix that shows, for any two goals, how long they look alike from a given state; return the axes.

    Row `i`, column `j` shows ``EDP(i | j)``: the expected step at which the actions of an agent that pursues goal `j`
    rule out goal `i`.

    Args:
        divergence: the EDP of all pairs of goals.
        at: the agent's state, by index or name.
        ax: the axes to draw on; None for a new figure.
    """
    ax = ax or plt.subplots(figsize=(4.6, 4), layout="constrained")[1]
    pair_matrix(ax, divergence.names, divergence.edp_at(at))
    title = f"EDP at {divergence.model.name(divergence.model.state(at))}"
    ax.set_title(title + by_evidence(divergence.evidence), fontsize=8, **PLAIN)
    return ax


def pair_matrix(
    ax: Axes, names: Sequence[str], values: Any, top: float | None = None, numbers: Sequence[int] | None = None
) -> None:
    """Draw a matrix whose colours show an expected number of steps for any two goals; write the numbers if it is small.

    Args:
        ax: the axes to draw on.
        names: the names of the goals.
        values: ``float64 [n_goals, n_goals]``; row `i`, column `j` is the expected step at which the actions of an
            agent that pursues goal `j` rule out goal `i`. ``nan`` and the diagonal stay empty.
        top: the upper end of the colour scale; None for the largest finite value.
        numbers: what to write instead of the names if a name is too long; None for 1, 2, 3, ...
    """
    n = len(names)
    values = np.where(np.eye(n, dtype=bool), np.nan, values)
    finite = np.where(np.isfinite(values), values, np.nan)
    top = float(np.nanmax(finite, initial=1.01)) if top is None else top
    image = ax.imshow(finite, cmap=COLOUR_MAP, vmin=1, vmax=top)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label("expected steps", fontsize=7)
    bar.ax.tick_params(labelsize=6)
    if n <= LARGEST_WITH_NUMBERS:
        size = min(8.0, 0.4 * _room(ax) / n)
        for i, j in zip(*np.nonzero(~np.isnan(values)), strict=True):
            ink = _ink(values[i, j], top)
            ax.text(j, i, _short(values[i, j]), ha="center", va="center", fontsize=size, color=ink)
    step = max(1, n // 25)
    kept = [printable(name) for name in names]
    # A name that would be cut is replaced by the number that commands print for its goal.
    cut = any(".." in "".join(in_lines(name, LONGEST_NAME)) for name in kept if ".." not in name)
    kept = [str(number) for number in numbers or range(1, n + 1)] if cut else kept
    shown = ["\n".join(in_lines(name, LONGEST_NAME)) for name in kept[::step]]
    upright = max(map(len, shown), default=0) <= 3
    ax.set_xticks(range(0, n, step), shown, rotation=0 if upright else 90, fontsize=6, **PLAIN)
    ax.set_yticks(range(0, n, step), shown, fontsize=6, **PLAIN)
    ax.set_xlabel(f"{'number of the ' if cut else ''}goal that is pursued", fontsize=7)
    ax.set_ylabel(f"{'number of the ' if cut else ''}goal to be ruled out", fontsize=7)


def _room(ax: Axes) -> float:
    """Return the approximate width, in points (1/72 inch), that a map or matrix takes on `ax`.

    The colour scale and the names beside the map or matrix do not count.
    """
    return 0.75 * 72 * ax.get_position().width * float(ax.figure.bbox_inches.width)  # type: ignore[union-attr]


def zone_timeline(zones: Zones, *, horizon: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw the zones of two goals as horizontal bars over a time axis, and return the axes.

    A zone is an interval of steps, counted from now:

    - information (Z_I): the teammate's actions may still fit both goals;
    - branching (Z_B): the ego agent may need different actions for them;
    - querying (Z_Q): both; only then can a question pay off.

    Filled bars show the worst case, hatched bars the expected case.

    Args:
        zones: the zones.
        horizon: the last step to draw; None for 2 steps after the last finite start or end of a zone.
        ax: the axes to draw on; None for a new figure.
    """
    ax = ax or plt.subplots(figsize=(6, 2.6), layout="constrained")[1]
    named = zones.named()
    ends = [v for zone in named.values() for v in (zone.start, zone.end) if math.isfinite(v)]
    horizon = horizon or max(ends, default=1.0) + 2
    for row, (name, zone) in enumerate(named.items()):
        if zone.empty:
            ax.text(1, row, "empty", va="center", fontsize=8, color=FAINT)
            continue
        if zone.start > horizon:
            ax.text(horizon + 0.4, row, f"{zone} \u2192", ha="right", va="center", fontsize=8, color=FAINT)
            continue
        # Step t is drawn from t - 1/2 to t + 1/2, so that the width of a bar is the length of its zone.
        start, end = zone.start - 0.5, min(zone.end, horizon) + 0.5
        exact, colour = name[0] == "Z", ZONE_COLOURS[name[-1]]
        # Expected zones are hatched outlines; a paler colour could be mistaken for another meaning.
        look: dict[str, Any] = {"facecolor": hex_of(colour) if exact else PAPER, "edgecolor": hex_of(colour)}
        ax.barh(row, end - start, left=start, height=0.6, hatch="" if exact else "////", **look)
        plate: dict[str, Any] = {} if exact else {"bbox": {"facecolor": PAPER, "pad": 0.6, "linewidth": 0}}
        ink = hex_of(ink_on(colour)) if exact else INK
        ax.text(start + 0.15, row, str(zone), va="center", fontsize=8, color=ink, **plate)
    ax.set_yticks(range(len(named)), list(named))
    ax.set_xlim(0.5, horizon + 0.5)
    ax.set_xticks(range(1, int(horizon) + 1, max(1, int(horizon) // 15)))
    ax.set_ylim(len(named) - 0.5, -0.5)
    ax.set_xlabel("step from now")
    title = f"zones for {printable(zones.truth)} (true) and {printable(zones.other)}"
    ax.set_title(title, fontsize=8, **PLAIN)
    return ax


def _grid(divergence: Divergence) -> GridWorld:
    if not isinstance(divergence.model, GridWorld):
        raise InputError("divergence", repr(divergence.model), "goals on a GridWorld, which has a map to draw")
    return divergence.model


def _axes(ax: Axes | None, grid: GridWorld) -> Axes:
    if ax is None:
        scale = min(1.0, 14 / max(grid.width, grid.height))
        size = (max(4.0, grid.width * scale + 1), max(3.5, grid.height * scale * 0.9 + 1))
        ax = plt.subplots(figsize=size, layout="constrained")[1]
    ax.set_aspect("equal")
    return ax


def _both_ways(grid: GridWorld, one: list[int], other: list[int]) -> tuple[Any, Any]:
    """Return ``EDP(one | other)`` and ``EDP(other | one)`` for each start, two arrays ``float64 [n_states]``.

    ``EDP(i | j)`` is the expected step at which the actions of an agent that pursues goal `j` rule out goal `i`. The
    arguments `one` and `other` stand for two goals: they are the states (indices) in which each is reached.
    """
    if grid.n_states <= MOST_SOLVED:
        return np.asarray(edp(grid, one, other)), np.asarray(edp(grid, other, one))
    # Equal numbers up to rounding, in a tenth of the time and a sixth of the memory.
    table = Divergence(grid, [one, other]).edp_table()
    return table[:, 0, 1], table[:, 1, 0]


def _drawn_cells(grid: GridWorld, laid_out: Any) -> tuple[Any, dict[str, Any]]:
    """Return the array that matplotlib's ``imshow`` draws for a map, and the keyword arguments to give to ``imshow``.

    `laid_out`, ``[height, width]``, has a value for each cell; row 0 is y = 0. The result is `laid_out` or, if a side
    is longer than `MOST_DRAWN`, every k-th row and column of it.
    """
    step = -(-max(laid_out.shape) // MOST_DRAWN)
    if step == 1:
        return laid_out, {}
    return laid_out[step // 2 :: step, step // 2 :: step], {"extent": (-0.5, grid.width - 0.5, -0.5, grid.height - 0.5)}


def _heat(ax: Axes, grid: GridWorld, values: Any, label: str) -> None:
    laid_out, where = _drawn_cells(grid, grid.on_map(values))
    laid_out = np.where(np.isfinite(laid_out), laid_out, np.nan)
    image = ax.imshow(laid_out, cmap=COLOUR_MAP, origin="lower", vmin=1, alpha=HEAT, **where)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label(label, fontsize=7)
    bar.ax.tick_params(labelsize=6)
    _walls(ax, grid)


def _walls(ax: Axes, grid: GridWorld) -> None:
    walls, where = _drawn_cells(grid, grid.walls)
    ax.imshow(np.where(walls, 1.0, np.nan), cmap=ListedColormap([WALL]), origin="lower", **where)
    if max(grid.width, grid.height) <= 40:
        ax.set_xticks(np.arange(-0.5, grid.width), minor=True)
        ax.set_yticks(np.arange(-0.5, grid.height), minor=True)
        ax.grid(which="minor", color=PAPER, linewidth=0.8)
        ax.tick_params(which="minor", length=0)
    step = max(1, max(grid.width, grid.height) // 20)
    ax.set_xticks(range(0, grid.width, step))
    ax.set_yticks(range(0, grid.height, step))
    ax.tick_params(labelsize=6)


def _numbers(ax: Axes, grid: GridWorld, there: Any, back: Any) -> None:
    mean = (there + back) / 2
    top = mean[np.isfinite(mean)].max(initial=1.0)
    size = min(7.5, 0.36 * _room(ax) / grid.width)
    for state, (x, y) in enumerate(grid.cells):
        ink = _ink(mean[state], top, HEAT)
        text = f"{_short(there[state])}\n{_short(back[state])}"
        ax.text(x, y, text, ha="center", va="center", fontsize=size, color=ink, linespacing=1.2)


def _goal(ax: Axes, grid: GridWorld, state: int, name: str, *, corner: bool) -> None:
    x, y = grid.cells[state]
    name = printable(name)
    ax.add_patch(
        Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, fill=False, edgecolor=INK, linewidth=2, zorder=2.1)
    )  # above grid lines
    if corner:
        ax.text(x + 0.42, y + 0.40, name, ha="right", va="top", fontsize=7, weight="bold", color=INK, **PLAIN)
    else:
        # A white plate keeps the name readable on dark cells.
        plate = {"facecolor": PAPER, "alpha": 0.75, "pad": 0.8, "linewidth": 0}
        ax.text(x, y, name, ha="center", va="center", fontsize=6, weight="bold", color=INK, bbox=plate, **PLAIN)


def _agents(ax: Axes, grid: GridWorld, teammate: StateLike | None, ego: StateLike | None) -> None:
    marks: Mapping[str, tuple[StateLike | None, str]] = {"teammate": (teammate, TEAMMATE), "ego agent": (ego, EGO)}
    size = min(26.0, max(7.0, 0.9 * _room(ax) / grid.width))
    for label, (cell, colour) in marks.items():
        if cell is not None:
            x, y = grid.cells[grid.state(cell, label)]
            for edge, width in ((PAPER, size / 5), (colour, size / 10)):  # a white outline, visible on every floor
                ax.plot(x, y, "o", markersize=size, markerfacecolor="none", markeredgecolor=edge, markeredgewidth=width)
            ax.plot([], [], "o", markerfacecolor="none", markeredgecolor=colour, markeredgewidth=2, label=label)
    if teammate is not None or ego is not None:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), borderaxespad=2, ncols=2, fontsize=7, frameon=False)


def _short(value: float) -> str:
    if math.isnan(value):
        return ""
    return "∞" if math.isinf(value) else f"{value:.2f}".rstrip("0").rstrip(".")


def _ink(value: float, top: float, alpha: float = 1.0) -> str:
    """Return a text colour, as ``#rrggbb``, that is readable on a cell whose colour shows the number `value`.

    The colour scale goes from 1 to `top`. The cell is drawn on white with the opacity `alpha`, from 0 to 1. A cell with
    ``inf`` or ``nan`` has no colour.
    """
    if not math.isfinite(value) or top <= 1:
        return INK
    red, green, blue = (round(255 * (1 - alpha + alpha * part)) for part in COLOUR_MAP((value - 1) / (top - 1))[:3])
    return hex_of(ink_on((red, green, blue)))
