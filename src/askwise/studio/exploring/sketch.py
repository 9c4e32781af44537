"""A sketch: a drawn map that is changed by hand, with both agents on it, and goals, prior and prices.

A sketch is an ordinary problem file (``askwise/problem@1``) in one form: both agents walk on the same map, which has
walls only; starts and targets are cells. Beyond the file it knows where both agents are *now*: the teammate came there
from its start by a shortest way. As JSON::

    {"name": "Kitchen", "words": {"teammate": "cook"}, "walls": ["..#..", "....."],
     "teammate": {"start": [0, 0], "now": [1, 0]}, "ego": {"start": [4, 0], "now": [4, 0]},
     "goals": [{"name": "soup", "teammate": [[0, 1]], "ego": [[4, 1]], "weight": 2, "price": null}],
     "query_cost": {"base": 0.5, "per_goal": 0.1, "per_option": null}, "answers": {...}, "groups": {...}}

Goals are a list, because browsers sort the keys of objects that look like numbers. All else is checked by the readers
of problem files, whose complaints name the same fields.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from askwise.domains.plain.file import FORMAT, ProblemFile
from askwise.domains.plain.names import StateName, as_json
from askwise.domains.plain.policies import PolicyChoice
from askwise.domains.plain.sides import FREE, WALL, DrawnMap, same_ground
from askwise.domains.plain.stated import StatedGoal
from askwise.domains.plain.toml_text import toml_text
from askwise.domains.registry import read
from askwise.errors import InputError
from askwise.limits import read_name
from askwise.reading import Field, copied, shown

LARGEST_SIDE = 30
MOST_GOALS = 30
TAKES = (
    f"what Explore takes: a problem file ({FORMAT}) in which both agents walk on the same drawn map, "
    f"at most {LARGEST_SIDE} x {LARGEST_SIDE} cells and {MOST_GOALS} goals, the teammate by shortest ways"
)
REQUIRED = ("walls", "teammate", "ego", "goals")
OPTIONAL = ("name", "words", "query_cost", "answers", "groups")
NOW = re.compile(r"# Explore: teammate now at \[(\d+), (\d+)\], ego agent now at \[(\d+), (\d+)\]\r?\n")
"""The first line of a file that was saved while somebody was away from their start."""

Cell = tuple[int, int]


@dataclass(frozen=True)
class Sketch:
    """A drawn problem and where both agents are now.

    Attributes:
        file: the problem.
        teammate: the teammate's cell.
        ego: the ego agent's cell.
    """

    file: ProblemFile
    teammate: Cell
    ego: Cell

    def to_json(self) -> dict[str, Any]:
        """Return it as the page knows it."""
        return _to_json(self.file, self.teammate, self.ego)

    def to_toml(self) -> str:
        """Return the text of the problem file; where the agents are now is a remark in its first line."""
        away = (self.teammate, self.ego) != (self.file.teammate.start, self.file.ego.start)
        remark = f"# Explore: teammate now at {list(self.teammate)}, ego agent now at {list(self.ego)}\n"
        contents = self.file.to_json()
        for who in ("teammate", "ego"):
            contents[who]["map"] = "".join(f"{line}\n" for line in contents[who]["map"])
        return (remark if away else "") + toml_text(contents)


def _to_json(file: ProblemFile, teammate: StateName, ego: StateName) -> dict[str, Any]:
    sides = {"teammate": (file.teammate, teammate), "ego": (file.ego, ego)}
    kept = {key: file.contents[key] for key in ("name", "words", "answers", "groups") if key in file.contents}
    prices = file.prices
    return {
        **copied(kept),
        "walls": _walls(_ground(file)),
        **{who: {"start": as_json(side.start), "now": as_json(now)} for who, (side, now) in sides.items()},
        "goals": [_goal_to_json(name, goal) for name, goal in file.goals.items()],
        "query_cost": {"base": prices.base, "per_goal": prices.per_goal, "per_option": prices.per_option},
    }


def _ground(file: ProblemFile) -> DrawnMap:
    assert isinstance(file.teammate, DrawnMap)
    return file.teammate


def _walls(ground: DrawnMap) -> list[str]:
    return ["".join(WALL if wall else FREE for wall in row) for row in ground.walls[::-1]]


def _goal_to_json(name: str, goal: StatedGoal) -> dict[str, Any]:
    return {
        "name": name,
        "teammate": _cells(goal.teammate),
        "ego": _cells(goal.ego),
        "weight": goal.weight,
        "price": goal.price,
    }


def _cells(states: tuple[StateName, ...]) -> list[Any]:
    return [as_json(state) for state in dict.fromkeys(states)]


# -- from files --------------------------------------------------------------------------------------------------


def sketch_of(text: str) -> Sketch:
    """Return the sketch of a problem file; refuse what Explore does not take."""
    file = read(text)
    if not isinstance(file, ProblemFile):
        raise InputError("format", "a file of another kind", TAKES)
    _refuse_others(file)
    found = NOW.match(text)
    now = [file.teammate.start, file.ego.start]
    if found is not None:
        x, y, ego_x, ego_y = map(int, found.groups())
        now = [(x, y), (ego_x, ego_y)]
    return read_sketch(Field("", _to_json(file, *now)))


def _refuse_others(file: ProblemFile) -> None:
    for who, side in (("teammate", file.teammate), ("ego", file.ego)):
        if not isinstance(side, DrawnMap):
            raise InputError(who, "a graph", TAKES)
    height, width = _ground(file).walls.shape
    if max(height, width) > LARGEST_SIDE:
        raise InputError("teammate.map", f"{width} x {height} cells", TAKES)
    if len(file.goals) > MOST_GOALS:
        raise InputError("goals", f"{len(file.goals)} goals", TAKES)
    if not same_ground(file.teammate, file.ego):
        raise InputError("ego.map", "walls that are not the teammate's", TAKES)
    if file.policy.kind != PolicyChoice().kind:
        raise InputError("teammate.policy", "a policy of its own", TAKES)


# -- from the page -----------------------------------------------------------------------------------------------


def read_sketch(given: Field) -> Sketch:
    """Return the sketch that a page sends, checked."""
    given.object(REQUIRED, OPTIONAL)
    lines = _read_walls(given.child("walls"))
    sides = {who: given.child(who).object(["start", "now"], []) for who in ("teammate", "ego")}
    contents: dict[str, Any] = {"format": FORMAT}
    contents |= {key: copied(given.value[key]) for key in ("name", "words") if given.has(key)}
    contents |= {who: {"start": side.value["start"], "map": lines} for who, side in sides.items()}
    contents["goals"] = _read_goals(given.child("goals"))
    contents |= {key: copied(given.value[key]) for key in ("answers", "groups") if given.has(key)}
    if given.has("query_cost"):
        stated = given.child("query_cost").object([], ["base", "per_goal", "per_option"]).value
        contents["query_cost"] = {key: value for key, value in stated.items() if value is not None}
    file = ProblemFile.from_json(Field(given.path, contents))
    now = {who: _ground(file).place(side.child("now")) for who, side in sides.items()}
    return Sketch(file, now["teammate"], now["ego"])


def _read_walls(given: Field) -> list[str]:
    lines = [each.text() for each in given.elements()]
    width = len(lines[0]) if lines else 0
    if not 1 <= width <= LARGEST_SIDE or len(lines) > LARGEST_SIDE:
        expected = f"from 1 x 1 to {LARGEST_SIDE} x {LARGEST_SIDE} cells"
        raise InputError(given.path, f"{width} x {len(lines)} cells", expected)
    for k, line in enumerate(lines):
        if len(line) != width or set(line) - {WALL, FREE}:
            raise InputError(f"{given.path}[{k}]", shown(line), f"{width} signs, each '{WALL}' (wall) or '{FREE}'")
    return lines


def _read_goals(given: Field) -> dict[str, Any]:
    goals: dict[str, Any] = {}
    listed = list(given.elements())
    if len(listed) > MOST_GOALS:
        raise InputError(given.path, f"{len(listed)} goals", f"at most {MOST_GOALS}")
    for each in listed:
        each.object(["name", "teammate", "ego", "weight"], ["price"])
        name = read_name(each.child("name"))
        if name in goals:
            raise each.child("name").refuse("names that differ")
        stated = {key: copied(each.value[key]) for key in ("teammate", "ego", "weight")}
        own = each.value.get("price")
        goals[name] = stated if own is None else {**stated, "price": own}
    return goals
