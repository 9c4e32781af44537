"""Tool fetching as a problem: what the worker and the fetcher can do, and how far they are from each goal.

The worker (the teammate) walks on a grid to a station and works there. The fetcher (the ego agent) brings the station's
tool, which lies in a toolbox. Each station is a possible goal.

On the way to a goal, the fetcher first walks to a *waypoint*: the station if the fetcher holds its tool, the toolbox
with the tool if not. There it does something that no other goal requires: NOOP at the station, PICKUP of the tool at
the toolbox. Let ``d(a, b)`` be the number of steps between two cells, and `f` the fetcher's cell. Let `w` and `w'` be
the waypoints of two goals.

- The plans for the two goals branch where the shortest paths to `w` and `w'` branch.
- If ``w = w'``, they branch at the waypoint, after ``d(f, w) + 1`` steps.
- If the fetcher holds a goal's tool, ``d(f, station)`` steps are left to this goal.
- If the tool is in the toolbox `box`, ``d(f, box) + 1 + d(box, station)`` steps are left.

Let `T` be the temperature of a prior. A prior of kind ``far`` gives each station the weight ``exp(steps / T)``, a prior
of kind ``near`` the weight ``exp(-steps / T)``. `steps` counts from the worker's start to the station. For
``fetcher-far`` and ``fetcher-near``, it counts from the fetcher's start to the toolbox with the station's tool.
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
    """Return the prior probability of each station, ``float64 [n_stations]``.

    Args:
        instance: the instance, whose ``prior`` states a kind of distribution or weights. An unknown kind raises
            InputError.
        worker_steps: ``int [n_stations]``, steps from the worker's start to each station.
        tool_steps: ``int [n_stations]``, steps from the fetcher's start to each station's tool.
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
    """The problem of a tool-fetching instance: the fetcher (ego agent) brings the worker (teammate) the right tool.

    The goals are the stations. The worker's state is the index of its cell. The fetcher's state is
    ``cell * (n_stations + 1) + tool + 1``; `tool` is the index of the station whose tool it carries, -1 for none. The
    other attributes are those of `Problem`.

    Args:
        instance: the description of the problem.

    Attributes:
        instance: the argument `instance`.
        rules: which actions are possible, and what they do.
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
        """Return the prior probability of each station, ``float64 [n_goals]``, as the instance states it.

        Args:
            worker: provides the steps from the worker's start to the stations.
            fetcher: provides the steps from the fetcher's start to the tools.
        """
        start = self.rules.start
        return read_only(prior_of(self.instance, worker.steps(start.worker), fetcher.steps_to_tools(start.fetcher)))

    def with_terms(self, prior: Prior, query_cost: QueryCost) -> ToolFetching:
        """Return a copy of this problem with another prior over stations and other prices of questions.

        The copy shares the tables of shortest paths with this problem, so they are not computed again.
        """
        other = changed(self, instance=replace(self.instance, prior=prior, query_cost=query_cost))
        return changed(other, prior=other._prior(self.teammate, self.ego), query_cost=query_cost)  # type: ignore[arg-type]

    def with_answers(self, answers: AnswerModel) -> ToolFetching:
        """Return a copy of this problem with another answer model, which states how often answers are wrong or missing.

        If `answers` equals the present model, this problem itself is returned. Raises an `InputError` if `answers` is
        not an `AnswerModel`.
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
        """Convert a `State` to a `JointState`, which has one number for each agent.

        A `State` has the cells of both agents and the tool that the fetcher holds.
        """
        return JointState(state.worker, state.fetcher * (self.rules.n_stations + 1) + state.holding + 1)

    def decode(self, state: JointState) -> State:
        """Convert a `JointState` to a `State`, which has the cells of both agents and the tool that the fetcher holds.

        A `JointState` has one number for each agent.
        """
        fetcher, holding = place_and_load(self.ego, state.ego)
        return State(state.teammate, fetcher, holding)


