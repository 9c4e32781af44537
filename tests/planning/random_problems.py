"""Small random problems of every kind, by number: graphs, one-way graphs, loads on grids and on one-way graphs.

They have two to four goals, and are small enough for `askwise.planning.reference`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.core.problem import JointState, Problem, changed, optimal_costs
from askwise.core.questions import QueryCost
from askwise.core.side import Actions, CarrierTable, ModelSide, finite_steps, place_and_load, state_at
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from askwise.model import Model, Pursuit
from askwise.planning.reference import Reference
from askwise.types import BoolArray, FloatArray, IntArray
from tests.graphs import random_problem

BASES, ADDED = (0.0, 0.1, 0.3, 0.8), (0.0, 0.05, 0.2, 0.7)
LIKELY = (1, 2, 3, 5)


class Carrier:
    """An ego agent on any graph that has to bring a load to each goal: the load of goal g lies at ``load_at[g]``."""

    def __init__(self, model: Model, load_at: Sequence[int], targets: Sequence[int]) -> None:
        self.model, self.loads = model, len(targets)
        names = (*map(str, model.actions), *(f"load {g}" for g in range(self.loads)))
        self.actions = Actions(names, model.stay, tuple(a for a in range(model.n_actions) if a != model.stay))
        self._load_at, self._targets = np.array(load_at, dtype=np.int32), np.array(targets, dtype=np.int32)

    def targets(self, goal: int) -> IntArray:
        return np.array([state_at(self, int(self._targets[goal]), goal)], dtype=np.int32)

    def next(self, state: int, action: int) -> int:
        place, load = place_and_load(self, state)
        if action < self.model.n_actions:
            there = int(self.model.successor[place, action])
            return state_at(self, there, load) if there >= 0 else -1
        goal = action - self.model.n_actions
        return state_at(self, place, goal) if self._load_at[goal] == place else -1

    def steps(self, state: Any) -> IntArray:
        if isinstance(state, np.ndarray):
            return np.array([self.steps(int(each)) for each in state], dtype=np.int32).reshape(-1, self.loads)
        place, load = place_and_load(self, state)
        steps = self.table().unloaded[place].copy()
        if load >= 0:
            steps[load] = self.table().loaded[place, load]
        return np.where(steps >= 2**30, -1, steps)

    def optimal(self, state: int) -> BoolArray:
        here = self.steps(state)
        found = np.zeros((self.loads, len(self.actions.names)), dtype=np.bool_)
        for action in range(len(self.actions.names)):
            there = self.next(state, action)
            if there >= 0:
                found[:, action] = (here > 0) & (self.steps(there) == here - 1)
        found[here == 0, self.actions.stay] = True
        return found

    def policy(self, state: int) -> FloatArray:
        raise NotImplementedError

    def divergence(self, state: int) -> tuple[FloatArray, FloatArray]:
        raise NotImplementedError

    def table(self) -> CarrierTable:
        return self._table

    @cached_property
    def _table(self) -> CarrierTable:
        to_targets = finite_steps(Pursuit(self.model, list(self._targets[:, None])).distance)
        to_loads = finite_steps(Pursuit(self.model, list(self._load_at[:, None])).distance)
        onwards = 1 + to_targets[self._load_at, np.arange(self.loads)]
        unloaded = np.minimum(to_loads.astype(np.int64) + onwards, 2**30).astype(np.int32)
        actions = np.arange(self.loads, dtype=np.int32) + self.model.n_actions
        moves = tuple(range(self.model.n_actions))
        return CarrierTable(
            self.model.successor, moves, unloaded, to_targets, actions, self._load_at, states_per_place=self.loads + 1
        )


def expected_cost(reference: Reference) -> float:
    """Return the expected cost of the optimum: that of knowing the goal, plus the marginal cost."""
    problem = reference.problem
    return float(problem.prior @ optimal_costs(problem, problem.start)) + reference.cost()


def small_problem(number: int) -> Problem:
    """Return the problem with this number; four kinds alternate."""
    rng = np.random.default_rng([25, number])
    make = (_graph, _one_way, _carrier, _tools)[number % 4]
    return make(rng)


def noisy_problem(number: int) -> tuple[Problem, int]:
    """Return a problem in which answers can be wrong or missing, or choices have a price; and a number of questions."""
    rng = np.random.default_rng([26, number])
    problem = small_problem(number)
    wrong, refused = ((0.1, 0.0), (0.2, 0.3), (0.0, 0.25), (0.05, 0.1))[rng.integers(4)]
    errors = ("independent", "persistent")[rng.integers(2)]
    tools = isinstance(problem, ToolFetching)
    if number % 3 == 0 and len(problem.goals) < 4 and not tools:
        cost = problem.query_cost
        option = float(rng.choice([0.0, 0.05, 0.2]))
        problem = changed(problem, query_cost=QueryCost(cost.base, cost.per_goal, cost.prices, per_option=option))
    few = tools or len(problem.goals) > 3 or problem.query_cost.per_option is not None
    return problem.with_answers(AnswerModel(wrong, refused, errors)), 1 if few else 2


def _graph(rng: np.random.Generator) -> Problem:
    seed = int(rng.integers(10**6))
    problem = random_problem(seed, n_goals=int(rng.integers(2, 5)), by_goal=bool(rng.integers(2)))
    return changed(problem, prior=_prior(rng, len(problem.goals)))


def _one_way(rng: np.random.Generator) -> Problem:
    """Draw goals of the ego agent that lie behind one another, or on paths that never meet again."""
    return _drawn(
        rng, lambda model, n: ModelSide(model, [rng.integers(model.n_states, size=1, dtype=np.int32) for _ in range(n)])
    )


def _carrier(rng: np.random.Generator) -> Problem:
    def side(model: Model, n: int) -> Carrier:
        places = rng.integers(model.n_states, size=(2, n))
        return Carrier(model, places[0].tolist(), places[1].tolist())

    return _drawn(rng, side)


def _drawn(rng: np.random.Generator, ego_side: Any) -> Problem:
    """Return the teammate's start: its state 0 in half of the cases."""
    for _ in range(1000):
        n = int(rng.integers(2, 5))
        walk, ego = one_way_model(rng, int(rng.integers(n + 2, 9))), one_way_model(rng, int(rng.integers(3, 7)))
        targets = rng.permutation(walk.n_states)[:n]
        side = ego_side(ego, n)
        start = JointState(int(rng.integers(2)) * int(rng.integers(walk.n_states)), 0)
        try:
            return Problem(
                goals=[f"g{k}" for k in range(n)],
                teammate=ModelSide(walk, list(targets[:, None])),
                ego=side,
                start=start,
                prior=_prior(rng, n),
                query_cost=_price(rng, n),
            )
        except InputError as error:
            if error.expected != "a goal that can be reached":
                raise
    raise AssertionError("no problem in many tries")


