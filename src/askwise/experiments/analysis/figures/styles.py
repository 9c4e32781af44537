"""How each method is drawn: a colour that colour-blind readers can tell apart, a line and a marker for grey print.

The colours are those of Okabe and Ito, but for their yellow, which is too pale for lines; and a dark red.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure

Dashes: TypeAlias = str | tuple[int, tuple[int, ...]]

BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
WINE = "#882255"
FAINT = "#777777"
GRID = "#dddddd"


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
            "markeredgecolor": "white",
            "markeredgewidth": 0.7,
        }


KNOWN = {
    "never": Style(BLACK, (0, (1, 1)), "X"),
    "baseline": Style(VERMILION, (0, (5, 1, 1, 1)), "D"),
    "toolbox": Style(GREEN, (0, (3, 1, 1, 1, 1, 1)), "^"),
    "cost-prob": Style(ORANGE, (0, (4, 2)), "s"),
    "ezq": Style(BLUE, "-", "o"),
    "ezq-local": Style(SKY, (0, (6, 2)), "v"),
    "planner": Style(PURPLE, (0, (7, 1)), "P"),
    "planner-light": Style(WINE, (0, (2, 1)), "*"),
}
"""These look the same in every figure of every study."""

_COLOURS = (SKY, PURPLE, GREEN, VERMILION, BLACK, ORANGE, BLUE)
_DASHES: tuple[Dashes, ...] = ("-", (0, (2, 1)), (0, (6, 2)), (0, (4, 1, 1, 1)))
_MARKERS = ("<", ">", "p", "h", "d", "v", "P", "*", "o", "s")


def styles(methods: Iterable[str]) -> dict[str, Style]:
    """Return a style for each method, in this order; methods beyond the known ones take the free ones in turn."""
    found: dict[str, Style] = {}
    others = 0
    for method in methods:
        if method in KNOWN:
            found[method] = KNOWN[method]
            continue
        pick = others
        found[method] = Style(
            _COLOURS[pick % len(_COLOURS)], _DASHES[pick % len(_DASHES)], _MARKERS[pick % len(_MARKERS)]
        )
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
