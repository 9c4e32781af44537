"""Problem files for tests: one with all keys, and functions that change or remove some."""

from __future__ import annotations

import copy
import json
from typing import Any

from askwise.domains.stated.file import ProblemFile

WARD = """\
format = "askwise/problem@1"
name = "ward"

[teammate]
start = "desk"
edges = [["desk", "go", "hall"], ["hall", "left", "room 1"], ["hall", "right", "room 2"]]

[ego]
start = "F"
map = \"\"\"
A...#
..F.B
\"\"\"

[goals."to room 1"]
teammate = "room 1"
ego = "A"
weight = 2
price = 0.3

[goals."to room 2"]
teammate = "room 2"
ego = ["B"]

[query_cost]
base = 0.5
per_goal = 0.1
per_option = 0.2

[answers]
wrong = 0.0
refused = 0.0
errors = "independent"

[groups]
all = ["to room 1", "to room 2"]

[words]
teammate = "nurse"
ego = "robot"
goal = "errand"
"""
"""The example of the format's definition, with groups and words."""

CONTENTS: dict[str, Any] = {
    "format": "askwise/problem@1",
    "name": "ward",
    "teammate": {
        "start": "desk",
        "edges": [["desk", "go", "hall"], ["hall", "left", "room 1"], ["hall", "right", "room 2"]],
    },
    "ego": {"start": "F", "map": "A...#\n..F.B\n"},
    "goals": {
        "to room 1": {"teammate": "room 1", "ego": "A", "weight": 2, "price": 0.3},
        "to room 2": {"teammate": "room 2", "ego": ["B"]},
    },
    "query_cost": {"base": 0.5, "per_goal": 0.1, "per_option": 0.2},
    "answers": {"wrong": 0.0, "refused": 0.0, "errors": "independent"},
    "groups": {"all": ["to room 1", "to room 2"]},
    "words": {"teammate": "nurse", "ego": "robot", "goal": "errand"},
}
WARD_JSON = json.dumps(CONTENTS)
SHORTEST: dict[str, Any] = {
    "format": "askwise/problem@1",
    "teammate": {"start": "a", "edges": [["a", "go", "b"]]},
    "ego": {"start": [0, 0], "map": ["..."]},
    "goals": {"g": {"teammate": "b", "ego": [2, 0]}},
}


def ward(**changes: Any) -> dict[str, Any]:
    """Return the contents with other values for some keys; ``a__b`` is key b inside a, None removes it."""
    data = copy.deepcopy(CONTENTS)
    for path, value in changes.items():
        *outer, last = path.split("__")
        place = data
        for key in outer:
            place = place[key]
        if value is None:
            del place[last]
        else:
            place[last] = value
    return data


def read(data: Any) -> ProblemFile:
    return ProblemFile.from_json(data)


def pol(policy: Any) -> dict[str, Any]:
    """Return the ward with a policy of the teammate."""
    return ward(teammate__policy=policy)
