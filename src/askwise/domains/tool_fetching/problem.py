"""Tool fetching as a problem: the sides of worker and fetcher, computed from shortest paths on the grid.

A model of the fetcher would need a state for each pair of cell and tool in hand: with 50 stations, 51 times as many as
the grid has cells. It is never built. To reach goal `g`, the fetcher first walks to a *waypoint*: the station if it
holds the tool, otherwise the toolbox. Until then its plan is a shortest path on the grid; at the waypoint it does
something that no other goal requires (NOOP with the tool in hand, or PICKUP). So, with `w` and `w'` the waypoints of
two goals and ``d(f, w)`` the fetcher's steps to `w`:

- their plans branch where the shortest paths to `w` and `w'` branch, or, if ``w = w'``, at the waypoint,
  after ``d(f, w) + 1`` steps;
- the steps left are ``d(f, station)`` with the tool, and ``d(f, box) + 1 + d(box, station)`` without it.

The tests compare this with the same problem as two plain models.

The prior of kind ``far`` weighs a station by ``exp(+d / T)``, ``near`` by ``exp(-d / T)``, where `d` is the worker's
distance to the station and `T` the temperature; ``fetcher-far`` and ``fetcher-near`` use the fetcher's distance to the
station's tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.core.answers import AnswerModel
from askwise.core.problem import JointState, Problem, changed, checked_answers
from askwise.core.questions import QueryCost
from askwise.core.side import Actions, CarrierTable, finite_steps, place_and_load
from askwise.divergence import Divergence
from askwise.domains.tool_fetching.instance import PRIOR_KINDS, Instance, Prior
from askwise.domains.tool_fetching.rules import (
    FETCHER_NOOP,
    FIRST_PICKUP,
    NOTHING,
    WORK,
    WORKER_ACTIONS,
    Rules,
    State,
)
from askwise.errors import InputError
from askwise.frozen import Sealed, read_only
from askwise.model import GridWorld, Model, Pursuit
from askwise.model.grid import MOVES
from askwise.model.policy import SMALLEST, normalised
from askwise.types import BoolArray, FloatArray, IntArray


def prior_of(instance: Instance, worker_steps: IntArray, tool_steps: IntArray) -> FloatArray:
    """Return the prior over stations, ``float64 [n_stations]``, which sums to 1.

    Args:
        instance: the instance whose ``prior`` is applied.
        worker_steps: ``int [n_stations]``, the worker's steps from its start to each station.
        tool_steps: ``int [n_stations]``, the fetcher's steps from its start to the toolbox with each station's tool.
    """
    prior = instance.prior
    if prior.weights is not None:
        return normalised(np.array([prior.weights[name] for name in instance.stations], dtype=np.float64))
    if prior.kind == "uniform":
        return np.full(len(instance.stations), 1 / len(instance.stations))
    if prior.kind not in PRIOR_KINDS:
        raise InputError("prior", repr(prior.kind), "one of " + ", ".join(map(repr, PRIOR_KINDS)))
    steps = tool_steps if prior.kind.startswith("fetcher-") else worker_steps
    signed = steps if prior.kind.endswith("far") else -steps
    with np.errstate(over="ignore"):  # near temperature 0, all but the likeliest stations get the smallest weight
        exponent = (signed - signed.max()) / prior.temperature
    return normalised(np.maximum(np.exp(exponent), SMALLEST))


TOWARDS_GOALS = tuple(range(len(MOVES)))
"""The actions of both agents that lead towards goals: the four moves."""


class ToolFetching(Problem):
    """The tool-fetching problem of an instance: the fetcher (ego agent) brings the worker (teammate) the right tool.

    A state of the fetcher is ``cell * (n_stations + 1) + tool + 1``, where `tool` is the index of the station whose
    tool it carries, -1 for empty hands.
    """

    def __init__(self, instance: Instance) -> None:
        if not isinstance(instance, Instance):
            raise InputError("instance", repr(instance), "an Instance (Instance.load reads one from a file)")
        self.instance = instance
        self.rules = rules = Rules(instance)
        stations = _pursuit(rules.grid, rules.station_cells)
        worker, fetcher = WorkerSide(rules, stations), FetcherSide(rules, stations)
        boxes = [station.toolbox for station in instance.stations.values()]
        members = {
            name: [station for station, box in zip(rules.stations, boxes, strict=True) if box == name]
            for name in instance.toolboxes
        }
        super().__init__(
            goals=rules.stations,
            teammate=worker,
            ego=fetcher,
            start=self.encode(rules.start),
            prior=self._prior(worker, fetcher),
            query_cost=instance.query_cost,
            answers=instance.answers,
            groups={name: stations for name, stations in members.items() if stations},
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolFetching):
            return NotImplemented
        return self.instance == other.instance

    __hash__ = None  # type: ignore[assignment]  # instances hold dictionaries

    def _prior(self, worker: WorkerSide, fetcher: FetcherSide) -> FloatArray:
        """Return ``float64 [n_goals]``: the prior of the instance, computed from the agents' starts."""
        start = self.rules.start
        return read_only(prior_of(self.instance, worker.steps(start.worker), fetcher.steps_to_tools(start.fetcher)))

    def with_terms(self, prior: Prior, query_cost: QueryCost) -> ToolFetching:
        """Return the same problem with another prior and other prices of questions.

        Tables of paths are not computed again.
        """
        other = changed(self, instance=replace(self.instance, prior=prior, query_cost=query_cost))
        return changed(other, prior=other._prior(self.teammate, self.ego), query_cost=query_cost)  # type: ignore[arg-type]

    def with_answers(self, answers: AnswerModel) -> ToolFetching:
        """Return the same problem with another answer model.

        Tables of paths are not computed again.
        """
        if answers == self.answers:
            return self
        checked = checked_answers(answers)
        return changed(self, answers=checked, instance=replace(self.instance, answers=checked))

    @property
    def grid(self) -> GridWorld:
        """The map on which both agents move."""
        return self.rules.grid

    def encode(self, state: State) -> JointState:
        """Return a `State` (cells and tool), which the rules use, as the `JointState` that all problems use."""
        return JointState(state.worker, state.fetcher * (self.rules.n_stations + 1) + state.holding + 1)

    def decode(self, state: JointState) -> State:
        """Return a `JointState`, which all problems use, as a `State` (cells and tool), which the rules use."""
        fetcher, holding = place_and_load(self.ego, state.ego)
        return State(state.teammate, fetcher, holding)


