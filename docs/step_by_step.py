"""An episode drawn step by step: what the planner believes and does, for the page "Beyond the paper"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

import askwise
from askwise.core.episode import Episode
from askwise.domains.tool_fetching import ToolFetching
from askwise.view import palette
from askwise.view.palette import hex_of, ink_on, shade
from askwise.view.scene import Map, Place, Scene
from askwise.view.scene_builder import scenes

INK, FAINT, GRID, LINE, PAPER, OUT, LOAD, TEAMMATE, EGO = (
    hex_of(getattr(palette.LIGHT, name))
    for name in ("ink", "faint", "grid", "line", "card", "way", "load", "teammate", "ego")
)
BOXES = (("D", "-"), ("^", "--"), ("P", ":"))
"""Toolboxes have one colour, that of landmarks: they differ in marker, and their stations in the line around them."""
SHOWN, COLUMNS = 9, 3


def workshop() -> ToolFetching:
    """Return the problem of the episode."""
    cost = askwise.QueryCost(0.5, 0.2)
    return ToolFetching(
        askwise.generate(size=9, stations=8, toolboxes=3, seed=48, prior="far", query_cost=cost),
    )


def planner_steps() -> Figure:
    """Draw the first steps of an episode of the planner, up to where it knows."""
    episode = askwise.simulate(workshop(), "planner", seed=0)
    moments = list(scenes(episode))
    figure = Figure(figsize=(8.4, 10.4), layout="constrained")
    for k, ax in enumerate(figure.subplots(SHOWN // COLUMNS, COLUMNS).flat):
        _moment(ax, moments, k)
        ax.set_title(_caption(episode, k), fontsize=9.5, loc="left", color=INK)
    _legend(figure, moments[0])
    return figure


def _legend(figure: Figure, scene: Scene) -> None:
    """Say what is what: agents, toolboxes and their stations, the question."""
    person: dict[str, Any] = {
        "linestyle": "",
        "marker": "o",
        "markersize": 10,
        "markerfacecolor": PAPER,
        "markeredgewidth": 2,
    }
    entries: list[tuple[Line2D | Patch, str]] = [
        (Line2D([], [], markeredgecolor=TEAMMATE, **person), "W  worker, and its way"),
        (Line2D([], [], markeredgecolor=EGO, **person), "F  fetcher, and its way"),
        (Patch(facecolor=PAPER, edgecolor=EGO, linewidth=1.8), "in the question"),
    ]
    for box, (marker, line) in zip(scene.landmarks, BOXES, strict=True):
        look: dict[str, Any] = {"color": LOAD, "marker": marker, "linestyle": line, "markersize": 9, "linewidth": 1.8}
        entries.append((Line2D([], [], **look), f"toolbox {box.name}, and the frames of its stations"))
    marks, labels = zip(*entries, strict=True)
    figure.legend(marks, labels, loc="outside lower center", ncols=2, fontsize=9, frameon=False, handlelength=3.5)


def _caption(episode: Episode, k: int) -> str:
    """Say what happens in a step, and what it means for the cost."""
    step = episode.steps[k]
    names = episode.problem.goals
    if step.answer is not None:
        asked = ", ".join(names[goal] for goal in step.answer.goals)
        return f"{step.t}. Asks: {asked}? {'Yes' if step.answer.yes else 'No'}.\n     costs {step.cost:g}"
    assert step.decision.action is not None
    assert step.belief is not None
    verb, *tool = episode.problem.ego.actions.names[step.decision.action].split()
    did = f"Picks up {tool[0]}" if tool else f"Walks {verb.lower()}"
    possible = np.count_nonzero(step.belief)
    if possible == 1:
        told = "the goal is known"
    elif "costs nothing extra" in step.decision.why:
        told = f"right for all {possible} that are possible"
    else:
        told = f"a bet on the likely ones of {possible}"
    return f"{step.t}. {did}\n     {told}"


def _moment(ax: Axes, moments: Sequence[Scene], k: int) -> None:
    scene = moments[k]
    assert isinstance(scene.floor, Map)
    _floor(ax, scene.floor.width, scene.floor.height)
    for box, (marker, _) in zip(scene.landmarks, BOXES, strict=True):
        ax.plot(*box.at, marker=marker, markersize=10, color=LOAD, markeredgecolor=PAPER, markeredgewidth=0.8)
    belief = scene.belief if scene.belief is not None else np.zeros(len(scene.goals))
    for number, station in enumerate(scene.goals):
        assert station.landmark is not None
        asked = number in scene.asked
        _station(ax, station.at, station.name, float(belief[number]), BOXES[station.landmark][1], asked)
    _way(ax, [each.teammate.at for each in moments[: k + 1]], TEAMMATE, "-")
    _way(ax, [each.ego.at for each in moments[: k + 1]], EGO, ":")
    _person(ax, scene.teammate.at, "W", TEAMMATE, "")
    _person(ax, scene.ego.at, "F", EGO, scene.carried)


def _floor(ax: Axes, width: int, height: int) -> None:
    ax.set_aspect("equal")
    ax.set_xlim(-0.7, width - 0.3)
    ax.set_ylim(-0.7, height - 0.3)
    ax.set_xticks(np.arange(-0.5, width), [])
    ax.set_yticks(np.arange(-0.5, height), [])
    ax.grid(color=GRID, linewidth=0.6)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_color(LINE)


def _station(ax: Axes, cell: Place, name: str, probability: float, line: str, asked: bool) -> None:
    """Draw a station: its edge says where its tool lies, its fill how likely it is; crossed out if impossible."""
    x, y = cell
    out = probability <= 0
    colour = shade(probability)
    look: dict[str, Any] = {
        "facecolor": PAPER if out else hex_of(colour),
        "edgecolor": OUT if out else LOAD,
        "linestyle": line,
    }
    ax.add_patch(Rectangle((x - 0.44, y - 0.44), 0.88, 0.88, linewidth=1.8, **look))
    if asked:
        ax.add_patch(Rectangle((x - 0.62, y - 0.62), 1.24, 1.24, fill=False, edgecolor=EGO, linewidth=1.8))
    share = "" if out else f"\n{100 * probability:.0f} %" if probability >= 0.005 else "\n<1 %"
    ax.text(
        x,
        y,
        f"{name}{share}",
        ha="center",
        va="center",
        fontsize=6.5,
        color=FAINT if out else hex_of(ink_on(colour)),
        zorder=5,
    )


def _way(ax: Axes, cells: Sequence[Place], colour: str, style: str) -> None:
    ax.plot([x for x, _ in cells], [y for _, y in cells], style, color=colour, linewidth=1.6, alpha=0.6)


def _person(ax: Axes, cell: Place, letter: str, colour: str, holding: str) -> None:
    x, y = cell
    ax.plot(x, y, "o", markersize=13, markerfacecolor=PAPER, markeredgecolor=colour, markeredgewidth=2, zorder=6)
    ax.text(x, y, letter, ha="center", va="center", fontsize=8, weight="bold", color=colour, zorder=7)
    if holding:
        ax.annotate(f"has {holding}", (x, y), (9, 7), textcoords="offset points", fontsize=7.5, color=colour, zorder=7)
