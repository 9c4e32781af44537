"""A pen that draws the marks of a figure with matplotlib: goals, landmarks, agents, and what the ego agent carries.

All positions and sizes are in points (1/72 inch), with y upwards.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle, FancyBboxPatch, Polygon, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.textpath import text_to_path

from askwise.view import palette
from askwise.view.palette import hex_of, shade
from askwise.view.scene import Scene

INK, FAINT, EDGE, PAPER, TEAMMATE, EGO, LANDMARK, OUT, WAY, LINE, WALL = (
    hex_of(getattr(palette, name))
    for name in ["INK", "FAINT", "EDGE", "PAPER", "TEAMMATE", "EGO", "LANDMARK", "RULED_OUT", "WAY", "LINE", "WALL"]
)


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Return the width of a text at a font size; both are in points (1/72 inch)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the font lacks some letters, which are drawn as boxes
        wide, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(wide)


@dataclass(frozen=True)
class VectorPen:
    """Draws goals, agents and other marks in a matplotlib figure; all positions and sizes are in points (1/72 inch).

    Attributes:
        ax: the axes to draw on. Their unit must be a point; y increases upwards.
    """

    ax: Axes

    def square(self, x: float, y: float, half: float, fill: str, edge: str, thick: float = 0.6) -> None:
        """Draw a square with rounded corners and the centre (x, y); `half` is half the length of a side.

        Positions, sizes and the width `thick` of the outline are in points (1/72 inch), colours are like ``#rrggbb``.
        """
        style = f"round,pad=0,rounding_size={0.3 * half}"
        box = FancyBboxPatch((x - half, y - half), 2 * half, 2 * half, boxstyle=style)
        box.set(facecolor=fill, edgecolor=edge, linewidth=thick, zorder=4)
        self.add(box)

    def landmark(self, x: float, y: float, size: float, name: str) -> None:
        """Draw a landmark (a place that matters but is no goal) as a box with a handle and a text, at (x, y).

        `size` is the width of the cell that the mark nearly fills. All sizes are in points (1/72 inch).
        """
        half = 0.42 * size
        handle = FancyBboxPatch((x - 0.18 * size, y + 0.1 * size), 0.36 * size, 0.28 * size)
        handle.set_boxstyle("round", pad=0, rounding_size=0.08 * size)
        handle.set(fill=False, edgecolor=LANDMARK, linewidth=0.07 * size, zorder=4)
        self.add(handle)
        box = FancyBboxPatch((x - half, y - half), 2 * half, 0.64 * size)
        box.set_boxstyle("round", pad=0, rounding_size=0.08 * size)
        box.set(facecolor=LANDMARK, linewidth=0, zorder=4.2)
        self.add(box)
        if name:
            fit = min(10 * 1.6 * half / text_width(name, 10), 0.42 * size)
            self.write(x, y - 0.1 * size, name, fit, PAPER, zorder=5)

    def agent(self, x: float, y: float, radius: float, sign: str, colour: str) -> None:
        """Draw an agent as a disc with a letter and the centre (x, y).

        Positions and the radius are in points (1/72 inch); the colour is like ``#rrggbb``.
        """
        self.add(Circle((x, y), radius, facecolor=colour, edgecolor=PAPER, linewidth=0.8, zorder=7))
        self.write(x, y, sign, 1.1 * radius, PAPER, zorder=8)

    def star(self, x: float, y: float, radius: float) -> None:
        """Draw the star that marks the teammate's goal, with the centre (x, y).

        Positions and sizes are in points (1/72 inch). `radius` is the distance from the centre to the tips.
        """
        angles = np.pi * (np.arange(10) / 5 + 0.5)
        reach = np.where(np.arange(10) % 2 == 0, radius, 0.45 * radius)
        corners = np.column_stack([x + reach * np.cos(angles), y + reach * np.sin(angles)])
        self.add(Polygon(corners, facecolor=TEAMMATE, edgecolor=PAPER, linewidth=0.4, zorder=6.5))

    def tag(self, x: float, y: float, size: float, name: str) -> None:
        """Draw what the ego agent carries as a small rectangle with a name, at (x, y).

        `size` is the width of a cell, of which the rectangle takes about a third. All sizes are in points (1/72 inch).
        """
        wide = min(10 * 0.6 * size / text_width(name or "x", 10), 0.32 * size)
        self.add(Rectangle((x - 0.36 * size, y - 0.2 * size), 0.72 * size, 0.4 * size, facecolor=LANDMARK, zorder=8))
        self.write(x, y, name, wide, PAPER, zorder=9)

    def bubble(self, x: float, y: float, text: str) -> None:
        """Draw a small circle with the number of a question in it, at (x, y) in points (1/72 inch)."""
        self.add(Circle((x, y), 4.2, facecolor=PAPER, edgecolor=EGO, linewidth=1.0, zorder=9))
        self.write(x, y, text, 5.5, EGO, zorder=10)

    def add(self, patch: Any) -> None:
        """Add a shape (a patch of matplotlib) to the axes."""
        self.ax.add_patch(patch)

    def write(
        self, x: float, y: float, text: str, size: float, colour: str, *, outlined: bool = False, **more: Any
    ) -> None:
        """Write a text at (x, y), by default centred; do nothing if the font size is below 3.

        Args:
            x: the x coordinate, in points (1/72 inch).
            y: the y coordinate, upwards.
            text: the text.
            size: the font size, in points.
            colour: the colour, as ``#rrggbb``.
            outlined: whether letters have a white outline.
            more: arguments of matplotlib's ``Axes.text``, such as ``ha="left"``.
        """
        if size < 3:
            return
        style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "zorder": 3, "parse_math": False, **more}
        found = self.ax.text(x, y, text, fontsize=size, color=colour, **style)
        if outlined:
            found.set_path_effects([withStroke(linewidth=0.25 * size, foreground=PAPER)])

    def sign(self, scene: Scene, kind: str, x: float, y: float) -> None:
        """Draw the mark of an entry of the legend with the centre (x, y), in points (1/72 inch).

        The `kind` is ``teammate``, ``ego``, ``landmark`` (a place that matters), ``load`` (what the ego agent carries),
        ``star`` (the teammate's goal), ``diamond`` (the ego agent's place for a goal), ``goal``, ``asked`` (a goal in
        the question), ``out`` (a goal that is ruled out), ``wall`` or ``belief`` (the colour scale of probabilities,
        which begins near x). `scene` has the agents' letters and the belief.
        """
        pale, half = hex_of(shade(0.2)), 3.4
        if kind in ("teammate", "ego"):
            self.agent(x, y, 4.4, getattr(scene, kind).sign, TEAMMATE if kind == "teammate" else EGO)
        elif kind == "belief":
            self._scale(x - 4, y)
        elif kind == "goal":
            p = None if scene.belief is None else float(scene.belief.max())
            self.square(x, y, half, hex_of(palette.NO_BELIEF if p is None else shade(p)), EDGE)
        else:
            draw = {
                "landmark": lambda: self.landmark(x, y, 9, ""),
                "load": lambda: self.tag(x, y, 9, ""),
                "star": lambda: self.star(x, y, 4.4),
                "diamond": lambda: self.diamond(x, y, 4.2, pale, 0.8),
                "asked": lambda: self.square(x, y, half, pale, EGO, 1.6),
                "out": lambda: self.ruled_out(x, y, half),
                "wall": lambda: self.add(Rectangle((x - half, y - half), 2 * half, 2 * half, facecolor=WALL)),
            }
            draw[kind]()

    def diamond(self, x: float, y: float, half: float, fill: str, thick: float) -> None:
        """Draw a place where the ego agent reaches a goal, as a diamond with the centre (x, y).

        `half` is the distance from the centre to a corner, `thick` the width of the outline. Positions and sizes are in
        points (1/72 inch), `fill` is like ``#rrggbb``.
        """
        corners = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)]
        self.add(Polygon(corners, facecolor=fill, edgecolor=EGO, linewidth=thick, zorder=4))

    def ruled_out(self, x: float, y: float, half: float) -> None:
        """Draw a goal that is ruled out, as a grey square with a cross and the centre (x, y).

        `half` is half the length of a side; all sizes are in points (1/72 inch).
        """
        self.square(x, y, half, OUT, OUT)
        self.write(x, y, "×", 1.7 * half, FAINT, zorder=5)

    def _scale(self, left: float, y: float) -> None:
        """Draw the colour scale of probabilities, a horizontal bar.

        Args:
            left: the x coordinate of its left end, in points (1/72 inch).
            y: the y coordinate of its middle, in points.
        """
        for k in range(60):
            colour = hex_of(shade((k / 59) ** 2))
            self.add(Rectangle((left + k, y - 3.6), 1.1, 7.2, facecolor=colour, linewidth=0))
        for p, ink in ((0.01, INK), (0.1, INK), (0.5, PAPER)):
            self.write(left + 60 * palette.position(p), y, f"{100 * p:g} %", 4.8, ink, zorder=5)
