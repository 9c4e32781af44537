"""HTML pages that show an episode step by step; a page is one file that can be opened from disk.

A page consists of the files in ``assets`` and one block of JSON data (`page_data`), which the scripts only display. A
page with a plain map (`is_plain`) needs fewer scripts.
"""

from __future__ import annotations

import base64
import html
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from askwise.core.decision import affordable
from askwise.core.episode import Episode, Step
from askwise.core.problem import JointState, Problem, teammate_does
from askwise.methods import Decision, PairZones, Situation
from askwise.text.files import whole_file
from askwise.text.wording import Vocabulary, printable
from askwise.types import FloatArray
from askwise.view.decision_text import gate_to_text, question_to_text, reply_to_text, runner_up_to_text, verdict_to_text
from askwise.view.html import Html, asset, document, filled, generator, script, style
from askwise.view.layout.net import LABEL_LETTERS, LINE_HEIGHT, NAME_BELOW, NAME_LETTERS
from askwise.view.palette import DARK_RAMP, INK, PAPER, RAMP, hex_of
from askwise.view.panels import arrow_head
from askwise.view.scene import DrawnGraph, Edge, Floor, GoalMark, Map, Place, Scene, ego_marks, teammate_marks
from askwise.view.scene_builder import costs_before, scene_of, start_scene

LETTERS = {"name": NAME_LETTERS, "label": LABEL_LETTERS, "below": NAME_BELOW, "line": LINE_HEIGHT}
"""Font sizes and positions of the text in a graph, in units of the drawing."""
SCRIPTS = ("elements.js", "episode.js", "map.js", "player.js")
FLOOR_SCRIPTS = ("elements.js", "graph.js", "episode.js", "floors.js", "player.js")
"""Scripts of a page that is not plain (`is_plain`)."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""Content security policy: the page must not load anything."""
DIGITS = 4
"""Significant digits of probabilities in the page; more than it displays."""


# -- floors -------------------------------------------------------------------------------------------------------


def is_plain(scene: Scene) -> bool:
    """Return whether both agents of a scene share one map, on which only one place is drawn for each goal.

    The pages of such scenes have a more compact form and need fewer scripts.
    """
    one_map = isinstance(scene.floor, Map) and scene.ego_floor is None
    return one_map and not any(goal.also or goal.ego for goal in scene.goals)


def floor_data(scene: Scene) -> dict[str, Any]:
    """Return the maps or graphs of a scene as a JSON-compatible dict, in the shortest form that fits the scene.

    A plain map (`is_plain`) has ``width`` and ``height`` (in cells) and ``walls`` (see `one_floor_data`); otherwise,
    the keys are those of `any_floor_data`.
    """
    return _map_data(scene.floor) if is_plain(scene) else any_floor_data(scene)


def any_floor_data(scene: Scene, *, every: bool = False) -> dict[str, Any]:
    """Return the maps or graphs of a scene as a JSON-compatible dict, in a form that fits all kinds of scenes.

    - ``grounds``: a dict of `one_floor_data` for each map or graph.
    - ``spots``: a list of places where an agent reaches a goal: ``at`` (coordinates), ``goals`` (indices), ``ego``
      (whether the ego agent reaches it), ``shared`` (for the ego agent: whether the teammate has a mark there),
      ``label`` (the text on the mark) and ``place`` (the name of the place).
    - ``letters``: the font sizes and positions of texts in a graph.

    Args:
        scene: the scene.
        every: whether ``spots`` has two entries, one for each agent, for a place where both reach the same goals. This
            applies only to a shared map on which the ego agent also has other places.
    """
    return {
        "grounds": [one_floor_data(floor) for floor in scene.floors],
        "spots": [_goal_mark_data(scene, mark) for mark in (*teammate_marks(scene), *ego_marks(scene, every=every))],
        "letters": LETTERS,
    }


def one_floor_data(floor: Floor) -> dict[str, Any]:
    """Return a map or graph as a JSON-compatible dict.

    The ``kind`` is ``map`` or ``graph``. A map has ``width`` and ``height`` in cells, and ``walls``: a data URL of a
    PNG picture, one pixel per cell (None without walls). A graph has ``width``, ``height``, and the lists of dicts
    ``nodes``, ``ways`` (edges) and ``labels`` (names of actions).
    """
    kind = "map" if isinstance(floor, Map) else "graph"
    return {"kind": kind, **(_map_data(floor) if isinstance(floor, Map) else _graph_data(floor))}


def _map_data(floor: Floor) -> dict[str, Any]:
    assert isinstance(floor, Map)
    return {"width": floor.width, "height": floor.height, "walls": _picture_of_walls(floor)}


def _graph_data(floor: DrawnGraph) -> dict[str, Any]:
    return {
        "width": floor.width,
        "height": floor.height,
        "nodes": [{"name": node.name, "at": node.at, "lines": node.lines, "above": node.above} for node in floor.nodes],
        "ways": [_edge(floor, edge) for edge in floor.edges],
        "labels": [{"text": label.text, "at": label.at} for label in floor.labels],
    }


