"""Drafts: problems that people change by hand on the Explore page of the studio.

A draft is a problem with the present places of both agents (`Draft`). As JSON, its key ``kind`` is ``map`` (the
default), ``tools`` (`askwise.studio.explore.tool_draft`) or ``graph`` (`askwise.studio.explore.graph_draft`).

In the draft of a map (`MapDraft`), both agents walk on the same map. It has the contents of a problem file
(``askwise/problem@1``), and each agent's present cell, ``now``::

    {"name": "Kitchen", "words": {"teammate": "cook"}, "walls": ["..#..", "....."],
     "teammate": {"start": [0, 0], "now": [1, 0]}, "ego": {"start": [4, 0], "now": [4, 0]},
     "goals": [{"name": "soup", "teammate": [[0, 1]], "ego": [[4, 1]], "weight": 2, "price": null}],
     "query_cost": {"base": 0.5, "per_goal": 0.1, "per_option": null}, "answers": {...}, "groups": {...}}

Cells are ``[x, y]``, where y = 0 is the bottom row; ``walls`` lists the rows from the top. In a goal, ``teammate`` and
``ego`` list the cells where these agents reach it. The prior is proportional to ``weight``. Naming a goal adds its
``price`` to the price of a question, or ``per_goal`` if ``price`` is null. ``answers`` and ``groups`` are as in the
problem file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from askwise.core.problem import Problem
from askwise.domains.stated.file import FORMAT, ProblemFile, StatedProblem
from askwise.domains.stated.reader import StatedGoal
from askwise.domains.stated.sides import DrawnMap, StateName, same_model, state_to_json
from askwise.errors import InputError
from askwise.text.data import copy_data, short_json, toml_text
from askwise.text.reading import Field, read_name
from askwise.text.wording import Vocabulary
from askwise.types import StateLike

LARGEST_SIDE = 30
MOST_GOALS = 30
MOST_STATES = 60
TAKES = (
    "a problem that Explore supports: a problem file (askwise/problem@1) in which both agents walk on the same drawn "
    "map or on graphs, the teammate by shortest paths, or a tool-fetching file (askwise/tool-fetching@1); "
    f"at most {LARGEST_SIDE} x {LARGEST_SIDE} cells, {MOST_STATES} states of a graph and {MOST_GOALS} goals"
)
WALL, FREE = "#."

Cell = tuple[int, int]


class Draft(Protocol):
    """The interface of a draft: a problem that people change on the Explore page, and the places of both agents.

    `MapDraft`, `GraphDraft` and `ToolDraft` implement it.
    """

    @property
    def given(self) -> Any:
        """The problem as an object of its domain, for instance a `ProblemFile`, without the agents' present places."""

    @property
    def problem(self) -> Problem:
        """The `Problem` that methods solve to advise the ego agent, made from `given`."""

    @property
    def words(self) -> Vocabulary:
        """The words for agents and goals in texts that people read, such as "cook" or "station"."""

    @property
    def teammate(self) -> StateLike:
        """The present state of the teammate: a cell ``(x, y)`` of a map, or the name of a state of a graph."""

    @property
    def ego(self) -> StateLike:
        """The present state of the ego agent: a cell ``(x, y)`` of a map, or the name of a state of a graph.

        If the agent holds a tool in tool fetching, it is a pair: the cell, and the station that needs the tool.
        """

    def to_json(self) -> dict[str, Any]:
        """Return the draft as JSON-compatible data, in the form in which the page sends drafts to the studio."""

    def to_file(self) -> tuple[str, str]:
        """Return the name and the text of a problem file for people to save.

        The file has the starts of the agents, not their present places.
        """

    def drawn(self) -> dict[str, Any]:
        """Return the data that the page needs to draw the problem, in addition to `to_json`.

        They are the layout of a graph, or the prior of tool fetching; for a map, the dict is empty.
        """


# -- walls -------------------------------------------------------------------------------------------------------


