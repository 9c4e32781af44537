"""A draft of tool fetching: a problem that people change by hand on the Explore page.

A worker (the teammate) goes to a station (the goal), and a fetcher (the ego agent) brings its tool from a toolbox. As
JSON::

    {"kind": "tools", "walls": ["..#..", "....."], "boxes": [{"name": "T1", "at": [0, 1]}],
     "teammate": {"start": [0, 0], "now": [1, 0]}, "ego": {"start": [4, 0], "now": [4, 0], "holding": null},
     "goals": [{"name": "S1", "teammate": [[4, 1]], "ego": [], "box": "T1", "weight": 2}],
     "prior": {"kind": "far", "temperature": 1.0}, "query_cost": {"base": 0.5, "per_goal": 0.1},
     "answers": {...}}

In a goal, ``teammate`` has the station's cell, and ``ego`` is empty. ``start`` and ``now`` are an agent's first and
present cell. ``holding`` is the station whose tool the fetcher holds. The prior ``far`` makes stations far from the
worker likelier. If ``prior`` is null, the probabilities are proportional to ``weight``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from askwise.api import as_problem
from askwise.core.problem import Problem
from askwise.domains.registry import domain_of, from_json
from askwise.errors import InputError
from askwise.studio.explore.draft import (
    FREE,
    LARGEST_SIDE,
    MOST_GOALS,
    TAKES,
    WALL,
    Cell,
    listed_goals,
    new_name,
    read_prices,
    read_walls,
)
from askwise.text.data import copy_data, json_text
from askwise.text.reading import Field
from askwise.text.wording import Vocabulary
from askwise.types import StateLike

FORMAT = "askwise/tool-fetching@1"
PRIORS = ("uniform", "far", "near", "fetcher-far", "fetcher-near")
REQUIRED = ("walls", "boxes", "teammate", "ego", "goals")
OPTIONAL = ("kind", "prior", "query_cost", "answers")


@dataclass(frozen=True)
class ToolDraft:
    """A tool-fetching problem, as people change it by hand on the Explore page.

    Attributes:
        given: the problem as `askwise.domains.registry.read` returns it.
        contents: the problem's file as JSON.
        teammate: the present cell of the worker (the teammate).
        at: the present cell of the fetcher (the ego agent).
        holding: the station whose tool the fetcher holds, or None.
    """

    given: Any
    contents: dict[str, Any]
    teammate: Cell
    at: Cell
    holding: str | None

    @cached_property
    def problem(self) -> Problem:
        """The `Problem` that methods solve to advise the ego agent, made from the attribute `given`."""
        return as_problem(self.given)

    @property
    def words(self) -> Vocabulary:
        """The words for agents and goals in texts: worker, fetcher, station."""
        return domain_of(self.given).vocabulary()

    @property
    def ego(self) -> StateLike:
        """The fetcher's state: its present cell or, if it holds a tool, a pair.

        The pair is the present cell and the name of the station that needs the tool.
        """
        return self.at if self.holding is None else (self.at, self.holding)

    def to_json(self) -> dict[str, Any]:
        """Return the problem as JSON, as the page sends it: walls, toolboxes, stations, agents, prior and prices."""
        file = self.contents
        walls = {tuple(cell) for cell in file["walls"]}
        rows = range(file["height"] - 1, -1, -1)
        by_kind = "kind" in file["prior"] and isinstance(file["prior"]["kind"], str)
        weights = {} if by_kind else file["prior"]
        prices = {"per_goal" if key == "per_station" else key: price for key, price in file["query_cost"].items()}
        return {
            "kind": "tools",
            "walls": ["".join(WALL if (x, y) in walls else FREE for x in range(file["width"])) for y in rows],
            "boxes": [{"name": name, "at": at} for name, at in file["toolboxes"].items()],
            "teammate": {"start": file["worker"], "now": list(self.teammate)},
            "ego": {"start": file["fetcher"], "now": list(self.at), "holding": self.holding},
            "goals": [
                {"name": name, "teammate": [each["at"]], "ego": [], "box": each["toolbox"], "weight": weights.get(name)}
                for name, each in file["stations"].items()
            ],
            "prior": copy_data(file["prior"]) if by_kind else None,
            "query_cost": prices,
            **{key: copy_data(file[key]) for key in ("answers",) if key in file},
        }

    def to_file(self) -> tuple[str, str]:
        """Return name and text of a problem file in JSON.

        The file states the cells where the agents start, not their present cells.
        """
        return "explored.json", json_text(self.contents)

    def drawn(self) -> dict[str, Any]:
        """Return what the Explore page needs in addition to the result of `to_json`.

        Keys: ``prior`` (the probability of each station) and ``priors`` (the kinds of priors that people can choose
        from, such as ``far``).
        """
        return {"prior": [float(f"{share:.4g}") for share in self.problem.prior], "priors": PRIORS}


def tools_from_file(given: Any) -> ToolDraft:
    """Turn a tool-fetching problem into a draft for the Explore page, with both agents at their starts.

    `InputError` is raised if the map is too large or has too many stations.

    Args:
        given: the problem as `askwise.domains.registry.read` returns it.
    """
    contents = domain_of(given).write(given)
    size = contents["width"], contents["height"]
    if max(size) > LARGEST_SIDE:
        raise InputError("width, height", f"{size[0]} x {size[1]} cells", TAKES)
    if len(contents["stations"]) > MOST_GOALS:
        raise InputError("stations", f"{len(contents['stations'])} stations", TAKES)
    return ToolDraft(given, contents, tuple(contents["worker"]), tuple(contents["fetcher"]), None)


def read_tools(given: Field) -> ToolDraft:
    """Return the draft for a tool-fetching problem, given as JSON from the Explore page.

    Raises `InputError` if the problem is not valid.
    """
    given.object(REQUIRED, OPTIONAL)
    lines = read_walls(given.child("walls"))
    height, width = len(lines), len(lines[0])
    worker = given.child("teammate").object(["start", "now"], [])
    fetcher = given.child("ego").object(["start", "now"], ["holding"])
    stations, weights = _read_stations(given.child("goals"))
    rows = enumerate(reversed(lines))
    contents: dict[str, Any] = {
        "format": FORMAT,
        "width": width,
        "height": height,
        "walls": [[x, y] for y, line in rows for x, sign in enumerate(line) if sign == WALL],
        "toolboxes": _read_boxes(given.child("boxes")),
        "stations": stations,
        "worker": worker.value["start"],
        "fetcher": fetcher.value["start"],
        "prior": copy_data(given.value["prior"])
        if given.has("prior") and given.value["prior"] is not None
        else weights,
    }
    if given.has("query_cost"):
        contents["query_cost"] = read_prices(given.child("query_cost"), per_goal="per_station")
    if given.has("answers"):
        contents["answers"] = copy_data(given.value["answers"])
    instance = from_json(Field(given.path, contents))
    now = [_free(each.child("now"), lines) for each in (worker, fetcher)]
    holding = fetcher.value.get("holding")
    if holding is not None:
        holding = fetcher.child("holding").text(stations)
    return ToolDraft(instance, domain_of(instance).write(instance), now[0], now[1], holding)


def _read_stations(given: Field) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the stations as a problem file states them, and the unchecked weights of the prior, both by name.

    The page sends objects with ``name``, ``teammate`` (a list of one cell), ``box`` (a toolbox) and ``weight``.
    """
    stations: dict[str, Any] = {}
    weights: dict[str, Any] = {}
    for each in listed_goals(given):
        each.object(["name", "teammate", "box", "weight"], ["ego"])
        name = new_name(each.child("name"), stations)
        places = list(each.child("teammate").elements())
        if len(places) != 1:
            raise each.child("teammate").refuse("one cell")
        stations[name] = {"at": copy_data(places[0].value), "toolbox": each.value["box"]}
        weights[name] = each.value["weight"]
    return stations, weights


def _read_boxes(given: Field) -> dict[str, Any]:
    boxes: dict[str, Any] = {}
    listed = list(given.elements())
    if len(listed) > MOST_GOALS:
        raise InputError(given.path, f"{len(listed)} toolboxes", f"at most {MOST_GOALS}")
    for each in listed:
        each.object(["name", "at"], [])
        boxes[new_name(each.child("name"), boxes)] = copy_data(each.value["at"])
    return boxes


def _free(given: Field, lines: list[str]) -> Cell:
    """Check a cell ``[x, y]``, and return it; raise `InputError` if it is a wall or outside the map.

    `lines` are the rows of the map from the top, with ``#`` for walls; y = 0 is the bottom row.
    """
    x, y = given.cell(len(lines[0]), len(lines))
    if lines[len(lines) - 1 - y][x] == WALL:
        raise InputError(given.path, f"{[x, y]}, which is a wall", "a free cell")
    return x, y
