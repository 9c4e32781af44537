"""Panels: maps and graphs as parts of a picture, drawn with Pillow.

A map shows its walls and coordinates; a graph shows its edges, nodes and names. Panels are drawn on a canvas, an image
that is `FINE` times as wide and as high as the picture and is reduced to the picture's size later.
"""

from __future__ import annotations

import math
from itertools import count

import numpy as np
from PIL import Image, ImageDraw

from askwise.view.layout.net import LABEL_LETTERS, LINE_HEIGHT, NAME_BELOW, NAME_LETTERS
from askwise.view.palette import ARROW, EDGE, FAINT, FAR_WALL, FLOOR, INK, LINE, PAPER, WALL, WAY, Colour
from askwise.view.pen import SMALLEST_LETTERS, font
from askwise.view.scene import DrawnGraph, Edge, Map, Place, curve

LONGEST_SIDE = 720
LARGEST_CELL = 48
SMALLEST_MARK = 16
DIGITS = 11
"""Font size of the coordinates, in pixels."""
BELOW = 18
"""Height of the coordinates below a map, in pixels; the width to its left depends on the number of digits."""
FINE = 2
"""Supersampling factor: pictures are drawn this many times larger and then reduced, which smooths their edges."""
LARGEST_UNIT = 46
ARROW_TIP, ARROW_TIP_AT_MARK = 0.26, 0.56
"""Distance between an arrow's tip and the node's centre: outside the node, or outside the mark that covers it."""
ARROW_LENGTH = 0.3
PIECES = 16
"""Number of straight segments that approximate a curved edge."""


def labelled(cells: int, cell: float, room: float) -> range:
    """Return the coordinates to write along a side of a map: the multiples of a step, from 0.

    The step is the smallest of 1, 2, 5, 10, 20, 50, ... cells at which the coordinates do not overlap. The side has
    `cells` cells of the size `cell`; a written coordinate needs the space `room`, in the same unit.
    """
    apart = next(k * 10**power for power in count() for k in (1, 2, 5) if k * 10**power * cell >= room)
    return range(0, cells, apart)


# -- maps ---------------------------------------------------------------------------------------------------------


class MapPanel:
    """A map as a part of a picture, with its coordinates on the left and below.

    Positions and sizes are in pixels of the picture, from its upper left corner, where the panel lies until `move` is
    called.

    Args:
        floor: the map.
        longest_side: the largest width, with the coordinates, and the largest height, without them.
    """

    def __init__(self, floor: Map, longest_side: int = LONGEST_SIDE) -> None:
        self.floor = floor
        width, height = floor.width, floor.height
        self.beside = int(font(DIGITS).getlength(str(height - 1))) + 9
        self.cell = min(LARGEST_CELL, (longest_side - self.beside) / width, longest_side / height)
        if self.cell >= 2:
            # Whole pixels, because cells of unequal size look crooked.
            self.cell = float(int(self.cell))
        self.map_width, self.map_height = (max(1, round(side * self.cell)) for side in (width, height))
        self.width, self.height = self.beside + self.map_width, self.map_height + BELOW
        self.mark = max(self.cell, float(SMALLEST_MARK))
        self.left, self.top = self.beside, 0

    def move(self, left: int, top: int) -> None:
        """Move the panel in the picture, so that its upper left corner is at the position (left, top), in pixels."""
        self.left, self.top = left + self.beside, top

    def centre(self, place: Place) -> tuple[float, float]:
        """Return the position (x, y) of a cell's centre in the picture, in pixels; y increases downwards.

        Args:
            place: the column and the row of the cell, from 0; row 0 is at the bottom of the map.
        """
        x, y = place
        return self.left + (x + 0.5) * self.cell, self.top + self.map_height - (y + 0.5) * self.cell

    def draw(self, canvas: Image.Image) -> None:
        """Draw the map with its coordinates on a canvas.

        Args:
            canvas: an image that is `FINE` times as wide and as high as the picture; it is reduced to the
                picture's size later.
        """
        canvas.paste(self._floor(), (FINE * self.left, FINE * self.top))
        draw = ImageDraw.Draw(canvas)
        frame = (self.left, self.top, self.left + self.map_width, self.top + self.map_height)
        draw.rectangle(tuple(FINE * side for side in frame), outline=LINE, width=FINE)
        self._draw_coordinates(draw)

    def _floor(self) -> Image.Image:
        """Return an image of the cells and walls, in the resolution of the canvas.

        If cells are smaller than two pixels, walls are paler, and cells in the same pixel have their mean colour.
        """
        walls = np.flipud(self.floor.walls)
        colour = WALL if self.cell >= 2 else FAR_WALL
        colours = np.where(walls[..., None], np.array(colour, np.uint8), np.array(FLOOR, np.uint8))
        small = Image.fromarray(colours)
        size = (FINE * self.map_width, FINE * self.map_height)
        if self.cell < 2:
            return small.resize(size, Image.Resampling.BOX)
        floor = small.resize(size, Image.Resampling.NEAREST)
        if self.cell >= 8:
            _draw_lines(floor, walls.shape, int(FINE * self.cell))
        return floor

    def _draw_coordinates(self, draw: ImageDraw.ImageDraw) -> None:
        width, height = self.floor.width, self.floor.height
        letters = font(FINE * DIGITS)

        def write(x: float, y: float, number: int, anchor: str) -> None:
            draw.text((FINE * x, FINE * y), str(number), fill=FAINT, font=letters, anchor=anchor)

        for x in labelled(width, self.cell, font(DIGITS).getlength(str(width - 1)) + 6):
            write(self.centre((x, 0))[0], self.top + self.map_height + BELOW / 2 + 1, x, "mm")
        for y in labelled(height, self.cell, DIGITS + 4):
            write(self.left - 5, self.centre((0, y))[1], y, "rm")


