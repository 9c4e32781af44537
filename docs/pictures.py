"""The pictures of the documentation, drawn by askwise when the site is built: they cannot differ from what it computes.

``python docs/pictures.py FOLDER`` writes them all. The same version always writes the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

import askwise
import decided
from askwise import plot
from askwise.api import as_problem
from askwise.cli.edp import draw as draw_edp
from askwise.cli.edp import read_map
from askwise.core.belief import make_belief
from askwise.designs.picture import draw as design_picture
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.methods.question_value import QuestionValue
from askwise.studies import two_goal_grid as example
from askwise.studies.analysis.figures.picture import KNOWN, styles
from askwise.text import files
from askwise.view import palette
from askwise.view.palette import hex_of
from askwise.view.raster import save_png
from askwise.view.scene import Scene
from askwise.view.scene_builder import scene_at, start_scene
from askwise.view.scene_figure import save_episode, save_scene
from import_graph import import_graph
from step_by_step import planner_steps

EXAMPLES = Path(__file__).parent.parent / "examples"
LOOKS = ("ink", "faint", "grid", "line", "card", "way")
INK, FAINT, GRID, LINE, PAPER, OUT = (hex_of(getattr(palette.LIGHT, name)) for name in LOOKS)
TEAMMATE, EGO, PAYS = (hex_of(colour) for colour in (palette.TEAMMATE, palette.EGO, palette.PAYS))

GOAL_SHADES = [hex_of(palette.RAMP[k]) for k in (4, 2, 0)]
"""Of goals whose shares of a belief lie above each other."""

LOOKS_SHOWN = (("on paper", palette.LIGHT, palette.RAMP), ("on dark screens", palette.DARK, palette.DARK_RAMP))

Cell = tuple[int, int]
Point = tuple[float, float]


def _figure(width: float, height: float) -> Figure:
    return Figure(figsize=(width, height), layout="constrained")


def _floor(ax: Axes, width: int, height: int) -> None:
    """Draw an empty grid."""
    ax.set_aspect("equal")
    ax.set_xlim(-0.5, width - 0.5)
    ax.set_ylim(-0.5, height - 0.5)
    ax.set_xticks(range(width))
    ax.set_yticks(range(height))
    ax.set_xticks(np.arange(-0.5, width), minor=True)
    ax.set_yticks(np.arange(-0.5, height), minor=True)
    ax.grid(which="minor", color=GRID, linewidth=0.8)
    ax.tick_params(which="both", length=0, labelsize=7, labelcolor=FAINT)
    for side in ax.spines.values():
        side.set_color(LINE)


def _goal(ax: Axes, cell: Cell, name: str) -> None:
    ax.add_patch(Rectangle((cell[0] - 0.42, cell[1] - 0.42), 0.84, 0.84, facecolor=GRID, edgecolor=INK, lw=1.6))
    ax.text(*cell, name, ha="center", va="center", fontsize=9, weight="bold", color=INK)


def _agent(ax: Axes, cell: Cell, letter: str, colour: str) -> None:
    ax.plot(*cell, "o", markersize=17, markerfacecolor=PAPER, markeredgecolor=colour, markeredgewidth=2.2, zorder=3)
    ax.text(*cell, letter, ha="center", va="center", fontsize=9, color=colour, weight="bold", zorder=4)


def _arrow(ax: Axes, start: Point, end: Point, colour: str, width: float = 1.8) -> None:
    style: Any = {"arrowstyle": "-|>", "mutation_scale": 6 + 3 * width, "linewidth": width, "color": colour}
    ax.add_patch(FancyArrowPatch(start, end, shrinkA=0, shrinkB=0, zorder=2, **style))


def urops() -> Figure:
    """Draw what a uniformly random optimal policy does, next to a uniform choice in each step."""
    grid, goal = askwise.GridWorld(5, 4), (4, 3)
    policies = {"uniform over plans (UROP)": askwise.urop, "uniform in each step": askwise.uniform_optimal}
    figure = _figure(8, 3.6)
    for ax, (title, make) in zip(figure.subplots(1, 2), policies.items(), strict=True):
        _floor(ax, grid.width, grid.height)
        policy = make(grid, goal)
        for x, y in grid.cells.tolist():
            for action, share in policy.at((x, y)).items():
                east = action == "EAST"
                if action == "STAY":
                    continue
                end = (x + 0.1 + 0.36 * share, y) if east else (x, y + 0.1 + 0.36 * share)
                _arrow(ax, (x, y), end, TEAMMATE, 0.8 + 1.2 * share)
                place = (x + 0.27, y - 0.2) if east else (x - 0.22, y + 0.26)
                ax.text(*place, f"{share:.2g}", fontsize=6.5, ha="center", va="center", color=INK)
        _goal(ax, goal, "g")
        ax.set_title(title, fontsize=10)
    return figure


def divergence_point() -> Figure:
    """Draw a path on the two-goal grid and the step that gives the goal away."""
    figure = _figure(6.4, 4.6)
    ax = figure.subplots()
    _floor(ax, 9, 7)
    for name, cell in example.GOALS.items():
        _goal(ax, cell, name)
    path = [(4, 3), (5, 3), (6, 3), (6, 4), (7, 4), (7, 5), (7, 6), (8, 6)]
    for k, (start, end) in enumerate(pairwise(path), start=1):
        tells = k == 3
        colour = PAYS if tells else TEAMMATE if k < 3 else OUT
        _arrow(ax, start, end, colour, 2.6 if tells else 1.8)
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        away = (0.0, 0.2) if start[1] == end[1] else (-0.2, 0.0)
        if end not in example.GOALS.values():
            where = (middle[0] + away[0], middle[1] + away[1])
            ax.text(*where, str(k), fontsize=9, ha="center", va="center", color=colour)
    _agent(ax, (4, 3), "T", TEAMMATE)
    ax.text(0, 4.6, "steps 1 and 2, east:\noptimal for both goals", fontsize=9, color=TEAMMATE)
    ax.text(0, 1.0, "step 3, north:\nnot optimal for g1,\nso dp = 3", fontsize=9, color=PAYS)
    return figure


def edp_map() -> Figure:
    """Draw the paper's two-goal grid: both expected divergence points in every cell."""
    figure = _figure(9, 6)
    ax = figure.subplots()
    plot.edp_map(example.divergence(), "g1", "g2", teammate=example.TEAMMATE, ax=ax)
    ax.set_title("upper value: EDP(g1 | g2), g2 is pursued; lower value: EDP(g2 | g1), g1 is pursued", fontsize=10)
    return figure


