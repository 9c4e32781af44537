"""Pictures of scenes (``uint8 [height, width, 3]``) and animated GIFs of episodes, drawn without a display.

A scene is a moment of an episode. A picture has its map or graph (two if each agent has its own), a caption and a
legend. All pictures of an episode have the same size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from askwise.core.episode import Episode
from askwise.errors import InputError
from askwise.text.files import whole_file
from askwise.text.wording import printable
from askwise.view.palette import EGO, FAINT, INK, LINE, PAPER, Colour
from askwise.view.panels import FINE, LONGEST_SIDE, GraphPanel, MapPanel
from askwise.view.pen import LETTERS, MARGIN, SIGN, Pen, draw_sign, font, legend_rows
from askwise.view.scene import Floor, GoalMark, Map, Place, Scene, ego_marks, teammate_marks
from askwise.view.scene_builder import scenes

Pixels: TypeAlias = NDArray[np.uint8]
Panel: TypeAlias = MapPanel | GraphPanel

NARROWEST = 480
"""Minimum width of the strip, in pixels; a narrower floor is centred above it."""
BETWEEN = 24
"""Gap between two floors, in pixels."""
TITLE = 26
"""Height of the titles above two floors, in pixels."""
LINE_HEIGHT = 20
"""Height of a line of the caption, in pixels."""
CAPTION_LINES = 6
"""Lines of the caption: progress, load, event or question, and reply, the longest of them in two lines.

