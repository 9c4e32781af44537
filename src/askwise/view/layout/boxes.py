"""Names at nodes and edges, the boxes that they occupy, and the removal of overlaps between boxes.

Sizes are in units of a drawing; one unit is about the size of a mark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from askwise.text.wording import columns_of
from askwise.types import BoolArray, FloatArray

NAME_LETTERS = 0.34
"""Font size of a name; a letter is about half as wide (`LETTER_WIDTH`)."""
LABEL_LETTERS = 0.27
LETTER_WIDTH = 0.56
LINE_HEIGHT = 0.38
NAME_BELOW = 0.5
"""Distance from a node's centre to its name below; marks extend that far."""

LONGEST_LINE = 12
LONGEST_LABEL = 12
TAIL = 4
"""Letters kept at the end of a shortened name, where names most often differ."""
PUSHES = 250
HALF_MARK = 0.55
"""Half the width of a mark on a node."""
BETWEEN = 0.35
"""Minimum gap between two boxes."""


# -- names --------------------------------------------------------------------------------------------------------


def name_width(lines: tuple[str, ...]) -> float:
    """Return the width of a node's name, written in these lines, in the unit of the drawing.

    A width of 1 is about the size of a node's mark.
    """
    return NAME_LETTERS * LETTER_WIDTH * max((columns_of(line) for line in lines), default=0)


def label_width(text: str) -> float:
    """Return the width of an action's name next to an edge; a width of 1 is about the size of a node's mark."""
    return LABEL_LETTERS * LETTER_WIDTH * columns_of(text)


