"""Tool fetching as an `askwise.Problem`, by its structure instead of its product model.

The fetcher's own model has a state for each cell and tool in hand, 51 times as many as the grid for 50 stations. It
need not be built. Towards goal `g` the fetcher first walks to a *waypoint*: the station if it holds the tool, else
the toolbox. Until it gets there its plan is a shortest path on the grid; there it does something that no other goal
asks for (NOOP with the tool in hand, or PICKUP). So, with `w` and `w'` the waypoints of two goals:

- their plans branch where shortest paths to `w` and `w'` do, or, if ``w = w'``, right there, after ``d(f, w) + 1``
  steps;
- the steps left are ``d(f, station)`` with the tool, else ``d(f, box) + 1 + d(box, station)``.

`product_problem` is the same problem without any of this, for comparison.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.answers import TRUTHFUL, AnswerModel
from askwise.divergence import Divergence
from askwise.domains.tool_fetching.instance import Instance, Prior, as_instance
from askwise.domains.tool_fetching.priors import prior_of
from askwise.domains.tool_fetching.rules import (
    FETCHER_NOOP,
    FIRST_PICKUP,
    NOTHING,
    WORK,
    WORKER_ACTIONS,
    Rules,
    State,
)
from askwise.ego import EgoMap, finite_steps
from askwise.errors import InputError
from askwise.factored import FactoredProblem
from askwise.factored_input import checked_answers
from askwise.frozen import FrozenDict, Sealed, read_only
from askwise.model import GridWorld, Model, Policy, Pursuit
from askwise.model.grid import MOVES
from askwise.model.names import as_int
from askwise.problem import JointState
from askwise.questions import QueryCost
from askwise.types import BoolArray, FloatArray, IntArray, StateLike


class ToolFetching(Sealed):
    """Tool fetching; fulfils `askwise.Problem`. Made from an instance, or the path of an instance file.

    An ego state is ``cell * (n_stations + 1) + tool + 1``, with tool -1 for empty hands.
    """

    def __init__(self, instance: Instance | str | Path) -> None:
        instance = as_instance(instance)
        self.instance = instance
        self.rules = Rules(instance)
        self.goals = self.rules.stations
        self.query_cost: QueryCost = instance.query_cost
        self.answers: AnswerModel = TRUTHFUL
        self.teammate_actions = WORKER_ACTIONS
        self.ego_actions = self.rules.fetcher_actions
        self.wait = FETCHER_NOOP
        self.teammate_policies: tuple[Policy, ...] | None = None
        self.ego_moves = tuple(range(len(MOVES)))
        self.start = self.encode(self.rules.start)
        self._n = len(self.goals)
        self._stations = _pursuit(self.grid, self.rules.station_cells)
        self._box_list = sorted(set(self.rules.box_cells))
        self._boxes = _pursuit(self.grid, self._box_list)
        self._box_of = read_only(np.array([self._box_list.index(c) for c in self.rules.box_cells]))
        self._ego_families: dict[int, Divergence] = {}
        self._optimal_at: tuple[int, BoolArray] = (-1, np.zeros((0, 0), dtype=np.bool_))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolFetching):
            return NotImplemented
        return self.instance == other.instance and self.answers == other.answers

    __hash__ = None  # type: ignore[assignment]  # instances hold dictionaries

    def with_terms(self, prior: Prior, query_cost: QueryCost) -> ToolFetching:
        """Return the same map, stations and agents under another prior and other prices; tables are shared."""
        _ = self._worker_family, self._from_box  # made now, or each copy would make its own
        other = copy.copy(self)
        instance = replace(self.instance, prior=prior, query_cost=query_cost)
        vars(other).update(instance=instance, query_cost=query_cost)
        vars(other).pop("prior", None)
        return other

    def with_answers(self, answers: AnswerModel) -> ToolFetching:
        """See `Problem`."""
        if answers == self.answers:
            return self
        _ = self._worker_family, self._from_box  # made now, or each copy would make its own
        other = copy.copy(self)
        vars(other)["answers"] = checked_answers(answers)
        return other

    @property
    def grid(self) -> GridWorld:
        """The map."""
        return self.rules.grid

    @property
    def teammate_model(self) -> Model:
        """The grid; its STAY is the worker's WORK."""
        return self.grid

    # -- between the rules' states and the protocol's ------------------------------------------------------------

    def encode(self, state: State) -> JointState:
        """Return a state of the rules as the protocol's pair of numbers."""
        return JointState(state.worker, state.fetcher * (self.rules.n_stations + 1) + state.holding + 1)

    def decode(self, state: JointState) -> State:
        """Return the protocol's pair of numbers as a state of the rules."""
        fetcher, holding = self._fetcher(state.ego)
        return State(state.teammate, fetcher, holding)

    def joint_state(self, teammate: StateLike | None = None, ego: StateLike | None = None) -> JointState:
        """See `Problem`; the fetcher's state is a cell (empty hands), or a cell and the station whose tool it holds."""
        return JointState(
            self.start.teammate if teammate is None else self.grid.state(teammate, "teammate"),
            self.start.ego if ego is None else self._ego_state(ego),
        )

    def _ego_state(self, ego: StateLike) -> int:
        number = as_int(ego)
        if number is not None:
            n_ego = self.grid.n_states * (self._n + 1)
            if not 0 <= number < n_ego:
                raise InputError("ego", ego, f"a number from 0 to {n_ego - 1}")
            return number
        cell, station = ego, None
        if isinstance(ego, tuple) and len(ego) == 2 and isinstance(ego[0], tuple):
            cell, station = ego
            if station not in self.goals:
                allowed = f"one of {', '.join(map(repr, self.goals[:5]))}" + (", ..." if self._n > 5 else "")
                raise InputError("ego: tool in hand", repr(station), allowed)
        held = NOTHING if station is None else self.goals.index(station)
        return self.grid.state(cell, "ego") * (self._n + 1) + held + 1

    def _fetcher(self, ego: int) -> tuple[int, int]:
        cell, tool = divmod(ego, self.rules.n_stations + 1)
        return cell, tool - 1

    # -- the worker ----------------------------------------------------------------------------------------------

    @cached_property
    def prior(self) -> FloatArray:
        """See `Problem`."""
        to_tool = self._boxes.steps_at(self.rules.start.fetcher)[self._box_of]
        return read_only(prior_of(self.instance, self._stations.steps_at(self.rules.start.worker), to_tool))

    def teammate_policy(self, teammate: int) -> FloatArray:
        """See `Problem`; the column of NOOP is 0, no optimal plan waits."""
        policy = np.zeros((self._n, len(WORKER_ACTIONS)))
        policy[:, : WORK + 1] = self._stations.policy_at(teammate)
        return policy

    def teammate_optimal(self, teammate: int) -> BoolArray:
        """See `Problem`; the column of NOOP is False."""
        return self._stations.optimal_at(teammate, more_actions=1)

    def teammate_targets(self, goal: int) -> IntArray:
        """See `Problem`."""
        return np.array([self.rules.station_cells[goal]], dtype=np.int32)

    def teammate_steps(self, teammate: int) -> IntArray:
        """See `Problem`."""
        return self._stations.steps_at(teammate)

    def teammate_steps_from(self, states: IntArray) -> IntArray:
        """``int [n_states, n_goals]``: the same for several states; quicker than one by one."""
        return self._stations.steps_from(states)

    def teammate_matrices(self, teammate: int) -> tuple[FloatArray, FloatArray]:
        """See `Problem`."""
        return self._worker_family.matrices_at(teammate)

    @cached_property
    def _worker_family(self) -> Divergence:
        return Divergence(self.grid, dict(zip(self.goals, self.rules.station_cells, strict=True)))

    def teammate_next(self, teammate: int, action: int) -> int:
        """See `Problem`."""
        return self.rules.worker_next(teammate, action)

    def stays(self, action: int) -> bool:
        """See `Problem`."""
        return action == WORK

    @cached_property
    def groups(self) -> Mapping[str, tuple[int, ...]]:
        """See `Problem`; the stations whose tools share a toolbox."""
        boxes = [station.toolbox for station in self.instance.stations.values()]
        members = {name: tuple(k for k, box in enumerate(boxes) if box == name) for name in self.instance.toolboxes}
        return FrozenDict({name: goals for name, goals in members.items() if goals})

    # -- the fetcher ---------------------------------------------------------------------------------------------

    def ego_steps(self, ego: int) -> IntArray:
        """See `Problem`."""
        cell, tool = self._fetcher(ego)
        steps = self._boxes.steps_at(cell)[self._box_of] + self._from_box
        if tool != NOTHING:
            steps[tool] = self._stations.steps_at(cell)[tool]
        return np.asarray(steps)

    @cached_property
    def _from_box(self) -> IntArray:
        """``int [n_goals]``: steps from each station's toolbox to the station, with the one that picks the tool up."""
        from_boxes = self._stations.steps_from(np.array(self._box_list))
        return read_only(np.asarray(1 + from_boxes[self._box_of, np.arange(self._n)]))

    def ego_optimal(self, ego: int) -> BoolArray:
        """See `Problem`."""
        if self._optimal_at[0] != ego:  # a fetcher that waits asks for the same, step after step
            vars(self)["_optimal_at"] = ego, self._optimal(ego)
        return self._optimal_at[1]

    def _optimal(self, ego: int) -> BoolArray:
        cell, tool = self._fetcher(ego)
        optimal = np.zeros((self._n, len(self.ego_actions)), dtype=np.bool_)
        successor, to_station = self._stations.around(cell)
        _towards_waypoints(to_station, self._boxes.around(cell)[1], self._box_of, successor, 0, tool, optimal)
        return read_only(optimal)

    @property
    def ego_map_bytes(self) -> int:
        """What `ego_map` will take: steps with the tool and without it, and those that both are made from."""
        return 0 if "_ego_map" in vars(self) else 2 * self._stations.table_bytes + self._stations.missing_bytes

    def ego_map(self) -> EgoMap:
        """See `Problem`; a place is a cell, a load is a tool."""
        return self._ego_map

    @cached_property
    def _ego_map(self) -> EgoMap:
        loaded = finite_steps(self._stations.distance)
        unloaded = finite_steps(self._boxes.distance, self._box_of, self._from_box)
        pickups = np.arange(FIRST_PICKUP, FIRST_PICKUP + self._n, dtype=np.int32)
        boxes = np.array(self.rules.box_cells, dtype=np.int32)
        moves = tuple(range(FETCHER_NOOP + 1))
        return EgoMap(self.grid.successor, moves, unloaded, loaded, pickups, boxes, self._n + 1)

    def ego_matrices(self, ego: int) -> tuple[FloatArray, FloatArray]:
        """See `Problem`."""
        cell, tool = self._fetcher(ego)
        waypoint = self._box_of if tool == NOTHING else np.where(np.arange(self._n) == tool, -1, self._box_of)
        edp, wcd = (matrix[np.ix_(waypoint, waypoint)] for matrix in self._ego_family(tool).matrices_at(cell))
        # Two goals with one waypoint go there together and part there. One of them at least has it as its toolbox.
        rows, columns = np.nonzero(np.isinf(wcd))
        parting = self._boxes.steps_at(cell)[self._box_of] + 1.0
        edp[rows, columns] = wcd[rows, columns] = parting[np.where(rows == tool, columns, rows)]
        np.fill_diagonal(edp, np.inf)
        np.fill_diagonal(wcd, np.inf)
        return edp, wcd

    def _ego_family(self, tool: int) -> Divergence:
        """Return the divergences of all waypoints: the toolboxes and, last, the station of the tool in hand."""
        if tool not in self._ego_families:
            station = [] if tool == NOTHING else [self.rules.station_cells[tool]]
            self._ego_families[tool] = Divergence(self.grid, [*self._box_list, *station])
        return self._ego_families[tool]

    def ego_next(self, ego: int, action: int) -> int:
        """See `Problem`."""
        cell, tool = self.rules.fetcher_next(*self._fetcher(ego), action)
        return -1 if cell < 0 else cell * (self._n + 1) + tool + 1

    def describe_ego_action(self, action: int) -> str:
        """See `Problem`."""
        return self.ego_actions[action]


