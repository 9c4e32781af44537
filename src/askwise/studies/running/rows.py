"""The rows that playing a task gives, and what plays them: units, each of which can fail alone.

A unit is one episode in one condition, or one expected cost that the study asks for. Each can be played without the
others, gives the same rows whoever plays it and after whatever else, and has a row to show if it cannot be played.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Protocol

import polars as pl

from askwise.studies.running.problems import Problems
from askwise.studies.schema.study import Method, Task
from askwise.studies.schema.tables import SCHEMAS, Row, table

PriceColumns = tuple[float | None, float | None]
"""The columns ``base_cost`` and ``per_station_cost`` of a row; None where only the instance knows."""


@dataclass
class Played:
    """What came of a task: its index and its rows."""

    index: int
    tables: dict[str, pl.DataFrame]


@dataclass
class Rows:
    """Rows for each of the tables."""

    episodes: list[Row] = field(default_factory=list)
    queries: list[Row] = field(default_factory=list)
    timings: list[Row] = field(default_factory=list)
    expected: list[Row] = field(default_factory=list)


class Unit(Protocol):
    """One thing to play."""

    @property
    def method(self) -> Method | None:
        """The method whose code it runs, None if it runs none."""

    def play(self, task: Task, problems: Problems) -> Rows:
        """Play it; whatever goes wrong with it becomes its rows."""

    def failed(self, task: Task, error: str, prices: PriceColumns = (None, None)) -> Rows:
        """Return its rows if it could not be played at all, for instance because its process died."""


def gathered(task: Task, parts: Iterable[Rows]) -> Played:
    """Return the rows of all units of a task, in their order, as tables."""
    rows = Rows()
    for part in parts:
        for each in fields(Rows):
            getattr(rows, each.name).extend(getattr(part, each.name))
    return Played(task.index, {name: table(name, getattr(rows, name)) for name in SCHEMAS})