class WorkerSide(Sealed):
    """The worker's side of the problem: its next cells, its steps to the stations, and its optimal actions.

    The worker (teammate) walks to its station and does WORK there. A state is the index of a cell, a goal the index of
    a station.

    Args:
        rules: the rules of the instance.
        stations: the shortest paths from all cells to all stations.

    Attributes:
        model: the grid on which the worker moves.
        actions: four moves, WORK and NOOP (do nothing).
        loads: number of different things that the worker can carry: 0.
    """

    loads = 0
    actions = Actions(WORKER_ACTIONS, WORK, TOWARDS_GOALS)

    def __init__(self, rules: Rules, stations: Pursuit) -> None:
        self.model: Model = rules.grid
        self._rules = rules
        self._stations = stations

    def targets(self, goal: int) -> IntArray:
        """Return an array ``int32 [1]`` with the cell where the worker reaches a goal: the cell of its station."""
        return np.array([self._rules.station_cells[goal]], dtype=np.int32)

    def next(self, state: int, action: int) -> int:
        """Return the index of the worker's cell after an action; -1 if the action is not available.

        Args:
            state: the index of the worker's cell before the action.
            action: the index of the action in ``actions.names``.
        """
        return self._rules.worker_next(state, action)

    def steps(self, state: Any) -> IntArray:
        """Return the fewest steps of the worker from a state to each station, ``int32 [n_goals]``.

        Args:
            state: the index of one cell, or an array of n such indices; for an array the result is
                ``int32 [n, n_goals]``.
        """
        return self._stations.steps_from(state) if isinstance(state, np.ndarray) else self._stations.steps_at(state)

    def optimal(self, state: int) -> BoolArray:
        """Return which actions in a state begin a shortest plan for each goal, ``bool [n_goals, n_actions]``.

        At the goal's station, WORK is the only such action. NOOP is never one.
        """
        return self._stations.optimal_at(state, more_actions=1)

    def policy(self, state: int) -> FloatArray:
        """Return the probability of each action in a state for each goal, ``float64 [n_goals, n_actions]``.

        The worker draws one of all shortest paths to its goal with equal probability. NOOP has the probability 0.
        """
        policy = np.zeros((self._rules.n_stations, len(WORKER_ACTIONS)))
        policy[:, : WORK + 1] = self._stations.policy_at(state)
        return policy

    def divergence(self, state: int) -> tuple[FloatArray, FloatArray]:
        """Return two tables of all pairs of goals at a state, EDP and WCD, each ``float64 [n_goals, n_goals]``.

        Entry ``[i, j]`` is the step, expected (EDP) or latest (WCD), in which an observer rules out goal `i` while the
        worker pursues goal `j`. The diagonals are ``inf``.
        """
        return self._family.matrices_at(state)

    @cached_property
    def _family(self) -> Divergence:
        return Divergence(self._rules.grid, dict(zip(self._rules.stations, self._rules.station_cells, strict=True)))

    def table(self) -> CarrierTable:
        """Return arrays for planners: for each cell, the next cell for each move, and the steps to each station."""
        return self._table

    @cached_property
    def _table(self) -> CarrierTable:
        steps = finite_steps(self._stations.distance)
        none = np.full(self._rules.n_stations, -1, dtype=np.int32)
        return CarrierTable(self.model.successor, tuple(range(WORK + 1)), steps, steps, none, none)


