"""The colours of everything that askwise draws, and what each of them means.

This is the one place for colours: pictures, animations, pages, figures of studies and the documentation take theirs
from here. A colour has one meaning wherever it is seen:

======================  ============================================================================================
colour                  what it means
======================  ============================================================================================
orange                  the teammate: where it is, its way, its goal, how long it keeps its goal to itself
violet                  the ego agent: where it is, its way, its question and what that costs
green                   where asking pays; on a map, the longer goals look alike, the darker
brown                   landmarks and what is carried
pale yellow to blue     belief: the likelier, the darker (brighter on a dark screen)
grey                    ruled out; walls, ways and all that only helps to read
======================  ============================================================================================

Methods have colours of their own (`METHODS`, `OTHERS`), none of which is one of these.

**For every reader.** Belief can be read from lightness alone. The colours with a meaning differ from each other for
normal, protanopic, deuteranopic and tritanopic vision, on paper (`LIGHT`) and on dark screens (`DARK`), and so do those
of the methods, which moreover have dashes and markers of their own. ``tests/view/test_palette.py`` measures it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TypeAlias

Colour: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one kind of background.

    Attributes:
        teammate: the teammate, its way, its goal.
        ego: the ego agent, its way, its question.
        pays: where asking pays.
        load: landmarks and what is carried.
        on_mark: letters on any of these.
        page: behind everything.
        card: behind a group of things.
        stripe: behind every other row of a table.
        ink: text.
        faint: text that matters less.
        line: frames of cards, lines of tables.
        floor: cells that can be walked on.
        grid: lines between cells.
        edge: frames of goals and of places in a graph.
        out: goals that are ruled out.
        out_ink: names of these.
        way: ways in a graph.
        arrow: ways that do not lead back; their direction matters more than where they run.
        fails: what went wrong: a claim that does not hold, a mistake in an audit.
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
        """Return it as CSS variables: ``--teammate: #e05a00; --on-mark: #ffffff;`` and so on."""
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
"""On paper and bright screens."""

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
"""On dark screens."""

TEAMMATE, EGO, PAYS, LANDMARK = LIGHT.teammate, LIGHT.ego, LIGHT.pays, LIGHT.load
FLOOR, LINE, EDGE, RULED_OUT, WAY, ARROW = LIGHT.floor, LIGHT.grid, LIGHT.edge, LIGHT.out, LIGHT.way, LIGHT.arrow
INK, FAINT = LIGHT.ink, LIGHT.faint
PAPER: Colour = (255, 255, 255)
WALL: Colour = (88, 92, 100)
FAR_WALL: Colour = (178, 182, 188)
"""Walls of a map so large that single cells cannot be seen: pale, or the marks would drown in them."""
NO_BELIEF: Colour = (214, 228, 240)
QUESTION_PALE: Colour = (241, 232, 248)
"""The ego agent's violet as the background of a question that is written out."""

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

ALIKE: tuple[Colour, ...] = ((246, 250, 249), (178, 223, 215), (86, 176, 164), PAYS, (0, 84, 76))
"""How long goals look alike on a map, from not at all to longest: the longer, the more there is to ask about."""

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
"""Of the methods, in all figures of all studies."""

OTHERS: tuple[Colour, ...] = ((0, 0, 168), (72, 0, 0))
"""Of methods that are not askwise's own: a trained policy, an agent of yours. Where there are more of them, they take
those of methods that are not in the figure."""

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
"""The nearest that terminals of 256 colours have, as escape sequences without their beginning and end."""

TERMINAL_RAMP = (229, 193, 115, 73, 31, 25, 18)
"""Belief in such a terminal, pale to dark."""


def hex_of(colour: Colour) -> str:
    """Return a colour as ``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def css_variables() -> str:
    """Return all colours with a meaning as variables of a style sheet, for bright screens, dark ones and paper.

    ``var(--teammate)``, ``var(--ink)`` and so on are then at hand: the names of `Theme`, with hyphens. ``var(--paper)``
    is white everywhere, for figures that are drawn on paper.
    """
    paper = hex_of(PAPER)
    return (
        f":root {{ --paper: {paper}; {LIGHT.css()} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {DARK.css()} }} }}\n"
        f"@media print {{ :root {{ {LIGHT.css()} --page: {paper}; --stripe: {paper}; }} }}\n"
    )


def css_ramps() -> str:
    """Return the ramps as CSS variables, from ``--askwise-ramp-0`` to ``--askwise-alike-4``, and the colour of walls.

    ``--goal`` is the colour of a goal whose probability is unknown or must not be shown.
    """
    lines = [f"--askwise-wall: {hex_of(WALL)};"]
    for kind, ramp in (("ramp", RAMP), ("dark-ramp", DARK_RAMP), ("alike", ALIKE)):
        lines += [f"--askwise-{kind}-{k}: {hex_of(colour)};" for k, colour in enumerate(ramp)]
    lines.append(f"--goal: {hex_of(NO_BELIEF)};")
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ --goal: {hex_of(DARK_RAMP[0])}; }} }}\n"
    return ":root {\n  " + "\n  ".join(lines) + "\n}\n" + dark


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


def in_terminal(text: str, kind: str) -> str:
    """Return a text in a colour of `TERMINAL`."""
    return f"\x1b[{TERMINAL[kind]}m{text}\x1b[0m"


def ink_on(colour: Colour) -> Colour:
    """Return black or white, whichever reads better on `colour`."""
    return INK if luminance(colour) > 0.2 else PAPER


def luminance(colour: Colour) -> float:
    """Return how light a colour looks, from 0 to 1."""
    red, green, blue = (math.pow(part / 255, 2.2) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
