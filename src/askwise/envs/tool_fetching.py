"""What environments of tool fetching need: their problems, given or drawn at random, and their observations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict, get_type_hints

import numpy as np
from gymnasium import spaces

from askwise.core.problem import JointState, Problem
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Instance, Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.domains.tool_fetching.instance import PRIOR_KINDS
from askwise.envs.episodes import ProblemSource, one_of, question_spaces
from askwise.envs.play import Play
from askwise.errors import InputError
from askwise.model.names import as_int

STEPS_PER_CELL = 4
"""By default, an episode is truncated after this many steps per cell of the map. On the longest path that fits into a
map, the worker needs less than 1 step per cell and the fetcher less than 2."""


class Settings(TypedDict, total=False):
    """Settings of random instances of tool fetching; by default those of the paper.

    Attributes:
        size: cells per side, or ``(width, height)``; default 20.
        stations: number of stations; default 50.
        toolboxes: number of toolboxes; default 5.
        walls: share of wall cells; default 0.
        clustered: whether stations lie in clusters; default False.
        prior: ``uniform`` (default), ``far``, ``near``, ``fetcher-far`` or ``fetcher-near``, or a `Prior` of such a
            kind.
        query_cost: price of questions; default 0.5 each.
    """

    size: int | tuple[int, int]
    stations: int
    toolboxes: int
    walls: float
    clustered: bool
    prior: str | Prior
    query_cost: QueryCost


@dataclass(frozen=True, slots=True)
class MapShape:
    """The sizes that all instances of one tool fetching environment have in common."""

    width: int
    height: int
    stations: int
    toolboxes: int

    @classmethod
    def of(cls, instance: Instance) -> MapShape:
        """Return the shape of an instance: its width and height, and how many stations and toolboxes it has."""
        return cls(instance.width, instance.height, len(instance.stations), len(instance.toolboxes))

    def __str__(self) -> str:
        return f"{self.width} x {self.height} cells, {self.stations} stations and {self.toolboxes} toolboxes"


class ToolFetchingSource(ProblemSource):
    """The source of the problems of tool fetching: for every episode the same one, or a new random one.

    Args:
        instance: an instance or the path of its file; None for random instances.
        settings: settings of the random instances; must be empty if there is an instance.
    """

    option = "instance"
    goal_word = "station"
    empty_questions = True

    def __init__(self, instance: Instance | str | Path | None, settings: Settings) -> None:
        known = get_type_hints(Settings)
        for name in settings:
            if name not in known:
                raise InputError("argument", repr(name), one_of([*known, self.option], name))
        self._fixed: ToolFetching | None = None
        if instance is None:
            self._arguments = _generator_arguments(settings)
            # Settings that cannot work are refused now, not at the first reset.
            self._instance = generate(**self._arguments, seed=0)
        else:
            if settings:
                names = ", ".join(settings)
                raise InputError("argument", f"{names} together with an instance", "settings, or an instance")
            self._instance = _as_instance(instance)
            self._fixed = ToolFetching(self._instance)
        self.shape = MapShape.of(self._instance)
        self.limit = STEPS_PER_CELL * self._instance.width * self._instance.height

    @cached_property
    def example(self) -> ToolFetching:
        """The problem that determines the environment's spaces: that of the given instance, or a random problem."""
        return self._fixed or ToolFetching(self._instance)

    def draw(self, rng: np.random.Generator) -> ToolFetching:
        """Return the problem of the next episode: that of the given instance, or a random one drawn with `rng`."""
        return self._fixed or ToolFetching(generate(**self._arguments, seed=rng))

    def given(self, chosen: Instance | str | Path) -> ToolFetching:
        """Return the problem of an instance, or of its file, that a user passed to ``reset``.

        Raises an InputError if the instance does not fit the spaces of the environment.
        """
        instance = _as_instance(chosen)
        if self._fixed is not None and instance == self._fixed.instance:
            return self._fixed
        self._check_shape(MapShape.of(instance), "option 'instance'")
        return ToolFetching(instance)

    def check(self, problem: Problem, field: str = "problem") -> None:
        """Raise an InputError if `problem` does not fit the spaces of the environment.

        Only a `ToolFetching` fits, with the same size of the map and the same numbers of stations and toolboxes. The
        error message calls the problem `field`.
        """
        if not isinstance(problem, ToolFetching):
            raise InputError(field, type(problem).__name__, "one of tool fetching, as in the environment")
        self._check_shape(MapShape.of(problem.instance), field)

    def ego_mask(self, problem: ToolFetching, state: int) -> Any:
        """Return the fetcher's available actions in a state, ``int8 [n_actions]``, 1 for available ones.

        `state` is the index of the fetcher's state.
        """
        mask = np.zeros(len(problem.ego.actions.names), dtype=np.int8)
        mask[problem.rules.legal_fetcher_actions(problem.decode(JointState(problem.start.teammate, state)))] = 1
        return mask


