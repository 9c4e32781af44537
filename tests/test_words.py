"""Names and words: folders that know no domain use no word of one, and no two public classes share a name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import askwise

SOURCE = Path(askwise.__file__).parent
PLAY = ("ask", "branches", "enumeration", "evaluate", "simulate", "situation_chain")
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


SAME_NAMES = {
    # Both are part of the documented API of their folder.
    "Limits": {"pddl/grounding.py", "workers/heartbeat.py"},
    "Option": {"decisions/recommendation.py", "planning/questions.py"},
    "Plan": {"decisions/recommendation.py", "planning/planner.py"},
    "Tables": {"planning/tables.py", "studies/analysis/tables.py"},
    "Task": {"pddl/task.py", "studies/schema/study.py"},
}


def test_no_two_public_classes_share_a_name() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, set()).add(path.relative_to(SOURCE).as_posix())
    assert {name: files for name, files in found.items() if len(files) > 1} == SAME_NAMES
    assert len(SAME_NAMES) <= 5
