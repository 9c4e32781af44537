"""A scene as text, for terminals: the map or the list of places, what its signs mean, and what cannot be drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from askwise.text.reading import printable
from askwise.text.wording import MOST_BELIEFS, columns_of, either, likeliest_of
from askwise.view.floor import Map
from askwise.view.palette import in_terminal
from askwise.view.scene import Scene, ego_spots
from askwise.view.textgraph import draw_graph
from askwise.view.textmap import draw_map
from askwise.view.textmarks import TextGround, meanings

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
    drawing = _grounds(scene, colour, columns, rows)
    signs = [f"{sign} {meaning}" for sign, meaning in meanings(scene).items() if sign in drawing.signs]
    legend = [", ".join(signs), *drawing.remarks]
    lines = [*drawing.lines, "", "; ".join(legend), "; ".join(_ego_places(scene)), where(scene), belief_line(scene)]
    if scene.question:
        reply = f"  {scene.reply}." if scene.reply else ""
        lines.append(f"QUESTION  {_bold(scene.question + reply, colour)}")
    lines += [scene.event, scene.progress]
    return "\n".join(line for k, line in enumerate(lines) if line or k == len(drawing.lines)) + "\n"


def _grounds(scene: Scene, colour: bool, columns: int, rows: int) -> TextGround:
    """Draw the ground, or both: side by side if there is room, else one below the other."""
    if len(scene.grounds) == 1:
        return _ground(scene, 0, colour=colour, columns=columns, rows=rows)
    names = [scene.teammate.name, scene.ego.name]
    if all(isinstance(ground, Map) for ground in scene.grounds):
        half = (columns - len(BETWEEN)) // 2
        both = [_ground(scene, side, colour=colour, columns=half, rows=rows - 1) for side in (0, 1)]
        columns_of_text = [[name, *made.lines] for name, made in zip(names, both, strict=True)]
        # Colours keep the spaces at the ends of lines: both kinds of text get the same width.
        coloured = _ground(scene, 0, colour=True, columns=half, rows=rows - 1).lines
        wide = max(map(_visible, [names[0], *coloured]))
        rows_of_both = zip_longest(*columns_of_text, fillvalue="")
        lines = [f"{one}{' ' * (wide - _visible(one))}{BETWEEN}{other}".rstrip() for one, other in rows_of_both]
    else:
        both = [_ground(scene, side, colour=colour, columns=columns, rows=max(rows // 2 - 1, 1)) for side in (0, 1)]
        lines = [line for name, made in zip(names, both, strict=True) for line in (f"{name}:", *made.lines)]
    remarks = [f"{name}: {text}" for name, made in zip(names, both, strict=True) for text in made.remarks]
    return TextGround(lines, both[0].signs | both[1].signs, remarks)


def _ground(scene: Scene, side: int, *, colour: bool, columns: int, rows: int) -> TextGround:
    ground = scene.grounds[side]
    if isinstance(ground, Map):
        return draw_map(scene, ground, side, colour=colour, columns=columns, rows=rows)
    return draw_graph(scene, ground, side, colour=colour, columns=columns, rows=rows)


def _visible(line: str) -> int:
    return columns_of(ESCAPES.sub("", line))


def _ego_places(scene: Scene) -> Iterator[str]:
    """Tell where the ego agent goes, as far as the ground cannot show it: where others are already."""
    hidden = {spot.at for spot in ego_spots(scene) if spot.shared}
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