def _as_instance(given: Instance | str | Path) -> Instance:
    if isinstance(given, Instance):
        return given
    if isinstance(given, str | Path):
        return Instance.load(given)
    raise InputError("instance", repr(given), "an Instance or the path of an instance file")


def _generator_arguments(settings: Settings) -> dict[str, Any]:
    """Return the settings as keyword arguments of `generate`, which draws random instances.

    Raises an InputError for a value of a wrong type.
    """
    arguments: dict[str, Any] = dict(settings)
    size = arguments.pop("size", 20)
    sides = size if isinstance(size, tuple | list) and len(size) == 2 else (size, size)
    arguments["width"], arguments["height"] = (_whole("size", side) for side in sides)
    for name in ("stations", "toolboxes"):
        if name in arguments:
            arguments[name] = _whole(name, arguments[name])
    if not isinstance(arguments.get("walls", 0.0), int | float):
        raise InputError("walls", repr(arguments["walls"]), "a number from 0 to below 1")
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
        # Weights name the stations of one instance, but each random instance has its own stations.
        raise InputError("prior", repr(given), one_of(PRIOR_KINDS, str(given)))
    return prior


# -- observations ---------------------------------------------------------------------------------------------------


class ToolFetchingObserver:
    """The observer of tool fetching; its observations are dictionaries with the cells of both agents and the map.

    `askwise.envs.ToolFetchingEnv` describes the keys.

    Args:
        example: one of the problems that will be played; all have the same shape.
    """

    changing = ("worker", "fetcher", "holding", "worker_action", "asked", "answer", "possible")

    def __init__(self, example: ToolFetching) -> None:
        instance, n = example.instance, len(example.goals)
        width, height = instance.width, instance.height
        # Checkers warn if lower and upper bound are equal, as on a map with one row or column.
        corner = np.array([max(width - 1, 1), max(height - 1, 1)], dtype=np.int32)
        cells = {
            "worker": corner,
            "fetcher": corner,
            "worker_start": corner,
            "stations": np.tile(corner, (n, 1)),
            "tools": np.tile(corner, (n, 1)),
            "toolboxes": np.tile(corner, (len(instance.toolboxes), 1)),
        }
        self.space = spaces.Dict(
            {
                **{name: spaces.Box(np.zeros_like(high), high, dtype=np.int32) for name, high in cells.items()},
                "holding": spaces.Discrete(n + 1),
                "worker_action": spaces.Discrete(len(example.teammate.actions.names) + 1),
                **question_spaces(n),
                "walls": spaces.MultiBinary((height, width)),
                "prior": spaces.Box(0.0, 1.0, (n,), np.float64),
                # Checkers warn of infinite bounds; no question costs that much.
                "query_cost": spaces.Box(0.0, float(np.finfo(np.float32).max), (2,), np.float64),
            }
        )

    def begin(self, problem: ToolFetching) -> None:
        """Prepare for an episode of `problem`: store its map, prior and prices, which all observations contain."""
        instance, rules = problem.instance, problem.rules
        self._cells = problem.grid.cells
        cost = instance.query_cost
        self._map = {
            "worker_start": self._cells[rules.start.worker],
            "stations": self._cells[list(rules.station_cells)],
            "tools": self._cells[list(rules.box_cells)],
            "toolboxes": np.array(list(instance.toolboxes.values()), dtype=np.int32),
            "walls": problem.grid.walls.astype(np.int8),
            "prior": problem.prior,
            "query_cost": np.array([cost.base, cost.per_goal]),
        }
        self._loads = len(problem.goals) + 1

    def __call__(self, play: Play) -> dict[str, Any]:
        """Return the observation at the current point of the episode `play`."""
        game = play.game
        action = game.teammate_action
        fetcher, load = divmod(game.state.ego, self._loads)  # like `ToolFetching.decode`, but without a new object
        seen: dict[str, Any] = {name: values.copy() for name, values in self._map.items()}
        seen["worker"] = self._cells[game.state.teammate].copy()
        seen["fetcher"] = self._cells[fetcher].copy()
        seen["holding"] = load
        seen["worker_action"] = 0 if action is None else action + 1
        seen["asked"] = play.asked.astype(np.int8)
        seen["answer"] = play.answer
        seen["possible"] = game.allowed.astype(np.int8)
        return seen
