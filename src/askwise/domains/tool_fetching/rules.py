"""The rules of tool fetching, which players, drawings, environments and planners share.

A worker walks to a station and works there. A fetcher has to bring the station's tool, which lies in a toolbox. Both
move on one grid, may share cells, and act at the same time:

- worker: NORTH, EAST, SOUTH, WEST, WORK (at a station), NOOP;
- fetcher: NORTH, EAST, SOUTH, WEST, NOOP, PICKUP of a tool whose toolbox it stands on, or a question, "is your goal
  among these stations?".

The fetcher holds one tool. If it picks up another, the first is back in its own toolbox. During a question, both agents
stay where they are. The episode ends with the first WORK at the goal station during which the fetcher is there, or
arrives there, with the right tool. A step costs 1. A question costs ``base + per_station * number of stations``
instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from askwise.domains.tool_fetching.instance import Instance
from askwise.errors import InputError
from askwise.frozen import Sealed
from askwise.model.grid import MOVES

NOTHING = -1
MOST_LISTED = 250_000
"""Moves of grids with at most this many cells are kept as lists."""
WORKER_ACTIONS = (*MOVES, "WORK", "NOOP")
FETCHER_ACTIONS = (*MOVES, "NOOP")
"""The fetcher's first actions; one PICKUP for each station follows, in the order of the stations."""
WORK = len(MOVES)
WORKER_NOOP = len(MOVES) + 1
FETCHER_NOOP = len(MOVES)
FIRST_PICKUP = len(MOVES) + 1


@dataclass(frozen=True, slots=True)
class State:
    """The state of both agents.

    Attributes:
        worker: the worker's cell, as a state index of the grid.
        fetcher: the fetcher's cell, as a state index of the grid.
        holding: the index of the station whose tool the fetcher holds; -1 for empty hands.
    """

    worker: int
    fetcher: int
    holding: int = NOTHING


class Rules(Sealed):
    """The rules of tool fetching for one instance: which actions are possible, and what they do.

    Cells, stations and actions are given by index. An object does not change after construction.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.grid = instance.grid
        self.stations = tuple(instance.stations)
        self.n_stations = len(self.stations)
        cells = self.grid.states([*(s.at for s in instance.stations.values()), *instance.toolboxes.values()])
        self.station_cells = tuple(cells[: self.n_stations])
        boxes = dict(zip(instance.toolboxes, cells[self.n_stations :], strict=True))
        self.box_cells = tuple(boxes[s.toolbox] for s in instance.stations.values())
        """For each station, the cell of the toolbox that holds its tool."""
        self._station_at = {cell: k for k, cell in enumerate(self.station_cells)}

    @cached_property
    def _moves(self) -> Any:
        # Lists: looking up two numbers per step is several times faster than in an array. A large map would
        # take gigabytes as lists.
        moves = self.grid.successor[:, : len(MOVES)]
        return moves.tolist() if self.grid.n_states <= MOST_LISTED else moves

    @cached_property
    def start(self) -> State:
        """The state in which both agents start, the fetcher with empty hands."""
        return State(self.grid.state(self.instance.worker), self.grid.state(self.instance.fetcher))

    @cached_property
    def fetcher_actions(self) -> tuple[str, ...]:
        """Names of the fetcher's actions other than questions."""
        return FETCHER_ACTIONS + tuple(f"PICKUP {name}" for name in self.stations)

    def station_at(self, cell: int) -> int | None:
        """Return the index of the station on a cell; None if there is no station."""
        return self._station_at.get(cell)

    def worker_next(self, cell: int, action: int) -> int:
        """Return the worker's cell after an action in `cell`; -1 if the action is not available there."""
        if action < WORK:
            return int(self._moves[cell][action])
        return cell if action == WORKER_NOOP or cell in self._station_at else -1

    def fetcher_next(self, cell: int, holding: int, action: int) -> tuple[int, int]:
        """Return the fetcher's cell and tool after an action; the cell is -1 if the action is not available.

        Args:
            cell: the fetcher's cell.
            holding: the index of the station whose tool it holds; -1 for empty hands.
            action: the index of the action.
        """
        if action < FETCHER_NOOP:
            return int(self._moves[cell][action]), holding
        if action == FETCHER_NOOP:
            return cell, holding
        tool = action - FIRST_PICKUP
        return (cell, tool) if self.box_cells[tool] == cell else (-1, holding)

    def legal_worker_actions(self, state: State) -> list[int]:
        """Return the indices of the actions that the worker can take in a state."""
        return [a for a in range(len(WORKER_ACTIONS)) if self.worker_next(state.worker, a) >= 0]

    def legal_fetcher_actions(self, state: State) -> list[int]:
        """Return the indices of the actions that the fetcher can take in a state; in addition, it can always ask."""
        moves = [a for a, cell in enumerate(self._moves[state.fetcher]) if cell >= 0]
        pickups = [FIRST_PICKUP + k for k, cell in enumerate(self.box_cells) if cell == state.fetcher]
        return [*moves, FETCHER_NOOP, *pickups]

    def step(self, state: State, worker_action: int, fetcher_action: int) -> State:
        """Return the state after both agents have acted; raise InputError for an action that is not available.

        Args:
            state: the state before the step.
            worker_action: index of the worker's action.
            fetcher_action: index of the fetcher's action.
        """
        for who, action, n in (
            ("worker", worker_action, len(WORKER_ACTIONS)),
            ("fetcher", fetcher_action, FIRST_PICKUP + self.n_stations),
        ):
            if not 0 <= action < n:
                raise InputError(f"{who}'s action", action, f"a number from 0 to {n - 1}")
        worker = self.worker_next(state.worker, worker_action)
        fetcher, holding = self.fetcher_next(state.fetcher, state.holding, fetcher_action)
        if worker < 0:
            raise self._illegal("worker", WORKER_ACTIONS[worker_action], state.worker)
        if fetcher < 0:
            raise self._illegal("fetcher", self.fetcher_actions[fetcher_action], state.fetcher)
        return State(worker, fetcher, holding)

    def finished(self, worker_action: int, after: State, goal: int) -> bool:
        """Return whether a step ended the episode: both agents are at the goal with its tool, and the worker does WORK.

        WORK does not move the worker, so it was at the station before the step as well.

        Args:
            worker_action: the worker's action in the step.
            after: the state after the step.
            goal: the index of the worker's station.
        """
        cell = self.station_cells[goal]
        return worker_action == WORK and after.worker == cell and after.fetcher == cell and after.holding == goal

    def query_cost(self, stations: Sequence[int]) -> float:
        """Return the price of a question about the stations with these indices."""
        return self.instance.query_cost(stations)

    def _illegal(self, who: str, action: str, cell: int) -> InputError:
        return InputError(f"{who}'s action", f"{action} in cell {self.grid.name(cell)}", "an action available there")
