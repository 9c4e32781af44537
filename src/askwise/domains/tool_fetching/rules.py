"""The rules of tool fetching, which players, drawings, environments and planners share.

The worker walks to a station and works there. The fetcher has to bring the station's tool, which lies in a toolbox.
Both move on one grid, may be in the same cell, and act at the same time:

- worker: NORTH, EAST, SOUTH, WEST, WORK (only at a station), NOOP (do nothing);
- fetcher: NORTH, EAST, SOUTH, WEST, NOOP, PICKUP of a tool (only at its toolbox), or a question: "is your goal among
  these stations?"

The fetcher holds at most one tool. If it picks up another, the first tool is back in its toolbox. During a question,
both agents stay. The episode ends when the worker does WORK at the goal station and the fetcher is there with the right
tool after that step. A step costs 1, a question instead ``base + per_station * number of stations asked about``.
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
        holding: the station whose tool the fetcher holds, by index; -1 for empty hands.
    """

    worker: int
    fetcher: int
    holding: int = NOTHING


class Rules(Sealed):
    """The rules of tool fetching for one instance: which actions are possible, and what they do.

    Methods take and return cells, stations and actions as indices.

    Args:
        instance: the map, the agents' starts and the prices of questions.

    Attributes:
        instance: the argument `instance`.
        grid: the map on which both agents move.
        stations: the names of the stations.
        n_stations: number of stations.
        station_cells: the cell of each station.
        box_cells: for each station, the cell of its tool's toolbox.
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
        """The names of the fetcher's actions, except questions: four moves, NOOP, and a PICKUP for each station."""
        return FETCHER_ACTIONS + tuple(f"PICKUP {name}" for name in self.stations)

    def station_at(self, cell: int) -> int | None:
        """Return the index of the station on a cell; None if there is no station."""
        return self._station_at.get(cell)

    def worker_next(self, cell: int, action: int) -> int:
        """Return the worker's cell after an action in `cell`; -1 if the action is not available there.

        Cells are indices, and `action` is an index into `WORKER_ACTIONS`.
        """
        if action < WORK:
            return int(self._moves[cell][action])
        return cell if action == WORKER_NOOP or cell in self._station_at else -1

    def fetcher_next(self, cell: int, holding: int, action: int) -> tuple[int, int]:
        """Return the fetcher's cell and tool after an action, as a pair of indices.

        The cell is -1 if the action is not available. A tool is the index of its station, or -1 for empty hands.
        `action` is an index in `fetcher_actions`.
        """
        if action < FETCHER_NOOP:
            return int(self._moves[cell][action]), holding
        if action == FETCHER_NOOP:
            return cell, holding
        tool = action - FIRST_PICKUP
        return (cell, tool) if self.box_cells[tool] == cell else (-1, holding)

    def legal_worker_actions(self, state: State) -> list[int]:
        """Return the actions that the worker can take in a state, as indices into `WORKER_ACTIONS`."""
        return [a for a in range(len(WORKER_ACTIONS)) if self.worker_next(state.worker, a) >= 0]

    def legal_fetcher_actions(self, state: State) -> list[int]:
        """Return the actions that the fetcher can take in a state, as indices into `fetcher_actions`.

        Questions are not included: the fetcher can ask in every state.
        """
        moves = [a for a, cell in enumerate(self._moves[state.fetcher]) if cell >= 0]
        pickups = [FIRST_PICKUP + k for k, cell in enumerate(self.box_cells) if cell == state.fetcher]
        return [*moves, FETCHER_NOOP, *pickups]

    def step(self, state: State, worker_action: int, fetcher_action: int) -> State:
        """Return the state after both agents have acted at the same time.

        The actions are indices in `WORKER_ACTIONS` and `fetcher_actions`. Raises InputError if an action is not
        available or does not exist.
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
        """Return whether a step ended the episode, with `after` as the state after the step.

        The episode ends if the worker did WORK at the station `goal`, and the fetcher is there after the step with the
        station's tool. `worker_action` is an index in `WORKER_ACTIONS`.
        """
        cell = self.station_cells[goal]
        return worker_action == WORK and after.worker == cell and after.fetcher == cell and after.holding == goal

    def query_cost(self, stations: Sequence[int]) -> float:
        """Return the price of a question about the stations with these indices, in steps (a step costs 1)."""
        return self.instance.query_cost(stations)

    def _illegal(self, who: str, action: str, cell: int) -> InputError:
        return InputError(f"{who}'s action", f"{action} in cell {self.grid.name(cell)}", "an action available there")
