"""How names are written below nodes and beside ways, and how much room they take. One unit is about one mark."""

from __future__ import annotations

import re

from askwise.text.wording import columns_of

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