The number is constant so that all pictures of an episode have the same size.
"""
SMALLEST = 8
"""The smallest font size to which a long caption is reduced, in pixels."""
GIF_SIDE = 560
STEP_MS, QUESTION_MS, END_MS = 350, 1800, 3000
"""Duration of a frame in milliseconds: a step, a question, the end."""
MOST_FRAMES = 500
"""Number of frames above which steps are skipped; questions are always shown."""


# -- pictures -----------------------------------------------------------------------------------------------------


class Sheet:
    """The upper part of a picture: one map or graph, or two side by side; sizes are in pixels.

    Attributes:
        panels: the maps or graphs with their positions.
        width: the width of the picture.
        height: the height of this part.

    Args:
        floors: the maps or graphs, from left to right.
        longest_side: the largest width and height of each.
    """

    def __init__(self, floors: Sequence[Floor], longest_side: int = LONGEST_SIDE) -> None:
        self.panels = [_panel(floor, longest_side) for floor in floors]
        # A star extends beyond its cell; it must not be cut off between two floors.
        beside = BETWEEN * len(self.panels) if len(self.panels) > 1 else 0
        wide = sum(panel.width for panel in self.panels) + beside
        self.width = max(wide, min(NARROWEST, longest_side))
        top = TITLE if len(self.panels) > 1 else 0
        self.height = top + max(panel.height for panel in self.panels)
        left = (self.width - wide) // 2 + beside // 4
        for panel in self.panels:
            panel.move(left, top)
            left += panel.width + BETWEEN


def _panel(floor: Floor, longest_side: int) -> Panel:
    return MapPanel(floor, longest_side) if isinstance(floor, Map) else GraphPanel(floor, longest_side)


def draw(scene: Scene, *, longest_side: int = LONGEST_SIDE) -> Pixels:
    """Draw a scene and return the picture, ``uint8 [height, width, 3]``, with red, green and blue of each pixel.

    `longest_side` is the largest width and height of each map or graph, in pixels.
    """
    sheet = Sheet(scene.floors, longest_side)
    height = sheet.height + strip_height(scene, sheet.width)
    canvas = Image.new("RGB", (FINE * sheet.width, FINE * height), PAPER)
    for panel in sheet.panels:
        panel.draw(canvas)
    draw = ImageDraw.Draw(canvas)
    if len(sheet.panels) > 1:
        _draw_titles(scene, sheet, draw)
    _draw_marks(scene, sheet.panels, draw)
    draw_strip(scene, draw, FINE * sheet.height, sheet.width, FINE)
    return np.asarray(canvas.reduce(FINE))


def save_png(scene: Scene, path: str | Path, *, longest_side: int = LONGEST_SIDE) -> None:
    """Write a picture of a scene to a PNG file; replace an existing file only when the new one is complete.

    Args:
        scene: the scene.
        path: the file; its name must end in ``.png``.
        longest_side: the largest width and height of a map or graph, in pixels.

    Raises:
        InputError: the ending is wrong, or writing fails.
    """
    check_ending(path, ".png")
    with whole_file(path) as temporary:
        Image.fromarray(draw(scene, longest_side=longest_side)).save(temporary, format="PNG")


def check_ending(path: str | Path, ending: str) -> None:
    """Raise InputError unless the file name ends in `ending`, such as ``.png``, in upper or lower case."""
    found = Path(path).suffix
    if found.lower() != ending:
        raise InputError(
            f"file {str(path)!r}", f"the ending {found!r}" if found else "no ending", f"the ending {ending!r}"
        )


def _draw_titles(scene: Scene, sheet: Sheet, draw: ImageDraw.ImageDraw) -> None:
    """Write each agent's name above the agent's own map or graph, and draw a vertical line between the two.

    `sheet` has the positions of both in the picture; `draw` draws on the canvas, which is `FINE` times as large.
    """
    for panel, name in zip(sheet.panels, (scene.teammate.name, scene.ego.name), strict=True):
        middle = panel.left + (panel.width - _beside(panel)) / 2
        draw.text((FINE * middle, FINE * TITLE / 2), name, fill=INK, font=font(FINE * 14), anchor="mm")
    x = FINE * (sheet.panels[0].left - _beside(sheet.panels[0]) + sheet.panels[0].width + BETWEEN / 2)
    draw.line((x, FINE * 4, x, FINE * (sheet.height - 4)), fill=LINE, width=FINE)


def _beside(panel: Panel) -> int:
    return panel.beside if isinstance(panel, MapPanel) else 0


def _draw_marks(scene: Scene, panels: Sequence[Panel], draw: ImageDraw.ImageDraw) -> None:
    first, last = panels[0], panels[-1]
    pen = Pen(draw, FINE * first.mark)
    for landmark in scene.landmarks:
        pen.landmark(*_fine(first, landmark.at), printable(landmark.name))
    for mark in _in_order(scene, teammate_marks(scene)):
        # A node has the names of its goals above it; they would not fit on the mark.
        name = mark.name(scene) if isinstance(first, MapPanel) else ""
        pen.goal(*_fine(first, mark.at), name, mark.probability(scene), mark.asked(scene))
    other = Pen(draw, FINE * last.mark)
    for mark in _in_order(scene, ego_marks(scene)):
        name = mark.name(scene) if isinstance(last, MapPanel) else ""
        other.ego_place(*_fine(last, mark.at), name, mark.probability(scene), mark.asked(scene), mark.shared)
    if scene.goal is not None:
        goal = scene.goals[scene.goal]
        for place in (goal.at, *goal.also):
            pen.truth(*_fine(first, place))
        if scene.ego_floor is not None:
            for place in goal.ego:
                other.truth(*_fine(last, place))
    _draw_agents(scene, panels, draw)


def _in_order(scene: Scene, marks: list[GoalMark]) -> list[GoalMark]:
    """Return the marks of goals in the order in which to draw them; later marks cover earlier ones.

    Marks of likelier goals come later; marks of goals in the current question come last.
    """
    belief = [1.0 if (p := mark.probability(scene)) is None else p for mark in marks]
    return [marks[k] for k in sorted(range(len(marks)), key=lambda k: (marks[k].asked(scene), belief[k]))]


def _fine(panel: Panel, place: Place) -> tuple[float, float]:
    x, y = panel.centre(place)
    return FINE * x, FINE * y


def _draw_agents(scene: Scene, panels: Sequence[Panel], draw: ImageDraw.ImageDraw) -> None:
    teammate, ego = scene.teammate, scene.ego
    pen, other = (Pen(draw, FINE * panel.mark) for panel in (panels[0], panels[-1]))
    (tx, ty), (ex, ey) = _fine(panels[0], teammate.at), _fine(panels[-1], ego.at)
    if teammate.at != ego.at or len(panels) > 1:
        pen.teammate(tx, ty, teammate.sign)
        other.ego(ex, ey, ego.sign)
        tag = (ex + 0.34 * other.size, ey + 0.34 * other.size)
    else:
        # Two agents in the same place are drawn off-centre.
        aside = 0.2 * pen.size
        pen.teammate(tx - aside, ty - aside, teammate.sign, 0.75)
        pen.ego(ex + aside, ey + aside, ego.sign, 0.75)
        tag = (ex - 0.28 * pen.size, ey + 0.44 * pen.size)
    if scene.carried:
        other.load(*tag, printable(scene.carried))


# -- the strip below a picture -------------------------------------------------------------------------------------


def strip_height(scene: Scene, width: int) -> int:
    """Return the height, in pixels, of the strip below a picture, which has a caption and a legend of the marks.

    Args:
        scene: the scene that the picture shows.
        width: the width of the picture, in pixels.
    """
    return 2 * MARGIN + LINE_HEIGHT * CAPTION_LINES + (SIGN + 6) * len(legend_rows(scene, width)) + MARGIN


def draw_strip(scene: Scene, draw: ImageDraw.ImageDraw, top: int, width: int, fine: int) -> None:
    """Draw the strip below a picture: a caption that says what is happening, and a legend of the marks.

    `draw` draws on the canvas, an image `fine` times as large as the picture. `top` is the strip's upper edge, in
    pixels of the canvas. `width` is the width of the picture, in its own pixels.
    """
    draw.line((0, top, fine * width, top), fill=LINE, width=fine)
    y = top + fine * (MARGIN + LINE_HEIGHT / 2)
    lines, letters = _set(_caption(scene), fine, fine * (width - 2 * MARGIN))
    room = fine * LINE_HEIGHT * min(1.0, CAPTION_LINES / max(1, len(lines)))
    for text, colour in lines:
        shown = _fitted(text, letters, fine * (width - 2 * MARGIN))
        draw.text((fine * MARGIN, y), shown, fill=colour, font=font(letters), anchor="lm")
        y += room
    y = top + fine * (2 * MARGIN + LINE_HEIGHT * CAPTION_LINES + SIGN / 2)
    pen = Pen(draw, fine * SIGN)
    for row in legend_rows(scene, width):
        x = float(fine * MARGIN)
        for sign in row:
            draw_sign(pen, sign, x, y, fine)
            x += fine * sign.width
        y += fine * (SIGN + 6)


def _caption(scene: Scene) -> list[tuple[str, Colour]]:
    hands = (f"The {scene.ego.name} has {scene.hands}." if scene.hands else "", FAINT)
    if not scene.question:
        return [(scene.progress, INK), hands, (scene.event, INK)]
    reply = f"{scene.reply}. " if scene.reply else ""
    return [(scene.progress, INK), hands, (scene.question, EGO), (f"{reply}{scene.event}", EGO)]


def _set(caption: list[tuple[str, Colour]], fine: int, width: int) -> tuple[list[tuple[str, Colour]], int]:
    """Break a caption into lines, in the largest font size at which all lines fit; return the lines and the font size.

    Sizes are in pixels of the canvas, which is `fine` times as wide as the picture. If there are too many lines even in
    the smallest size, the last lines are joined to one that is too wide.
    """
    for letters in range(LETTERS, SMALLEST - 1, -1):
        lines = [(line, colour) for text, colour in caption for line in _wrapped(text, fine * letters, width)]
        if len(lines) * letters <= CAPTION_LINES * LETTERS:
            break
    most = CAPTION_LINES * LETTERS // letters
    if len(lines) > most:
        (text, colour), rest = lines[most - 1], lines[most:]
        lines = [*lines[: most - 1], (" ".join([text, *(line for line, _ in rest)]), colour)]
    return lines, fine * letters


def _wrapped(text: str, size: int, width: int) -> list[str]:
    """Split a text at spaces into lines of at most `width` pixels at the font size `size`, which is in pixels too.

    A longer word gets a separate line. For an empty text, the result is empty.
    """
    lines: list[str] = []
    for word in text.split():
        if lines and font(size).getlength(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _fitted(text: str, size: int, width: int) -> str:
    """Return a text, cut if it is wider than `width` pixels at the font size `size`; a cut text ends with "..."."""
    if font(size).getlength(text) <= width:
        return text
    while text and font(size).getlength(text + " ...") > width:
        text = text[:-1]
    return text + " ..."


# -- animations ---------------------------------------------------------------------------------------------------


def save_gif(episode: Episode, path: str | Path, *, longest_side: int = GIF_SIDE) -> None:
    """Write an episode to an animated GIF file; replace an existing file only when the new one is complete.

    Long episodes lose some steps without questions.

    Args:
        episode: the episode.
        path: the file; its name must end in ``.gif``.
        longest_side: the largest width and height of a map or graph, in pixels.

    Raises:
        InputError: the ending is wrong, or writing fails.
    """
    check_ending(path, ".gif")
    chosen = list(_chosen(episode))
    pictures = (Image.fromarray(draw(scene, longest_side=longest_side)) for scene in chosen)
    first = next(pictures).quantize(256)
    with whole_file(path) as temporary:
        first.save(
            temporary,
            format="GIF",
            save_all=True,
            # One palette for all frames: shifting colours would look like events.
            append_images=(picture.quantize(palette=first, dither=Image.Dither.NONE) for picture in pictures),
            duration=[_duration(scene, last=k == len(chosen) - 1) for k, scene in enumerate(chosen)],
            loop=0,
        )


def _chosen(episode: Episode) -> Iterator[Scene]:
    """Yield the scenes of an episode that become frames of an animation: all scenes, unless the episode is long.

    If the episode has more than `MOST_FRAMES` steps, they are every k-th scene, all with questions, and the last one.
    """
    n = len(episode.steps)
    every = -(-n // MOST_FRAMES) or 1
    for k, scene in enumerate(scenes(episode)):
        if k % every == 0 or scene.asked or k == n:
            yield scene


def _duration(scene: Scene, *, last: bool) -> int:
    return END_MS if last else QUESTION_MS if scene.asked else STEP_MS