def one_way_model(rng: np.random.Generator, n: int) -> Model:
    """Draw a tree of one-way edges from state 0, with some short cuts, parallel actions and edges back."""
    table = np.full((n, 3), -1)
    for state in range(1, n):
        free = [(s, a) for s in range(max(0, state - 3), state) for a in range(3) if table[s, a] < 0]
        s, a = free[int(rng.integers(len(free)))]
        table[s, a] = state
    spare = (table < 0) & (rng.random(table.shape) < 0.3)
    table[spare] = rng.integers(n, size=int(spare.sum()))
    return Model(table)


def _tools(rng: np.random.Generator) -> Problem:
    """Return a tool-fetching problem on a small grid."""
    n = int(rng.integers(2, 5))
    drawn = generate(
        width=4,
        stations=n,
        toolboxes=2,
        walls=0.2 * rng.integers(2),
        query_cost=QueryCost(0.3),
        seed=int(rng.integers(10**6)),
    )
    problem = ToolFetching(drawn)
    return changed(problem, prior=_prior(rng, n), query_cost=_price(rng, n))


def _prior(rng: np.random.Generator, n: int) -> FloatArray:
    weights = rng.choice(LIKELY, size=n).astype(np.float64)
    return np.asarray(weights / weights.sum())


def _price(rng: np.random.Generator, n: int) -> QueryCost:
    base, added = float(rng.choice(BASES)), float(rng.choice(ADDED))
    if rng.integers(2):
        return QueryCost(base, added)
    return QueryCost(base, prices=tuple(rng.choice(ADDED, size=n).tolist()))
