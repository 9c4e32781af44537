"""Rooms that know no domain use no word of one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import askwise

SOURCE = Path(askwise.__file__).parent
PLAY = ("ask", "branches", "enumeration", "evaluate", "simulate", "situation_chain", "solve")
ROOMS = ("core", "decisions", "methods", "planning", *(f"play/{name}.py" for name in PLAY))
WORDS = re.compile(r"(?<![a-z])tool(?!box|arge)|station|(?<!askwise\.)worker|fetcher", re.IGNORECASE)
"""Words of tool fetching, also as parts of names; ``toolbox`` is what the paper calls one of its methods."""


@pytest.mark.parametrize("room", ROOMS)
def test_no_word_of_a_domain(room: str) -> None:
    place = SOURCE / room
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    assert files
    found = [
        f"{file.relative_to(SOURCE)}:{number}: {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if WORDS.search(line)
    ]
    assert found == []
