"""The colours of everything that askwise draws; a colour has the same meaning everywhere.

======================  ============================================================================================
colour                  meaning
======================  ============================================================================================
orange                  the teammate: its position, path and goal, and how long its goal stays hidden
violet                  the ego agent: its position and path, its question and the price
green                   where asking pays off; on a map, darker where goals look alike for longer
brown                   landmarks (places that matter but are no goals) and what the ego agent carries
pale yellow to blue     probability of a goal: the likelier, the darker (on a dark screen, the brighter)
grey                    ruled out; also walls, edges and other neutral elements
======================  ============================================================================================

Methods have their own colours (`METHODS`, `OTHERS`). A colour is a tuple of red, green and blue, from 0 to 255.

Colour-blind people can also tell the colours apart, on paper (`LIGHT`) and dark screens (`DARK`). Lightness alone shows
a probability.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TypeAlias

Colour: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours (red, green and blue, each from 0 to 255) for a bright or a dark background.

    Attributes:
        teammate: the teammate, its path and its goal.
        ego: the ego agent, its path and its question.
        pays: steps in which asking may pay off.
        load: landmarks (places that matter but are no goals), and what the ego agent carries.
        on_mark: letters on marks of the colours above.
        page: background of the page.
        card: background of a group of elements.
        stripe: every second row of a table.
        ink: text.
        faint: less important text.
        line: borders of cards, lines of tables.
        floor: free cells of a map.
        grid: lines between cells.
        edge: outlines of goals and nodes.
        out: goals that are ruled out.
        out_ink: the names of such goals.
        way: edges of a graph.
        arrow: arrows of one-way edges.
        fails: failures.
        link: links.
    """

    teammate: Colour
    ego: Colour
    pays: Colour
    load: Colour
    on_mark: Colour
    page: Colour
    card: Colour
    stripe: Colour
    ink: Colour
    faint: Colour
    line: Colour
    floor: Colour
    grid: Colour
    edge: Colour
    out: Colour
    out_ink: Colour
    way: Colour
    arrow: Colour
    fails: Colour
    link: Colour

    def css(self) -> str:
        """Return the colours as CSS variables, such as ``--teammate: #e05a00; --on-mark: #ffffff;``.

        The variables have the names of the attributes, with hyphens in place of underscores.
        """
        return " ".join(f"--{name.replace('_', '-')}: {hex_of(colour)};" for name, colour in asdict(self).items())


LIGHT = Theme(
    teammate=(224, 90, 0),
    ego=(111, 45, 168),
    pays=(0, 140, 126),
    load=(80, 46, 14),
    on_mark=(255, 255, 255),
    page=(245, 245, 242),
    card=(255, 255, 255),
    stripe=(247, 247, 244),
    ink=(34, 36, 42),
    faint=(92, 97, 106),
    line=(221, 222, 217),
    floor=(253, 253, 251),
    grid=(230, 230, 224),
    edge=(84, 88, 94),
    out=(222, 222, 222),
    out_ink=(112, 116, 124),
    way=(186, 190, 196),
    arrow=(96, 100, 108),
    fails=(176, 18, 62),
    link=(0, 90, 148),
)
"""The theme for paper and bright screens."""

DARK = Theme(
    teammate=(255, 154, 60),
    ego=(176, 112, 240),
    pays=(47, 208, 184),
    load=(176, 104, 60),
    on_mark=(22, 24, 28),
    page=(22, 24, 28),
    card=(31, 34, 40),
    stripe=(36, 39, 46),
    ink=(232, 232, 230),
    faint=(165, 170, 179),
    line=(56, 60, 68),
    floor=(36, 39, 46),
    grid=(47, 51, 59),
    edge=(184, 188, 196),
    out=(59, 63, 71),
    out_ink=(150, 155, 164),
    way=(76, 82, 92),
    arrow=(180, 185, 194),
    fails=(255, 122, 150),
    link=(124, 196, 245),
)
"""The theme for dark screens."""

TEAMMATE, EGO, PAYS, LANDMARK = LIGHT.teammate, LIGHT.ego, LIGHT.pays, LIGHT.load
FLOOR, LINE, EDGE, RULED_OUT, WAY, ARROW = LIGHT.floor, LIGHT.grid, LIGHT.edge, LIGHT.out, LIGHT.way, LIGHT.arrow
INK, FAINT = LIGHT.ink, LIGHT.faint
PAPER: Colour = (255, 255, 255)
WALL: Colour = (88, 92, 100)
FAR_WALL: Colour = (178, 182, 188)
"""Walls of a map whose cells are too small to see; pale, so that marks stay visible."""
NO_BELIEF: Colour = (214, 228, 240)
QUESTION_PALE: Colour = (241, 232, 248)
"""Background of a written question: a pale version of the ego agent's violet."""

RAMP: tuple[Colour, ...] = (
    (255, 248, 196),
    (199, 233, 180),
    (127, 205, 187),
    (65, 160, 196),
    (34, 94, 168),
    (8, 29, 88),
)
"""Colours of probabilities from 0 to 1 on paper: the likelier, the darker."""

