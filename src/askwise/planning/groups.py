"""A tighter lower bound if many goals are likely: random groups of goals, and charges that make up for the rest.

**Theory.** Deal the `n` goals into groups at random, and let an oracle name the group of the true goal at the start,
for free. That alone is the bound of `askwise.planning.bounds`, and it is too low: a question within a group names few
goals and costs little, while a question in the whole problem names many. So questions within a group are charged more
than their price. Let `B` be the group of the goal `g`, with `m` goals. The others in `B` are `m - 1` of the `n - 1`
other goals, drawn uniformly:

    P(h in B | g) = q = (m - 1) / (n - 1),      P(none of K others in B | g) = none(K)
                                                    = binomial(n - 1 - K, m - 1) / binomial(n - 1, m - 1).

A question is charged by its effect in the group. If `g` is named, with `i` others of the group, the charge is
``own(i)``. If `g` is not named, but `j` goals of the group are, it is ``other(j)``. A question that does not divide the
group is free. Let the price of a question be `b`, plus `c` for each goal that is named, and let ``0 <= s <= 1``. Then

    own(i)   = b + c (1 + i / q)
    other(j) = f + s c j / q,        f = least of (b + (1 - s) c K) / (1 - none(K)) over 1 <= K <= a - 1,

where `a` is the number of goals for which the teammate may be in its state. In the problem of a group, goals have the
weights that they have in the whole problem. Let ``U(B)`` be the optimal value (`askwise.planning`) of the problem of
group `B`, with these charges as prices. Then, for every prior,

    optimum  >=  E[sum of U(B) over the groups]                                                                  (1)

*Proof.* Take any policy of the whole problem and let it play in the problem of the group that contains the goal. Fix
the goal `g`, the path of the teammate and all coin tosses of the policy: then its steps and questions are fixed, and
the others in `B` are still drawn uniformly, because the policy never learns about `B`. Steps cost the same as in the
whole problem. Take one of its questions, asked when the goals `A` are possible, at most `a` of them.

- It names `g` and `L` others of `A`. In expectation ``q L`` of these are in `B`, so the expected charge is at most
  ``b + c + (c / q) q L``: the price of the question. It is less if the question often does not divide `B`.
- It does not name `g`, but `K` others. The charge is due only if one of them is in `B`, otherwise `B` is not divided:
  in expectation ``(1 - none(K)) f + (s c / q) q K``. By the choice of `f` that is at most ``b + c K``: the price.

Impossible goals that are named only make a question more expensive. So, in expectation over the dealing, the policy
pays in the groups at most what it pays in the whole problem, for each goal and therefore for every prior. In each group
it is a policy of the group's problem: it has all information that it needs, and answers are the same. It pays at least
``U(B)``. This holds for every policy, so (1) holds for the best.

Possible doubts: *Questions that do not divide a group* are free there, and useless. *The side that is named*: the
problem of a group may name either side at its own charge, so the policy is among those over which ``U(B)`` is the
least. *Goals with prices of their own*: `c` is the lowest. *A group too large to solve* is divided in two with the same
charges: ``U(B) >= U(one part) + U(other part)``, since free information never hurts and charges do not fall as more
goals are named; the search relies on the same. With ``m = n`` there is one group, charges are prices (``s = 1``), and
(1) is an equation.

Why `other` is not simply ``b + c j / q``: that is unbiased too, but charges most for questions about many goals of a
group, which are seldom asked. With small `s` more is charged for naming one goal, the usual question. Any `s` is valid.
With 50 goals in groups of 10, one instance of the paper's size, prices 0.2 and 0.5 for a goal, 1/4 gave bounds of 1.95
and 3.00, where 1 gave 1.74 and 2.73, 1/2 gave 1.95 and 2.98, and 0 gave 1.93 and 2.97. In groups of 25, another
instance, one way to deal, 3/4 gave 1.16 and 1.71, where 1 gave 1.13 and 1.67, 1/2 gave 1.15 and 1.68, 0 gave 1.06 and
1.57.

**Confidence.** (1) has the mean, over all ways to deal, of the sum over the groups. Some ways to deal are drawn
independently. Each puts every goal into one group, so their sums differ little. The bound is the lower end of the
one-sided 95 % confidence interval (Student's t) for the mean. It holds with 95 % confidence if the sums are normally
distributed, which is only an approximation. The draw is seeded, so the result is reproducible.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

import numpy as np

from askwise.core.answers import TRUTHFUL
from askwise.core.problem import Problem
from askwise.core.questions import AdditivePrice
from askwise.errors import InputError
from askwise.planning.bounds import Bound
from askwise.planning.exact import Charges, Progress, Solver, TooLarge, check_teammate
from askwise.planning.optimum import METHOD
from askwise.planning.tables import Tables, price_for_planning, tables_of
from askwise.types import FloatArray, LazyModule, Verdict

special = LazyModule("scipy.special")

LARGEST = 17
"""Most goals in a group."""
DEALS = 6
"""How often the goals are dealt into groups."""
TIGHT_STATES = 1_000_000
"""States to solve for one group before it is divided in two: some seconds."""
CONFIDENCE = 0.95
FLATTEST, STEEPER = 0.25, 1.5
"""The share `s` of the price of a goal that `other` charges for each goal: the second number times the share of the
goals in a group, but at least the first number and at most 1."""


@dataclass(frozen=True, slots=True)
class Confident(Verdict):
    """A verdict on a lower bound that is estimated from random groups of goals; by chance, it may be too high.

    Attributes:
        confidence: the probability, before the groups are drawn, that the bound will not be too high.
    """

    confidence: float = CONFIDENCE

    def __str__(self) -> str:
        return f"lower bound with {100 * self.confidence:g} % confidence, {self.method}"


def bound_with_groups(
    problem: Problem,
    *,
    largest: int = LARGEST,
    deals: int = DEALS,
    seed: int = 0,
    limit: int = TIGHT_STATES,
    progress: Progress | None = None,
) -> Bound | None:
    """Return a lower bound on the expected marginal cost of any way of acting and asking, with 95 % confidence.

    It is computed from random groups of goals. The price of a yes/no question must be a base price plus a price for
    each goal that the question names. Returns None if the base price is negative, or if choices have a price.

    Args:
        problem: any problem that `askwise.planning.exact` accepts, of any size.
        largest: most goals in a group, at least 2; more make the bound tighter and take longer.
        deals: how often all goals are divided into random groups, at least 2; more make the bound tighter.
        seed: seed of the random groups.
        limit: the most states to solve for one group; a group that takes more is divided in two.
        progress: called with the number of groups that are solved, and the number of all groups.
    """
    began = time.perf_counter()
    for name, found in (("largest", largest), ("deals", deals)):
        if found < 2:
            raise InputError(name, repr(found), "a whole number from 2")
    check_teammate(problem, "the bound")
    price = price_for_planning(problem, "the exact search adds up prices goal by goal")
    if problem.query_cost.per_option is not None or price.base < 0:
        return None
    truthful = problem.answers.truthful
    problem = problem.with_answers(TRUTHFUL)
    tables = tables_of(problem)
    goals = tables.goals
    work = GroupSolver(problem, tables, goals, price, limit)
    ways = [goals_dealt(goals, largest, rng) for rng in np.random.default_rng(seed).spawn(deals)]
    if len(ways[0]) == 1:
        ways = ways[:1]
    sums, of, done = [], sum(map(len, ways)), 0
    for way in ways:
        sums.append(0.0)
        for group in way:
            sums[-1] += work.value(group)
            done += 1
            if progress is not None:
                progress(done, of)
    whole = len(goals) == 1 or work.groups == [tuple(goals)]
    return Bound(
        value=lower_end(sums) / float(tables.weight[tables.start, goals].sum()),
        verdict=Verdict(METHOD) if whole and truthful else _verdict(work, len(ways), truthful=truthful),
        groups=tuple(work.groups),
        states=work.states,
        seconds=time.perf_counter() - began,
    )


def _verdict(work: GroupSolver, deals: int, *, truthful: bool) -> Verdict:
    largest = max(map(len, work.groups), default=1)
    method = f"goals dealt {deals} times into groups of up to {largest}, each solved exactly"
    method += "" if truthful else " as if all answers were true"
    return Confident(method, exact=False, error_bound=np.inf, confidence=CONFIDENCE if deals > 1 else 1.0)


def lower_end(sums: Sequence[float]) -> float:
    """Return the lower end of the one-sided 95 % confidence interval for the mean of `sums`, at least 0.

    If there is only one sum, it is returned unchanged.
    """
    n = len(sums)
    if n == 1:
        return float(sums[0])
    off = float(special.stdtrit(n - 1, CONFIDENCE)) * float(np.std(sums, ddof=1)) / sqrt(n)
    return max(0.0, float(np.mean(sums)) - off)


def goals_dealt(goals: Sequence[int], largest: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Divide goals into random groups: as few groups as possible, of at most `largest` goals, about equally large."""
    n_groups = -(-len(goals) // largest)
    dealt = rng.permutation(np.array(goals))
    return [tuple(sorted(dealt[k::n_groups].tolist())) for k in range(n_groups)]


class GroupSolver:
    """Solves groups of goals exactly, as if all other goals were impossible.

    A group that takes more than `limit` states is divided in two, and each part is solved.

    Args:
        problem: the problem.
        tables: the arrays of the problem (`tables_of`).
        goals: all possible goals of the problem.
        price: the price of questions in the problem.
        limit: the most states to solve for one group, None for any number.

    Attributes:
        groups: the groups that were solved.
        states: number of states that were solved for these groups.
    """

    def __init__(
        self, problem: Problem, tables: Tables, goals: Sequence[int], price: AdditivePrice, limit: int | None
    ) -> None:
        self.problem, self.tables, self.limit = problem, tables, limit
        self.n_goals = len(goals)
        self.base = price.base
        self.per_goal = max(0.0, price.per_goal + float(price.extra[list(goals)].min()))
        self._alive = (tables.weight[:, list(goals)] > 0).sum(axis=1)
        self._charges: dict[int, Charges] = {}
        self.groups: list[tuple[int, ...]] = []
        self.states = 0

    def value(self, group: Sequence[int]) -> float:
        """Return the least expected marginal cost if only the goals of `group` were possible, times their weight.

        Questions cost the amounts that `charges` returns or, if the group has all goals of the problem, their price. If
        the group takes too many states, it is divided, and the result is the sum over its parts: a lower bound.
        """
        if len(group) < 2:
            return 0.0
        whole = len(group) == self.n_goals
        return self._solved(group, None if whole else self.charges(len(group)))

    def charges(self, size: int) -> Charges:
        """Return the amounts to charge for questions, instead of prices, in groups of `size` goals.

        A question names fewer goals in a group than in the whole problem. These amounts make up for that, so that the
        costs in groups give a valid lower bound (`charges_of`).
        """
        if size not in self._charges:
            amounts = charges_of(self.n_goals, size, self.base, self.per_goal)
            self._charges[size] = Charges(amounts, self._alive)
        return self._charges[size]

    def _solved(self, group: Sequence[int], charges: Charges | None) -> float:
        if len(group) < 2:
            return 0.0
        try:
            solver = Solver(self.problem, goals=group, tables=self.tables, limit=self.limit, charges=charges)
            value = solver.value(self.problem.start)
        except TooLarge:
            middle = len(group) // 2
            return self._solved(group[:middle], charges) + self._solved(group[middle:], charges)
        self.states += solver.states
        self.groups.append(tuple(group))
        return value


def charges_of(n_goals: int, size: int, base: float, per_goal: float, flat: float | None = None) -> FloatArray:
    """Return the amounts to charge for questions in a group of goals, ``float64 [n_goals + 1, 2, size]``.

    A question names fewer goals in a group than in the whole problem. These amounts replace its price, so that the
    costs in groups give a valid lower bound. The first index is the number of goals for which the teammate may be in
    its state. Entry ``[:, 0, i]`` is paid if the true goal is named together with `i` others of the group,
    ``[:, 1, j]`` if it is not named but `j` goals of the group are.

    Args:
        n_goals: number of goals in all.
        size: goals in the group, from 2.
        base: price of a question.
        per_goal: price for each goal in a question.
        flat: for questions that do not name the true goal, the share of `per_goal` that is charged for each goal named;
            the rest is charged as a fixed amount (`s` in the proof at the top of this module). By default it is 1.5
            times ``(size - 1) / (n_goals - 1)``, but at least 0.25 and at most 1.
    """
    there = (size - 1) / (n_goals - 1)
    part = min(1.0, max(FLATTEST, STEEPER * there)) if flat is None else flat
    counts = np.arange(size)
    found = np.empty((n_goals + 1, 2, size))
    found[:, 0] = base + per_goal * (1 + counts / there)
    others = np.arange(1, n_goals)
    due = np.array([1 - none_of(int(k), n_goals, size) for k in others])
    least = np.minimum.accumulate((base + (1 - part) * per_goal * others) / due)
    for alive in range(n_goals + 1):
        found[alive, 1] = least[max(0, alive - 2)] + part * per_goal * counts / there
    return found


def none_of(some: int, n_goals: int, size: int) -> float:
    """Return the probability that a given goal's random group contains none of `some` other given goals.

    The group has `size` of the `n_goals` goals: the given goal, and others that are drawn uniformly. The result is
    ``none(K)`` in the proof at the top of this module, for ``K = some``.
    """
    return comb(n_goals - 1 - some, size - 1) / comb(n_goals - 1, size - 1)