def distribution() -> Figure:
    """Draw when the teammate gives its goal away: the distribution of dp, its mean and the worst case."""
    goals = example.GOALS
    found = askwise.dp_distribution(example.GRID, goals["g1"], goals["g2"], example.TEAMMATE)
    worst = float(askwise.wcd(example.GRID, goals["g1"], goals["g2"], example.TEAMMATE))
    figure = _figure(6.4, 2.8)
    ax = figure.subplots()
    steps = np.arange(1, found.horizon + 1)
    ax.bar(steps, found.probability, width=0.7, color=TEAMMATE)
    for step, share in zip(steps.tolist(), found.probability.tolist(), strict=True):
        ax.text(step, share + 0.01, f"{share:.3f}", ha="center", fontsize=8, color=INK)
    top = float(found.probability.max())
    ax.plot([found.mean] * 2, [found.at(round(found.mean)) + 0.05, top * 1.24], color=INK, linewidth=2)
    ax.text(found.mean + 0.06, top * 1.16, f"mean: EDP = {found.mean:.4g}", fontsize=9, color=INK)
    ax.plot([worst] * 2, [found.at(round(worst)) + 0.05, top * 1.24], color=FAINT, linewidth=1.5, linestyle="--")
    ax.text(worst + 0.06, top * 1.16, f"WCD = {worst:g}", fontsize=9, color=FAINT)
    ax.set_xlim(0.4, worst + 1)
    ax.set_ylim(0, top * 1.3)
    ax.set_xlabel("step at which g1 is ruled out")
    ax.set_ylabel("probability")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return figure


