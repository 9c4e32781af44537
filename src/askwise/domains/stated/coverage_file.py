"""Coverage in files, ``askwise/coverage@1``: a drawn map, how likely its goals are, what questions cost. JSON or TOML.

::

    format = "askwise/coverage@1"
    map = \"\"\"
    A....B
    ..W...
    F....C
    \"\"\"
    weights = {A = 2}
    query_cost = {base = 0.5}

``W`` is the teammate, ``F`` the ego agent, any other letter or digit a goal. All but ``format`` and ``map`` may be left
out: ``name``, ``weights`` and ``prices`` by letter, ``query_cost``, ``answers``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from askwise.core.answers import TRUTHFUL, AnswerModel
from askwise.core.problem import unreachable
from askwise.core.questions import QueryCost
from askwise.divergence.ecd import normalised
from askwise.domains.coverage import Coverage
from askwise.domains.stated.reading import check_writable, prices_to_json, read_answers, read_lines, read_prices
from askwise.domains.stated.sides import reached
from askwise.errors import InputError
from askwise.frozen import freeze_fields
from askwise.model import Drawing
from askwise.text.limits import read_name, read_price
from askwise.text.reading import Field, copied, parse_text, read_text
from askwise.types import FloatArray

FORMAT = "askwise/coverage@1"
OPTIONAL = ("name", "weights", "prices", "query_cost", "answers")


@dataclass(frozen=True)
class CoverageFile:
    """What a coverage file states, checked. Two are equal if the same is written in them.

    Attributes:
        contents: what is written, as JSON.
        drawing: the map.
        weights: how likely each goal is, None if all are equally likely.
        prices: what questions cost, without the goals' own prices.
        own_prices: what naming each goal adds, for those that have a price of their own.
        answers: how answers come.
        name: what it is called, empty if nobody says.
    """

    contents: Mapping[str, Any] = field(repr=False)
    drawing: Drawing = field(compare=False)
    weights: tuple[float, ...] | None = field(default=None, compare=False)
    prices: QueryCost = field(default_factory=QueryCost, compare=False)
    own_prices: Mapping[str, float] = field(default_factory=dict, compare=False)
    answers: AnswerModel = field(default=TRUTHFUL, compare=False)
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        freeze_fields(self, "contents", "own_prices")

    @classmethod
    def load(cls, path: str | Path) -> CoverageFile:
        """Read and check a coverage file, TOML if its name ends so."""
        return cls.from_json(parse_text(read_text(path), toml=Path(path).suffix.lower() == ".toml"))

    @classmethod
    def from_json(cls, data: Any) -> CoverageFile:
        """Check the contents of a coverage file, or of a field that holds the same."""
        return _read(data if isinstance(data, Field) else Field("", data))

    def to_json(self) -> dict[str, Any]:
        """Return the contents; reading them gives the same file."""
        contents: dict[str, Any] = copied(self.contents)
        return contents

    @property
    def prior(self) -> FloatArray:
        """``float64 [n_goals]``: how likely each goal is."""
        n = len(self.drawing.goals)
        return np.full(n, 1 / n) if self.weights is None else normalised(np.array(self.weights))

    @property
    def query_cost(self) -> QueryCost:
        """What questions cost."""
        return self.prices.with_prices([self.own_prices.get(name) for name in self.drawing.goals])

    def problem(self) -> CoverageProblem:
        """Return the problem that the file states."""
        return CoverageProblem(self)


class CoverageProblem(Coverage):
    """Coverage as a file states it; equal to another one if their files are."""

    def __init__(self, file: CoverageFile) -> None:
        super().__init__(file.drawing, prior=file.weights, query_cost=file.query_cost, answers=file.answers)
        self.file = file

    def __eq__(self, other: object) -> bool:
        return self.file == other.file if isinstance(other, CoverageProblem) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # files hold dictionaries


# -- reading -----------------------------------------------------------------------------------------------------


def _read(root: Field) -> CoverageFile:
    root.object()
    if root.has("format"):
        root.child("format").text([FORMAT])
    root.object(["format", "map"], OPTIONAL)
    drawing = _drawing(root.child("map"))
    weights = _by_goal(root, "weights", drawing, Field.number)
    if weights and not any(weights.get(name, 1.0) for name in drawing.goals):
        raise InputError(root.child("weights").path, "weights that are all 0", "at least one weight above 0")
    prices = read_prices(root)
    return CoverageFile(
        contents=copied(root.value),
        drawing=drawing,
        weights=tuple(weights.get(name, 1.0) for name in drawing.goals) if root.has("weights") else None,
        prices=prices,
        own_prices=_by_goal(root, "prices", drawing, read_price),
        answers=read_answers(root),
        name=read_name(root.child("name")) if root.has("name") else "",
    )


def _by_goal(root: Field, key: str, drawing: Drawing, read: Callable[[Field], float]) -> dict[str, float]:
    if not root.has(key):
        return {}
    given = root.child(key).object([], drawing.goals)
    return {name: read(given.child(name)) for name in given.value}


def _drawing(given: Field) -> Drawing:
    """Return the map, on which both agents can get to all goals, of which there are at least two."""
    lines = read_lines(given)
    try:
        drawing = Drawing.parse("\n".join(lines))
    except InputError as error:
        where = error.field.replace("drawing", given.path, 1)
        raise InputError(given.path if error.field == "walls" else where, error.found, error.expected) from None
    if len(drawing.goals) < 2:
        found = f"{len(drawing.goals)} goals"
        raise InputError(given.path, found, "at least two, so that there is another one to cover")
    for sign, agent, cell in (("W", "teammate", drawing.teammate), ("F", "ego agent", drawing.ego)):
        if cell is None:
            raise InputError(given.path, f"no {sign} (the {agent})", "both W and F")
        _refuse_unreachable(given.path, drawing, cell)
    return drawing


def _refuse_unreachable(path: str, drawing: Drawing, start: tuple[int, int]) -> None:
    """Refuse goals that an agent cannot reach; `Problem` would accept an ego agent that can reach all but one."""
    there = reached(drawing.grid, drawing.grid.state(start))
    for name, cells in drawing.goals.items():
        if not any(there[drawing.grid.state(cell)] for cell in cells):
            raise unreachable(f"{path}: goal {name!r}", str(list(start)))


# -- writing -----------------------------------------------------------------------------------------------------


def contents_of(problem: Coverage) -> dict[str, Any]:
    """Return the contents of the file of a problem that was made in Python; refuse what the file cannot hold."""
    drawing, cost = problem.drawing, check_writable(problem.query_cost, FORMAT)
    if problem.policies is not None:
        raise InputError("teammate_policies", "policies of one's own", f"None: a file of {FORMAT} holds none")
    text = str(drawing)
    drawn = Drawing.parse(text)
    if (drawn.goals, drawn.teammate, drawn.ego) != (dict(drawing.goals), drawing.teammate, drawing.ego):
        raise InputError("drawing", "an agent on a goal or on the other agent", "a cell for each sign of the map")
    written: dict[str, Any] = {"format": FORMAT, "map": text.splitlines()}
    if problem.weights is not None:
        written["weights"] = dict(zip(problem.goals, problem.weights, strict=True))
    if cost.prices is not None:
        written["prices"] = {name: float(price) for name, price in zip(problem.goals, cost.prices, strict=True)}
    return {**written, "query_cost": prices_to_json(cost)}