def _draw_lines(floor: Image.Image, shape: tuple[int, ...], cell: int) -> None:
    pen = ImageDraw.Draw(floor)
    for row in range(shape[0] + 1):
        pen.line((0, row * cell, floor.width, row * cell), fill=LINE, width=FINE)
    for column in range(shape[1] + 1):
        pen.line((column * cell, 0, column * cell, floor.height), fill=LINE, width=FINE)


# -- graphs -------------------------------------------------------------------------------------------------------


class GraphPanel:
    """A graph as a part of a picture.

    Positions and sizes are in pixels of the picture, from its upper left corner, where the panel lies until `move` is
    called.

    Args:
        floor: the graph.
        longest_side: the largest width and height.
    """

    def __init__(self, floor: DrawnGraph, longest_side: int) -> None:
        self.floor = floor
        self.cell = min(LARGEST_UNIT, longest_side / floor.width, longest_side / floor.height)
        self.width, self.height = (max(1, math.floor(side * self.cell)) for side in (floor.width, floor.height))
        self.mark = max(self.cell, float(SMALLEST_MARK))
        self.left, self.top = 0, 0

    def move(self, left: int, top: int) -> None:
        """Move the panel in the picture, so that its upper left corner is at the position (left, top), in pixels."""
        self.left, self.top = left, top

    def centre(self, place: Place) -> tuple[float, float]:
        """Return the position (x, y) in the picture, in pixels, of the point `place` in the drawing of the graph.

        In the drawing, y increases upwards; in the picture, y increases downwards.
        """
        return self.left + place[0] * self.cell, self.top + (self.floor.height - place[1]) * self.cell

    def draw(self, canvas: Image.Image) -> None:
        """Draw the graph, with its names, on a canvas.

        Args:
            canvas: an image that is `FINE` times as wide and as high as the picture; it is reduced to the
                picture's size later.
        """
        draw = ImageDraw.Draw(canvas)
        for edge in self.floor.edges:
            self._draw_edge(draw, edge)
        for label in self.floor.labels:
            self._write(draw, label.at, label.text, LABEL_LETTERS, FAINT)
        radius = 0.17 * FINE * self.cell
        for node in self.floor.nodes:
            x, y = self._fine(node.at)
            box = (x - radius, y - radius, x + radius, y + radius)
            draw.ellipse(box, fill=FLOOR, outline=EDGE, width=max(1, round(0.05 * FINE * self.cell)))
        for node in self.floor.nodes:
            for k, line in enumerate(node.lines):
                below = NAME_BELOW + LINE_HEIGHT * (k + 0.5)
                self._write(draw, (node.at[0], node.at[1] - below), line, NAME_LETTERS, INK)
            if node.above:
                self._write(
                    draw, (node.at[0], node.at[1] + NAME_BELOW + LINE_HEIGHT / 2), node.above, NAME_LETTERS, EDGE
                )

    def _fine(self, place: Place) -> tuple[float, float]:
        x, y = self.centre(place)
        return FINE * x, FINE * y

    def _draw_edge(self, draw: ImageDraw.ImageDraw, edge: Edge) -> None:
        start, end = self.floor.nodes[edge.first].at, self.floor.nodes[edge.second].at
        line = [self._fine(curve(start, edge.through, end, k / PIECES)) for k in range(PIECES + 1)]
        draw.line(line, fill=WAY, width=max(1, round(0.06 * FINE * self.cell)), joint="curve")
        if edge.one_way:
            draw.polygon([self._fine(corner) for corner in arrow_head(self.floor, edge)], fill=ARROW)

    def _write(self, draw: ImageDraw.ImageDraw, place: Place, text: str, height: float, colour: Colour) -> None:
        """Write a text with a white outline; omit a text that would be illegibly small.

        `draw` draws on the canvas. The centre `place` and the font size `height` are in units of the drawing of the
        graph.
        """
        size = int(FINE * self.cell * height)
        if size >= SMALLEST_LETTERS:
            rim = max(1, size // 6)
            draw.text(
                self._fine(place), text, fill=colour, font=font(size), anchor="mm", stroke_width=rim, stroke_fill=PAPER
            )


def arrow_head(floor: DrawnGraph, edge: Edge) -> list[Place]:
    """Return the three corners (x, y) of the arrow head at the second node of an edge, the tip first.

    They are in units of the drawing of the graph `floor`.
    """
    first, second = floor.nodes[edge.first], floor.nodes[edge.second]
    apart = ARROW_TIP_AT_MARK if second.marked else ARROW_TIP
    tip, back = (_outside(first.at, edge.through, second.at, far) for far in (apart, apart + ARROW_LENGTH))
    across = ((tip[1] - back[1]) * 0.45, (back[0] - tip[0]) * 0.45)
    return [tip, (back[0] + across[0], back[1] + across[1]), (back[0] - across[0], back[1] - across[1])]


def _outside(start: Place, through: Place, end: Place, apart: float) -> Place:
    """Return the point of a quadratic Bézier curve at the distance `apart` from the end of the curve.

    The distance is reduced if `start` and `end` are less than 2 units of the drawing from each other. `through` is the
    control point.
    """
    apart = min(apart, apart * math.dist(start, end) / 2)
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if math.dist(curve(start, through, end, middle), end) > apart else (low, middle)
    return curve(start, through, end, low)