class FetcherSide(Sealed):
    """The fetcher's side of the problem: its next states, its steps to the goals, and its optimal actions.

    The fetcher (ego agent) brings a station its tool. A goal is the index of a station. A state is
    ``cell * (n_stations + 1) + tool + 1``; `tool` is the station whose tool the fetcher carries, -1 for none.

    Args:
        rules: the rules of the instance.
        stations: the shortest paths from all cells to all stations.

    Attributes:
        model: the grid on which the fetcher moves.
        actions: four moves, NOOP (do nothing), and a PICKUP for each station's tool.
        loads: number of different tools, one for each station.
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
        """Return the only state in which the fetcher has reached a goal, as an array ``int32 [1]``.

        In this state, it is at the goal's station with the station's tool.
        """
        return np.array([self._rules.station_cells[goal] * (self._n + 1) + goal + 1], dtype=np.int32)

    def next(self, state: int, action: int) -> int:
        """Return the fetcher's state after an action; -1 if the action is not available.

        `state` is a number, `action` an index in ``actions.names``.
        """
        cell, tool = self._rules.fetcher_next(*place_and_load(self, state), action)
        return -1 if cell < 0 else cell * (self._n + 1) + tool + 1

    def steps(self, state: Any) -> IntArray:
        """Return the fewest steps of the fetcher from a state to each goal, ``int32 [n_goals]``; -1 if out of reach.

        For an array of n states, the result is ``int32 [n, n_goals]``.
        """
        if isinstance(state, np.ndarray):
            return np.array([self.steps(int(each)) for each in state], dtype=np.int32).reshape(-1, self._n)
        cell, tool = place_and_load(self, state)
        to_tools = self.steps_to_tools(cell)
        steps = np.where(to_tools < 0, -1, to_tools + self._from_box)
        if tool != NOTHING:
            steps[tool] = self._stations.steps_at(cell)[tool]
        return np.asarray(steps)

    def steps_to_tools(self, cell: int) -> IntArray:
        """Return the steps from a cell to the toolbox that holds the tool of each station, ``int32 [n_goals]``."""
        return np.asarray(self._boxes.steps_at(cell)[self._box_of])

    @cached_property
    def _from_box(self) -> IntArray:
        """For each station, the steps from the toolbox with its tool to the station, and one more for PICKUP.

        An array ``int [n_goals]``.
        """
        from_boxes = self._stations.steps_from(np.array(self._box_list))
        return read_only(np.asarray(1 + from_boxes[self._box_of, np.arange(self._n)]))

    def optimal(self, state: int) -> BoolArray:
        """Return which actions in a state begin a shortest plan for each goal, ``bool [n_goals, n_actions]``."""
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
        """Return the probability of each action in a state for each goal, ``float64 [n_goals, n_actions]``.

        The fetcher takes the tool from its toolbox to the station and waits there. All shortest paths to the toolbox,
        and all from there to the station, are equally likely.
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
        """Return two tables of all pairs of goals at a state, EDP and WCD, each ``float64 [n_goals, n_goals]``.

        Entry ``[i, j]`` is the step, expected (EDP) or latest (WCD), in which an observer rules out goal `i` while the
        fetcher pursues goal `j`. The diagonals are ``inf``.
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
        """Return how long paths to the cells to which the fetcher may walk next look alike, as a `Divergence`.

        These cells are the toolboxes and, as the last one, the station whose tool the fetcher holds. `tool` is the
        index of this station, -1 for empty hands.
        """
        if tool not in self._families:
            station = [] if tool == NOTHING else [self._rules.station_cells[tool]]
            self._families[tool] = Divergence(self._rules.grid, [*self._box_list, *station])
        return self._families[tool]

    def table(self) -> CarrierTable:
        """Return arrays for planners: for each cell, the fetcher's next cell for each move, and the steps to each goal.

        A place in `CarrierTable` is a cell here, and a load is a tool.
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
    """Mark the fetcher's optimal actions for each goal in the array `optimal`.

    `optimal` is ``bool [n_goals, n_actions]``, all False before the call. The fetcher is in `cell`, with the tool of
    the station `tool`, -1 for none. `to_station`, ``int32 [n_cells, n_goals]``, and `to_box`,
    ``int32 [n_cells, n_boxes]``, have the steps from each cell to each station and toolbox. `box_of`,
    ``int64 [n_goals]``, is the column of `to_box` for each station's tool. `successor`, ``int32 [n_cells, n_moves]``,
    is the cell after each move, -1 if there is none.
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
