"""Tool fetching in studies: random maps by size, stations, toolboxes and walls, and the paper's priors on them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from askwise.domains.studied import StudyWords
from askwise.domains.tool_fetching.generate import check_request, check_room, generate
from askwise.domains.tool_fetching.instance import LARGEST_SIDE, PRIOR_KINDS, Instance, Prior
from askwise.domains.tool_fetching.problem import ToolFetching
from askwise.errors import InputError
from askwise.questions import QueryCost
from askwise.reading import Field


@dataclass(frozen=True)
class RandomMaps:
    """Random instances, drawn as `askwise.generate` does; by default those of the paper."""

    width: int = 20
    height: int = 20
    stations: int = 50
    toolboxes: int = 5
    walls: float = 0.0
    clustered: bool = False

    def draw(self, seed: np.random.SeedSequence) -> Instance:
        """Return the instance that belongs to a seed."""
        return generate(
            width=self.width,
            height=self.height,
            stations=self.stations,
            toolboxes=self.toolboxes,
            walls=self.walls,
            clustered=self.clustered,
            seed=seed,
        )

    def try_one(self, path: str) -> None:
        """Refuse what does not fit on the walls of one map; `path` is where these parameters stand."""
        try:
            check_room(self.width, self.height, self.stations, self.toolboxes, self.walls, np.random.SeedSequence(0))
        except InputError as error:
            raise InputError(f"{path}.{error.field}", error.found, error.expected) from None

    def describe(self) -> dict[str, Any]:
        """Return the parameters as they stand in a study file."""
        return {
            "size": [self.width, self.height],
            "stations": self.stations,
            "toolboxes": self.toolboxes,
            "walls": self.walls,
            "clustered": self.clustered,
        }


class ToolFetchingStudies:
    """Tool fetching in studies; fulfils `askwise.domains.studied.Studied`."""

    parameter_keys = ("size", "stations", "toolboxes", "walls", "clustered")
    prior_kinds = PRIOR_KINDS
    words = StudyWords(
        goal="station",
        teammate="worker",
        priors="far favours goals that are far from the worker, near those that are near, uniform none.",
    )

    def parameters(self, given: Field) -> RandomMaps:
        """See `Studied`."""
        default = RandomMaps()
        width, height = _size(given.child("size")) if given.has("size") else (default.width, default.height)
        maps = RandomMaps(
            width=width,
            height=height,
            stations=given.child("stations").whole(1) if given.has("stations") else default.stations,
            toolboxes=given.child("toolboxes").whole(1) if given.has("toolboxes") else default.toolboxes,
            walls=given.child("walls").number() if given.has("walls") else default.walls,
            clustered=_yes_or_no(given.child("clustered")) if given.has("clustered") else default.clustered,
        )
        try:
            check_request(maps.width, maps.height, maps.stations, maps.toolboxes, maps.walls)
        except InputError as error:
            raise InputError(f"{given.path}.{error.field}", error.found, error.expected) from None
        return maps

    def read(self, path: Path) -> Instance:
        """See `Studied`."""
        return Instance.load(path)

    def contents(self, instance: Instance) -> dict[str, Any]:
        """See `Studied`."""
        return instance.to_json()

    def with_terms(
        self, problem: ToolFetching, kind: str | None, temperature: float, query_cost: QueryCost
    ) -> ToolFetching:
        """See `Studied`."""
        prior = problem.instance.prior if kind is None else Prior(kind, temperature)
        return problem.with_terms(prior, query_cost)


def _size(field: Field) -> tuple[int, int]:
    if not isinstance(field.value, list):
        side = field.whole(1, LARGEST_SIDE)
        return side, side
    sides = [side.whole(1, LARGEST_SIDE) for side in field.elements()]
    if len(sides) != 2:
        raise field.refuse("one number, or [width, height]")
    return sides[0], sides[1]


def _yes_or_no(field: Field) -> bool:
    if not isinstance(field.value, bool):
        raise field.refuse("true or false")
    return field.value