def _pursuit(grid: GridWorld, cells: Sequence[int]) -> Pursuit:
    return Pursuit(grid, list(np.array(cells, dtype=np.int32)[:, None]))


@compiled(work=lambda given: 5 * given.box_of.size)
def _towards_waypoints(
    to_station: Any, to_box: Any, box_of: Any, successor: Any, cell: int, tool: int, optimal: Any
) -> None:
    """Mark the moves that lead closer to each goal's waypoint, and what to do there."""
    for goal in range(box_of.size):
        if goal == tool:
            distance, waypoint, arrived = to_station, goal, FETCHER_NOOP
        else:
            distance, waypoint, arrived = to_box, box_of[goal], FIRST_PICKUP + goal
        here = distance[cell, waypoint]
        if here == 0:
            optimal[goal, arrived] = True
            continue
        for a in range(FETCHER_NOOP):
            t = successor[cell, a]
            if t >= 0 and distance[t, waypoint] == here - 1:
                optimal[goal, a] = True


def product_problem(instance: Instance) -> FactoredProblem:
    """Return the same problem with the fetcher's whole product model; small instances only."""
    plain = ToolFetching(instance)
    rules, n = plain.rules, plain.rules.n_stations
    n_ego = plain.grid.n_states * (n + 1)
    successor = [[plain.ego_next(ego, a) for a in range(len(plain.ego_actions))] for ego in range(n_ego)]
    fetcher = Model(successor, actions=plain.ego_actions, stay=plain.ego_actions[FETCHER_NOOP])
    return FactoredProblem(
        goals=plain.goals,
        prior=plain.prior,
        teammate_model=plain.grid,
        teammate_goals=list(rules.station_cells),
        ego_model=fetcher,
        ego_goals=[cell * (n + 1) + goal + 1 for goal, cell in enumerate(rules.station_cells)],
        start=plain.start,
        query_cost=plain.query_cost,
        ego_moves=[plain.ego_actions[move] for move in plain.ego_moves],
        groups={name: [plain.goals[goal] for goal in goals] for name, goals in plain.groups.items()},
        answers=plain.answers,
    )
