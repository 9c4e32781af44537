"""A graph in letters: one line for each place, with who and what is there and where one can go from it.

A scene as text, for terminals: the map or the list of places, what its signs mean, and what cannot be drawn.

Watching an episode in the terminal.

The animation has a screen of its own: when it ends, or is ended with Ctrl-C, the terminal is as it was before.
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
from askwise.text.wording import MOST_BELIEFS, columns_of, either, likeliest_of, printable
from askwise.view.floor import DrawnGraph, Map, Place
from askwise.view.layout.boxes import shortened
from askwise.view.palette import in_terminal
from askwise.view.scene import Scene, ego_marks
from askwise.view.scene_builder import scenes
from askwise.view.summary import header
from askwise.view.text_map import DIM, Paint, TextFloor, TextMark, agent_marks, draw_map, goal_marks, meanings, painter

LONGEST_NAME = 26


def draw_graph(scene: Scene, floor: DrawnGraph, side: int, *, colour: bool, columns: int, rows: int) -> TextFloor:
    """List the places of a graph, at most so many: the first of the scene's grounds (`side` 0) or the second (1)."""
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
        before = _sign(agent, paint) + _sign(goal, paint)
        told = f"{before} {paint(name, goal.colour if goal else '')}{' ' * (wide - columns_of(name))}"
        rest = shortened_end(f"{called} -> {', '.join(edges[node]) or nowhere}", columns - 3 - wide)
        lines.append(told + paint(rest, DIM))
    return TextFloor(lines, signs, _remarks(floor, len(shown)))


def _here(at: Place, agents: dict[Place, TextMark], goals: dict[Place, TextMark]) -> list[TextMark]:
    return [marks[at] for marks in (agents, goals) if at in marks]


def _sign(mark: TextMark | None, paint: Paint) -> str:
    return " " if mark is None else paint(mark.sign, mark.colour)


def _remarks(floor: DrawnGraph, n_shown: int) -> list[str]:
    hidden = floor.n_states - n_shown
    return [f"{hidden} of {floor.n_states} states are not listed"] if hidden else []


def shortened_end(text: str, longest: int) -> str:
    """Return a text without its end if it is too long."""
    if columns_of(text) <= longest:
        return text
    while text and columns_of(text) > max(longest - 4, 0):
        text = text[:-1]
    return text.rstrip(" ,") + " ..."


def _shown(floor: DrawnGraph, agents: dict[Place, TextMark], goals: dict[Place, TextMark], rows: int) -> list[int]:
    """Return the nodes to list: all, or those that matter most, where the agents are, then goals, then what is near."""
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
    """Return for each node where one can go, with the names of the actions if they are not all the same."""
    found: list[list[str]] = [[] for _ in floor.nodes]
    plain = len({name for edge in floor.edges for name in (*edge.there, *edge.back)}) < 2
    for edge in floor.edges:
        for source, target, actions in ((edge.first, edge.second, edge.there), (edge.second, edge.first, edge.back)):
            if actions:
                name = shortened(floor.nodes[target].name, LONGEST_NAME)
                found[source].append(name if plain else f"{name} ({'/'.join(actions)})")
    return found


COLUMNS, ROWS = 100, 60
"""Room for a drawing that does not go to a terminal."""

MOST_TOLD = 3
BETWEEN = "  |  "
"""What is between two maps side by side."""
ESCAPES = re.compile("\x1b\\[[0-9;]*m")
LINES_BELOW = 8
"""Lines that a drawing needs for everything but the map."""


def draw(scene: Scene, *, colour: bool = False, columns: int = COLUMNS, rows: int = ROWS) -> str:
    """Draw a scene.

    Args:
        scene: what to draw.
        colour: whether to use the escape sequences of terminals with 256 colours.
        columns: how wide the ground may be.
        rows: how high the ground may be.
    """
    drawing = _floors(scene, colour, columns, rows)
    signs = [f"{sign} {meaning}" for sign, meaning in meanings(scene).items() if sign in drawing.signs]
    legend = [", ".join(signs), *drawing.remarks]
    lines = [*drawing.lines, "", "; ".join(legend), "; ".join(_ego_places(scene)), where(scene), belief_line(scene)]
    if scene.question:
        reply = f"  {scene.reply}." if scene.reply else ""
        lines.append(f"QUESTION  {_bold(scene.question + reply, colour)}")
    lines += [scene.event, scene.progress]
    return "\n".join(line for k, line in enumerate(lines) if line or k == len(drawing.lines)) + "\n"


def _floors(scene: Scene, colour: bool, columns: int, rows: int) -> TextFloor:
    """Draw the ground, or both: side by side if there is room, else one below the other."""
    if len(scene.floors) == 1:
        return _draw_floor(scene, 0, colour=colour, columns=columns, rows=rows)
    names = [scene.teammate.name, scene.ego.name]
    if all(isinstance(floor, Map) for floor in scene.floors):
        half = (columns - len(BETWEEN)) // 2
        both = [_draw_floor(scene, side, colour=colour, columns=half, rows=rows - 1) for side in (0, 1)]
        columns_of_text = [[name, *made.lines] for name, made in zip(names, both, strict=True)]
        # Colours keep the spaces at the ends of lines: both kinds of text get the same width.
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


def _ego_places(scene: Scene) -> Iterator[str]:
    """Tell where the ego agent goes, as far as the ground cannot show it: where others are already."""
    hidden = {mark.at for mark in ego_marks(scene) if mark.shared}
    called = {place: goal.name for goal in scene.goals for place in (goal.at, *goal.also)}
    told = [goal for goal in scene.goals if hidden.intersection(goal.ego) - {goal.at, *goal.also}]
    for goal in told[:MOST_TOLD]:
        names = list(dict.fromkeys(called[place] for place in goal.ego if place in hidden))
        yield f"for {printable(goal.name)} the {scene.ego.name} goes to {either(names)}"
    if len(told) > MOST_TOLD:
        yield f"and so on for {len(told) - MOST_TOLD} more"


def where(scene: Scene) -> str:
    """Return where the agents are and what is in hand, in one line."""
    goal = "" if scene.goal is None else f", whose goal is {printable(scene.goals[scene.goal].name)}"
    hands = f", with {scene.hands}" if scene.hands else ""
    return f"{scene.teammate.name} at {scene.teammate.place}{goal}; {scene.ego.name} at {scene.ego.place}{hands}"


def belief_line(scene: Scene, most: int = MOST_BELIEFS) -> str:
    """Return the likeliest goals in one line, empty if there is no belief to show."""
    if scene.belief is None:
        return ""
    likeliest = likeliest_of([goal.name for goal in scene.goals], scene.belief, most)
    out = int((scene.belief <= 0).sum())
    return f"belief: {likeliest}" + (f"; {out} ruled out" if out else "")


def _bold(text: str, colour: bool) -> str:
    return in_terminal(text, "question") if colour else text


OWN_SCREEN, USUAL_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?1049l"
"""The cursor is hidden there, and long lines are cut instead of wrapped."""
FROM_TOP, REST_OF_LINE, REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"

QUESTION_LASTS = 4
"""A question stands as long as so many steps: it has to be read."""


def can_watch(stream: TextIO) -> bool:
    """Whether `stream` is a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def watch(
    episode: Episode,
    stream: TextIO,
    *,
    speed: float = 4.0,
    colour: bool = True,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Animate an episode; return whether it was watched to its end.

    Args:
        episode: an episode of any domain that can be drawn.
        stream: the terminal.
        speed: steps for each second.
        colour: whether to use colours.
        sleep: how to wait; tests do not wait.
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
