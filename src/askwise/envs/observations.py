"""The observations of an environment: dictionaries of numbers and arrays, without the goal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from gymnasium import spaces

from askwise.core.problem import Problem
from askwise.envs.play import Play

if TYPE_CHECKING:
    from askwise.domains.tool_fetching import ToolFetching


class Observer(Protocol):
    """Makes the observations of an environment: dictionaries of numbers and arrays, without the goal.

    This is the protocol that `ProblemObserver` and `ToolFetchingObserver` implement.

    All arrays are new in every step, so that a user may keep or change them.
    """

    @property
    def space(self) -> spaces.Dict:
        """The space of the observations.

        Its key ``answer`` is a ``Discrete(3)``; an environment whose answers may be refused makes it a ``Discrete(4)``.
        """

    @property
    def changing(self) -> Sequence[str]:
        """The keys of observations whose values may change from step to step.

        All other values stay the same during an episode.
        """

    def begin(self, problem: Any) -> None:
        """Prepare for observations of `problem`: compute the values that never change; called before the first one."""

    def __call__(self, play: Play) -> dict[str, Any]:
        """Return the observation at the current point of the episode `play`."""


class ProblemObserver:
    """Makes the observations of any problem, dictionaries in which states and actions are indices.

    `askwise.envs.ProblemEnv` describes the keys.

    Args:
        example: one of the problems that will be played; all have equal numbers of goals, states and actions.
    """

    changing = ("teammate", "ego", "teammate_action", "asked", "answer", "possible")

    def __init__(self, example: Problem) -> None:
        n, ego = len(example.goals), example.ego.table()
        self.space = spaces.Dict(
            {
                "teammate": spaces.Discrete(example.teammate.model.n_states),
                "ego": spaces.Discrete(ego.next.shape[0] * ego.states_per_place),
                "teammate_action": spaces.Discrete(len(example.teammate.actions.names) + 1),
                **_question_spaces(n),
                "prior": spaces.Box(0.0, 1.0, (n,), np.float64),
            }
        )

    def begin(self, problem: Problem) -> None:
        """Store the prior of `problem`, which all its observations contain, before the first of them is made."""
        # Rounding may push a probability slightly above 1, which is outside the space.
        self._prior = np.minimum(problem.prior, 1.0)

    def __call__(self, play: Play) -> dict[str, Any]:
        """Return the observation at the current point of the episode `play`."""
        game = play.game
        action = game.teammate_action
        return {
            "teammate": game.state.teammate,
            "ego": game.state.ego,
            "teammate_action": 0 if action is None else action + 1,
            "asked": play.asked.astype(np.int8),
            "answer": play.answer,
            "possible": game.allowed.astype(np.int8),
            "prior": self._prior.copy(),
        }


class ToolFetchingObserver:
    """Makes the observations of tool fetching, dictionaries with the cells of both agents and the map.

    `askwise.envs.ToolFetchingEnv` describes the keys.

    Args:
        example: one of the problems that will be played; all have the same size and numbers of stations and toolboxes.
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
                **_question_spaces(n),
                "walls": spaces.MultiBinary((height, width)),
                "prior": spaces.Box(0.0, 1.0, (n,), np.float64),
                # Checkers warn of infinite bounds; no question costs that much.
                "query_cost": spaces.Box(0.0, float(np.finfo(np.float32).max), (2,), np.float64),
            }
        )

    def begin(self, problem: ToolFetching) -> None:
        """Store map, prior and prices of `problem`, which all its observations contain, before the first is made."""
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


def _question_spaces(n_goals: int) -> dict[str, spaces.Space[Any]]:
    return {
        "asked": spaces.MultiBinary(n_goals),
        "answer": spaces.Discrete(3),
        "possible": spaces.MultiBinary(n_goals),
    }
