"""Thousands of changed problem files, JSON and TOML: each is read and played, or refused by naming the fault."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from functools import reduce
from operator import getitem
from typing import Any

import pytest

from askwise.api import as_problem
from askwise.domains import registry
from askwise.errors import InputError
from askwise.text.data import toml_text
from askwise.text.reading import Field
from tests.domains.stated.files import CONTENTS, SHORTEST

CHANGED_VALUES, CHANGED_TEXTS = 300, 250
"""Number of changes of each kind per file and format."""
PLACE = re.compile(
    r"(file|format|name|map|teammate|ego|goals|query_cost|answers|groups|words|weights|prices)\b"
    r"|line \d+|key \".*\"|(width|height|walls|toolboxes|stations|worker|fetcher|prior)\b",
    re.DOTALL,
)
"""The possible beginnings of a refusal: a key, a line, or the whole file."""

WALKED: dict[str, Any] = {
    "format": "askwise/problem@1",
    "teammate": {
        "start": [0, 0],
        "edges": [[[0, 0], "on", [1, 0]], [[1, 0], "on", "end"], [[1, 0], "back", [0, 0]], ["end", "rest", "end"]],
        "states": [[1, 0], "end"],
        "actions": ["back", "rest", "on"],
        "stay": "rest",
        "policy": {"table": [["g", [0, 0], "on", 1], ["g", [1, 0], "on", 0.5], ["g", [1, 0], "back", 0.5]]},
    },
    "ego": {"start": 1, "edges": [[1, "go", 2], [1, "off", 3]]},
    "goals": {"g": {"teammate": ["end"], "ego": [2, 3]}},
}
ROOMS = ["A.#B", "W..F", "C..."]
COVERAGE: dict[str, Any] = {
    "format": "askwise/problem@1",
    "name": "rooms",
    "teammate": {"start": "W", "map": ROOMS},
    "ego": {"start": "F", "map": ROOMS},
    "goals": {
        "A": {"teammate": "A", "ego": ["B", "C"], "weight": 2},
        "B": {"teammate": "B", "ego": ["A", "C"], "weight": 1.5},
        "C": {"teammate": "C", "ego": ["A", "B"], "price": 0.1},
    },
    "query_cost": {"base": 0.3, "per_goal": 0.1},
    "answers": {"wrong": 0},
}
FILES = {"ward": CONTENTS, "shortest": SHORTEST, "walked": WALKED, "coverage": COVERAGE}

NUMBERS = [0, 1, -1, 2, 3, 0.5, -0.0, 1e308, 5e-324, 10**40, float("nan"), float("inf"), True]
WORDS = [
    *("", "a", "desk", "hall", "room 1", "to room 1", "STAY", "A", "F", "W", "#", ".", "..\n..", "A.F\n..B", "\ud800"),
    *("askwise/problem@1", "askwise/coverage@1", "askwise/tool-fetching@1", "urop", "uniform", "persistent"),
    *("start", "edges", "map", "policy", "table", "noisy", "boltzmann", "weight", "price", "states", "x" * 300),
]


def paths(data: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values that can be changed."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [here] * bool(here) + [path for key, value in inside for path in paths(value, (*here, key))]


def some_value(chance: random.Random, data: Any) -> Any:
    """Return a number, a word, a part of the file itself, or a small list or object of these."""
    kind = chance.randrange(5)
    if kind == 0:
        return chance.choice(NUMBERS)
    if kind == 1:
        return chance.choice(WORDS)
    if kind == 2:
        return copy.deepcopy(reduce(getitem, chance.choice(paths(data)), data))
    if kind == 3:
        return [some_value(chance, data) for _ in range(chance.randrange(4))]
    return {chance.choice(WORDS): some_value(chance, data) for _ in range(chance.randrange(3))}


def changed(chance: random.Random, data: Any) -> Any:
    """Return the contents of a file after one to three changes."""
    data = copy.deepcopy(data)
    for _ in range(chance.randint(1, 3)):
        if not (choices := paths(data)):
            break
        *outer, last = chance.choice(choices)
        parent = reduce(getitem, outer, data)
        how = chance.choice(["replace", "replace", "remove", "add", "swap"])
        if how == "replace":
            parent[last] = some_value(chance, data)
        elif how == "remove":
            del parent[last]
        elif how == "add" and isinstance(parent, list):
            parent.append(some_value(chance, data))
        elif how == "add":
            parent[chance.choice(WORDS)] = some_value(chance, data)
        else:
            other = chance.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
            parent[last], parent[other] = parent[other], parent[last]
    return data


def changed_text(chance: random.Random, text: str) -> str:
    """Return a text with a few characters removed, inserted or moved."""
    start = chance.randrange(len(text))
    end = min(len(text), start + chance.choice([0, 1, 1, 2, 5, 40]))
    letters = "{}[]\",:=#.'\\\n\t 0123456789eE+-_untrfalsSTNIAF\x00é\u2028"
    inserted = "".join(chance.choice(letters) for _ in range(chance.choice([0, 1, 1, 2, 6])))
    if chance.random() < 0.2:
        inserted = text[start:end] * chance.choice([2, 50])
    return text[:start] + inserted + text[end:]


def outcome(text: str) -> str:
    """Read a file and make its problem; return the result. Any exception but a refusal fails the test."""
    try:
        stated = registry.read(text)
        problem = as_problem(stated)
        again = registry.from_json(Field("", registry.domain_of(stated).write(stated)))
        assert again == stated
        assert abs(problem.prior.sum() - 1) < 1e-9
    except InputError as error:
        refused = error
    else:
        return "read"
    assert str(refused) == f"{refused.field}: found {refused.found}; expected {refused.expected}"
    found = "drawn" if refused.field == "text" else "refused"
    assert found == "drawn" or PLACE.match(refused.field), f"{refused.field!r} in {refused}"
    return found


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("form", ["json", "toml"])
def test_changed_values(name: str, form: str) -> None:
    chance = random.Random(f"{name} {form} 1")
    seen: Counter[str] = Counter()
    for _ in range(CHANGED_VALUES):
        data = changed(chance, FILES[name])
        try:
            text = json.dumps(data) if form == "json" else toml_text(data)
            text.encode()
        except ValueError:  # TOML has no way to write it
            continue
        seen[outcome(text)] += 1
    assert seen["read"] > 5
    assert seen["refused"] > CHANGED_VALUES // 3


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("form", ["json", "toml"])
def test_changed_texts(name: str, form: str) -> None:
    chance = random.Random(f"{name} {form} 2")
    text = json.dumps(FILES[name], indent=1) if form == "json" else toml_text(FILES[name])
    seen = Counter(outcome(changed_text(chance, text)) for _ in range(CHANGED_TEXTS))
    assert seen["read"] > 5
    assert seen["refused"] > CHANGED_TEXTS // 3


def test_the_files_themselves_are_read() -> None:
    for data in FILES.values():
        assert outcome(json.dumps(data)) == outcome(toml_text(data)) == "read"
