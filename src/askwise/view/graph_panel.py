"""A graph in a picture: its ways, arrows where there is no way back, its nodes and their names."""

from __future__ import annotations

import math

from PIL import Image, ImageDraw

from askwise.view.floor import Graph, Place, Way, curve
from askwise.view.layout.boxes import LABEL_LETTERS, LINE_HEIGHT, NAME_BELOW, NAME_LETTERS
from askwise.view.map_panel import FINE, SMALLEST_MARK
from askwise.view.marks import SMALLEST_LETTERS, font
from askwise.view.palette import ARROW, EDGE, FAINT, FLOOR, INK, PAPER, WAY, Colour

LARGEST_UNIT = 46
ARROW_TIP, ARROW_TIP_AT_MARK = 0.26, 0.56
"""How far from a node's centre an arrow ends: outside of the node, or of the mark that covers it."""
ARROW_LENGTH = 0.3
PIECES = 16
"""Straight pieces of which a bent way is drawn."""


class GraphPanel:
    """Where the nodes of a graph are in a picture, in pixels."""

    def __init__(self, ground: Graph, longest_side: int) -> None:
        self.ground = ground
        self.cell = min(LARGEST_UNIT, longest_side / ground.width, longest_side / ground.height)
        self.width, self.height = (max(1, math.floor(side * self.cell)) for side in (ground.width, ground.height))
        self.mark = max(self.cell, float(SMALLEST_MARK))
        self.left, self.top = 0, 0

    def move(self, left: int, top: int) -> None:
        """Put its upper left corner there."""
        self.left, self.top = left, top

    def centre(self, place: Place) -> tuple[float, float]:
        """Return x and y of a place; y of the graph goes up, y of the picture down."""
        return self.left + place[0] * self.cell, self.top + (self.ground.height - place[1]) * self.cell

    def draw(self, canvas: Image.Image) -> None:
        """Draw the graph on a canvas that is `FINE` times as large as the picture."""
        draw = ImageDraw.Draw(canvas)
        for way in self.ground.ways:
            self._draw_way(draw, way)
        for label in self.ground.labels:
            self._write(draw, label.at, label.text, LABEL_LETTERS, FAINT)
        radius = 0.17 * FINE * self.cell
        for node in self.ground.nodes:
            x, y = self._fine(node.at)
            box = (x - radius, y - radius, x + radius, y + radius)
            draw.ellipse(box, fill=FLOOR, outline=EDGE, width=max(1, round(0.05 * FINE * self.cell)))
        for node in self.ground.nodes:
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

    def _draw_way(self, draw: ImageDraw.ImageDraw, way: Way) -> None:
        start, end = self.ground.nodes[way.first].at, self.ground.nodes[way.second].at
        line = [self._fine(curve(start, way.through, end, k / PIECES)) for k in range(PIECES + 1)]
        draw.line(line, fill=WAY, width=max(1, round(0.06 * FINE * self.cell)), joint="curve")
        if way.one_way:
            draw.polygon([self._fine(corner) for corner in arrow_head(self.ground, way)], fill=ARROW)

    def _write(self, draw: ImageDraw.ImageDraw, place: Place, text: str, height: float, colour: Colour) -> None:
        """Write text around a place, with a rim of paper that keeps ways off the letters."""
        size = int(FINE * self.cell * height)
        if size >= SMALLEST_LETTERS:
            rim = max(1, size // 6)
            draw.text(
                self._fine(place), text, fill=colour, font=font(size), anchor="mm", stroke_width=rim, stroke_fill=PAPER
            )


def arrow_head(ground: Graph, way: Way) -> list[Place]:
    """Return the corners of the arrow of a way, its tip first."""
    first, second = ground.nodes[way.first], ground.nodes[way.second]
    apart = ARROW_TIP_AT_MARK if second.marked else ARROW_TIP
    tip, back = (_outside(first.at, way.through, second.at, far) for far in (apart, apart + ARROW_LENGTH))
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
