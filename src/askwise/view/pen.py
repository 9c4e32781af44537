"""The marks of a picture, drawn with Pillow, and the legend that explains them.

A pen (`Pen`) draws marks of goals, landmarks, agents and loads on a canvas, an image that is reduced to the size of the
picture later. Positions and sizes are in pixels of the canvas; y increases downwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from PIL import ImageDraw, ImageFont

from askwise.view.palette import (
    EDGE,
    EGO,
    FAINT,
    INK,
    LANDMARK,
    NO_BELIEF,
    PAPER,
    RULED_OUT,
    TEAMMATE,
    WALL,
    Colour,
    ink_on,
    position,
    shade,
)
from askwise.view.scene import Map, Scene, ego_marks

SMALLEST_LETTERS = 14
"""Smallest font size that is drawn, in pixels of the canvas; smaller text would be illegible."""

EASY_LETTERS = 20
"""Font size from which text is easy to read, in pixels of the canvas."""

LETTERS = 14
"""Font size of the legend, in pixels of the picture, as are the other sizes below."""
MARGIN = 10
"""Margin to the left and to the right of the legend."""
SIGN = 22
"""Width and height of a mark in the legend."""
SCALE_WIDTH = 150
"""Width of the colour scale of probabilities in the legend."""


# -- pen -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font that comes with Pillow, which is the same on every computer.

    Args:
        size: the font size, in pixels.

    Raises:
        RuntimeError: Pillow was built without FreeType, and so has no such font.
    """
    found = ImageFont.load_default(size=size)
    if not isinstance(found, ImageFont.FreeTypeFont):  # a Pillow without FreeType has one tiny bitmap font only
        raise RuntimeError("Pillow was built without FreeType, which drawing text needs")
    return found


