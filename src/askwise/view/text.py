"""Scenes (moments of an episode) as text: drawings for terminals, and an animation of an episode in the terminal.

A map is drawn with letters; a graph becomes a list of its places. The animation restores the terminal.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import TextIO

from askwise.core.episode import Episode
from askwise.text.wording import MOST_BELIEFS, columns_of, either, likeliest_of, printable, wrapped
from askwise.view.layout.net import shortened
from askwise.view.palette import in_terminal
from askwise.view.scene import DrawnGraph, Map, Place, Scene, ego_marks
from askwise.view.scene_builder import scenes
from askwise.view.summary import header
from askwise.view.text_map import DIM, Paint, TextFloor, TextMark, agent_marks, draw_map, goal_marks, meanings, painter

LONGEST_NAME = 26
COLUMNS, ROWS = 100, 60
"""Size of a drawing that is not printed to a terminal."""
MOST_LISTED = 3
BETWEEN = "  |  "
"""Separator of two maps side by side."""
ESCAPES = re.compile("\x1b\\[[0-9;]*m")
LINES_BELOW = 8
"""Lines below the map of a drawing: legend, places, belief, question, event and progress."""
OWN_SCREEN, USUAL_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?1049l"
"""Escape sequences that enter and leave the alternate screen, where the cursor is hidden and long lines are cut."""
FROM_TOP, REST_OF_LINE, REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
QUESTION_LASTS = 4
"""Duration of a question, in steps; it takes time to read."""


# -- graphs -------------------------------------------------------------------------------------------------------


def draw_graph(scene: Scene, floor: DrawnGraph, side: int, *, colour: bool, columns: int, rows: int) -> TextFloor:
    """Draw a graph as text, one place per line: the agents and goals there, and where one can go from there.

    Args:
        scene: the scene.
        floor: the graph.
        side: the graph's index in ``scene.floors``: 1 for the ego agent's own, otherwise 0.
        colour: whether to use escape sequences (256 colours).
        columns: the largest width, in characters.
        rows: the largest number of lines.

    Returns:
        The lines, the letters in them, and a remark if places are missing.
    """
    agents, goals = agent_marks(scene, side), goal_marks(scene, side, short=False)
    shown = _shown(floor, agents, goals, rows)
    edges = _edges_from(floor)
    names = {node: shortened(floor.nodes[node].name, LONGEST_NAME) for node in shown}
    wide = max(columns_of(name) for name in names.values())
    signs = {mark.sign for at in (floor.nodes[node].at for node in shown) for mark in _here(at, agents, goals)}
    lines = []
    nowhere = "not listed" if floor.n_hidden else "nowhere"
    paint = painter(colour)
    for node in shown:
        at, name = floor.nodes[node].at, names[node]
        agent, goal = agents.get(at), goals.get(at)
        called = f" [{goal.name}]" if goal and goal.name != floor.nodes[node].name else ""
        before = f"{_sign(agent, paint)} {_sign(goal, paint)}"
        line = f"{before} {paint(name, goal.colour if goal else '')}{' ' * (wide - columns_of(name))}"
        rest = shortened_end(f"{called} -> {', '.join(edges[node]) or nowhere}", columns - 4 - wide)
        lines.append(line + paint(rest, DIM))
    return TextFloor(lines, signs, _remarks(floor, len(shown)))


def _here(at: Place, agents: dict[Place, TextMark], goals: dict[Place, TextMark]) -> list[TextMark]:
    return [marks[at] for marks in (agents, goals) if at in marks]


def _sign(mark: TextMark | None, paint: Paint) -> str:
    return " " if mark is None else paint(mark.sign, mark.colour)


def _remarks(floor: DrawnGraph, n_shown: int) -> list[str]:
    hidden = floor.n_states - n_shown
    return [f"{hidden} of {floor.n_states} states are not listed"] if hidden else []


def shortened_end(text: str, longest: int) -> str:
    """Return a text, cut if it is wider than `longest` columns of a terminal; a cut text ends with "..."."""
    if columns_of(text) <= longest:
        return text
    while text and columns_of(text) > max(longest - 4, 0):
        text = text[:-1]
    return text.rstrip(" ,") + " ..."


def _shown(floor: DrawnGraph, agents: dict[Place, TextMark], goals: dict[Place, TextMark], rows: int) -> list[int]:
    """Return the indices of the nodes to list: all if there are at most `rows`, otherwise the most important nodes.

    Nodes with agents are the most important, then nodes with goals, then neighbours of nodes with agents. `agents` and
    `goals` are marks by the coordinates of their nodes.
    """
    nodes = range(len(floor.nodes) - (1 if floor.n_hidden else 0))
    occupied = [node for node in range(len(floor.nodes)) if floor.nodes[node].at in agents]
    if len(nodes) <= rows:
        return sorted({*nodes, *occupied})
    near = [
        other
        for edge in floor.edges
        for node, other in ((edge.first, edge.second), (edge.second, edge.first))
        if node in occupied
    ]
    targets = [node for node in nodes if floor.nodes[node].at in goals]
    ordered = dict.fromkeys([*occupied, *targets, *near])
    return sorted(list(ordered)[: max(rows, 1)])


def _edges_from(floor: DrawnGraph) -> list[list[str]]:
    """Return a list for each node of a graph: the names of the nodes to which actions lead from it in one step.

    The actions follow each name in parentheses, unless all edges of the graph have the same action.
    """
    found: list[list[str]] = [[] for _ in floor.nodes]
    plain = len({name for edge in floor.edges for name in (*edge.there, *edge.back)}) < 2
    for edge in floor.edges:
        for source, target, actions in ((edge.first, edge.second, edge.there), (edge.second, edge.first, edge.back)):
            if actions:
                name = shortened(floor.nodes[target].name, LONGEST_NAME)
                found[source].append(name if plain else f"{name} ({'/'.join(actions)})")
    return found


# -- scenes -------------------------------------------------------------------------------------------------------


def draw(scene: Scene, *, colour: bool = False, columns: int = COLUMNS, rows: int = ROWS) -> str:
    """Return a drawing of a scene as text: the map or graph, and lines with a legend, the places, the belief and so on.

    Args:
        scene: the scene.
        colour: whether to use escape sequences (256 colours).
        columns: the largest width of the map or graph, in characters.
        rows: the largest number of lines of the map or graph.
    """
    drawing = _floors(scene, colour, columns, rows)
    signs = [f"{sign} {meaning}" for sign, meaning in meanings(scene).items() if sign in drawing.signs]
    legend = [", ".join(signs), *drawing.remarks]
    notes = ["; ".join(legend), "; ".join(ego_places(scene)), where(scene), belief_line(scene)]
    lines = [*drawing.lines, "", *map(wrapped, notes)]
    if scene.question:
        reply = f"  {scene.reply}." if scene.reply else ""
        lines.append(f"QUESTION  {_bold(scene.question + reply, colour)}")
    lines += [scene.event, scene.progress]
    return "\n".join(line for k, line in enumerate(lines) if line or k == len(drawing.lines)) + "\n"


def _floors(scene: Scene, colour: bool, columns: int, rows: int) -> TextFloor:
    """Draw the map or graph of a scene as text, or both if each agent has its own.

    Two maps are drawn side by side, otherwise one below the other. At most `columns` characters and `rows` lines are
    used.

    Returns:
        The lines, the letters in them, and remarks about how to read them.
    """
    if len(scene.floors) == 1:
        return _draw_floor(scene, 0, colour=colour, columns=columns, rows=rows)
    names = [scene.teammate.name, scene.ego.name]
    if all(isinstance(floor, Map) for floor in scene.floors):
        half = (columns - len(BETWEEN)) // 2
        both = [_draw_floor(scene, side, colour=colour, columns=half, rows=rows - 1) for side in (0, 1)]
        columns_of_text = [[name, *made.lines] for name, made in zip(names, both, strict=True)]
        # Coloured lines keep trailing spaces: measure these, so that the width does not depend on `colour`.
        coloured = _draw_floor(scene, 0, colour=True, columns=half, rows=rows - 1).lines
        wide = max(map(_visible, [names[0], *coloured]))
        rows_of_both = zip_longest(*columns_of_text, fillvalue="")
        lines = [f"{one}{' ' * (wide - _visible(one))}{BETWEEN}{other}".rstrip() for one, other in rows_of_both]
    else:
        both = [_draw_floor(scene, side, colour=colour, columns=columns, rows=max(rows // 2 - 1, 1)) for side in (0, 1)]
        lines = [line for name, made in zip(names, both, strict=True) for line in (f"{name}:", *made.lines)]
    remarks = [f"{name}: {text}" for name, made in zip(names, both, strict=True) for text in made.remarks]
    return TextFloor(lines, both[0].signs | both[1].signs, remarks)


def _draw_floor(scene: Scene, side: int, *, colour: bool, columns: int, rows: int) -> TextFloor:
    floor = scene.floors[side]
    if isinstance(floor, Map):
        return draw_map(scene, floor, side, colour=colour, columns=columns, rows=rows)
    return draw_graph(scene, floor, side, colour=colour, columns=columns, rows=rows)


def _visible(line: str) -> int:
    return columns_of(ESCAPES.sub("", line))


def ego_places(scene: Scene) -> Iterator[str]:
    """Yield phrases such as "for A the robot goes to B", for goals of the ego agent whose marks show no names.

    In this example, the ego agent (the robot) reaches goal A where the teammate reaches goal B. After `MOST_LISTED`
    goals, the last phrase says how many are left out.
    """
    hidden = {mark.at for mark in ego_marks(scene) if mark.shared}
    called = {place: goal.name for goal in scene.goals for place in (goal.at, *goal.also)}
    hidden_goals = [goal for goal in scene.goals if hidden.intersection(goal.ego) - {goal.at, *goal.also}]
    for goal in hidden_goals[:MOST_LISTED]:
        names = list(dict.fromkeys(called[place] for place in goal.ego if place in hidden))
        yield f"for {printable(goal.name)} the {scene.ego.name} goes to {either(names)}"
    if len(hidden_goals) > MOST_LISTED:
        yield f"and {len(hidden_goals) - MOST_LISTED} more"


def where(scene: Scene) -> str:
    """Return one line with the agents' places, the teammate's goal if it is shown, and what the ego agent carries."""
    goal = "" if scene.goal is None else f", whose goal is {printable(scene.goals[scene.goal].name)}"
    hands = f", with {scene.hands}" if scene.hands else ""
    return f"{scene.teammate.name} at {scene.teammate.place}{goal}; {scene.ego.name} at {scene.ego.place}{hands}"


def belief_line(scene: Scene, most: int = MOST_BELIEFS) -> str:
    """Return one line with the likeliest goals, their probabilities, and the number of goals that are ruled out.

    It is empty if the scene has no belief. At most `most` goals are listed.
    """
    if scene.belief is None:
        return ""
    likeliest = likeliest_of([goal.name for goal in scene.goals], scene.belief, most)
    out = int((scene.belief <= 0).sum())
    return f"belief: {likeliest}" + (f"; {out} ruled out" if out else "")


def _bold(text: str, colour: bool) -> str:
    return in_terminal(text, "question") if colour else text


# -- animation ----------------------------------------------------------------------------------------------------


def can_watch(stream: TextIO) -> bool:
    """Return whether `stream` is a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def watch(
    episode: Episode,
    stream: TextIO,
    *,
    speed: float = 4.0,
    colour: bool = True,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Animate an episode in a terminal; return False if Ctrl-C interrupted the animation, otherwise True.

    Args:
        episode: the episode.
        stream: the terminal.
        speed: steps per second; a question and the end are shown longer.
        colour: whether to use escape sequences (256 colours).
        sleep: waits for a number of seconds.
    """
    title = header(episode)[1]
    stream.write(OWN_SCREEN)
    try:
        for scene in scenes(episode):
            columns, rows = shutil.get_terminal_size((100, 40))
            drawing = draw(scene, colour=colour, columns=columns - 1, rows=max(rows - LINES_BELOW, 4))
            lines = [title, *drawing.splitlines()][:rows]
            stream.write(FROM_TOP + "\n".join(line + REST_OF_LINE for line in lines) + REST_OF_SCREEN)
            stream.flush()
            sleep((QUESTION_LASTS if scene.asked else 1) / speed)
        sleep(QUESTION_LASTS / speed)
    except KeyboardInterrupt:
        return False
    else:
        return True
    finally:
        stream.write(USUAL_SCREEN)
        stream.flush()
