"""How names are written below nodes and beside ways, and how much room they take. One unit is about one mark.

Room for every node and its name: boxes that overlap are pushed apart, then nothing overlaps any more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from askwise.text.wording import columns_of
from askwise.types import BoolArray, FloatArray

NAME_LETTERS = 0.34
"""Height of the letters of a name; one letter is about half as wide."""
LABEL_LETTERS = 0.27
LETTER_WIDTH = 0.56
LINE_HEIGHT = 0.38
NAME_BELOW = 0.5
"""How far below a node's centre its name begins: marks reach that far."""

LONGEST_LINE = 12
LONGEST_LABEL = 12
TAIL = 4
"""Letters that a shortened name keeps at its end, where names most often differ."""


def name_width(lines: tuple[str, ...]) -> float:
    """Return how wide a name is."""
    return NAME_LETTERS * LETTER_WIDTH * max((columns_of(line) for line in lines), default=0)


def label_width(text: str) -> float:
    """Return how wide the name of an action is."""
    return LABEL_LETTERS * LETTER_WIDTH * columns_of(text)


def shortened(text: str, longest: int) -> str:
    """Return a name in at most so many letters, without its middle if it is too long."""
    if columns_of(text) <= longest:
        return text
    tail = min(TAIL, (longest - 1) // 2)
    return text[: longest - 2 - tail].rstrip() + ".." + text[len(text) - tail :].lstrip()


def in_lines(name: str, longest: int = LONGEST_LINE) -> tuple[str, ...]:
    """Return a name in one line or two, broken between words, shortened where that is not enough."""
    if columns_of(name) <= longest:
        return (name,)
    breaks = [found.end() for found in re.finditer(r"[\s_/-]+", name) if 0 < found.end() < len(name)]
    halves = [(name[:k].rstrip(), name[k:]) for k in breaks]
    if not halves:
        return (shortened(name, longest),)
    best = min(halves, key=lambda pair: max(map(columns_of, pair)))
    return tuple(shortened(half, longest) for half in best)


PUSHES = 250
HALF_MARK = 0.55
"""Half the width of what may stand on a node."""
BETWEEN = 0.35
"""Free room between two boxes."""


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """The room that nodes need: ``float64 [n]`` each, as distances from the node's place."""

    half_width: FloatArray
    above: FloatArray
    below: FloatArray

    @classmethod
    def of(cls, names: list[tuple[str, ...]], above: list[str]) -> Boxes:
        """Return the boxes of nodes with these names below them and that text above."""
        texts = zip(names, above, strict=True)
        half = np.array([max(HALF_MARK, name_width((*lines, text)) / 2) for lines, text in texts])
        below = np.array([NAME_BELOW + LINE_HEIGHT * len(lines) for lines in names])
        return cls(half, np.array([HALF_MARK + (LINE_HEIGHT if text else 0.0) for text in above]), below)

    @property
    def widths(self) -> FloatArray:
        """Whole widths, with the room between two boxes."""
        return 2 * self.half_width + BETWEEN

    @property
    def heights(self) -> FloatArray:
        """Whole heights, with the room between two boxes."""
        return self.above + self.below + BETWEEN

    @property
    def right(self) -> tuple[FloatArray, FloatArray]:
        """The room before and after each place in a row from left to right, half of that between two boxes included."""
        return self.half_width + BETWEEN / 2, self.half_width + BETWEEN / 2

    @property
    def down(self) -> tuple[FloatArray, FloatArray]:
        """The same in a column from top to bottom."""
        return self.above + BETWEEN / 2, self.below + BETWEEN / 2

    def some(self, chosen: list[int]) -> Boxes:
        """Return the boxes of some of the nodes."""
        return Boxes(self.half_width[chosen], self.above[chosen], self.below[chosen])


def spread(places: FloatArray, boxes: Boxes) -> FloatArray:
    """Return places at which no two boxes overlap, much like the given ones."""
    places = _told_apart(places.copy())
    for _ in range(PUSHES):
        push = _push(places, boxes)
        if not push.any():
            return places
        places += 0.6 * push
    # What pushing has not solved, more room does: no two nodes are in the same place.
    places = _told_apart(places)
    while (factor := _factor(places, boxes)) > 1:
        places *= factor
    return places


def _told_apart(places: FloatArray) -> FloatArray:
    """Return the places with those that are the same moved a little; what is in one place cannot be spread."""
    _, first = np.unique(places.round(6), axis=0, return_index=True)
    same = np.setdiff1d(np.arange(len(places)), first)
    places[same] += 0.01 * np.column_stack([same + 1, same % 7 + 1])
    return places


def _overlaps(places: FloatArray, boxes: Boxes) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return how far boxes would have to move in x and in y (``[n, n]``), and whether they overlap at all."""
    middles = places[:, 1] + (boxes.above - boxes.below) / 2
    needed_x = (boxes.widths[:, None] + boxes.widths[None, :]) / 2
    needed_y = (boxes.heights[:, None] + boxes.heights[None, :]) / 2
    short_x = needed_x - np.abs(places[:, None, 0] - places[None, :, 0])
    short_y = needed_y - np.abs(middles[:, None] - middles[None, :])
    overlap = (short_x > 1e-6) & (short_y > 1e-6)
    np.fill_diagonal(overlap, val=False)
    return short_x, short_y, overlap


def _push(places: FloatArray, boxes: Boxes) -> FloatArray:
    """Return by how much each node moves to make room, along the shorter way."""
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
    """Return by how much the whole drawing has to grow, 1 if nothing overlaps; once may not be enough.

    Boxes reach further down than up, so two that stood clear of each other may come to overlap as it grows.
    """
    short_x, short_y, overlap = _overlaps(places, boxes)
    if not overlap.any():
        return 1.0
    apart_x, apart_y = (np.abs(places[:, None, axis] - places[None, :, axis]) for axis in (0, 1))
    with np.errstate(divide="ignore"):
        needed = np.minimum(1 + short_x / apart_x, 1 + short_y / apart_y)
    return max(float(needed[overlap].max()), 1.02)
