"""The style of each method in figures: a colour, dashes and a marker, to be distinguished without colours, too.

The colours are those of `askwise.view.palette`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askwise.view import palette
from askwise.view.palette import hex_of

Dashes: TypeAlias = str | tuple[int, tuple[int, ...]]

FAINT, GRID, INK, PAPER = (hex_of(colour) for colour in (palette.FAINT, palette.LINE, palette.INK, palette.PAPER))
LOST, ASKING = hex_of(palette.WAY), hex_of(palette.EGO)
"""The colours of lost steps and of the price of questions."""


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a line: a colour, a pattern of dashes, and a marker."""

    colour: str
    dashes: Dashes
    marker: str

    def line(self) -> dict[str, Any]:
        """Return the style as keyword arguments of matplotlib's ``plot``."""
        return {
            "color": self.colour,
            "linestyle": self.dashes,
            "marker": self.marker,
            "linewidth": 1.8,
            "markersize": 6,
            "markeredgecolor": PAPER,
            "markeredgewidth": 0.7,
        }


_LINES: dict[str, tuple[Dashes, str]] = {
    "never": ((0, (1, 1)), "X"),
    "baseline": ((0, (5, 1, 1, 1)), "D"),
    "toolbox": ((0, (3, 1, 1, 1, 1, 1)), "^"),
    "cost-prob": ((0, (4, 2)), "s"),
    "ezq": ("-", "o"),
    "ezq-local": ((0, (6, 2)), "v"),
    "planner": ((0, (7, 1)), "P"),
    "planner-light": ((0, (2, 1)), "*"),
}

KNOWN = {name: Style(hex_of(palette.METHODS[name]), *line) for name, line in _LINES.items()}
"""Methods with a fixed style, the same in every figure."""

_BORROWED = ("ezq-local", "planner", "toolbox", "baseline", "cost-prob", "ezq", "planner-light")
_COLOURS = 7
"""The number of colours of other methods. It has no factor in common with the numbers of dashes and markers, so that
combinations do not repeat soon."""
_DASHES: tuple[Dashes, ...] = ("-", (0, (2, 1)), (0, (6, 2)), (0, (4, 1, 1, 1)))
_MARKERS = ("<", ">", "p", "h", "d", "v", "P", "*", "o", "s")


def styles(methods: Iterable[str]) -> dict[str, Style]:
    """Return the style of each method's line, by the name of the method.

    Methods of askwise have a fixed style. Others get colours that no known method has, and after these the colours of
    known methods, preferably of those that are not in `methods`.
    """
    names = list(methods)
    borrowed = sorted(_BORROWED, key=names.__contains__)  # those that are not in the figure first
    colours = [hex_of(each) for each in (*palette.OTHERS, *(palette.METHODS[name] for name in borrowed))][:_COLOURS]
    found: dict[str, Style] = {}
    others = 0
    for method in names:
        if method in KNOWN:
            found[method] = KNOWN[method]
            continue
        dashes, marker = _DASHES[others % len(_DASHES)], _MARKERS[others % len(_MARKERS)]
        found[method] = Style(colours[others % len(colours)], dashes, marker)
        others += 1
    return found


def legend_below(figure: Figure, ax: Axes) -> None:
    """Draw the legend of `ax` below the figure, in as many columns as fit."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    # In inches: the width of a line and its gaps, and of a letter. Long names lead to fewer columns.
    widest = 0.75 + 0.085 * max(map(len, labels))
    columns = max(1, min(len(handles), int((figure.get_figwidth() - 0.3) / widest)))
    look = {"ncols": columns, "frameon": False, "handlelength": 3.0, "columnspacing": 1.2}
    figure.legend(handles, labels, loc="outside lower center", **look)