DARK_RAMP: tuple[Colour, ...] = (
    (58, 60, 110),
    (49, 104, 142),
    (33, 145, 140),
    (80, 190, 110),
    (180, 222, 70),
    (253, 238, 90),
)
"""Colours of probabilities from 0 to 1 on a dark screen: the likelier, the brighter."""

ALIKE: tuple[Colour, ...] = ((246, 250, 249), (178, 223, 215), (86, 176, 164), PAYS, (0, 84, 76))
"""Colours of a map by how long goals look alike there, from the shortest time to the longest."""

METHODS: dict[str, Colour] = {
    "never": (0, 0, 0),
    "baseline": (160, 82, 45),
    "toolbox": (143, 143, 0),
    "cost-prob": (230, 168, 23),
    "ezq": (0, 114, 178),
    "ezq-local": (77, 179, 230),
    "planner": (224, 108, 168),
    "planner-light": (156, 28, 80),
}
"""Colours of askwise's methods in all figures."""

OTHERS: tuple[Colour, ...] = ((0, 0, 168), (72, 0, 0))
"""Colours of other methods, such as a trained policy.

If a figure has more of them, they take the colours of methods that are not in the figure.
"""

TERMINAL = {
    "teammate": "1;48;5;166;38;5;231",
    "ego": "1;48;5;91;38;5;231",
    "both": "1;48;5;90;38;5;231",
    "question": "1;38;5;133",
    "dim": "38;5;240",
    "landmark": "1;38;5;137",
    "no belief": "1;38;5;31",
    "ruled out": "38;5;244",
}
"""The nearest colours of terminals with 256 colours, as parameters of an escape sequence."""

TERMINAL_RAMP = (229, 193, 115, 73, 31, 25, 18)
"""Colours of probabilities in a terminal, from pale to dark."""


def hex_of(colour: Colour) -> str:
    """Return a colour (red, green and blue, each from 0 to 255) as text, ``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def css_variables() -> str:
    """Return CSS that defines the colours of both themes as variables: bright by default, dark on dark screens.

    The variables are named after the attributes of `Theme`, such as ``--on-mark``. In addition, ``--paper`` is always
    white. Printed pages have the bright theme on white.
    """
    paper = hex_of(PAPER)
    return (
        f":root {{ --paper: {paper}; {LIGHT.css()} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {DARK.css()} }} }}\n"
        f"@media print {{ :root {{ {LIGHT.css()} --page: {paper}; --stripe: {paper}; }} }}\n"
    )


def css_ramps() -> str:
    """Return CSS that defines the colours of drawings as variables.

    The colours of a scale are numbered from 0, for the lowest value:

    - ``--askwise-ramp-0``, ...: probabilities, on bright ground;
    - ``--askwise-dark-ramp-0``, ...: probabilities, on dark ground;
    - ``--askwise-alike-0``, ...: the expected number of steps in which goals look alike.

    Others: ``--askwise-wall`` and ``--goal`` (goals of unknown probability).
    """
    lines = [f"--askwise-wall: {hex_of(WALL)};"]
    for kind, ramp in (("ramp", RAMP), ("dark-ramp", DARK_RAMP), ("alike", ALIKE)):
        lines += [f"--askwise-{kind}-{k}: {hex_of(colour)};" for k, colour in enumerate(ramp)]
    lines.append(f"--goal: {hex_of(NO_BELIEF)};")
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ --goal: {hex_of(DARK_RAMP[0])}; }} }}\n"
    return ":root {\n  " + "\n  ".join(lines) + "\n}\n" + dark


def position(probability: float) -> float:
    """Return the position of a probability on a colour scale, from 0 (its first colour) to 1 (its last colour).

    The position is the square root of the probability, so that small probabilities have clearly different colours.
    """
    return math.sqrt(min(max(probability, 0.0), 1.0))


def shade(probability: float, ramp: tuple[Colour, ...] = RAMP) -> Colour:
    """Return the colour (red, green and blue, each from 0 to 255) of a probability on a colour scale.

    The scale `ramp` has at least two colours, from low to high probabilities, and is interpolated.
    """
    place = position(probability) * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2)
    share = place - low
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(ramp[low], ramp[low + 1], strict=True))
    return red, green, blue


def in_terminal(text: str, kind: str) -> str:
    """Return a text between the escape sequences that colour it in a terminal with 256 colours.

    Args:
        text: the text.
        kind: the meaning of the colour, a key of `TERMINAL`, such as ``teammate`` or ``question``.
    """
    return f"\x1b[{TERMINAL[kind]}m{text}\x1b[0m"


def ink_on(colour: Colour) -> Colour:
    """Return the colour of text, dark or white, that is easier to read on the background `colour`.

    Colours are red, green and blue, each from 0 to 255.
    """
    return INK if luminance(colour) > 0.2 else PAPER


def luminance(colour: Colour) -> float:
    """Return the relative luminance of a colour, from 0 (black) to 1 (white).

    Args:
        colour: red, green and blue, each from 0 to 255.
    """
    red, green, blue = (math.pow(part / 255, 2.2) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