@dataclass(frozen=True, slots=True)
class Pen:
    """A pen that draws goals, agents and other marks on a canvas.

    Positions and sizes are in pixels; y increases downwards.

    Attributes:
        draw: Pillow's object for drawing on the canvas.
        size: the width and height of the cell in which a mark is drawn.
    """

    draw: ImageDraw.ImageDraw
    size: float

    def goal(self, x: float, y: float, name: str, probability: float | None, asked: bool) -> None:
        """Draw a goal as a square with the centre (x, y) and the text `name`; its colour shows the goal's probability.

        `probability` is 0 if the goal is ruled out (a smaller, grey, crossed square) and None if unknown. The mark has
        a frame if the current question names the goal (`asked`).
        """
        half = 0.42 * self.size
        if probability is not None and probability <= 0:
            self._ruled_out(x, y, 0.30 * self.size)
            return
        fill = NO_BELIEF if probability is None else shade(probability)
        if asked:
            self._ring(x, y)
        self._box(x, y, half, fill, EGO if asked else EDGE)
        self.label(x, y, name, 1.7 * half, 0.42 * self.size, ink_on(fill))

    def _ruled_out(self, x: float, y: float, half: float) -> None:
        self._box(x, y, half, RULED_OUT, RULED_OUT)
        arm, thin = 0.55 * half, max(1, round(0.04 * self.size))
        self.draw.line((x - arm, y - arm, x + arm, y + arm), fill=FAINT, width=thin)
        self.draw.line((x - arm, y + arm, x + arm, y - arm), fill=FAINT, width=thin)

    def _ring(self, x: float, y: float) -> None:
        """Draw the frame around a goal that the current question names.

        The frame is wider than the goal's cell, so that it stands out.

        Args:
            x: horizontal position of the centre.
            y: vertical position of the centre.
        """
        self._box(x, y, 0.54 * self.size, EGO, PAPER)

    def ego_place(
        self, x: float, y: float, name: str, probability: float | None, asked: bool, shared: bool = False
    ) -> None:
        """Draw a place where the ego agent reaches one or more goals, as a diamond with the centre (x, y) and a text.

        Args:
            x: horizontal position.
            y: vertical position.
            name: the text.
            probability: the total probability of these goals, shown by the colour; None if unknown.
            asked: whether the question names one of them; then the diamond has a frame.
            shared: whether the teammate has a mark there; then the diamond is small, without text and frame.
        """
        if shared:
            x, y, half = x - 0.36 * self.size, y + 0.36 * self.size, 0.2 * self.size
        else:
            half = 0.5 * self.size
        if probability is not None and probability <= 0:
            self._diamond(x, y, 0.75 * half, RULED_OUT, FAINT)
            return
        fill = NO_BELIEF if probability is None else shade(probability)
        if asked and not shared:
            self._diamond(x, y, 1.25 * half, EGO, PAPER)
        self._diamond(x, y, half, fill, EGO)
        if not shared and not self._fits(name, 1.3 * half, 0.34 * self.size):
            self._write_across(x, y, name)
        elif not shared:
            self.label(x, y, name, 1.3 * half, 0.34 * self.size, ink_on(fill))

    def _fits(self, text: str, width: float, height: float) -> bool:
        """Return whether a line of text fits into a rectangle in letters that are easy to read.

        The font size is `height`, or less if the text would be wider than `width`. Both are in pixels of the canvas.
        """
        return int(height * min(1.0, width / max(font(max(int(height), 1)).getlength(text), 1))) >= EASY_LETTERS

    def _write_across(self, x: float, y: float, text: str) -> None:
        """Write a text that is wider than its mark, with an outline, centred at (x, y).

        A text that would be illegibly small is omitted.
        """
        size = int(0.24 * self.size)
        if size >= SMALLEST_LETTERS:
            self.draw.text((x, y), text, fill=INK, font=font(size), anchor="mm", stroke_width=4, stroke_fill=PAPER)

    def _diamond(self, x: float, y: float, half: float, fill: Colour, edge: Colour) -> None:
        corners = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)]
        self.draw.polygon(corners, fill=fill, outline=edge, width=max(1, round(0.06 * self.size)))

    def truth(self, x: float, y: float) -> None:
        """Draw the star that marks the true goal, in the upper right corner of the cell with the centre (x, y)."""
        self.star(x + 0.36 * self.size, y - 0.36 * self.size, 0.24 * self.size)

    def star(self, x: float, y: float, radius: float) -> None:
        """Draw a five-pointed star with the centre (x, y) and the given radius, in the teammate's colour."""
        corners = []
        for k in range(10):
            reach = radius if k % 2 == 0 else 0.45 * radius
            angle = math.pi * (k / 5 - 0.5)
            corners.append((x + reach * math.cos(angle), y + reach * math.sin(angle)))
        self.draw.polygon(corners, fill=TEAMMATE, outline=PAPER)

    def landmark(self, x: float, y: float, name: str) -> None:
        """Draw a landmark, a place that matters but is no goal, as a box with a handle.

        Args:
            x: horizontal position of the centre.
            y: vertical position of the centre.
            name: the text on the box.
        """
        half, thick = 0.42 * self.size, max(1, round(0.07 * self.size))
        top = y - 0.20 * self.size
        handle = (x - 0.2 * self.size, y - 0.44 * self.size, x + 0.2 * self.size, y + 0.05 * self.size)
        self.draw.rounded_rectangle(handle, radius=0.12 * self.size, outline=LANDMARK, width=thick)
        self.draw.rounded_rectangle((x - half, top, x + half, y + half), radius=0.1 * self.size, fill=LANDMARK)
        self.label(x, (top + y + half) / 2, name, 1.7 * half, 0.38 * self.size, PAPER)

    def agent(self, x: float, y: float, letter: str, colour: Colour, scale: float = 1.0) -> None:
        """Draw an agent as a disc with a letter and the centre (x, y).

        `scale` is the size of the disc, as a multiple of the usual size.
        """
        radius = 0.38 * self.size * scale
        rim = max(1.0, 0.06 * self.size)
        self.draw.ellipse((x - radius - rim, y - radius - rim, x + radius + rim, y + radius + rim), fill=PAPER)
        self.draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
        self.label(x, y, letter, 2 * radius, 1.2 * radius, PAPER)

    def teammate(self, x: float, y: float, letter: str, scale: float = 1.0) -> None:
        """Draw the teammate as an orange disc with a letter and the centre (x, y).

        `scale` is the size of the disc, as a multiple of the usual size.
        """
        self.agent(x, y, letter, TEAMMATE, scale)

    def ego(self, x: float, y: float, letter: str, scale: float = 1.0) -> None:
        """Draw the ego agent as a violet disc with a letter and the centre (x, y).

        `scale` is the size of the disc, as a multiple of the usual size.
        """
        self.agent(x, y, letter, EGO, scale)

    def load(self, x: float, y: float, name: str) -> None:
        """Draw a load, something that the ego agent carries, as a small brown tag.

        Args:
            x: horizontal position of the centre.
            y: vertical position of the centre.
            name: the text on the tag.
        """
        wide, high = 0.34 * self.size, 0.2 * self.size
        corners = (x - wide, y - high, x + wide, y + high)
        self.draw.rounded_rectangle(corners, radius=0.08 * self.size, fill=LANDMARK, outline=PAPER, width=_thin(self))
        self.label(x, y, name, 1.8 * wide, 1.5 * high, PAPER)

    def _box(self, x: float, y: float, half: float, fill: Colour, edge: Colour) -> None:
        corners = (x - half, y - half, x + half, y + half)
        self.draw.rounded_rectangle(corners, radius=0.35 * half, fill=fill, outline=edge, width=_thin(self))

    def label(self, x: float, y: float, text: str, width: float, height: float, colour: Colour = INK) -> None:
        """Write a text centred at (x, y); omit it if it would be illegibly small.

        The font size is `height`, reduced if the text is wider than `width`; both are in pixels of the canvas.
        """
        size = int(height)
        if size < SMALLEST_LETTERS:
            return
        length = font(size).getlength(text)
        if length > width:
            size = int(size * width / length)
        if size >= SMALLEST_LETTERS:
            self.draw.text((x, y), text, fill=colour, font=font(size), anchor="mm")


