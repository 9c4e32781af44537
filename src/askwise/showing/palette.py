"""The colours that all drawings share.

What belongs to the teammate is orange (the teammate, its goal), what belongs to the ego agent violet (the agent, its
question), landmarks and what is carried are brown. Belief runs from pale yellow to dark blue: lightness alone tells the
order, so it can be read with any kind of colour vision, and grey is left for the goals that are ruled out.
"""

from __future__ import annotations

import math
from typing import TypeAlias

Colour: TypeAlias = tuple[int, int, int]

TEAMMATE: Colour = (213, 94, 0)
EGO: Colour = (126, 40, 150)
LANDMARK: Colour = (122, 82, 44)
FLOOR: Colour = (252, 252, 250)
LINE: Colour = (228, 228, 222)
WALL: Colour = (88, 92, 100)
FAR_WALL: Colour = (178, 182, 188)
"""Walls of a map so large that single cells cannot be seen: pale, or the marks would drown in them."""
EDGE: Colour = (84, 88, 94)
RULED_OUT: Colour = (222, 222, 222)
NO_BELIEF: Colour = (214, 228, 240)
INK: Colour = (34, 36, 40)
FAINT: Colour = (120, 124, 130)
PAPER: Colour = (255, 255, 255)
WAY: Colour = (186, 190, 196)
ARROW: Colour = (96, 100, 108)
"""Of a way that does not lead back: dark, because its direction matters more than where it runs."""

RAMP: tuple[Colour, ...] = (
    (255, 248, 196),
    (199, 233, 180),
    (127, 205, 187),
    (65, 160, 196),
    (34, 94, 168),
    (8, 29, 88),
)
"""Belief from 0 to 1 on paper: the likelier, the darker."""

DARK_RAMP: tuple[Colour, ...] = (
    (58, 60, 110),
    (49, 104, 142),
    (33, 145, 140),
    (80, 190, 110),
    (180, 222, 70),
    (253, 238, 90),
)
"""The same on a dark screen: the likelier, the brighter."""


def position(probability: float) -> float:
    """Return where on a ramp a probability lies, from 0 to 1.

    The square root tells 1 % from 5 % apart, which matters while there are many goals, and is still absolute: goals
    get darker as the belief gathers.
    """
    return math.sqrt(min(max(probability, 0.0), 1.0))


def shade(probability: float, ramp: tuple[Colour, ...] = RAMP) -> Colour:
    """Return the colour of a goal of that probability."""
    place = position(probability) * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2)
    share = place - low
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(ramp[low], ramp[low + 1], strict=True))
    return red, green, blue


def ink_on(colour: Colour) -> Colour:
    """Return black or white, whichever reads better on `colour`."""
    return INK if luminance(colour) > 0.2 else PAPER


def luminance(colour: Colour) -> float:
    """Return how light a colour looks, from 0 to 1."""
    red, green, blue = (math.pow(part / 255, 2.2) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
