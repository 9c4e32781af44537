"""The studio's colours: those of all drawings (`askwise.view.palette`), as variables of a stylesheet."""

from __future__ import annotations

from askwise.view import palette
from askwise.view.palette import Colour

NAMES = (
    "TEAMMATE",
    "EGO",
    "PAYS",
    "LANDMARK",
    "FLOOR",
    "WALL",
    "EDGE",
    "INK",
    "FAINT",
    "PAPER",
    "WAY",
    "ARROW",
    "LINE",
)


def stylesheet() -> str:
    """Return the variables of all pages, ``--goal``, ``--askwise-teammate: rgb(...)`` and so on, and ramps of belief.

    ``--goal`` is a goal of which nothing is believed yet, or nothing may be shown.
    """
    found = {name.lower().replace("_", "-"): getattr(palette, name) for name in NAMES}
    lines = [f"--askwise-{name}: {_rgb(colour)};" for name, colour in found.items()]
    for kind, ramp in (("ramp", palette.RAMP), ("dark-ramp", palette.DARK_RAMP), ("alike", palette.ALIKE)):
        lines += [f"--askwise-{kind}-{k}: {_rgb(colour)};" for k, colour in enumerate(ramp)]
    lines.append(f"--goal: {_rgb(palette.NO_BELIEF)};")
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ --goal: {_rgb(palette.DARK_RAMP[0])}; }} }}\n"
    return palette.css_variables() + ":root {\n  " + "\n  ".join(lines) + "\n}\n" + dark


def _rgb(colour: Colour) -> str:
    return f"rgb({', '.join(map(str, colour))})"