def read_walls(given: Field) -> list[str]:
    """Check the walls of a map that the Explore page sends; return the rows from the top, with ``#`` for walls.

    Args:
        given: a list of 1 to `LARGEST_SIDE` texts of ``#`` and ``.``, of equal length from 1 to `LARGEST_SIDE`.

    Raises:
        InputError: the list has another form or size.
    """
    lines = [each.text() for each in given.elements()]
    width = len(lines[0]) if lines else 0
    if not 1 <= width <= LARGEST_SIDE or len(lines) > LARGEST_SIDE:
        expected = f"from 1 x 1 to {LARGEST_SIDE} x {LARGEST_SIDE} cells"
        raise InputError(given.path, f"{width} x {len(lines)} cells", expected)
    for k, line in enumerate(lines):
        if len(line) != width or set(line) - {WALL, FREE}:
            raise InputError(f"{given.path}[{k}]", short_json(line), f"{width} signs, each '{WALL}' (wall) or '{FREE}'")
    return lines


# -- goals -------------------------------------------------------------------------------------------------------


def listed_goals(given: Field) -> list[Field]:
    """Return the elements of a list of goals that the Explore page sends.

    Raises:
        InputError: the value is no list, or it has more than `MOST_GOALS` elements.
    """
    listed = list(given.elements())
    if len(listed) > MOST_GOALS:
        raise InputError(given.path, f"{len(listed)} goals", f"at most {MOST_GOALS}")
    return listed


def read_goals(given: Field) -> dict[str, Any]:
    """Turn the list of goals that the Explore page sends into the form of a problem file: a dict by name.

    Args:
        given: a list of objects with ``name``, ``teammate`` and ``ego`` (states in which these agents reach the goal),
            ``weight`` (the prior is proportional to it) and optionally ``price`` (of naming the goal).

    Raises:
        InputError: a key is unknown or missing, or a name is not valid.
    """
    goals: dict[str, Any] = {}
    for each in listed_goals(given):
        each.object(["name", "teammate", "ego", "weight"], ["price"])
        stated = {key: copy_data(each.value[key]) for key in ("teammate", "ego", "weight")}
        own = each.value.get("price")
        goals[new_name(each.child("name"), goals)] = stated if own is None else {**stated, "price": own}
    return goals


def new_name(given: Field, taken: Any) -> str:
    """Check a name, and return it; raise `InputError` if it is not valid or already in `taken`.

    Args:
        given: the name, not checked yet.
        taken: the names used before, for instance a dict by name.
    """
    name = read_name(given)
    if name in taken:
        raise given.refuse("names that differ")
    return name


def read_prices(given: Field, **names: str) -> dict[str, Any]:
    """Turn the prices of questions that the Explore page sends into the form of a problem file.

    Prices that are null are left out. The values are not checked. Each of `names` renames a key, as in
    ``per_goal="per_station"``.
    """
    stated = given.object([], ["base", "per_goal", "per_option"]).value
    return {names.get(key, key): value for key, value in stated.items() if value is not None}


# -- drawn maps --------------------------------------------------------------------------------------------------

REQUIRED = ("walls", "teammate", "ego", "goals")
OPTIONAL = ("kind", "name", "words", "query_cost", "answers", "groups")
KEPT = ("name", "words", "answers", "groups")
"""Keys that drafts keep unchanged from the file."""


@dataclass(frozen=True)
class MapDraft:
    """A draft with a map: a problem on a map that people change by hand on the Explore page.

    Attributes:
        file: the contents of the problem file.
        teammate: the present cell ``(x, y)`` of the teammate.
        ego: the present cell ``(x, y)`` of the ego agent.
    """

    file: ProblemFile
    teammate: Cell
    ego: Cell

    @property
    def given(self) -> ProblemFile:
        """The problem file, the same object as `file`; the interface `Draft` requires this attribute."""
        return self.file

    @cached_property
    def problem(self) -> StatedProblem:
        """The `Problem` that methods solve to advise the ego agent, made from `file`."""
        return self.file.problem()

    @property
    def words(self) -> Vocabulary:
        """The words for agents and goals in texts, as the problem file states them."""
        return self.file.words

    def to_json(self) -> dict[str, Any]:
        """Return the draft in the form in which the page sends it: walls, starts, present cells, goals and prices."""
        return _to_json(self.file, self.teammate, self.ego)

    def to_file(self) -> tuple[str, str]:
        """Return the name and the text of a problem file (TOML) for people to save.

        The file has the starts of the agents, not their present cells.
        """
        contents = self.file.to_json()
        for who in ("teammate", "ego"):
            contents[who]["map"] = "".join(f"{line}\n" for line in contents[who]["map"])
        return "explored.toml", toml_text(contents)

    def drawn(self) -> dict[str, Any]:
        """Return an empty dict: to draw a map, the page needs only the result of `to_json`."""
        return {}