class WorkerSide(Sealed):
    """What the worker, the teammate, can do about the goals (its `Side`): walk on the grid, and do WORK at its station.

    A state is a cell. The worker can also do NOOP, but no optimal plan contains it.

    Args:
        rules: the rules of the instance.
        stations: shortest paths to all stations.
    """

    loads = 0
    actions = Actions(WORKER_ACTIONS, WORK, TOWARDS_GOALS)

    def __init__(self, rules: Rules, stations: Pursuit) -> None:
        self.model: Model = rules.grid
        self._rules = rules
        self._stations = stations

    def targets(self, goal: int) -> IntArray:
        """Return the cell of the station that is the goal with this index, as an array ``int32 [1]``."""
        return np.array([self._rules.station_cells[goal]], dtype=np.int32)

    def next(self, state: int, action: int) -> int:
        """Return the cell after an action in the cell `state`; -1 if the action is not available there."""
        return self._rules.worker_next(state, action)

    def steps(self, state: Any) -> IntArray:
        """Return ``int [n_goals]``, the worker's steps from a state to each station.

        `state` can also be an array of states; then the result is ``int [n_states, n_goals]``.
        """
        return self._stations.steps_from(state) if isinstance(state, np.ndarray) else self._stations.steps_at(state)

    def optimal(self, state: int) -> BoolArray:
        """Return ``bool [n_goals, n_actions]``: whether each action in a state is optimal for each goal.

        NOOP never is.
        """
        return self._stations.optimal_at(state, more_actions=1)

    def policy(self, state: int) -> FloatArray:
        """Return ``float64 [n_goals, n_actions]``: the probability of each action if the worker pursues the goal.

        All shortest paths are equally likely; NOOP has the probability 0.
        """
        policy = np.zeros((self._rules.n_stations, len(WORKER_ACTIONS)))
        policy[:, : WORK + 1] = self._stations.policy_at(state)
        return policy

    def divergence(self, state: int) -> tuple[FloatArray, FloatArray]:
        """Return EDP and WCD of all pairs of goals with the worker in `state`.

        Each is ``float64 [n_goals (ruled out), n_goals (pursued)]``.
        """
        return self._family.matrices_at(state)

    @cached_property
    def _family(self) -> Divergence:
        return Divergence(self._rules.grid, dict(zip(self._rules.stations, self._rules.station_cells, strict=True)))

    def table(self) -> CarrierTable:
        """Return the worker's moves and distances as arrays, for planners; the worker carries nothing."""
        return self._table

    @cached_property
    def _table(self) -> CarrierTable:
        steps = finite_steps(self._stations.distance)
        none = np.full(self._rules.n_stations, -1, dtype=np.int32)
        return CarrierTable(self.model.successor, tuple(range(WORK + 1)), steps, steps, none, none)


