"""Colours: one meaning each, distinguishable for every reader, defined in one place."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

import askwise
from askwise.view import palette
from askwise.view.palette import DARK, LIGHT, METHODS, OTHERS, PAPER, Colour, Theme

SOURCE = Path(askwise.__file__).parent
DOCS = SOURCE.parent.parent / "docs"
MEANINGS = ("teammate", "ego", "pays", "load")

# What people with a missing kind of cone see, in linear RGB (Machado, Oliveira and Fernandes, 2009).
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _linear(colour: Colour) -> list[float]:
    shares = [part / 255 for part in colour]
    return [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]


def _difference(one: Colour, other: Colour, vision: str) -> float:
    """Return the perceptual distance of two colours (OKLab), where black and white have a distance of 100."""
    seen = [np.clip(VISION[vision] @ _linear(colour), 0, 1) for colour in (one, other)]
    places = [TO_OKLAB @ np.cbrt(TO_CONES @ each) for each in seen]
    return 100 * math.dist(*places)


def _contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours as defined by WCAG, from 1 to 21."""
    low, high = sorted(float(np.dot([0.2126, 0.7152, 0.0722], _linear(colour))) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def test_measures_of_colours_are_right() -> None:
    assert _contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert _difference((0, 0, 0), (255, 255, 255), "normal") == pytest.approx(100, abs=0.01)
    # A red and a green that nobody without green cones tells apart well.
    red, green = (197, 112, 90), (140, 140, 90)
    assert _difference(red, green, "deuteranopia") < 0.45 * _difference(red, green, "normal")


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_drawn_stands_out(look: Theme) -> None:
    for name in MEANINGS:
        colour = getattr(look, name)
        for floor in (look.card, look.floor, look.page):
            assert _contrast(colour, floor) >= 3, (name, floor)
        assert _contrast(look.on_mark, colour) >= 3, name
    for name in ("ink", "faint", "fails", "link"):
        for floor in (look.card, look.page, look.stripe, look.floor):
            assert _contrast(getattr(look, name), floor) >= 4.5, (name, floor)
    assert _contrast(look.out_ink, look.out) >= 3


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_meanings_are_told_apart_by_every_reader(look: Theme, vision: str) -> None:
    for one, other in itertools.combinations(MEANINGS, 2):
        assert _difference(getattr(look, one), getattr(look, other), vision) >= 12, (one, other)


@pytest.mark.parametrize("vision", VISION)
def test_methods_are_told_apart_by_every_reader(vision: str) -> None:
    for one, other in itertools.combinations([*METHODS.values(), *OTHERS], 2):
        assert _difference(one, other, vision) >= 7.5, (one, other)


def test_no_method_has_a_colour_with_another_meaning() -> None:
    for colour, meaning in itertools.product([*METHODS.values(), *OTHERS], MEANINGS):
        assert _difference(colour, getattr(LIGHT, meaning), "normal") >= 10, (colour, meaning)
        assert _contrast(colour, PAPER) >= 2, colour


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("ramp", ["RAMP", "DARK_RAMP", "ALIKE"])
def test_ramps_are_read_from_lightness_alone(ramp: str, vision: str) -> None:
    seen = [VISION[vision] @ _linear(colour) for colour in getattr(palette, ramp)]
    light = [float(np.dot([0.2126, 0.7152, 0.0722], colour)) for colour in seen]
    assert light == sorted(light, reverse=ramp != "DARK_RAMP")


def test_pages_get_every_colour_for_bright_and_dark_screens() -> None:
    found = palette.css_variables()
    assert found.count("--teammate: #e05a00;") == 2  # bright screens and print
    assert found.count("--teammate: #ff9a3c;") == 1
    sheets = [path.read_text("utf-8") for path in SOURCE.rglob("*.css")]
    used = {name for sheet in sheets for name in re.findall(r"var\(--([a-z0-9-]+)[,)]", sheet)}
    known = {name.replace("_", "-") for name in Theme.__dataclass_fields__} | {"paper"}
    own = {name for sheet in [*sheets, palette.css_ramps()] for name in re.findall(r"--([a-z0-9-]+):", sheet)}
    scripts = [path.read_text("utf-8") for path in SOURCE.rglob("*.js")]
    own |= {name for script in scripts for name in re.findall(r"[\"'`]--([a-z0-9-]+)[\"'`]", script)}
    assert used <= known | own


OWN_COLOUR = re.compile(
    r"""\#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b(?![-\w])  # of a page or a figure
      | \b(?:rgb|rgba|hsl|hsla|oklch)\(\d               # of a page
      | [34]8;5;\d                                      # of a terminal
      | (?:color|colour|cmap)=["'](?!none|w["'])[a-zA-Z] # of matplotlib, by name
    """,
    re.VERBOSE,
)
FILES = [
    path
    for folder in (SOURCE, DOCS)
    for kind in ("py", "css", "js", "html")
    for path in sorted(folder.rglob(f"*.{kind}"))
    if not {"drawn", "reproduced", "node_modules"} & set(path.parts)
]


def test_nobody_writes_a_colour_of_his_own() -> None:
    assert len(FILES) > 100
    own = {
        str(path.relative_to(SOURCE.parent.parent)): found
        for path in FILES
        if path.name != "palette.py" and (found := OWN_COLOUR.findall(path.read_text(encoding="utf-8")))
    }
    assert own == {}
