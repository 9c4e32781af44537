"""The coordinates along the edges of a map: which of them there is room for.

A map in a picture: the floor, its walls, and the coordinates beside and below it.

A graph in a picture: its ways, arrows where there is no way back, its nodes and their names.
"""

from __future__ import annotations

import math
from itertools import count

import numpy as np
from PIL import Image, ImageDraw

from askwise.view.floor import DrawnGraph, Edge, Map, Place, curve
from askwise.view.layout.boxes import LABEL_LETTERS, LINE_HEIGHT, NAME_BELOW, NAME_LETTERS
from askwise.view.palette import ARROW, EDGE, FAINT, FAR_WALL, FLOOR, INK, LINE, PAPER, WALL, WAY, Colour
from askwise.view.pen import SMALLEST_LETTERS, font


def labelled(cells: int, cell: float, room: float) -> range:
    """Return the coordinates to write along an edge, from 0 on, at round distances.

    Args:
        cells: how many cells there are along the edge.
        cell: how large one is.
        room: how much one label takes, with some space around it.
    """
    apart = next(k * 10**power for power in count() for k in (1, 2, 5) if k * 10**power * cell >= room)
    return range(0, cells, apart)


LONGEST_SIDE = 720
LARGEST_CELL = 48
SMALLEST_MARK = 16
DIGITS = 11
"""Height of the coordinates, in pixels."""
BELOW = 18
"""Room for them below the map; beside it they need as much as they are long."""
FINE = 2
"""Everything is drawn so many times as large, then scaled down: smooth edges without a drawing library."""


class MapPanel:
    """Where the cells of a map are in a picture, in pixels. Without a place yet, its corner is that of the picture."""

    def __init__(self, floor: Map, longest_side: int = LONGEST_SIDE) -> None:
        self.floor = floor
        width, height = floor.width, floor.height
        self.beside = int(font(DIGITS).getlength(str(height - 1))) + 9
        self.cell = min(LARGEST_CELL, (longest_side - self.beside) / width, longest_side / height)
        if self.cell >= 2:
            # Whole pixels: cells of unequal size would make an open floor look crooked.
            self.cell = float(int(self.cell))
        self.map_width, self.map_height = (max(1, round(side * self.cell)) for side in (width, height))
        self.width, self.height = self.beside + self.map_width, self.map_height + BELOW
        self.mark = max(self.cell, float(SMALLEST_MARK))
        self.left, self.top = self.beside, 0

    def move(self, left: int, top: int) -> None:
        """Put its upper left corner there."""
        self.left, self.top = left + self.beside, top

    def centre(self, place: Place) -> tuple[float, float]:
        """Return x and y of a cell's centre; y of the grid goes up, y of the picture down."""
        x, y = place
        return self.left + (x + 0.5) * self.cell, self.top + self.map_height - (y + 0.5) * self.cell

    def draw(self, canvas: Image.Image) -> None:
        """Draw the floor on a canvas that is `FINE` times as large as the picture."""
        canvas.paste(self._floor(), (FINE * self.left, FINE * self.top))
        draw = ImageDraw.Draw(canvas)
        frame = (self.left, self.top, self.left + self.map_width, self.top + self.map_height)
        draw.rectangle(tuple(FINE * side for side in frame), outline=LINE, width=FINE)
        self._draw_coordinates(draw)

    def _floor(self) -> Image.Image:
        """Return floor and walls; where the map is larger than the picture, each pixel is the mean of its cells."""
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


LARGEST_UNIT = 46
ARROW_TIP, ARROW_TIP_AT_MARK = 0.26, 0.56
"""How far from a node's centre an arrow ends: outside of the node, or of the mark that covers it."""
ARROW_LENGTH = 0.3
PIECES = 16
"""Straight pieces of which a bent way is drawn."""


class GraphPanel:
    """Where the nodes of a graph are in a picture, in pixels."""

    def __init__(self, floor: DrawnGraph, longest_side: int) -> None:
        self.floor = floor
        self.cell = min(LARGEST_UNIT, longest_side / floor.width, longest_side / floor.height)
        self.width, self.height = (max(1, math.floor(side * self.cell)) for side in (floor.width, floor.height))
        self.mark = max(self.cell, float(SMALLEST_MARK))
        self.left, self.top = 0, 0

    def move(self, left: int, top: int) -> None:
        """Put its upper left corner there."""
        self.left, self.top = left, top

    def centre(self, place: Place) -> tuple[float, float]:
        """Return x and y of a place; y of the graph goes up, y of the picture down."""
        return self.left + place[0] * self.cell, self.top + (self.floor.height - place[1]) * self.cell

    def draw(self, canvas: Image.Image) -> None:
        """Draw the graph on a canvas that is `FINE` times as large as the picture."""
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
        """Write text around a place, with a rim of paper that keeps ways off the letters."""
        size = int(FINE * self.cell * height)
        if size >= SMALLEST_LETTERS:
            rim = max(1, size // 6)
            draw.text(
                self._fine(place), text, fill=colour, font=font(size), anchor="mm", stroke_width=rim, stroke_fill=PAPER
            )


def arrow_head(floor: DrawnGraph, edge: Edge) -> list[Place]:
    """Return the corners of the arrow of a way, its tip first."""
    first, second = floor.nodes[edge.first], floor.nodes[edge.second]
    apart = ARROW_TIP_AT_MARK if second.marked else ARROW_TIP
    tip, back = (_outside(first.at, edge.through, second.at, far) for far in (apart, apart + ARROW_LENGTH))
    across = ((tip[1] - back[1]) * 0.45, (back[0] - tip[0]) * 0.45)
    return [tip, (back[0] + across[0], back[1] + across[1]), (back[0] - across[0], back[1] - across[1])]


def _outside(start: Place, through: Place, end: Place, apart: float) -> Place:
    """Return the last point of a way that is so far from its end, or half of it on a short way."""
    apart = min(apart, apart * math.dist(start, end) / 2)
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if math.dist(curve(start, through, end, middle), end) > apart else (low, middle)
    return curve(start, through, end, low)
