"""A map in a picture: the floor, its walls, and the coordinates beside and below it."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from askwise.view.axes import labelled
from askwise.view.floor import Map, Place
from askwise.view.marks import font
from askwise.view.palette import FAINT, FAR_WALL, FLOOR, LINE, WALL

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

    def __init__(self, ground: Map, longest_side: int = LONGEST_SIDE) -> None:
        self.ground = ground
        width, height = ground.width, ground.height
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
        walls = np.flipud(self.ground.walls)
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
        width, height = self.ground.width, self.ground.height
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
