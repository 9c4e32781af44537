"""What worker and fetcher see: the same dictionary of arrays in all environments, without the goal."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.rules import WORKER_ACTIONS
from askwise.envs.playing import Play
from askwise.envs.tool_fetching.starting import Shape

CHANGING = ("worker", "fetcher", "holding", "worker_action", "asked", "answer", "possible")
"""What may change from step to step; the rest is the map."""


def observation_space(shape: Shape) -> spaces.Dict:
    """Return the space of the observations; see the environments for what they mean."""
    n = shape.stations
    return spaces.Dict(
        {
            "worker": _cells(shape),
            "fetcher": _cells(shape),
            "holding": spaces.Discrete(n + 1),
            "worker_action": spaces.Discrete(len(WORKER_ACTIONS) + 1),
            "asked": spaces.MultiBinary(n),
            "answer": spaces.Discrete(3),
            "possible": spaces.MultiBinary(n),
            "worker_start": _cells(shape),
            "stations": _cells(shape, n),
            "tools": _cells(shape, n),
            "toolboxes": _cells(shape, shape.toolboxes),
            "walls": spaces.MultiBinary((shape.height, shape.width)),
            "prior": spaces.Box(0.0, 1.0, (n,), np.float64),
            # Checkers warn of infinite bounds; no question costs that much.
            "query_cost": spaces.Box(0.0, float(np.finfo(np.float32).max), (2,), np.float64),
        }
    )


def _cells(shape: Shape, n: int | None = None) -> spaces.Box:
    """Return the space of one cell ``[x, y]``, or of `n` of them."""
    # A map of one row or column would have equal bounds, which checkers warn of.
    highest = np.array([max(shape.width - 1, 1), max(shape.height - 1, 1)], dtype=np.int32)
    high = highest if n is None else np.tile(highest, (n, 1))
    return spaces.Box(np.zeros_like(high), high, dtype=np.int32)


class ToolFetchingObserver:
    """Makes observations; fulfils `askwise.envs.observing.Observer`."""

    changing = CHANGING

    def __init__(self, shape: Shape) -> None:
        self.space = observation_space(shape)

    def begin(self, problem: ToolFetching) -> None:
        """See `askwise.envs.observing.Observer`."""
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
        """See `askwise.envs.observing.Observer`."""
        game = play.game
        action = game.teammate_action
        fetcher, load = divmod(game.state.ego, self._loads)  # `ToolFetching.decode`, without an object in every step
        seen: dict[str, Any] = {name: values.copy() for name, values in self._map.items()}
        seen["worker"] = self._cells[game.state.teammate].copy()
        seen["fetcher"] = self._cells[fetcher].copy()
        seen["holding"] = load
        seen["worker_action"] = 0 if action is None else action + 1
        seen["asked"] = play.asked.astype(np.int8)
        seen["answer"] = play.answer
        seen["possible"] = game.allowed.astype(np.int8)
        return seen