class FetcherSide(Sealed):
    """What the fetcher, the ego agent, can do about the goals (its `Side`): walk, and bring tools to stations.

    A state is a cell and the tool in hand, as one number. Everything is computed from shortest paths on the grid,
    without a model of all these states.

    Args:
        rules: the rules of the instance.
        stations: shortest paths to all stations.
    """

    def __init__(self, rules: Rules, stations: Pursuit) -> None:
        self.model: Model = rules.grid
        self.loads = rules.n_stations
        self.actions = Actions(rules.fetcher_actions, FETCHER_NOOP, TOWARDS_GOALS)
        self._rules = rules
        self._n = rules.n_stations
        self._stations = stations
        self._box_list = sorted(set(rules.box_cells))
        self._boxes = _pursuit(rules.grid, self._box_list)
        self._box_of = read_only(np.array([self._box_list.index(c) for c in rules.box_cells]))
        self._families: dict[int, Divergence] = {}
        self._optimal_at: list[tuple[int, BoolArray]] = [(-1, np.zeros((0, 0), dtype=np.bool_))]

    def targets(self, goal: int) -> IntArray:
        """Return the only state that reaches a goal (at its station, with its tool), as an array ``int32 [1]``."""
        return np.array([self._rules.station_cells[goal] * (self._n + 1) + goal + 1], dtype=np.int32)

    def next(self, state: int, action: int) -> int:
        """Return the state after an action; -1 if the action is not available."""
        cell, tool = self._rules.fetcher_next(*place_and_load(self, state), action)
        return -1 if cell < 0 else cell * (self._n + 1) + tool + 1

    def steps(self, state: Any) -> IntArray:
        """Return ``int [n_goals]``, the fetcher's steps from a state to each goal.

        Fetching the tool is included, unless it is already in hand. `state` can also be an array of states; then the
        result is ``int [n_states, n_goals]``.
        """
        if isinstance(state, np.ndarray):
            return np.array([self.steps(int(each)) for each in state], dtype=np.int32).reshape(-1, self._n)
        cell, tool = place_and_load(self, state)
        steps = self.steps_to_tools(cell) + self._from_box
        if tool != NOTHING:
            steps[tool] = self._stations.steps_at(cell)[tool]
        return np.asarray(steps)

    def steps_to_tools(self, cell: int) -> IntArray:
        """Return ``int [n_goals]``: the steps from a cell to the toolbox that holds the tool of each station."""
        return np.asarray(self._boxes.steps_at(cell)[self._box_of])

    @cached_property
    def _from_box(self) -> IntArray:
        """``int [n_goals]``: steps from each station's toolbox to the station, including the PICKUP."""
        from_boxes = self._stations.steps_from(np.array(self._box_list))
        return read_only(np.asarray(1 + from_boxes[self._box_of, np.arange(self._n)]))

    def optimal(self, state: int) -> BoolArray:
        """Return ``bool [n_goals, n_actions]``: whether each action in a state is optimal for each goal."""
        if self._optimal_at[0][0] != state:  # a fetcher that waits asks for the same state repeatedly
            self._optimal_at[0] = state, self._optimal(state)
        return self._optimal_at[0][1]

    def _optimal(self, state: int) -> BoolArray:
        cell, tool = place_and_load(self, state)
        optimal = np.zeros((self._n, len(self.actions.names)), dtype=np.bool_)
        successor, to_station = self._stations.around(cell)
        _towards_waypoints(to_station, self._boxes.around(cell)[1], self._box_of, successor, 0, tool, optimal)
        return read_only(optimal)

    def policy(self, state: int) -> FloatArray:
        """Return ``float64 [n_goals, n_actions]``: the probability of each action if the fetcher pursues the goal.

        All shortest paths to the next place, toolbox or station, are equally likely.
        """
        cell, tool = place_and_load(self, state)
        policy = np.zeros((self._n, len(self.actions.names)))
        to_box, to_station = self._boxes.policy_at(cell), self._stations.policy_at(cell)
        for goal in range(self._n):
            walk = to_station[goal] if goal == tool else to_box[self._box_of[goal]]
            policy[goal, : FETCHER_NOOP + 1] = walk
            if goal != tool and walk[FETCHER_NOOP]:  # at the toolbox, it picks the tool up instead of staying
                policy[goal, [FETCHER_NOOP, FIRST_PICKUP + goal]] = 0.0, walk[FETCHER_NOOP]
        return policy

    def divergence(self, state: int) -> tuple[FloatArray, FloatArray]:
        """Return EDP and WCD of all pairs of goals with the fetcher in `state`.

        Each is ``float64 [n_goals (ruled out), n_goals (pursued)]``.
        """
        cell, tool = place_and_load(self, state)
        waypoint = self._box_of if tool == NOTHING else np.where(np.arange(self._n) == tool, -1, self._box_of)
        edp, wcd = (matrix[np.ix_(waypoint, waypoint)] for matrix in self._family(tool).matrices_at(cell))
        # Plans of two goals with one waypoint branch there. For at least one of them, it is the toolbox.
        rows, columns = np.nonzero(np.isinf(wcd))
        parting = self.steps_to_tools(cell) + 1.0
        edp[rows, columns] = wcd[rows, columns] = parting[np.where(rows == tool, columns, rows)]
        np.fill_diagonal(edp, np.inf)
        np.fill_diagonal(wcd, np.inf)
        return edp, wcd

    def _family(self, tool: int) -> Divergence:
        """Return a `Divergence` whose goals are the cells to which the fetcher may walk next.

        These are the toolboxes and, as the last one, the station whose tool is in its hand, if any.

        Args:
            tool: index of the station whose tool is in its hand, -1 for empty hands.
        """
        if tool not in self._families:
            station = [] if tool == NOTHING else [self._rules.station_cells[tool]]
            self._families[tool] = Divergence(self._rules.grid, [*self._box_list, *station])
        return self._families[tool]

    def table(self) -> CarrierTable:
        """Return the fetcher's moves and distances as arrays, for planners.

        In the terms of `CarrierTable`, a place is a cell and a load is a tool.
        """
        return self._table

    @cached_property
    def _table(self) -> CarrierTable:
        loaded = finite_steps(self._stations.distance)
        unloaded = finite_steps(self._boxes.distance, self._box_of, self._from_box)
        pickups = np.arange(FIRST_PICKUP, FIRST_PICKUP + self._n, dtype=np.int32)
        boxes = np.array(self._rules.box_cells, dtype=np.int32)
        moves = tuple(range(FETCHER_NOOP + 1))
        return CarrierTable(self.model.successor, moves, unloaded, loaded, pickups, boxes, self._n + 1)


def _pursuit(grid: GridWorld, cells: Sequence[int]) -> Pursuit:
    return Pursuit(grid, list(np.array(cells, dtype=np.int32)[:, None]))


@compiled(work=lambda given: 5 * given.box_of.size)
def _towards_waypoints(
    to_station: Any, to_box: Any, box_of: Any, successor: Any, cell: int, tool: int, optimal: Any
) -> None:
    """Mark the fetcher's optimal actions for each goal, by changing ``optimal [n_goals, n_actions]``.

    With the goal's tool in hand, these actions lead to the station, where the fetcher waits; otherwise to the toolbox,
    where it picks up the tool.

    Args:
        to_station: ``[n_cells, n_goals]``, the steps from a cell to each station.
        to_box: ``[n_cells, n_boxes]``, the steps from a cell to each toolbox.
        box_of: ``[n_goals]``, the index of the toolbox with each station's tool.
        successor: ``[n_cells, n_moves]``, the cell after each move, -1 if it is not available.
        cell: the fetcher's cell.
        tool: the station whose tool it carries, -1 for empty hands.
        optimal: the array to change.
    """
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