def evidence() -> Figure:
    """Draw EDP by evidence for a teammate without and with mistakes: the smaller the number, the longer it takes."""
    goals, levels = example.GOALS, [0.01, 0.02, 0.05, 0.1, 0.2, 0.4]
    start = (0, 6)
    figure = _figure(6.4, 2.9)
    ax = figure.subplots()
    for mistakes, colour in ((0.0, TEAMMATE), (0.2, PAYS)):
        one, two = (askwise.urop(example.GRID, goals[name]) for name in ("g1", "g2"))
        if mistakes:
            one, two = one.soften(mistakes), two.soften(mistakes)
        found = [askwise.edp(example.GRID, one, two, start, evidence=level, within=0.03) for level in levels]
        name = f"{mistakes:.0%} mistakes (proven bounds)" if mistakes else "no mistakes (exact)"
        low, high = zip(*(each.bounds for each in found), strict=True)
        ax.fill_between(levels, low, high, color=colour, alpha=0.35, linewidth=0)
        ax.plot(levels, [float(each) for each in found], "o-", color=colour, markersize=4, label=name)
    ax.set_xscale("log")
    ax.set_xticks(levels, [f"{level:g}" for level in levels])
    ax.minorticks_off()
    ax.set_ylim(bottom=0)
    ax.set_xlabel("evidence")
    ax.set_ylabel("EDP(g1 | g2), steps")
    ax.legend(frameon=False, fontsize=8)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return figure


def zones() -> Figure:
    """Draw the zones of the example, with the ego agent near the goals and far from them."""
    figure = _figure(9, 2.9)
    for ax, ego in zip(figure.subplots(1, 2), (example.EGO_NEAR, example.EGO_FAR), strict=True):
        plot.zone_timeline(example.example_zones(ego), horizon=9, ax=ax)
        ax.set_title(f"teammate at {example.TEAMMATE}, ego agent at {ego}", fontsize=10)
    return figure


QUESTION_BELIEF = np.array([0.4, 0.3, 0.2, 0.1])
_PAIRS = {(0, 1): (2, 6), (0, 2): (4, 9), (0, 3): (12, 14), (1, 2): (3, 5), (1, 3): (9, 4), (2, 3): (6, 8)}


def question_example() -> QuestionValue:
    """Return four goals A to D with hand-made branching steps and divergences, as in the page about questions."""
    branching, divergence = np.full((4, 4), np.inf), np.full((4, 4), np.inf)
    for (one, two), (first, last) in _PAIRS.items():
        branching[one, two] = branching[two, one] = first
        divergence[one, two] = divergence[two, one] = last
    return QuestionValue(QUESTION_BELIEF, branching, divergence, askwise.QueryCost(0.5, 0.1))


def question_value() -> Figure:
    """Draw how long the ego agent is torn if A is the truth: intervals, their union, and what a question leaves."""
    figure = _figure(8, 3.2)
    ax = figure.subplots()
    names = "BCD"
    plate = {"facecolor": PAPER, "pad": 0.6, "linewidth": 0}
    for other in range(1, 4):
        first, last = _PAIRS[0, other]
        row = other - 1.0
        ax.barh(row, last - first + 1, left=first - 0.5, height=0.6, facecolor=PAPER, edgecolor=PAYS, hatch="////")
        ax.text(first - 0.35, row, f"{first} to {last}", va="center", fontsize=9, bbox=plate)
    for row, parts, colour in ((3.4, [(2, 9), (12, 14)], PAYS), (4.4, [(2, 6)], EGO)):
        for first, last in parts:
            ax.barh(row, last - first + 1, left=first - 0.5, height=0.6, color=colour)
            ax.text(first - 0.35, row, f"{last - first + 1} steps", va="center", fontsize=9, color=PAPER)
    labels = [f"torn between A and {name}" for name in names]
    labels += ["union: 8 + 3 = 11 steps", 'after "A or B?", yes: 5 steps']
    ax.set_yticks([0, 1, 2, 3.4, 4.4], labels, fontsize=9)
    ax.set_ylim(4.95, -0.6)
    ax.set_xlim(0.5, 15.5)
    ax.set_xticks(range(1, 16))
    ax.set_xlabel("step from now, if A is the teammate's goal")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return figure