def _thin(pen: Pen) -> int:
    return max(1, round(0.03 * pen.size))


# -- legend --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """An entry of the legend below a picture: a mark, or the colour scale of probabilities, and its name.

    Attributes:
        name: the name, written to the right of the mark.
        draw: draws the mark with a pen at a point (x, y), in pixels of the canvas. None for the colour scale.
    """

    name: str
    draw: Callable[[Pen, float, float], None] | None

    @property
    def width(self) -> int:
        """Width of the entry, including the space to the next entry, in pixels of the picture."""
        text = font(LETTERS).getlength(self.name)
        return SIGN + 6 + int(text) + 16 + (SCALE_WIDTH if self.draw is None else 0)


def _signs(scene: Scene) -> list[LegendEntry]:
    """Return the entries of the legend for all marks that can occur in an episode.

    Args:
        scene: a moment of the episode.
    """
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


def legend_rows(scene: Scene, width: int) -> list[list[LegendEntry]]:
    """Arrange the entries of the legend of a scene's picture in rows; return a list of the entries of each row.

    `width` is the width of the picture; only a row with a single entry may be wider.
    """
    rows: list[list[LegendEntry]] = [[]]
    used = 2 * MARGIN
    for sign in _signs(scene):
        if rows[-1] and used + sign.width > width:
            rows.append([])
            used = 2 * MARGIN
        rows[-1].append(sign)
        used += sign.width
    return rows


def draw_sign(pen: Pen, sign: LegendEntry, left: float, y: float, fine: int) -> None:
    """Draw an entry of the legend: a mark, or the colour scale of probabilities, and its name to the right.

    `left` is the left end and `y` the middle, in pixels of the canvas, which is `fine` times as wide as the picture.
    """
    if sign.draw is None:
        after = _draw_scale(pen, left, y, fine) + 8 * fine
    else:
        sign.draw(pen, left + pen.size / 2, y)
        after = left + pen.size + 6 * fine
    pen.draw.text((after, y), sign.name, fill=INK, font=font(fine * LETTERS), anchor="lm")


def _draw_scale(pen: Pen, left: float, y: float, fine: int) -> float:
    """Draw the colour scale of probabilities from 0 to 100 %, and return the x coordinate of its right end.

    `left` is its left end and `y` its middle, in pixels of the canvas, which is `fine` times as wide as the picture.
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
