"""Where the instances of an environment come from: always the same one, or a new one for every episode."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict, get_type_hints

import numpy as np

from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Instance, Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.domains.tool_fetching.instance import PRIOR_KINDS
from askwise.envs.starting import one_of
from askwise.errors import InputError
from askwise.model.names import as_int

STEPS_PER_CELL = 4
"""Without a limit of its own, an episode is cut off after this many steps for each cell of the map: the worker needs
less than 1, the fetcher less than 2, on the longest way that fits into a map."""


class Settings(TypedDict, total=False):
    """How random instances are drawn; by default as in the paper.

    Attributes:
        size: cells on a side, or ``(width, height)``; 20.
        stations: number of stations; 50.
        toolboxes: number of toolboxes; 5.
        walls: share of the cells that are walls; 0.
        clustered: stations in clusters instead of anywhere; False.
        prior: how likely the stations are, a kind (``uniform``, ``far``, ...) or a `Prior`; uniform.
        query_cost: what questions cost; 0.5 and nothing for each station.
    """

    size: int | tuple[int, int]
    stations: int
    toolboxes: int
    walls: float
    clustered: bool
    prior: str | Prior
    query_cost: QueryCost


@dataclass(frozen=True, slots=True)
class Shape:
    """What fixes the shapes of observations and actions."""

    width: int
    height: int
    stations: int
    toolboxes: int

    @classmethod
    def of(cls, instance: Instance) -> Shape:
        """Return the shape of an instance."""
        return cls(instance.width, instance.height, len(instance.stations), len(instance.toolboxes))

    def __str__(self) -> str:
        return f"{self.width} x {self.height} cells, {self.stations} stations and {self.toolboxes} toolboxes"


def _as_instance(given: Instance | str | Path) -> Instance:
    """Return an instance, read from a file if it is a path."""
    if isinstance(given, Instance):
        return given
    if isinstance(given, str | Path):
        return Instance.load(given)
    raise InputError("instance", repr(given), "an Instance or the path of an instance file")


class Source:
    """Where instances come from: always the same one, or a new one from the generator for every episode."""

    option = "instance"

    def __init__(self, instance: Instance | str | Path | None, settings: Settings) -> None:
        known = get_type_hints(Settings)
        for name in settings:
            if name not in known:
                raise InputError("argument", repr(name), one_of([*known, self.option], name))
        self._fixed: ToolFetching | None = None
        if instance is None:
            self._arguments = _generator_arguments(settings)
            # Settings that cannot work are refused now, not at the first reset.
            example = generate(**self._arguments, seed=0)
        else:
            if settings:
                names = ", ".join(settings)
                raise InputError("argument", f"{names} beside an instance", "settings, or an instance")
            example = _as_instance(instance)
            self._fixed = ToolFetching(example)
        self._instance = example
        self.shape = Shape.of(example)

    @cached_property
    def example(self) -> ToolFetching:
        """See `askwise.envs.starting.Source`."""
        return self._fixed or ToolFetching(self._instance)

    @property
    def limit(self) -> int:
        """See `askwise.envs.starting.Source`."""
        return STEPS_PER_CELL * self.shape.width * self.shape.height

    def draw(self, rng: np.random.Generator) -> ToolFetching:
        """Return the problem of the next episode."""
        return self._fixed or ToolFetching(generate(**self._arguments, seed=rng))

    def given(self, chosen: Instance | str | Path) -> ToolFetching:
        """Return a chosen instance, or the one in a file, if it has the shape of the spaces."""
        instance = _as_instance(chosen)
        if self._fixed is not None and instance == self._fixed.instance:
            return self._fixed
        self._check_shape(instance, "option 'instance'")
        return ToolFetching(instance)

    def check(self, problem: Problem) -> None:
        """See `askwise.envs.starting.Source`."""
        if not isinstance(problem, ToolFetching):
            raise InputError("problem", type(problem).__name__, "one of tool fetching, as in the environment")
        self._check_shape(problem.instance, "problem")

    def _check_shape(self, instance: Instance, field: str) -> None:
        shape = Shape.of(instance)
        if shape != self.shape:
            raise InputError(field, str(shape), f"{self.shape}, the shape of the spaces")


def _generator_arguments(settings: Settings) -> dict[str, Any]:
    arguments: dict[str, Any] = dict(settings)
    size = arguments.pop("size", 20)
    sides = size if isinstance(size, tuple | list) and len(size) == 2 else (size, size)
    arguments["width"], arguments["height"] = (_whole("size", side) for side in sides)
    for name in ("stations", "toolboxes"):
        if name in arguments:
            arguments[name] = _whole(name, arguments[name])
    if not isinstance(arguments.get("walls", 0.0), int | float):
        raise InputError("walls", repr(arguments["walls"]), "a share from 0 and below 1")
    arguments["prior"] = _prior(arguments.get("prior", "uniform"))
    return arguments


def _whole(name: str, value: object) -> int:
    number = as_int(value)
    if number is None:
        raise InputError(name, repr(value), "a whole number" + (", or two" if name == "size" else ""))
    return number


def _prior(given: object) -> Prior:
    prior = Prior(given) if isinstance(given, str) else given
    if not isinstance(prior, Prior) or prior.weights is not None or prior.kind not in PRIOR_KINDS:
        # Weights by name belong to stations that exist; drawn instances have new ones each time.
        raise InputError("prior", repr(given), one_of(PRIOR_KINDS, str(given)))
    return prior