def _edge(floor: DrawnGraph, edge: Edge) -> dict[str, Any]:
    arrow = [[round(x, 3), round(y, 3)] for x, y in arrow_head(floor, edge)] if edge.one_way else None
    return {
        "first": edge.first,
        "second": edge.second,
        "there": edge.there,
        "back": edge.back,
        "through": edge.through,
        "arrow": arrow,
    }


def _goal_mark_data(scene: Scene, mark: GoalMark) -> dict[str, Any]:
    floor = scene.floors[-1] if mark.ego else scene.floor
    return {
        "at": mark.at,
        "goals": mark.goals,
        "ego": mark.ego,
        "shared": mark.shared,
        # A node has the names of its goals above it; they would not fit on the mark.
        "label": mark.short_name(scene) if isinstance(floor, Map) else "",
        "place": _name_of(floor, mark.at),
    }


def _name_of(floor: Floor, place: Place) -> str:
    if isinstance(floor, Map):
        return str(place)
    return next(node.name for node in floor.nodes if node.at == place)


def _picture_of_walls(floor: Map) -> str | None:
    """Return a data URL with a PNG picture of the walls of a map, one pixel per cell; None if there are no walls."""
    walls = floor.walls
    if not walls.any():
        return None
    picture = Image.fromarray(np.flipud(walls).astype(np.uint8)).convert("P")
    picture.putpalette([0, 0, 0, 108, 114, 124])
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", transparency=0, bits=1, optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


# -- the page -----------------------------------------------------------------------------------------------------


def write_page(episode: Episode, path: str | Path) -> None:
    """Write an HTML page that shows an episode step by step.

    Args:
        episode: the episode.
        path: the file to write. An existing file is replaced only when the new one is complete.

    Raises:
        InputError: the file cannot be written.
    """
    with whole_file(path) as temporary:
        temporary.write_text(page_text(episode), encoding="utf-8")


def page_text(episode: Episode) -> str:
    """Return the HTML text of a page that shows an episode step by step; the page needs no other files."""
    start = start_scene(episode.problem)
    words = start.words
    plain = is_plain(start)
    parts = {
        "HEADING": html.escape(words.title),
        "TEAMMATE": html.escape(words.teammate),
        "EGO": html.escape(words.ego),
        "LEGEND": _legend(start),
        "DATA": _embedded(page_data(episode)),
        "SCRIPT": script(*(SCRIPTS if plain else FLOOR_SCRIPTS)),
    }
    return document(
        f"{printable(episode.goal_name)}, {episode.method}: {words.title.lower()}, step by step",
        Html(filled(asset("page.html"), parts)),
        generator(),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        style("board.css", "page.css", *([] if plain else ["floors.css"])),
    )


def _legend(start: Scene) -> str:
    """Return the legend of a page, as HTML list items, for the marks that can occur in an episode.

    Args:
        start: the first scene of the episode.
    """
    words = start.words
    signs = [("disc teammate", words.teammate_sign, words.teammate), ("disc ego", words.ego_sign, words.ego)]
    if words.load:
        signs.append(("tag", words.goal[0].upper(), f"{words.load} in hand"))
    if words.landmark:
        signs.append(("tag", words.landmark_sign, words.landmark))
    if ego_marks(start):
        signs.append(("for-ego", "", f"where the {words.ego} goes"))
    if any(isinstance(floor, DrawnGraph) and any(edge.one_way for edge in floor.edges) for floor in start.floors):
        signs.append(("arrow", "\u25b8", "one-way edge"))
    rows = [f'<li><b class="{kind}">{html.escape(sign)}</b>{html.escape(name)}</li>' for kind, sign, name in signs]
    return "\n      ".join(rows)


def page_data(episode: Episode) -> dict[str, Any]:
    """Return everything that the page of an episode shows, as a JSON-compatible dict.

    Most keys are facts such as ``goals`` and ``method``. Three are lists:

    - ``beliefs``: the ego agent's different beliefs, each with a list of goals (indices) and a list of their
      probabilities;
    - ``zones``: the different lists of rows of `_zone_row`, which say when a question may be useful;
    - ``frames``: a dict for each step and the end, whose ``belief`` and ``zones`` are indices in the two lists above.
    """
    problem = episode.problem
    start = start_scene(problem)
    beliefs, zones = _Table(), _Table()
    return {
        "words": _words(start.words, episode),
        "size": start.size,
        **floor_data(start),
        "landmarks": [[printable(each.name), *each.at] for each in start.landmarks],
        "goals": [[printable(each.name), *each.at, each.landmark] for each in start.goals],
        "method": episode.method,
        "teammate": episode.teammate,
        "seed": None if episode.seed is None else str(episode.seed),  # it may be too large for a JavaScript number
        "goal": episode.goal,
        "finished": episode.finished,
        "optimal": episode.known_cost,
        "frames": _frames(episode, beliefs, zones),
        "beliefs": beliefs.rows,
        "zones": zones.rows,
        "zonesKnown": affordable(problem),
        "ramps": {"light": RAMP, "dark": DARK_RAMP},
        "inks": {"dark": hex_of(INK), "light": hex_of(PAPER)},
    }


