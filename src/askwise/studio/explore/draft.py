"""Drafts: problems that people change by hand, with the present places of both agents. Parts that all kinds share.

A page sends a draft as JSON. Its ``kind`` is ``map`` (the default; `askwise.studio.explore.map_draft`), ``tools``
(`askwise.studio.explore.tool_draft`) or ``graph`` (`askwise.studio.explore.graph_draft`). Goals are a list, because
browsers sort the keys of objects that look like numbers.
"""

from __future__ import annotations

from typing import Any, Protocol

from askwise.core.problem import Problem
from askwise.errors import InputError
from askwise.text.data import copy_data, short_json
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
        """The contents of the problem's file, as an object of its domain, for instance a `ProblemFile`."""

    @property
    def problem(self) -> Problem:
        """The `Problem` that methods solve, made from `given`."""

    @property
    def words(self) -> Vocabulary:
        """The words for agents and goals in texts, such as "cook" or "station"."""

    @property
    def teammate(self) -> StateLike:
        """The present state of the teammate: a cell of a map, or the name of a state of a graph."""

    @property
    def ego(self) -> StateLike:
        """The present state of the ego agent: a cell (with its load, if any), or the name of a state of a graph."""

    def to_json(self) -> dict[str, Any]:
        """Return the problem as JSON, in the form in which the page sends it to the studio."""

    def to_file(self) -> tuple[str, str]:
        """Return the name and the text of the problem file that people can save."""

    def drawn(self) -> dict[str, Any]:
        """Return what the page needs to draw the problem in addition to `to_json`, such as the layout of a graph.

        The dict is empty for a map.
        """


# -- walls -------------------------------------------------------------------------------------------------------


def read_walls(given: Field) -> list[str]:
    """Return the lines of a map, the top one first; each character must be ``#`` (wall) or ``.`` (free).

    Args:
        given: a list of 1 to `LARGEST_SIDE` lines, all of the same length, from 1 to `LARGEST_SIDE` characters.
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
    """Return the elements of a list of goals that a page sends; more than `MOST_GOALS` raise `InputError`."""
    listed = list(given.elements())
    if len(listed) > MOST_GOALS:
        raise InputError(given.path, f"{len(listed)} goals", f"at most {MOST_GOALS}")
    return listed


def read_goals(given: Field) -> dict[str, Any]:
    """Turn the list of goals that a page sends into the form of a problem file: a dict by the goals' names.

    The value of each goal has the keys ``teammate`` and ``ego`` (target states), ``weight`` and, if stated, ``price``.
    """
    goals: dict[str, Any] = {}
    for each in listed_goals(given):
        each.object(["name", "teammate", "ego", "weight"], ["price"])
        stated = {key: copy_data(each.value[key]) for key in ("teammate", "ego", "weight")}
        own = each.value.get("price")
        goals[new_name(each.child("name"), goals)] = stated if own is None else {**stated, "price": own}
    return goals


def new_name(given: Field, taken: Any) -> str:
    """Return the name in a field; raise `InputError` if it is in `taken`, the names that were used before."""
    name = read_name(given)
    if name in taken:
        raise given.refuse("names that differ")
    return name


def read_prices(given: Field, **names: str) -> dict[str, Any]:
    """Turn the prices of questions that a page sends into the form of a file; prices that are null are left out.

    Args:
        given: an object with the keys ``base``, ``per_goal`` and ``per_option``, all optional.
        names: the keys that have another name in the file, for instance ``per_goal="per_station"``.
    """
    stated = given.object([], ["base", "per_goal", "per_option"]).value
    return {names.get(key, key): value for key, value in stated.items() if value is not None}
