"""How each method is drawn: a colour that colour-blind readers can tell apart, a line and a marker for grey print.

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
"""Steps that were lost, and questions, which are the ego agent's."""


@dataclass(frozen=True, slots=True)
class Style:
    """A colour, a pattern of dashes, a marker."""

    colour: str
    dashes: Dashes
    marker: str

    def line(self) -> dict[str, Any]:
        """Return it as options of a line."""
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
"""These look the same in every figure of every study."""

_BORROWED = ("ezq-local", "planner", "toolbox", "baseline", "cost-prob", "ezq", "planner-light")
_COLOURS = 7
"""Colours that others take in turn: as many as have no factor in common with dashes and markers, so that all differ."""
_DASHES: tuple[Dashes, ...] = ("-", (0, (2, 1)), (0, (6, 2)), (0, (4, 1, 1, 1)))
_MARKERS = ("<", ">", "p", "h", "d", "v", "P", "*", "o", "s")


def styles(methods: Iterable[str]) -> dict[str, Style]:
    """Return a style for each method, in this order.

    Methods beyond the known ones have colours of their own; where these do not suffice, they borrow those of methods
    that are not there.
    """
    names = list(methods)
    borrowed = sorted(_BORROWED, key=names.__contains__)  # those that are not there first
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
    """Put the names of what `ax` shows below the figure, in as many columns as fit."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    # Inches: a line and its gaps, and a letter of ordinary width; long names get fewer columns instead of being cut.
    widest = 0.75 + 0.085 * max(map(len, labels))
    columns = max(1, min(len(handles), int((figure.get_figwidth() - 0.3) / widest)))
    look = {"ncols": columns, "frameon": False, "handlelength": 3.0, "columnspacing": 1.2}
    figure.legend(handles, labels, loc="outside lower center", **look)
