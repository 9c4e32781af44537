"""A lower bound on the expected marginal cost of every method, for problems too large to solve.

**Theory.** Divide the goals into groups, and let an oracle name the true goal's group at the start, for free. The agent
may ignore it, so the least cost does not become larger. The least cost within each group is computed exactly
(`askwise.planning.exact`), with the ratios of the prior unchanged. There, questions name only goals of the group;
naming fewer goals or options never costs more. So for any division::

    optimum  >=  sum over groups of P(group) * optimum(group)

All answers are taken to be true. The bound stays valid if they may be wrong or missing: from true answers an agent
could make such answers by tossing coins.

Two ways to form groups are tried, and the larger bound is kept. One way puts the likeliest goals together. The other
way puts goals together that are expensive to tell apart, judged by the optimum for each two goals. A group grows until
more goals would probably take more than `limit` states.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from askwise.core.answers import TRUTHFUL
from askwise.core.problem import Problem
from askwise.planning.exact import TooLarge, check_teammate
from askwise.planning.exact_noisy import LimitedSolver
from askwise.planning.optimum import METHOD, make_solver
from askwise.planning.tables import Tables, tables_of
from askwise.types import FloatArray, Verdict

GROUP_STATES = 100_000
"""States to solve for one group: about a second."""
GROWTH = 1 / 4
"""The share of its size by which a group grows at a time; at least two goals."""
ROOM = 2
"""A group grows only if its states, times this factor, are within the limit: a larger group takes more states."""
NEGLIGIBLE = 1e-4
"""Goals whose total probability is below this are left out, as if they cost nothing."""

Groups = tuple[tuple[int, ...], ...]
Order = Callable[[list[int]], list[int]]
"""A function that sorts goals, those that belong together first."""


@dataclass(frozen=True)
class Bound:
    """A lower bound on the expected cost beyond that of an agent that knows the goal, for any way of acting and asking.

    Attributes:
        value: the bound.
        verdict: how the bound was obtained, and whether it is the exact optimum.
        groups: the goals of each solved group; goals in no group are taken to cost nothing.
        states: number of solved states.
        seconds: computing time.
    """

    value: float
    verdict: Verdict
    groups: Groups
    states: int
    seconds: float = field(compare=False)

    @property
    def k(self) -> int:
        """The number of goals in the largest group."""
        return max(map(len, self.groups), default=1)


def bound_problem(problem: Problem, *, limit: int = GROUP_STATES) -> Bound:
    """Return a lower bound on the expected cost beyond that of an agent that knows the goal.

    It holds for any way of acting and asking. Groups of goals are solved exactly, as if an oracle named the true one.

    Args:
        problem: a problem of any size that `check_teammate` accepts.
        limit: the most states to solve for each group; more give a better bound.
    """
    began = time.perf_counter()
    check_teammate(problem, "the bound")
    truthful = problem.answers.truthful
    problem = problem.with_answers(TRUTHFUL)
    tables = tables_of(problem)
    goals = tables.goals
    ways = [_Partition(problem, tables, goals, limit, _by_weight(tables))]
    if len(ways[0].groups) > 1:
        ways.append(_Partition(problem, tables, goals, limit, _by_pairs(problem, tables, goals)))
    best = max(ways, key=lambda way: way.value)
    whole = len(best.groups) == 1 and len(best.groups[0]) == len(goals)
    return Bound(
        value=best.value / float(tables.weight[tables.start, goals].sum()),
        verdict=Verdict(METHOD) if truthful and (whole or len(goals) == 1) else _lower(best, truthful=truthful),
        groups=tuple(best.groups),
        states=best.states,
        seconds=time.perf_counter() - began,
    )


def bound_with_true_answers_after(problem: Problem, before: int, *, limit: int = GROUP_STATES) -> Bound | None:
    """Return a lower bound: the least expected marginal cost if all answers after the first `before` ones were true.

    The result is None if solving takes more than `limit` states, if `before` is below 1, or if answers are always true.
    """
    if problem.answers.truthful or before < 1:
        return None
    began = time.perf_counter()
    check_teammate(problem, "the bound")
    try:
        solver = LimitedSolver(problem, before, truthful=True, limit=limit)
    except TooLarge:
        return None
    after = f"optimal if all answers were true after the first{f' {before}' if before > 1 else ''}"
    return Bound(
        value=solver.at(problem.start).expected_marginal_cost,
        verdict=Lower(after, exact=False, error_bound=np.inf),
        groups=(tuple(solver.goals),),
        states=solver.states,
        seconds=time.perf_counter() - began,
    )


@dataclass(frozen=True, slots=True)
class Lower(Verdict):
    """The verdict on a lower bound: the bound is proven, but its distance to the optimum is unknown."""

    def __str__(self) -> str:
        return f"proven lower bound, {self.method}"


def _lower(way: _Partition, *, truthful: bool) -> Verdict:
    largest = max(map(len, way.groups), default=1)
    groups = f"{len(way.groups)} group{'' if len(way.groups) == 1 else 's'}"
    method = f"{groups} of up to {largest} goals, each solved exactly"
    method += "" if truthful else " as if all answers were true"
    return Lower(method, exact=False, error_bound=np.inf)


class _Partition:
    """A division of `goals` into groups, with the sum of the optimal costs of all groups.

    Each group takes the first of the goals left, sorted by `order`, as many as `limit` states probably allow. Very
    unlikely goals may be left without a group.

    Attributes:
        groups: the goals of each group.
        value: the sum over groups of the least expected marginal cost, times the weight of the group's goals.
        states: number of solved states.
    """

    def __init__(self, problem: Problem, tables: Tables, goals: list[int], limit: int, order: Order) -> None:
        self.problem, self.tables, self.limit = problem, tables, limit
        self.groups: list[tuple[int, ...]] = []
        self.value = 0.0
        self.states = 0
        left = list(goals)
        weights = tables.weight[tables.start]
        while len(left) > 1 and weights[left].sum() > NEGLIGIBLE * weights[goals].sum():
            group = self._grown(order(left))
            left = [goal for goal in left if goal not in group]

    def _grown(self, ordered: list[int]) -> tuple[int, ...]:
        """Make a group of the first goals in `ordered`, as many as can be solved within `self.limit` states.

        Adds the group to `self.groups`, and its cost and states to `self.value` and `self.states`; returns the group.
        """
        size, best = 2, (0.0, 0, tuple(ordered[:1]))
        while True:
            try:
                solver = make_solver(self.problem, goals=ordered[:size], tables=self.tables, limit=self.limit)
                best = solver.value(self.problem.start), solver.states, tuple(solver.goals)
            except TooLarge:
                break
            if size == len(ordered) or ROOM * solver.states > self.limit:
                break
            size = min(size + max(2, int(GROWTH * size)), len(ordered))
        value, states, group = best
        self.value += value
        self.states += states
        self.groups.append(group)
        return group


def _by_weight(tables: Tables) -> Order:
    """Return a function that sorts a list of goals by their probability at the start, the likeliest first."""
    return lambda left: sorted(left, key=lambda goal: (-tables.weight[tables.start, goal], goal))


def _by_pairs(problem: Problem, tables: Tables, goals: list[int]) -> Order:
    """Return a function that sorts a list of goals so that goals that are expensive to tell apart are neighbours.

    Each next goal has the largest sum of pair costs with the goals before it. The pair cost of two goals is the optimal
    cost if only these two were possible.
    """
    pairs = _pair_values(problem, tables, goals)
    place = {goal: k for k, goal in enumerate(goals)}

    def order(left: list[int]) -> list[int]:
        rows = np.array([place[goal] for goal in left])
        inside = pairs[np.ix_(rows, rows)]
        first = int(inside.sum(axis=1).argmax())
        chosen, cost = [first], inside[first].copy()
        cost[first] = -1.0
        while len(chosen) < len(left):
            following = int(cost.argmax())
            chosen.append(following)
            cost += inside[following]
            cost[chosen] = -1.0
        return [left[k] for k in chosen]

    return order


def _pair_values(problem: Problem, tables: Tables, goals: list[int]) -> FloatArray:
    """Return the optimal cost for each pair of `goals` if only these two were possible, ``float64 [n, n]``.

    Costs are marginal and multiplied by the weight of the two goals. The diagonal is 0.
    """
    values = np.zeros((len(goals), len(goals)))
    for i, one in enumerate(goals):
        for j, other in enumerate(goals[:i]):
            solver = make_solver(problem, goals=[one, other], tables=tables, limit=None)
            values[i, j] = values[j, i] = solver.value(problem.start)
    return values
