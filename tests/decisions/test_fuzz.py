"""Hundreds of mutated files: each is either solved, or refused with a message that names a field."""

from __future__ import annotations

import copy
import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

from askwise.decisions.problem import parse
from askwise.decisions.recommendation import recommend
from askwise.errors import InputError
from tests.doc_pages import ROOT

FILES = sorted((ROOT / "examples" / "decisions").glob("*.toml"))
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 0.5, 1e-320, 1e12, 1e13, 10**400, 1.7e308, "", "a", "else", "\ud800", "n" * 300,
    [], {}, [[]], [0.5, 0.5], ["a", "b"], {"a": 1}, {"else": 1}, {"about": ["a"]}, [["a", 1]], "espresso", "no answer",
]  # fmt: skip


def changed(data: Any, rng: random.Random) -> Any:
    """Return a copy with one to three entries changed, removed, duplicated or renamed."""
    data = copy.deepcopy(data)
    for _ in range(rng.randint(1, 3)):
        holder, key = rng.choice(list(_places(data)) or [({}, "x")])
        way = rng.random()
        if way < 0.6:
            holder[key] = copy.deepcopy(rng.choice(VALUES))
        elif way < 0.75:
            del holder[key]
        elif isinstance(holder, dict):
            holder[rng.choice(["belief", "loss", "utility", "price", "limit", "else", "x", ""])] = holder.get(key)
        else:
            holder.append(holder[key])
    return data


def _places(data: Any) -> Any:
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in list(entries):
        yield data, key
        yield from _places(value)


def read_or_refused(text: str) -> bool:
    """Read a decision problem and solve it; return whether it was valid."""
    try:
        problem = parse(text)
    except InputError as error:
        problem, complaint = None, error
    if problem is None:
        assert complaint.field
        assert len(str(complaint)) < 2_000
        return False
    advice = recommend(problem, depth=1)
    assert advice.verdict.lower_bound <= advice.expected_loss
    json.dumps(advice.as_json(), allow_nan=False)
    assert str(advice)
    return True


def test_the_examples_are_there() -> None:
    assert [path.stem for path in FILES] == ["robot", "ticket", "travel", "triage"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_changed_values(path: Path) -> None:
    data = tomllib.loads(path.read_text())
    read = sum(read_or_refused(json.dumps(changed(data, random.Random(seed)))) for seed in range(60))
    assert 0 < read < 60


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_changed_letters(path: Path) -> None:
    text = path.read_text()
    for seed in range(40):
        rng = random.Random(seed)
        letters = list(text)
        for _ in range(rng.randint(1, 5)):
            letters[rng.randrange(len(letters))] = rng.choice("\"'[]{}=,.0123456789 \n\x00é#-")
        read_or_refused("".join(letters))
