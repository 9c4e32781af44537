"""The strip below a picture: a caption that says what is happening, and a legend of the marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PIL import ImageDraw

from askwise.view.palette import EGO, FAINT, INK, LINE, PAPER, WALL, Colour, position, shade
from askwise.view.pen import Pen, font
from askwise.view.scene import Map, Scene, ego_marks

LETTERS = 14
LINE_HEIGHT = 20
MARGIN = 10
SIGN = 22
SCALE_WIDTH = 150

CAPTION_LINES = 6
"""Lines of the caption: progress, load, event or question, and reply, the longest of them in two lines.

The number is constant so that all pictures of an episode have the same size.
"""
SMALLEST = 8
"""The smallest font size to which a long caption is reduced, in pixels."""


def strip_height(scene: Scene, width: int) -> int:
    """Return the height, in pixels, of the strip below a picture, which has the caption and the legend.

    Args:
        scene: the scene to describe.
        width: the width of the picture, in pixels.
    """
    return 2 * MARGIN + LINE_HEIGHT * CAPTION_LINES + (SIGN + 6) * len(_legend_rows(scene, width)) + MARGIN


def draw_strip(scene: Scene, draw: ImageDraw.ImageDraw, top: int, width: int, fine: int) -> None:
    """Draw the strip below a picture: a caption that says what is happening, and a legend of the marks.

    Args:
        scene: the scene to describe.
        draw: the canvas, which has `fine` times the size of the picture and is reduced to that size later.
        top: the upper edge of the strip, in pixels of the canvas.
        width: the width of the picture, in pixels of the picture.
        fine: the number of pixels of the canvas for each pixel of the picture, along each axis.
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
    for row in _legend_rows(scene, width):
        x = float(fine * MARGIN)
        for sign in row:
            _draw_sign(pen, sign, x, y, fine)
            x += fine * sign.width
        y += fine * (SIGN + 6)


def _caption(scene: Scene) -> list[tuple[str, Colour]]:
    hands = (f"The {scene.ego.name} has {scene.hands}." if scene.hands else "", FAINT)
    if not scene.question:
        return [(scene.progress, INK), hands, (scene.event, INK)]
    reply = f"{scene.reply}. " if scene.reply else ""
    return [(scene.progress, INK), hands, (scene.question, EGO), (f"{reply}{scene.event}", EGO)]


