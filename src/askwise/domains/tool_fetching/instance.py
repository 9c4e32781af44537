"""Instances of tool fetching and their file format, ``askwise/tool-fetching@1``.

A file holds one JSON object. Cells are ``[x, y]`` from 0, with x to the right and y up::

    {"format": "askwise/tool-fetching@1", "width": 20, "height": 20, "walls": [[3, 4]],
     "toolboxes": {"T1": [2, 3]},
     "stations": {"S1": {"at": [7, 2], "toolbox": "T1"}, "S2": {"at": [7, 8], "toolbox": "T1"}},
     "worker": [5, 0], "fetcher": [4, 0],
     "prior": {"kind": "far", "temperature": 1.0},
     "query_cost": {"base": 0.5, "per_station": 0.1}}

``worker`` and ``fetcher`` are the cells in which the agents start. ``walls``, ``prior``, ``query_cost`` and ``answers``
are optional. Everything is checked when the file is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from askwise.core.answers import TRUTHFUL, AnswerModel
from askwise.core.problem import refuse_shared, unreachable
from askwise.core.question_json import answers_from_json, answers_to_json
from askwise.core.questions import QueryCost
from askwise.errors import InputError
from askwise.frozen import freeze_fields
from askwise.model import GridWorld
from askwise.model.graph import breadth_first
from askwise.text.data import json_text, parse_json, short_json
from askwise.text.files import find, read_text, whole_file
from askwise.text.reading import Field, check_name, read_price, refuse_blank
from askwise.types import BoolArray

FORMAT = "askwise/tool-fetching@1"
PRICE_KEYS = {"per_station": "per_goal"}
"""Prices that have another name in files than in `QueryCost`."""
PRIOR_KINDS = ("uniform", "far", "near", "fetcher-far", "fetcher-near")
LARGEST_SIDE = 10_000
MOST_CELLS = 16_000_000
"""The cells of a 4,000 x 4,000 grid; larger ones would take gigabytes for the map alone."""

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Station:
    """A workstation, which needs its own tool.

    Attributes:
        at: the cell ``(x, y)`` of the station.
        toolbox: the name of the toolbox that holds the station's tool.
    """

    at: Cell
    toolbox: str


@dataclass(frozen=True, slots=True)
class Prior:
    """The prior over stations: a kind of distribution with its temperature, or a weight for each station.

    Attributes:
        kind: ``uniform``; ``far`` or ``near``, if stations far from or near the worker's start are likelier;
            ``fetcher-far`` or ``fetcher-near``, if tools far from or near the fetcher's start are likelier;
            ``weights``, if the attribute `weights` states them.
        temperature: above 0; the higher, the more similar the probabilities.
        weights: for ``weights``, the weight of each station by name, with any sum; None for other kinds.
    """

    kind: str = "uniform"
    temperature: float = 1.0
    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.weights is not None:
            object.__setattr__(self, "kind", "weights")
            freeze_fields(self, "weights")


@dataclass(frozen=True)
class Instance:
    """The description of one tool-fetching problem: the map, the agents' starts, the prior and the prices of questions.

    Cells are ``(x, y)``, from 0 at the bottom left. Only instances read from files are checked.

    Attributes:
        width: number of columns.
        height: number of rows.
        toolboxes: cell of each toolbox, by name.
        stations: the stations (the goals), by name.
        worker: start of the worker (teammate).
        fetcher: start of the fetcher (ego agent).
        walls: the cells that are walls.
        prior: the prior over stations.
        query_cost: the price of questions.
        answers: how often answers are wrong or missing.
    """

    width: int
    height: int
    toolboxes: Mapping[str, Cell]
    stations: Mapping[str, Station]
    worker: Cell
    fetcher: Cell
    walls: tuple[Cell, ...] = ()
    prior: Prior = field(default_factory=Prior)
    query_cost: QueryCost = field(default_factory=QueryCost)
    answers: AnswerModel = TRUTHFUL

    def __post_init__(self) -> None:
        # Frozen, because all players of an instance share it.
        freeze_fields(self, "toolboxes", "stations")
        object.__setattr__(self, "walls", tuple(self.walls))

    @cached_property
    def grid(self) -> GridWorld:
        """The map on which both agents move."""
        return GridWorld(self.width, self.height, self.walls)

    @classmethod
    def load(cls, path: str | Path) -> Instance:
        """Read an instance from a JSON file; raise InputError if anything in the file is wrong.

        Args:
            path: the path of the file, or the name of an example that comes with askwise.
        """
        return cls.from_text(read_text(find(path)), f"file {str(path)!r}")

    @classmethod
    def from_text(cls, text: str, source: str = "text") -> Instance:
        """Return the instance that the text of a JSON file describes; raise InputError if anything in it is wrong.

        Args:
            text: the text.
            source: where the text comes from, for error messages.
        """
        files = f"an instance file, {FORMAT} (askwise generate makes one)"
        refuse_blank(text, source, files)
        if text.lstrip()[:1] not in ("{", "["):
            # For a drawing of a map, this message helps more than the position of the first JSON error.
            raise InputError(source, "text that is not JSON", files)
        return cls.from_json(parse_json(text))

    @classmethod
    def from_json(cls, data: Any) -> Instance:
        """Return the instance that the contents of a file describe; raise InputError if anything in them is wrong.

        Args:
            data: the contents as JSON-compatible data, or as a `Field` (data with their path in a file).
        """
        return _read(data if isinstance(data, Field) else Field("", data))

    def to_json(self) -> dict[str, Any]:
        """Return the contents of a file that describes the instance, as JSON-compatible data.

        Raises InputError if `query_cost` has separate prices of stations, or prices computed by a function.
        """
        _refuse_other_prices(self.query_cost)
        prior: dict[str, Any] = {"kind": self.prior.kind, "temperature": self.prior.temperature}
        return {
            "format": FORMAT,
            "width": self.width,
            "height": self.height,
            "walls": [list(cell) for cell in self.walls],
            "toolboxes": {name: list(cell) for name, cell in self.toolboxes.items()},
            "stations": {
                name: {"at": list(station.at), "toolbox": station.toolbox} for name, station in self.stations.items()
            },
            "worker": list(self.worker),
            "fetcher": list(self.fetcher),
            "prior": prior if self.prior.weights is None else dict(self.prior.weights),
            "query_cost": _prices_to_json(self.query_cost),
            **({} if self.answers == TRUTHFUL else {"answers": answers_to_json(self.answers)}),
        }

    def save(self, path: str | Path) -> None:
        """Write the instance to a JSON file; an existing file is replaced.

        If writing fails, nothing is changed. Raises InputError if the file cannot be written, or cannot hold the prices
        of questions.
        """
        with whole_file(path) as temporary:
            temporary.write_text(json_text(self.to_json()), encoding="utf-8")


def _read(root: Field) -> Instance:
    required = ["format", "width", "height", "toolboxes", "stations", "worker", "fetcher"]
    root.object()
    if root.has("format"):
        # First, so that the message for a file of another version names the version, not an unknown key.
        root.child("format").text([FORMAT])
    root.object(required, ["walls", "prior", "query_cost", "answers"])
    width, height = (root.child(side).whole(1, LARGEST_SIDE) for side in ("width", "height"))
    if width * height > MOST_CELLS:
        raise InputError("width, height", f"{width} x {height} cells", f"at most {MOST_CELLS} cells")
    walls = _read_walls(root, width, height)
    free = _FreeCells(_mask(walls, width, height))
    toolboxes = {check_name(name, "toolboxes"): free.read(box) for name, box in root.child("toolboxes").items()}
    if not toolboxes:
        raise root.child("toolboxes").refuse("at least one toolbox")
    stations = _read_stations(root.child("stations"), toolboxes, free)
    if not stations:
        raise root.child("stations").refuse("at least one station")
    _refuse_shared_cells(root, toolboxes, stations)
    instance = Instance(
        width=width,
        height=height,
        walls=walls,
        toolboxes=toolboxes,
        stations=stations,
        worker=free.read(root.child("worker")),
        fetcher=free.read(root.child("fetcher")),
        prior=_read_prior(root.child("prior"), stations) if root.has("prior") else Prior(),
        query_cost=_read_cost(root.child("query_cost")) if root.has("query_cost") else QueryCost(),
        answers=answers_from_json(root.child("answers")) if root.has("answers") else TRUTHFUL,
    )
    _refuse_unreachable(instance)
    return instance


@dataclass(frozen=True, slots=True)
class _FreeCells:
    walls: BoolArray

    def read(self, given: Field) -> Cell:
        """Return the cell ``(x, y)`` that a field holds; raise InputError if the cell is a wall or outside the map."""
        height, width = self.walls.shape
        cell = given.cell(width, height)
        if self.walls[cell[1], cell[0]]:
            raise InputError(given.path, f"{list(cell)}, which is a wall", "a free cell")
        return cell


def _read_walls(root: Field, width: int, height: int) -> tuple[Cell, ...]:
    if not root.has("walls"):
        return ()
    given = root.child("walls")
    if not isinstance(given.value, list):
        raise given.refuse("a list, [ ... ]")
    # A `Field` for each wall only if something is wrong: there may be millions of walls.
    if not all(_is_cell(wall, width, height) for wall in given.value):
        for wall in given.elements():
            wall.cell(width, height)
    return tuple((x, y) for x, y in given.value)


def _is_cell(value: Any, width: int, height: int) -> bool:
    if type(value) is not list or len(value) != 2:
        return False
    x, y = value
    return type(x) is int and type(y) is int and 0 <= x < width and 0 <= y < height


def _mask(walls: tuple[Cell, ...], width: int, height: int) -> BoolArray:
    """Return the map as an array, ``bool [height, width]``, True for walls; raise InputError if no cell is free.

    Args:
        walls: the cells that are walls.
        width: number of columns.
        height: number of rows.
    """
    mask = np.zeros((height, width), dtype=np.bool_)
    if walls:
        x, y = np.array(walls, dtype=np.int32).T
        mask[y, x] = True
    if mask.all():
        raise InputError("walls", "a wall in every cell", "at least one free cell")
    return mask


def _read_stations(given: Field, toolboxes: Mapping[str, Cell], free: _FreeCells) -> dict[str, Station]:
    stations = {}
    for name, station in given.items():
        check_name(name, given.path)
        station.object(["at", "toolbox"], [])
        at = free.read(station.child("at"))
        stations[name] = Station(at, station.child("toolbox").text(toolboxes))
    return stations


def _refuse_shared_cells(root: Field, toolboxes: Mapping[str, Cell], stations: Mapping[str, Station]) -> None:
    """Raise an InputError if two stations or two toolboxes have the same cell.

    `root`, the contents of the file, supplies the places in the file for the error message.
    """
    given = root.child("stations")
    stated = ((given.child(name).child("at").path, short_json(name), [each.at]) for name, each in stations.items())
    refuse_shared(stated, lambda at: str(list(at)))
    owner: dict[Cell, str] = {}
    for name, at in toolboxes.items():
        other = owner.setdefault(at, name)
        if other != name:
            found = f"{list(at)}, the cell of toolbox {short_json(other)} already"
            raise InputError(root.child("toolboxes").child(name).path, found, "a cell that no other toolbox has")


def _read_prior(given: Field, stations: Iterable[str]) -> Prior:
    if isinstance(given.value, str):
        return Prior(given.text(PRIOR_KINDS))
    given.object()
    names = list(stations)
    if given.has("kind") and ("kind" not in names or isinstance(given.value["kind"], str)):
        given.object(["kind"], ["temperature"])
        kind = given.child("kind").text(PRIOR_KINDS)
        temperature = given.child("temperature").number(above=0) if given.has("temperature") else 1.0
        return Prior(kind, temperature)
    given.object(names, [])
    weights = {name: given.child(name).number() for name in names}
    if not any(weights.values()):
        raise InputError(given.path, "weights that are all 0", "at least one weight above 0")
    return Prior(weights=weights)


def _read_cost(given: Field) -> QueryCost:
    given.object([], ["base", "per_station", "per_option"])
    stated: dict[str, Any] = {PRICE_KEYS.get(key, key): read_price(given.child(key)) for key in given.value}
    return QueryCost(**stated)


def _prices_to_json(cost: QueryCost) -> dict[str, float]:
    written = {"base": cost.base, "per_station": cost.per_goal}
    return written if cost.per_option is None else {**written, "per_option": cost.per_option}


def _refuse_other_prices(cost: QueryCost) -> None:
    """Raise InputError if a file cannot hold these prices of questions.

    A file cannot hold separate prices of stations or prices that a function computes.
    """
    found = None
    if type(cost) is not QueryCost:
        found = f"a {type(cost).__name__}"
    elif cost.prices is not None:
        found = "separate prices for stations"
    if found is not None:
        raise InputError("query_cost", found, f"QueryCost(base, per_goal): a file of {FORMAT} holds no other prices")


def _refuse_unreachable(instance: Instance) -> None:
    """Raise InputError if an agent cannot reach every station, or the fetcher cannot reach every toolbox with a tool.

    The error names the station, toolbox or agent. Agents can undo every move, so comparing connected regions is enough.
    """
    grid = instance.grid
    region = np.full(grid.n_states, -1)
    region[breadth_first([grid.state(instance.worker)], *grid.predecessors)[1]] = 0
    worker = str(list(instance.worker))
    for name, station in instance.stations.items():
        if region[grid.state(station.at)] < 0:
            raise unreachable(f"stations.{name}.at", worker)
        if region[grid.state(instance.toolboxes[station.toolbox])] < 0:
            raise unreachable(f"toolboxes.{station.toolbox}", worker, "toolbox")
    if region[grid.state(instance.fetcher)] < 0:
        raise InputError("fetcher", f"no way to any station from {list(instance.fetcher)}", "a cell with a way to them")
