"""A figure with all that is said about it and where it goes: made in one place, laid out by the report as it says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from matplotlib.figure import Figure

FIGURES = "figures"
"""The report's section for figures that name no other."""
ORDER = 100
"""Where figures come that do not say: after those that do."""


@dataclass(frozen=True)
class Picture:
    """A figure and everything that its files and the report need to know about it.

    Attributes:
        name: of its files, without ending.
        caption: what stands below it.
        alt: what it shows, in words, for those who cannot see it.
        figure: the drawing.
        title: the heading that it stands under, together with all figures of its section that have the same one;
            empty for none.
        section: the section of the report that it belongs to, by the name that links use (``figures``, ``time``, ...).
            A section that the report has not got otherwise is added, with this as its heading.
        order: figures under one title come in this order, and those of one order in the order they were made in.
        beside: whether it is narrow enough to stand beside the others of its order.
        folded: what to click on to see it and the others of its order that have the same; empty if it is seen at once.
    """

    name: str
    caption: str
    alt: str
    figure: Figure
    title: str = ""
    section: str = FIGURES
    order: int = ORDER
    beside: bool = False
    folded: str = ""


def slug(text: str) -> str:
    """Return a name that is safe in file names everywhere."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).rstrip("-")