def _words(words: Vocabulary, episode: Episode) -> dict[str, str]:
    return {
        "teammate": words.teammate,
        "ego": words.ego,
        "goal": words.goal,
        "landmark": words.landmark,
        "load": words.load,
        "teammateSign": words.teammate_sign,
        "egoSign": words.ego_sign,
        "achieved": words.achieved.format(goal=printable(episode.goal_name)),
    }


class _Table:
    """A list of JSON-compatible values without duplicates; the frames of a page refer to its elements by index.

    Attributes:
        rows: the list.
    """

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._numbers: dict[str, int] = {}

    def number(self, row: Any) -> int:
        key = json.dumps(row)
        if key not in self._numbers:
            self._numbers[key] = len(self.rows)
            self.rows.append(row)
        return self._numbers[key]


def _frames(episode: Episode, beliefs: _Table, zones: _Table) -> list[dict[str, Any]]:
    problem = episode.problem
    frames = []
    costs = costs_before(episode)
    for step, cost in zip(episode.steps, costs, strict=False):
        frame = _frame(problem, step.state, cost, step.decision.situation, beliefs, zones)
        frames.append({**frame, **_happening(problem, step)})
    last = episode.steps[-1].belief if episode.steps else None
    end = None if last is None else Situation(problem, episode.final, last)
    return [*frames, _frame(problem, episode.final, costs[-1], end, beliefs, zones)]


def _frame(
    problem: Problem, state: JointState, cost: float, now: Situation | None, beliefs: _Table, zones: _Table
) -> dict[str, Any]:
    frame = {**_places(scene_of(problem, state)), "cost": round(cost, 9)}
    if now is None:
        return frame
    frame["belief"] = beliefs.number(_belief_row(now.belief))
    if now.affordable:
        frame["zones"] = zones.number([_zone_row(pair) for pair in now.pairs])
    return frame


def _zone_row(pair: PairZones) -> list[float | None]:
    """Return the indices of two goals, and two steps that limit when a question that tells them apart may be useful.

    The first step is the latest by which the teammate's actions have told the goals apart. From the second step on, the
    ego agent needs different actions. The current step is 1; None means never.
    """
    steps = (step if math.isfinite(step) else None for step in (pair.informed, pair.branching))
    return [pair.first, pair.second, *steps]


def _places(scene: Scene) -> dict[str, Any]:
    named = {} if is_plain(scene) else {"places": [scene.teammate.place, scene.ego.place]}
    return {
        **named,
        "teammate": list(scene.teammate.at),
        "ego": list(scene.ego.at),
        "carried": printable(scene.carried),
        "hands": scene.hands,
    }


def _belief_row(belief: FloatArray) -> list[list[float]]:
    """Return a belief as two lists: the indices of the possible goals, likelier ones first, and their probabilities.

    `belief` is ``float64 [n_goals]``.
    """
    order = np.argsort(-belief, kind="stable")
    order = order[belief[order] > 0]
    return [order.tolist(), [float(f"{p:.{DIGITS}g}") for p in belief[order]]]


def _happening(problem: Problem, step: Step) -> dict[str, Any]:
    decision = step.decision
    facts = {"why": printable(decision.why), **_worth(problem, decision)}
    if decision.gate is not None:
        facts["gate"] = gate_to_text(problem, decision.gate)
    if step.answer is not None:
        said = {"asks": question_to_text(problem.goals, step.answer.asked, len(problem.goals))}
        said["reply"] = reply_to_text(problem.goals, step.answer)
        return {**facts, **said, "ask": list(step.answer.goals), "price": step.cost}
    if decision.action is None or step.teammate_action is None:
        return facts
    return {
        **facts,
        "does": printable(problem.ego.actions.names[decision.action]),
        "teammateDoes": teammate_does(problem, step.state.teammate, step.teammate_action),
    }


def _worth(problem: Problem, decision: Decision) -> dict[str, Any]:
    """Return facts about the best question that the ego agent's method found, even if the agent did not ask it.

    Keys, if known: ``value`` (the cost that it is expected to save), ``price``, ``considered`` (its goals),
    ``runnerUp`` (the second-best question, and its value minus price) and ``verdict`` (how certain it is).
    """
    worth: dict[str, Any] = {}
    if decision.value is not None:
        worth["value"] = decision.value
    if decision.cost is not None:
        worth["price"] = decision.cost
    if decision.considered is not None:
        worth["considered"] = list(decision.considered)
    if decision.runner_up is not None:
        worth["runnerUp"] = [runner_up_to_text(problem.goals, decision), decision.runner_up[1]]
    if decision.verdict:
        worth["verdict"] = verdict_to_text(decision)
    return worth


def _embedded(data: dict[str, Any]) -> str:
    """Return `data` as JSON text that is safe inside an HTML script element: it cannot contain ``</script>``."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
