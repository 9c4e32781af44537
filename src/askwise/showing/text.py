"""A scene as text, for terminals: the map, what its signs mean, and what cannot be drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.reading import printable
from askwise.showing.scene import Scene
from askwise.showing.textmap import draw_map, meanings
from askwise.showing.words import percent
from askwise.types import FloatArray

COLUMNS, ROWS = 100, 60
"""Room for a drawing that does not go to a terminal."""

MOST_BELIEFS = 6
LINES_BELOW = 8
"""Lines that a drawing needs for everything but the map."""


def draw(scene: Scene, *, colour: bool = False, columns: int = COLUMNS, rows: int = ROWS) -> str:
    """Draw a scene.

    Args:
        scene: what to draw.
        colour: whether to use the escape sequences of terminals with 256 colours.
        columns: how wide the map may be.
        rows: how high the map may be.
    """
    drawing = draw_map(scene, colour=colour, columns=columns, rows=rows)
    signs = [f"{sign} {meaning}" for sign, meaning in meanings(scene).items() if sign in drawing.signs]
    legend = [", ".join(signs), *drawing.remarks]
    lines = [*drawing.lines, "", "; ".join(legend), where(scene), belief_line(scene)]
    if scene.question:
        answer = "" if scene.answer is None else "  Yes." if scene.answer else "  No."
        lines.append(f"QUESTION  {_bold(scene.question + answer, colour)}")
    lines += [scene.event, scene.progress]
    return "\n".join(line for k, line in enumerate(lines) if line or k == len(drawing.lines)) + "\n"


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


def likeliest_of(names: Sequence[str], belief: FloatArray, most: int = MOST_BELIEFS) -> str:
    """Return the likeliest goals and their probabilities; equally likely ones in the problem's order."""
    order = np.argsort(-belief, kind="stable")
    order = order[belief[order] > 0]
    shown = [f"{printable(names[k])} {percent(float(belief[k]))}" for k in order[:most].tolist()]
    return ", ".join(shown) + (f", {len(order) - most} more" if len(order) > most else "")


def _bold(text: str, colour: bool) -> str:
    return f"\x1b[1;38;5;133m{text}\x1b[0m" if colour else text