def _set(caption: list[tuple[str, Colour]], fine: int, width: int) -> tuple[list[tuple[str, Colour]], int]:
    """Wrap the texts of a caption, and choose the font size at which they fit.

    Args:
        caption: the texts with their colours, the first at the top.
        fine: the number of pixels of the canvas for each pixel of the picture, along each axis.
        width: the width of a line, in pixels of the canvas.

    Returns:
        The wrapped lines with their colours, and the font size in pixels of the canvas.
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
    """Split a text into lines of at most `width` pixels at the font size `size`; there are none for an empty text."""
    lines: list[str] = []
    for word in text.split():
        if lines and font(size).getlength(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _fitted(text: str, size: int, width: int) -> str:
    """Return a text of at most `width` pixels at the font size `size`; if it had to be cut, it ends with "..."."""
    if font(size).getlength(text) <= width:
        return text
    while text and font(size).getlength(text + " ...") > width:
        text = text[:-1]
    return text + " ..."


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """An entry of the legend below a picture: a mark and its name.

    Attributes:
        name: the name of the mark.
        draw: draws the mark with a pen around a point, given by its x and y in pixels of the canvas. It is None for the
            entry that shows the colours of probabilities, a scale that is wider than a mark.
    """

    name: str
    draw: Callable[[Pen, float, float], None] | None

    @property
    def width(self) -> int:
        """Width of mark and name, in pixels of the picture."""
        text = font(LETTERS).getlength(self.name)
        return SIGN + 6 + int(text) + 16 + (SCALE_WIDTH if self.draw is None else 0)


def _signs(scene: Scene) -> list[LegendEntry]:
    """Return the entries of the legend for all marks that can occur in the episode to which `scene` belongs."""
    words = scene.words
    signs = [
        LegendEntry(scene.teammate.name, lambda pen, x, y: pen.teammate(x, y, scene.teammate.sign)),
        LegendEntry(scene.ego.name, lambda pen, x, y: pen.ego(x, y, scene.ego.sign)),
    ]
    if scene.landmarks:
        signs.append(LegendEntry(words.landmark, lambda pen, x, y: pen.landmark(x, y, "")))
    if words.load:
        signs.append(LegendEntry(f"{words.load} in hand", lambda pen, x, y: pen.load(x, y, "")))
    if scene.goal is not None:
        signs.append(LegendEntry("the goal", lambda pen, x, y: pen.star(x, y, 0.4 * pen.size)))
    if ego_marks(scene):
        signs.append(
            LegendEntry(
                f"where the {scene.ego.name} goes", lambda pen, x, y: _smaller(pen).ego_place(x, y, "", 0.2, False)
            )
        )
    walled = any(isinstance(floor, Map) and floor.n_walls for floor in scene.floors)
    walls = [LegendEntry("wall", _draw_wall)] if walled else []
    if scene.belief is None:
        return [*signs, LegendEntry(words.goal, lambda pen, x, y: _smaller(pen).goal(x, y, "", None, False)), *walls]
    signs.append(LegendEntry("in the question", lambda pen, x, y: _smaller(pen).goal(x, y, "", 0.2, True)))
    signs.append(LegendEntry("ruled out", lambda pen, x, y: pen.goal(x, y, "", 0.0, False)))
    return [*signs, *walls, LegendEntry("belief", None)]


def _smaller(pen: Pen) -> Pen:
    return replace(pen, size=0.85 * pen.size)


def _draw_wall(pen: Pen, x: float, y: float) -> None:
    half = 0.4 * pen.size
    pen.draw.rectangle((x - half, y - half, x + half, y + half), fill=WALL)


def _legend_rows(scene: Scene, width: int) -> list[list[LegendEntry]]:
    rows: list[list[LegendEntry]] = [[]]
    used = 2 * MARGIN
    for sign in _signs(scene):
        if rows[-1] and used + sign.width > width:
            rows.append([])
            used = 2 * MARGIN
        rows[-1].append(sign)
        used += sign.width
    return rows


def _draw_sign(pen: Pen, sign: LegendEntry, left: float, y: float, fine: int) -> None:
    if sign.draw is None:
        after = _draw_scale(pen, left, y, fine) + 8 * fine
    else:
        sign.draw(pen, left + pen.size / 2, y)
        after = left + pen.size + 6 * fine
    pen.draw.text((after, y), sign.name, fill=INK, font=font(fine * LETTERS), anchor="lm")


def _draw_scale(pen: Pen, left: float, y: float, fine: int) -> float:
    """Draw the colour scale of probabilities from 0 to 100 %, and return the x coordinate of its right end.

    Args:
        pen: draws on the canvas.
        left: the x coordinate of its left end, in pixels of the canvas.
        y: the y coordinate of its middle, in pixels of the canvas.
        fine: the number of pixels of the canvas for each pixel of the picture, along each axis.
    """
    wide, half = (SCALE_WIDTH + SIGN - 8) * fine, 0.36 * pen.size
    for k in range(wide):
        colour = shade((k / (wide - 1)) ** 2)
        pen.draw.line((left + k, y - half, left + k, y + half), fill=colour)
    small = font(fine * (LETTERS - 4))
    for probability, ink in ((0.01, INK), (0.1, INK), (0.5, PAPER)):
        x = left + wide * position(probability)
        pen.draw.text((x, y), f"{100 * probability:g} %", fill=ink, font=small, anchor="mm")
    return left + wide