def beliefs() -> Figure:
    """Draw two beliefs about the same walk: elimination waits for proof, Bayes counts evidence."""
    grid, goals = askwise.GridWorld(9, 7), {"A": (8, 6), "B": (8, 1), "C": (4, 6)}
    path = ["EAST", "EAST", "NORTH", "EAST", "EAST"]
    policies = [askwise.urop(grid, cell) for cell in goals.values()]
    figure = _figure(9, 2.9)
    walked, *panels = figure.subplots(1, 3, width_ratios=[1.15, 1, 1])
    _floor(walked, 9, 7)
    for name, cell in goals.items():
        _goal(walked, cell, name)
    trajectory: list[tuple[Any, Any]] = askwise.follow(grid, (2, 2), path)
    for (x, y), action in trajectory:
        _arrow(walked, (x, y), (x + (action == "EAST"), y + (action == "NORTH")), TEAMMATE)
    _agent(walked, (2, 2), "T", TEAMMATE)
    walked.set_title("five steps are seen", fontsize=10)
    for ax, kind in zip(panels, ("elimination", "bayes"), strict=True):
        belief = make_belief(kind, np.full(3, 1 / 3))
        seen = [belief.probabilities]
        for state, action in trajectory:
            belief.observe(np.array([policy.at(state).get(action, 0.0) for policy in policies]))
            seen.append(belief.probabilities)
        below = np.zeros(len(seen))
        for name, shares, colour in zip(goals, np.array(seen).T, GOAL_SHADES, strict=True):
            ax.bar(range(len(seen)), shares, bottom=below, width=0.9, color=colour)
            ink = PAPER if name == "A" else INK
            ax.text(0, below[0] + shares[0] / 2, name, ha="center", va="center", weight="bold", color=ink)
            below += shares
        ax.set_xticks(range(len(seen)))
        ax.set_ylim(0, 1)
        ax.set_xlabel("steps seen", fontsize=9)
        ax.set_title(f"belief '{kind}'", fontsize=10)
    return figure


WALK = (
    ("file of a domain", "read_file", "domains"),
    ("instance", "as_problem", "domains"),
    ("problem", "teammate_matrices,\nego_matrices", "divergence"),
    ("EDP and branching\nat this moment", "QuestionValue,\noptimise", "query"),
    ("best question,\nits value", "Agent.decide", "agents"),
    ("decision", "simulate", "simulation"),
    ("episode", "run_study", "experiments"),
    ("tables, report", "", ""),
)