def _to_json(file: ProblemFile, teammate: StateName, ego: StateName) -> dict[str, Any]:
    sides = {"teammate": (file.teammate, teammate), "ego": (file.ego, ego)}
    return {
        "kind": "map",
        "walls": _walls(_ground(file)),
        **{who: {"start": state_to_json(side.start), "now": state_to_json(now)} for who, (side, now) in sides.items()},
        **terms_of(file),
    }


def terms_of(file: ProblemFile) -> dict[str, Any]:
    """Return the parts of a problem file that have the same form for maps and for graphs, as JSON for the Explore page.

    Keys:

    - ``goals``: dicts with ``name``, ``teammate`` and ``ego`` (states in which these agents reach the goal), ``weight``
      (in the prior) and ``price`` (of naming the goal; None for the usual ``per_goal``);
    - ``query_cost``: the prices ``base`` (fixed part), ``per_goal`` (in a yes/no question) and ``per_option`` (per
      group in a multiple-choice question; may be None);
    - if stated: ``name``, ``words``, ``answers`` and ``groups`` (names of goals by group).
    """
    prices = file.prices
    return {
        **copy_data({key: file.contents[key] for key in KEPT if key in file.contents}),
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
    return [state_to_json(state) for state in dict.fromkeys(states)]


# -- from files --------------------------------------------------------------------------------------------------


def map_from_file(file: ProblemFile) -> MapDraft:
    """Turn a problem file in which both agents walk on maps into a draft, with both agents at their starts.

    Args:
        file: the problem file; both of its sides are maps (`DrawnMap`).

    Raises:
        InputError: the map has more than `LARGEST_SIDE` rows or columns, or the agents have different maps.
    """
    height, width = _ground(file).walls.shape
    if max(height, width) > LARGEST_SIDE:
        raise InputError("teammate.map", f"{width} x {height} cells", TAKES)
    if not same_model(file.teammate, file.ego):
        raise InputError("ego.map", "walls that differ from the teammate's", TAKES)
    return read_map(Field("", _to_json(file, file.teammate.start, file.ego.start)))


# -- from the page -----------------------------------------------------------------------------------------------


def read_map(given: Field) -> MapDraft:
    """Return the draft of a problem on a map that the Explore page sends as JSON.

    Args:
        given: the JSON, not checked yet; the documentation of this module shows its keys.

    Raises:
        InputError: the problem is not valid.
    """
    given.object(REQUIRED, OPTIONAL)
    lines = read_walls(given.child("walls"))
    sides = {who: given.child(who).object(["start", "now"], []) for who in ("teammate", "ego")}
    stated = {who: {"start": side.value["start"], "map": lines} for who, side in sides.items()}
    file = ProblemFile.from_json(Field(given.path, contents_with(given, stated)))
    now = {who: _ground(file).read_state(side.child("now")) for who, side in sides.items()}
    return MapDraft(file, now["teammate"], now["ego"])


def contents_with(given: Field, sides: dict[str, Any]) -> dict[str, Any]:
    """Turn a draft that the Explore page sends into the contents of a problem file (``askwise/problem@1``).

    Args:
        given: the draft as JSON.
        sides: the values of the file's keys ``teammate`` and ``ego``: each agent's start, and map or graph.
    """
    contents: dict[str, Any] = {"format": FORMAT}
    contents |= {key: copy_data(given.value[key]) for key in ("name", "words") if given.has(key)}
    contents |= sides
    contents["goals"] = read_goals(given.child("goals"))
    contents |= {key: copy_data(given.value[key]) for key in ("answers", "groups") if given.has(key)}
    if given.has("query_cost"):
        contents["query_cost"] = read_prices(given.child("query_cost"))
    return contents
