"""A scene as a picture, ``uint8 [height, width, 3]``, made without any display.

The map is above, with the coordinates beside and below it; a strip at the bottom says what is happening and what the
marks mean. All scenes of one episode have the same size. Marks have a least size: on a map of a million cells they
cover many, and are still seen.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from askwise.errors import InputError
from askwise.files import whole_file
from askwise.reading import printable
from askwise.showing.axes import labelled
from askwise.showing.marks import Pen, font
from askwise.showing.palette import FAINT, FAR_WALL, FLOOR, LINE, PAPER, WALL
from askwise.showing.scene import Cell, Scene
from askwise.showing.strip import draw_strip, strip_height

Pixels: TypeAlias = NDArray[np.uint8]

LONGEST_SIDE = 720
LARGEST_CELL = 48
SMALLEST_MARK = 16
NARROWEST = 480
"""The strip needs this width; a small map is centred above it."""
DIGITS = 11
"""Height of the coordinates, in pixels."""
BELOW = 18
"""Room for them below the map; beside it they need as much as they are long."""
FINE = 2
"""Everything is drawn so many times as large, then scaled down: smooth edges without a drawing library."""


class Layout:
    """Where the cells of a map are in its picture, in pixels."""

    def __init__(self, width: int, height: int, longest_side: int = LONGEST_SIDE) -> None:
        self.longest_side = longest_side
        self.beside = int(font(DIGITS).getlength(str(height - 1))) + 9
        self.cell = min(LARGEST_CELL, (longest_side - self.beside) / width, longest_side / height)
        if self.cell >= 2:
            # Whole pixels: cells of unequal size would make an open floor look crooked.
            self.cell = float(int(self.cell))
        self.map_width, self.map_height = (max(1, round(side * self.cell)) for side in (width, height))
        self.width = max(self.beside + self.map_width, min(NARROWEST, longest_side))
        self.left = self.beside + (self.width - self.beside - self.map_width) // 2
        self.strip = self.map_height + BELOW
        self.mark = max(self.cell, float(SMALLEST_MARK))

    def centre(self, cell: Cell) -> tuple[float, float]:
        """Return x and y of a cell's centre; y of the grid goes up, y of the picture down."""
        x, y = cell
        return self.left + (x + 0.5) * self.cell, self.map_height - (y + 0.5) * self.cell


def draw(scene: Scene, *, longest_side: int = LONGEST_SIDE) -> Pixels:
    """Draw a scene.

    Args:
        scene: what to draw.
        longest_side: how wide or high the map may be, in pixels, the coordinates beside it included.
    """
    layout = Layout(scene.ground.width, scene.ground.height, longest_side)
    height = layout.strip + strip_height(scene, layout.width)
    canvas = Image.new("RGB", (FINE * layout.width, FINE * height), PAPER)
    canvas.paste(_floor(scene, layout), (FINE * layout.left, 0))
    pen = Pen(ImageDraw.Draw(canvas), FINE * layout.mark)
    frame = (layout.left, 0, layout.left + layout.map_width, layout.map_height)
    pen.draw.rectangle(tuple(FINE * side for side in frame), outline=LINE, width=FINE)
    _draw_coordinates(scene, layout, pen.draw)
    _draw_marks(scene, layout, pen)
    draw_strip(scene, pen.draw, FINE * layout.strip, layout.width, FINE)
    return np.asarray(canvas.reduce(FINE))


def save_png(scene: Scene, path: str | Path, *, longest_side: int = LONGEST_SIDE) -> None:
    """Write a scene as a PNG file, whole or not at all."""
    check_ending(path, ".png")
    with whole_file(path) as temporary:
        Image.fromarray(draw(scene, longest_side=longest_side)).save(temporary, format="PNG")


def check_ending(path: str | Path, ending: str) -> None:
    """Refuse a file whose name would not say what is in it."""
    found = Path(path).suffix
    if found.lower() != ending:
        raise InputError(
            f"file {str(path)!r}", f"the ending {found!r}" if found else "no ending", f"the ending {ending!r}"
        )