def walk_of_the_data() -> Figure:
    """Draw the way from an instance file to a report: what there is at each stage, and which function leads on."""
    figure = _figure(9, 3.4)
    ax = figure.subplots()
    ax.set_xlim(0, 7.4)
    ax.set_ylim(0.4, 3.25)
    ax.set_axis_off()
    code: Any = {"fontsize": 8, "family": "monospace"}
    for k, (what, function, part) in enumerate(WALK):
        row, column = divmod(k, 4)
        x, y = 2.0 * column + 0.08, 2.25 - 1.75 * row
        box = FancyBboxPatch((x, y), 1.12, 0.62, boxstyle="round,pad=0.03", facecolor=GRID, edgecolor=FAINT, lw=1.2)
        ax.add_patch(box)
        ax.text(x + 0.56, y + 0.31, what, ha="center", va="center", fontsize=9, color=INK)
        if function and column < 3:
            _arrow(ax, (x + 1.18, y + 0.31), (x + 1.94, y + 0.31), FAINT, 1.4)
            ax.text(x + 1.56, y + 0.72, function, ha="center", va="bottom", color=INK, **code)
            ax.text(x + 1.56, y + 0.22, part, ha="center", va="top", fontsize=8, color=FAINT)
        elif function:  # the end of the row: round the corner
            ax.plot([x + 0.56, x + 0.56, 0.64, 0.64], [y - 0.06, y - 0.5, y - 0.5, y - 0.9], color=FAINT, lw=1.4)
            _arrow(ax, (0.64, y - 0.9), (0.64, y - 1.06), FAINT, 1.4)
            ax.text(3.8, y - 0.46, function.replace("\n", " "), ha="right", color=INK, **code)
            ax.text(3.9, y - 0.46, part, fontsize=8, color=FAINT)
    return figure


def colours() -> Figure:
    """Draw what each colour means, for paper and for dark screens, and the colours of the methods."""
    figure = _figure(8.4, 3.6)
    meanings = ("teammate", "ego", "pays", "load", "ink", "faint", "out", "fails", "link")
    for ax, (title, look, ramp) in zip(figure.subplots(1, 3)[:2], LOOKS_SHOWN, strict=True):
        ax.set_axis_off()
        ax.add_patch(Rectangle((0, 0), 1, 1, transform=ax.transAxes, facecolor=hex_of(look.card), edgecolor=LINE))
        for row, name in enumerate(meanings):
            y = 0.92 - 0.095 * row
            ax.plot(0.1, y, "s", markersize=12, color=hex_of(getattr(look, name)), transform=ax.transAxes)
            ax.text(0.2, y, name, va="center", fontsize=9, color=hex_of(look.ink), transform=ax.transAxes)
        for k, colour in enumerate(ramp):
            ax.plot(0.1 + 0.09 * k, 0.06, "s", markersize=12, color=hex_of(colour), transform=ax.transAxes)
        ax.text(0.68, 0.06, "belief", va="center", fontsize=9, color=hex_of(look.ink), transform=ax.transAxes)
        ax.set_title(title, fontsize=10)
    ax = figure.axes[2]
    ax.set_axis_off()
    for row, (name, style) in enumerate({**KNOWN, **styles(["one of yours", "another"])}.items()):
        y = 0.92 - 0.095 * row
        ax.plot([0.04, 0.18, 0.32], [y] * 3, transform=ax.transAxes, **style.line())
        ax.text(0.4, y, name, va="center", fontsize=9, color=INK, transform=ax.transAxes)
    ax.set_title("methods, in all figures", fontsize=10)
    return figure


MAPS, FORBIDDEN, LOOKED_AT = 8, 5, 600


def design_cost() -> Figure:
    """Draw what the planner pays for not knowing, and the expected EDP, as more cells are forbidden."""
    measured = np.array([_designed(seed) for seed in range(MAPS)])
    figure = _figure(7, 4)
    ax = figure.subplots()
    for each in measured:
        ax.plot(each[:, 0], each[:, 1], color=OUT, lw=1, marker=".", markersize=4)
    mean = measured.mean(axis=0)
    ax.plot(mean[:, 0], mean[:, 1], color=INK, lw=2.5, marker="o", label=f"mean of {MAPS} maps")
    for k, (edp, cost) in enumerate(mean):
        ax.annotate(str(k), (edp, cost), textcoords="offset points", xytext=(4, 6), fontsize=8, color=INK)
    ax.set_xlabel("expected EDP (numbers: cells that may be forbidden)")
    ax.set_ylabel("planner's expected cost of not knowing")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize=9, loc="upper left")
    return figure


