"""A lower bound on the expected marginal cost of every method, for problems too large to solve.

**Theory.** Put every goal into one of several groups, and let an oracle name the group of the true goal at the start,
for free. The agent may ignore the oracle, so this free information never makes the least cost larger. The least cost
within each group is computed exactly (`askwise.planning.exact`); the goals of the group keep their odds. Within a
group, a question names only goals of the group, and naming fewer goals never makes a question more expensive. So for
any division into groups::

    optimum  >=  sum over groups of P(group) * optimum(group)

If all goals are in one group, the bound is the optimum itself. A group of a single goal adds nothing to the sum.

If answers may be wrong or missing, the bound is computed as if all answers were true. This is allowed because worse
answers never help: from true answers an agent could make wrong or missing ones by tossing coins. The bound also holds
if the problem has multiple-choice questions: if such a question is restricted to the goals of a group, it has no more
options than before, so it costs no more.

The bound is close to the optimum if likely goals that are hard to tell apart are in one group. Two ways to form groups
are tried, and the larger bound is kept. The first way puts the likeliest goals together; it suits priors that favour a
few goals. The second way puts goals together that are expensive to tell apart, judged by the exact optimum for each
pair of goals. A group grows while solving it stays within `limit` states.
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
    """A lower bound on the expected marginal cost of any way of acting and asking.

    Marginal cost is the cost beyond that of an agent that knows the goal. To bound it, goals are divided into groups,
    and each group is solved as if an oracle had said, for free, that the true goal is in this group.

    Attributes:
        value: the bound.
        verdict: how the value was obtained; exact if the value is the optimum itself.
        groups: the goals of each group that was solved; goals in no group are taken to cost nothing.
        states: number of states that were solved for these groups.
        seconds: the time that computing the bound took.
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
    """Return a lower bound on the expected marginal cost of any way of acting and asking.

    Marginal cost is the cost beyond that of an agent that knows the goal. The goals are divided into groups that are
    small enough to be solved exactly. The bound is the least cost if an oracle says at the start, for free, which group
    contains the true goal.

    Args:
        problem: any problem that `askwise.planning.exact` accepts, of any size.
        limit: the most states to solve for each group; a higher limit takes longer and gives a larger, better bound.
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

    Marginal cost is the cost beyond that of an agent that knows the goal. The first `before` answers are as unreliable
    as in `problem`. The result is None if solving takes more than `limit` states. It is also None if `before` is below
    1, or if answers in `problem` are always true: `bound_problem` covers these cases, since it takes all answers to be
    true.
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

    The cost of a group is the cost of the problem in which only the goals of the group are possible. Groups are made
    one after the other. The function `order` sorts the goals that are in no group yet. The next group takes as many of
    the first of these goals as can be solved with at most `limit` states. At the end, some goals may be left without a
    group: a single goal, or goals that are very unlikely even together.

    Attributes:
        groups: the goals of each group.
        value: the sum of the least expected marginal costs of all groups, each times the weight of the group, which is
            the sum of the weights of its goals.
        states: number of states that were solved.
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

        Adds the group to `self.groups`, and its cost and states to the sums; returns the group.
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

    The list may have any of the goals in `goals`. The *pair cost* of two goals is the optimal cost if only these two
    were possible. The first goal is the one with the largest sum of pair costs with all other goals in the list. Each
    next goal has the largest sum of pair costs with the goals before it.
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
    """Return the optimal cost for each pair of goals if only these two were possible, ``float64 [n, n]``.

    Rows and columns are the `n` goals in `goals`. A cost is the expected cost beyond that of an agent that knows the
    goal, times the sum of the weights of the two goals. The diagonal is 0.
    """
    values = np.zeros((len(goals), len(goals)))
    for i, one in enumerate(goals):
        for j, other in enumerate(goals[:i]):
            solver = make_solver(problem, goals=[one, other], tables=tables, limit=None)
            values[i, j] = values[j, i] = solver.value(problem.start)
    return values