def shortened(text: str, longest: int) -> str:
    """Shorten a name to at most `longest` columns by leaving out its middle.

    A column is the width of a usual character; wide characters take two.
    """
    if columns_of(text) <= longest:
        return text
    tail = min(TAIL, (longest - 1) // 2)
    return text[: longest - 2 - tail].rstrip() + ".." + text[len(text) - tail :].lstrip()


def in_lines(name: str, longest: int = LONGEST_LINE) -> tuple[str, ...]:
    """Split a name between words into one or two lines of at most `longest` columns, shortened if necessary.

    A column is the width of a usual character; wide characters take two.
    """
    if columns_of(name) <= longest:
        return (name,)
    breaks = [found.end() for found in re.finditer(r"[\s_/-]+", name) if 0 < found.end() < len(name)]
    halves = [(name[:k].rstrip(), name[k:]) for k in breaks]
    if not halves:
        return (shortened(name, longest),)
    best = min(halves, key=lambda pair: max(map(columns_of, pair)))
    return tuple(shortened(half, longest) for half in best)


# -- boxes --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """The rectangle that each node takes in a drawing, including the texts above and below it.

    All arrays are ``float64 [n]``, one element per node.

    Attributes:
        half_width: half the width of each rectangle.
        above: the distance from the node's position to the upper edge.
        below: the distance from the node's position to the lower edge.
    """

    half_width: FloatArray
    above: FloatArray
    below: FloatArray

    @classmethod
    def of(cls, names: list[tuple[str, ...]], above: list[str]) -> Boxes:
        """Return the boxes of nodes with these texts.

        `names` are the lines below each node, `above` is the line above it, empty for none.
        """
        texts = zip(names, above, strict=True)
        half = np.array([max(HALF_MARK, name_width((*lines, text)) / 2) for lines, text in texts])
        below = np.array([NAME_BELOW + LINE_HEIGHT * len(lines) for lines in names])
        return cls(half, np.array([HALF_MARK + (LINE_HEIGHT if text else 0.0) for text in above]), below)

    @property
    def widths(self) -> FloatArray:
        """``float64 [n]``, the widths of the boxes, each including the gap to the next box."""
        return 2 * self.half_width + BETWEEN

    @property
    def heights(self) -> FloatArray:
        """``float64 [n]``, the heights of the boxes, each including the gap to the next box."""
        return self.above + self.below + BETWEEN

    @property
    def right(self) -> tuple[FloatArray, FloatArray]:
        """The space that each node needs to the left and to the right of its position, as two arrays ``float64 [n]``.

        Each includes half the gap between boxes.
        """
        return self.half_width + BETWEEN / 2, self.half_width + BETWEEN / 2

    @property
    def down(self) -> tuple[FloatArray, FloatArray]:
        """The space that each node needs above and below its position, as two arrays ``float64 [n]``.

        Each includes half the gap between boxes.
        """
        return self.above + BETWEEN / 2, self.below + BETWEEN / 2

    def some(self, chosen: list[int]) -> Boxes:
        """Return the boxes of the nodes with these indices."""
        return Boxes(self.half_width[chosen], self.above[chosen], self.below[chosen])


def spread(places: FloatArray, boxes: Boxes) -> FloatArray:
    """Return positions of nodes at which no two boxes overlap, by moving the nodes in small steps.

    `places` and the result are ``float64 [n, 2]``; `places` is not changed.
    """
    places = _separated(places.copy())
    for _ in range(PUSHES):
        push = _push(places, boxes)
        if not push.any():
            return places
        places += 0.6 * push
    # If pushing has not separated all boxes, enlarging the drawing does: no two positions are equal.
    places = _separated(places)
    while (factor := _factor(places, boxes)) > 1:
        places *= factor
    return places


def _separated(places: FloatArray) -> FloatArray:
    """Move nodes at equal positions slightly apart, because pushing cannot separate them.

    Changes the array of positions, ``float64 [n, 2]``, and returns it.
    """
    _, first = np.unique(places.round(6), axis=0, return_index=True)
    same = np.setdiff1d(np.arange(len(places)), first)
    places[same] += 0.01 * np.column_stack([same + 1, same % 7 + 1])
    return places


def _overlaps(places: FloatArray, boxes: Boxes) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return by how much each pair of boxes overlaps in x and in y, and whether it overlaps in both.

    The three arrays are ``[n, n]``; negative numbers are distances. `places` is ``float64 [n, 2]``, the positions of
    the nodes.
    """
    middles = places[:, 1] + (boxes.above - boxes.below) / 2
    needed_x = (boxes.widths[:, None] + boxes.widths[None, :]) / 2
    needed_y = (boxes.heights[:, None] + boxes.heights[None, :]) / 2
    short_x = needed_x - np.abs(places[:, None, 0] - places[None, :, 0])
    short_y = needed_y - np.abs(middles[:, None] - middles[None, :])
    overlap = (short_x > 1e-6) & (short_y > 1e-6)
    np.fill_diagonal(overlap, val=False)
    return short_x, short_y, overlap


def _push(places: FloatArray, boxes: Boxes) -> FloatArray:
    """Return how far to move each node, ``float64 [n, 2]``, to separate overlapping boxes.

    Each pair is moved apart along the axis, x or y, on which it overlaps less. `places` is ``float64 [n, 2]``, the
    positions of the nodes.
    """
    short_x, short_y, overlap = _overlaps(places, boxes)
    order = np.arange(len(places))
    before = np.where(order[:, None] < order[None, :], -1.0, 1.0)
    push = np.zeros_like(places)
    for axis, short, chosen in ((0, short_x, short_x <= short_y), (1, short_y, short_x > short_y)):
        side = np.sign(places[:, None, axis] - places[None, :, axis])
        side = np.where(side == 0, before, side)
        push[:, axis] = np.where(overlap & chosen, side * (short + 1e-3) / 2, 0.0).sum(axis=1)
    return push


def _factor(places: FloatArray, boxes: Boxes) -> float:
    """Return the factor by which to enlarge the drawing so that the boxes which overlap now become separate.

    The factor is 1 if no boxes overlap. Enlarging may have to be repeated: boxes extend further down than up, so other
    boxes can overlap afterwards.
    """
    short_x, short_y, overlap = _overlaps(places, boxes)
    if not overlap.any():
        return 1.0
    apart_x, apart_y = (np.abs(places[:, None, axis] - places[None, :, axis]) for axis in (0, 1))
    with np.errstate(divide="ignore"):
        needed = np.minimum(1 + short_x / apart_x, 1 + short_y / apart_y)
    return max(float(needed[overlap].max()), 1.02)