def _floor(scene: Scene, layout: Layout) -> Image.Image:
    """Return floor and walls; where the map is larger than the picture, each pixel is the mean of its cells."""
    walls = np.flipud(scene.ground.walls)
    colour = WALL if layout.cell >= 2 else FAR_WALL
    colours = np.where(walls[..., None], np.array(colour, np.uint8), np.array(FLOOR, np.uint8))
    small = Image.fromarray(colours)
    size = (FINE * layout.map_width, FINE * layout.map_height)
    if layout.cell < 2:
        return small.resize(size, Image.Resampling.BOX)
    floor = small.resize(size, Image.Resampling.NEAREST)
    if layout.cell >= 8:
        _draw_lines(floor, walls.shape, int(FINE * layout.cell))
    return floor


def _draw_lines(floor: Image.Image, shape: tuple[int, ...], cell: int) -> None:
    pen = ImageDraw.Draw(floor)
    for row in range(shape[0] + 1):
        pen.line((0, row * cell, floor.width, row * cell), fill=LINE, width=FINE)
    for column in range(shape[1] + 1):
        pen.line((column * cell, 0, column * cell, floor.height), fill=LINE, width=FINE)


def _draw_coordinates(scene: Scene, layout: Layout, draw: ImageDraw.ImageDraw) -> None:
    width, height = scene.ground.width, scene.ground.height
    letters = font(FINE * DIGITS)

    def write(x: float, y: float, number: int, anchor: str) -> None:
        draw.text((FINE * x, FINE * y), str(number), fill=FAINT, font=letters, anchor=anchor)

    for x in labelled(width, layout.cell, font(DIGITS).getlength(str(width - 1)) + 6):
        write(layout.centre((x, 0))[0], layout.map_height + BELOW / 2 + 1, x, "mm")
    for y in labelled(height, layout.cell, DIGITS + 4):
        write(layout.left - 5, layout.centre((0, y))[1], y, "rm")


def _draw_marks(scene: Scene, layout: Layout, pen: Pen) -> None:
    def place(cell: Cell) -> tuple[float, float]:
        x, y = layout.centre(cell)
        return FINE * x, FINE * y

    for landmark in scene.landmarks:
        pen.landmark(*place(landmark.at), printable(landmark.name))
    # What matters most comes last and lies on top: first the ruled out, then by belief, then what is asked about.
    belief = [1.0] * len(scene.goals) if scene.belief is None else scene.belief.tolist()
    for k in sorted(range(len(scene.goals)), key=lambda k: (k in scene.asked, belief[k])):
        goal, likely = scene.goals[k], None if scene.belief is None else belief[k]
        pen.goal(*place(goal.at), printable(goal.name), likely, k in scene.asked)
    if scene.goal is not None:
        pen.truth(*place(scene.goals[scene.goal].at))
    _draw_agents(scene, layout, pen)


def _draw_agents(scene: Scene, layout: Layout, pen: Pen) -> None:
    teammate, ego = scene.teammate, scene.ego
    (tx, ty), (ex, ey) = ((FINE * x, FINE * y) for x, y in map(layout.centre, (teammate.at, ego.at)))
    if teammate.at != ego.at:
        pen.teammate(tx, ty, teammate.sign)
        pen.ego(ex, ey, ego.sign)
        tag = (ex + 0.34 * pen.size, ey + 0.34 * pen.size)
    else:
        # Two agents in one cell stand aside for each other.
        aside = 0.2 * pen.size
        pen.teammate(tx - aside, ty - aside, teammate.sign, 0.75)
        pen.ego(ex + aside, ey + aside, ego.sign, 0.75)
        tag = (ex - 0.28 * pen.size, ey + 0.44 * pen.size)
    if scene.carried:
        pen.load(*tag, printable(scene.carried))
