"""The picture of a design: the map or graph before the design and after it, side by side.

The colour of a cell or state shows how many goals have a shortest plan through it. Other problems and large graphs are
shown as matrices of EDP (expected divergence point): the expected step at which each goal is ruled out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle

from askwise.api import as_problem
from askwise.core.problem import teammate_goals
from askwise.designs.results import OBJECTIVES, Design, DesignState
from askwise.model import Drawing, GridWorld, Model, Pursuit, goal_list
from askwise.text.wording import printable
from askwise.types import IntArray
from askwise.view.palette import LIGHT, hex_of
from askwise.view.palette import WALL as WALL_COLOUR
from askwise.view.plot import pair_matrix
from askwise.view.scene import DrawnGraph, Place
from askwise.view.scene_builder import start_scene

FORBIDDEN, TEAMMATE, EGO, INK, LINE, PAPER = (
    hex_of(getattr(LIGHT, name)) for name in ("fails", "teammate", "ego", "ink", "way", "card")
)
WALL = hex_of(WALL_COLOUR)
COLOURS = "YlGnBu"
PLAIN: dict[str, Any] = {"parse_math": False}
WIDTH = 6.9
"""Width of a picture in inches: both columns of most papers; two maps in one column would be too small to read."""
MOST_NODES = 60
LARGEST_WITH_NAMES = 40


def draw(design: Design) -> Figure:
    """Return the picture of a design as a matplotlib figure: map, graph or EDP matrix, before and after the design."""
    figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    sides = [(left, "before", design.given, design.before), (right, "after", design.changed, design.after)]
    if design.thing == "action":
        for ax, when, _, state in sides:
            _matrix(ax, design, state)
            ax.set_title(_title(design, when, state), fontsize=7.5, **PLAIN)
        return figure
    floors = [_watched(given) for _, _, given, _ in sides]
    most = max(int(counts.max(initial=1)) for _, _, _, counts in floors)
    mapped = all(isinstance(model, GridWorld) for model, _, _, _ in floors)
    drawn = None if mapped else _graph_of(design)
    figure.set_size_inches(WIDTH, _height(floors[0][0], drawn))
    egos = [_ego_places(given) if mapped else [] for _, _, given, _ in sides]
    for (ax, when, _, state), (model, targets, start, counts), places in zip(sides, floors, egos, strict=True):
        forbidden = design.forbidden if when == "after" else ()
        if isinstance(model, GridWorld):
            _map(ax, model, counts, most, start, targets, design, forbidden)
            _ego(ax, places)
        elif drawn is not None:
            _graph(ax, drawn, model, counts, most, start, forbidden)
        else:
            _matrix(ax, design, state)
        ax.set_title(_title(design, when, state), fontsize=7.5, **PLAIN)
    if mapped or drawn is not None:
        _key(figure, [left, right], most)
        _legend(figure, design, squares=mapped, ego=bool(egos[0]))
    return figure


def _height(model: Model, drawn: DrawnGraph | None) -> float:
    """Return the height, in inches, of a picture that is `WIDTH` inches wide.

    `model` is the teammate's model. `drawn` is the drawing of this model if the model is a graph that is small enough
    to draw, otherwise None.
    """
    if isinstance(model, GridWorld):
        ratio = model.height / model.width
    else:
        ratio = 1.0 if drawn is None else drawn.height / drawn.width
    return min(max(3.0 * ratio + 0.6, 2.1), 8.0)


def _legend(figure: Figure, design: Design, *, squares: bool, ego: bool) -> None:
    round_mark: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 6}
    if not squares:
        round_mark |= {"markerfacecolor": "none", "markeredgewidth": 2}
    marks = [Line2D([], [], color=TEAMMATE, label="teammate", **round_mark)]
    if ego:
        marks.append(Line2D([], [], color=EGO, marker="s", linestyle="none", markersize=8, label="ego agent"))
    line = {"linestyle": "none", "marker": "s", "markersize": 6} if squares else {"linestyle": (0, (2, 1.5))}
    marks.append(Line2D([], [], color=FORBIDDEN, label=f"forbidden {design.thing}", **line))
    figure.legend(handles=marks, loc="outside lower center", ncols=3, fontsize=7, frameon=False)


def _title(design: Design, when: str, state: DesignState) -> str:
    values = [f"WCD {state.wcd:g}", f"expected EDP{', capped' if state.never_apart else ''} {state.edp:.3g}"]
    if design.minimise == "cost":
        values.append(f"{OBJECTIVES['cost']} {state.value:.3g} ({design.by})")
    return f"{when}: {', '.join(values)}"


def _watched(given: Any) -> tuple[Model, tuple[IntArray, ...], int, IntArray]:
    """Return what the picture shows of the teammate in a drawing, problem or instance.

    Returns:
        The teammate's model; the target states of each goal; the state at the start; and ``int32 [n_states]``, the
        number of goals with a shortest plan through each state.
    """
    if isinstance(given, Drawing):
        model: Model = given.grid
        goals, at = given.goals, given.teammate
    else:
        model, goals, at = teammate_goals(as_problem(given))
    _, targets = goal_list(model, goals)
    start = model.state(at)
    to_goal = Pursuit(model, targets).distance
    from_start = _steps_from(model, start)
    on_plan = (from_start[:, None] >= 0) & (to_goal >= 0) & (from_start[:, None] + to_goal == to_goal[start])
    return model, targets, start, on_plan.sum(axis=1).astype(np.int32)


def _steps_from(model: Model, start: int) -> IntArray:
    from askwise.model.graph import breadth_first

    available = model.available
    indptr = np.concatenate(([0], np.cumsum(available.sum(axis=1))))
    return breadth_first([start], indptr, model.successor[available])[0]


# -- maps --------------------------------------------------------------------------------------------------------


def _map(
    ax: Axes,
    grid: GridWorld,
    counts: IntArray,
    most: int,
    start: int,
    targets: tuple[IntArray, ...],
    design: Design,
    forbidden: tuple[Any, ...],
) -> None:
    laid_out = grid.on_map(np.where(counts > 0, counts.astype(np.float64), np.nan))
    ax.imshow(laid_out, cmap=COLOURS, norm=_steps(most), origin="lower")
    ax.imshow(np.where(grid.walls, 1.0, np.nan), cmap=ListedColormap([WALL]), origin="lower")
    for x, y in forbidden:
        box: dict[str, Any] = {"facecolor": FORBIDDEN, "edgecolor": PAPER, "hatch": "xx", "linewidth": 0.8}
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, zorder=3, **box))
    small = max(grid.width, grid.height) <= LARGEST_WITH_NAMES
    for name, states in zip(design.goals, targets, strict=True):
        for state in states.tolist():
            _goal(ax, grid.cells[state].tolist(), printable(name), small)
    x, y = grid.cells[start].tolist()
    ax.plot(x, y, "o", color=TEAMMATE, markersize=6.5, markeredgecolor=PAPER, zorder=5)
    if small:
        ax.set_xticks(np.arange(-0.5, grid.width), minor=True)
        ax.set_yticks(np.arange(-0.5, grid.height), minor=True)
        ax.grid(which="minor", color=LINE, linewidth=0.5)
        ax.tick_params(which="minor", length=0)
    step = max(1, max(grid.width, grid.height) // 20)
    ax.set_xticks(range(0, grid.width, step))
    ax.set_yticks(range(0, grid.height, step))
    ax.tick_params(labelsize=6)


def _goal(ax: Axes, at: list[int], name: str, small: bool) -> None:
    x, y = at
    ax.add_patch(Rectangle((x - 0.44, y - 0.44), 0.88, 0.88, fill=False, edgecolor=INK, linewidth=1.8, zorder=4))
    if small:
        plate = {"facecolor": PAPER, "alpha": 0.8, "pad": 0.8, "linewidth": 0}
        short = name if len(name) <= 12 else f"{name[:10]}..."
        ax.text(x, y, short, ha="center", va="center", fontsize=5.5, color=INK, bbox=plate, zorder=6, **PLAIN)


def _ego(ax: Axes, places: list[Place]) -> None:
    """Mark the start of the ego agent; `places` has the coordinates of the start, or is empty to mark nothing."""
    for x, y in places:
        ax.plot(x, y, "s", color=EGO, markersize=6, markeredgecolor=PAPER, zorder=5)


def _ego_places(given: Any) -> list[Place]:
    """Return a list of one place, the coordinates of the ego agent's start in a drawing, problem or instance.

    The list is empty if no ego agent moves on the teammate's map.
    """
    if isinstance(given, Drawing):
        return [] if given.ego is None else [given.ego]
    scene = start_scene(given)
    return [scene.ego.at] if scene.ego_floor is None else []


# -- graphs ------------------------------------------------------------------------------------------------------


def _graph_of(design: Design) -> DrawnGraph | None:
    """Return the drawing of the graph before the design, or None if it is too large to read."""
    floor = start_scene(design.given).floor
    return floor if isinstance(floor, DrawnGraph) and len(floor.nodes) <= MOST_NODES and not floor.n_hidden else None


def _graph(
    ax: Axes, drawn: DrawnGraph, model: Model, counts: IntArray, most: int, start: int, forbidden: tuple[Any, ...]
) -> None:
    closed = {(printable(str(s)), printable(str(a)), printable(str(t))) for s, a, t in forbidden}
    for edge in drawn.edges:
        ends = drawn.nodes[edge.first], drawn.nodes[edge.second]
        for (one, other), actions in ((ends, edge.there), (ends[::-1], edge.back)):
            for action in actions:
                gone = (one.name, action, other.name) in closed
                _arrow(ax, one.at, other.at, gone)
    palette = colormaps[COLOURS]
    norm = _steps(most)
    numbers = {printable(str(model.name(state))): state for state in range(model.n_states)}
    for node in drawn.nodes:
        state = numbers[node.name]
        colour = palette(norm(counts[state])) if counts[state] else PAPER
        outline = TEAMMATE if state == start else INK
        ax.add_patch(Circle(node.at, 0.28, facecolor=colour, edgecolor=outline, linewidth=2.4 if node.marked else 1.2))
        ax.text(node.at[0], node.at[1] - 0.36, "\n".join(node.lines), ha="center", va="top", fontsize=5.5, **PLAIN)
        if node.above:
            ax.text(node.at[0], node.at[1] + 0.34, node.above, ha="center", va="bottom", fontsize=5.5, **PLAIN)
    ax.set_xlim(0, drawn.width)
    ax.set_ylim(0, drawn.height)
    ax.set_aspect("equal")
    ax.axis("off")


def _arrow(ax: Axes, one: Any, other: Any, gone: bool) -> None:
    style: dict[str, Any] = {"color": WALL, "linewidth": 0.9, "zorder": 1}
    if gone:
        style = {"color": FORBIDDEN, "linewidth": 2.2, "linestyle": (0, (2, 1.5)), "zorder": 2}
    bend = "arc3,rad=0.12"
    ax.add_patch(
        FancyArrowPatch(one, other, arrowstyle="-|>", mutation_scale=5, shrinkA=6, shrinkB=6, connectionstyle=bend)
    )
    ax.patches[-1].set(**style)


# -- matrices and the colour key --------------------------------------------------------------------------------


def _matrix(ax: Axes, design: Design, state: DesignState) -> None:
    diagonal = np.eye(len(design.goals), dtype=np.bool_)
    top = max(float(each.edp_matrix[~diagonal].max(initial=1.01)) for each in (design.before, design.after))
    pair_matrix(ax, design.goals, state.edp_matrix, top)


def _steps(most: int) -> BoundaryNorm:
    """Return a matplotlib norm, which assigns one colour to each whole number from 1 to `most`."""
    return BoundaryNorm(np.arange(0.5, most + 1), 256) if most > 1 else BoundaryNorm([0.5, 1.5, 2.5], 256)


def _key(figure: Figure, axes: list[Axes], most: int) -> None:
    from matplotlib.cm import ScalarMappable

    bar = figure.colorbar(ScalarMappable(_steps(most), COLOURS), ax=axes, shrink=0.7, ticks=range(1, most + 1))
    bar.set_label("number of possible goals\nif the teammate is observed here", fontsize=6.5)
    bar.ax.tick_params(labelsize=6)