def _designed(seed: int, side: int = 9, goals: int = 4) -> list[tuple[float, float]]:
    """Return expected EDP and the planner's exact cost on an open map, for 0 and more cells forbidden."""
    rng = np.random.default_rng(seed)
    cells = [(x, y) for x in range(side) for y in range(side)]
    right = [cell for cell in cells if cell[0] >= side // 2]
    targets = [right[k] for k in rng.permutation(len(right))[:goals]]
    start = (0, side // 2)
    rest = [cell for cell in cells if cell not in targets and cell != start]
    others = [rest[k] for k in rng.permutation(len(rest))[: goals + 1]]
    problem = askwise.FactoredProblem(
        [chr(65 + k) for k in range(goals)],
        teammate_model=askwise.GridWorld(side, side),
        teammate_goals=targets,
        ego_goals=others[:goals],
        start=(start, others[goals]),
        query_cost=askwise.QueryCost(1.0, 0.0),
    )
    designs = [askwise.design(problem, k, minimise="edp", limit=LOOKED_AT) for k in range(1, FORBIDDEN + 1)]
    places = [(designs[0].before.edp, problem), *((found.after.edp, found.changed) for found in designs)]
    return [(edp, askwise.evaluate(place, "planner", exact=True).expected_marginal_cost) for edp, place in places]


FIGURES: dict[str, Callable[[], Figure]] = {
    "urops": urops,
    "divergence-point": divergence_point,
    "colours": colours,
    "edp-map": edp_map,
    "distribution": distribution,
    "evidence": evidence,
    "zones": zones,
    "question-value": question_value,
    "beliefs": beliefs,
    "walk-of-the-data": walk_of_the_data,
    "import-graph": import_graph,
    "planner-steps": planner_steps,
    "design-cost": design_cost,
    "rules": decided.rules,
}


FOUR_DOMAINS = {
    "four-tool-fetching": ("workshop.json", "S9"),
    "four-coverage": ("coverage.toml", "B"),
    "four-kitchen": ("kitchen.toml", "steak"),
    "four-ward": ("ward.toml", "plasma for Flo"),
}
"""The same method in four domains: the pictures, the files they are of, and the goals."""


def _asking(file: Path, goal: str) -> Scene:
    """Return the last moment of an episode at which something is asked."""
    episode = askwise.simulate(file, "ezq-exact", goal=goal, seed=1)
    return scene_at(episode, max(k for k, step in enumerate(episode.steps) if step.answer is not None))


def draw_all(folder: Path) -> None:
    """Write all pictures."""
    files.make_folder(folder)
    (folder / "plan.svg").write_text(decided.plan(), encoding="utf-8")
    for name, drawn in FIGURES.items():
        files.save_figure(drawn(), folder / f"{name}.svg")
    for name, (file, goal) in FOUR_DOMAINS.items():
        save_png(_asking(EXAMPLES / file, goal), folder / f"{name}.png", longest_side=560)
    files.save_figure(design_picture(askwise.design(EXAMPLES / "hall.txt", 3)), folder / "design-hall.png")
    draw_gallery(folder)
    workshop = ToolFetching(Instance.load(EXAMPLES / "workshop.json"))
    save_png(start_scene(workshop.instance), folder / "workshop.png", longest_side=480)


def draw_gallery(folder: Path) -> None:
    """Write the pictures of the gallery that no other page has, as the commands next to them do."""
    kitchen = as_problem(str(EXAMPLES / "kitchen.toml"))
    save_scene(start_scene(kitchen, kitchen.prior), folder / "gallery-show.svg")
    save_episode(askwise.simulate(EXAMPLES / "workshop.json", "ezq", seed=3), folder / "gallery-run.svg")
    files.save_figure(design_picture(askwise.design(EXAMPLES / "hall.txt", 3)), folder / "gallery-design.svg")
    office = read_map(str(EXAMPLES / "office.txt"))
    draw_edp(askwise.Divergence(office.model, office.goals), office.start or (0, 0), str(folder / "gallery-edp.svg"))


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]))
