"""A tighter lower bound if many goals are likely: random groups of goals, and charges that make up for the rest.

**Theory.** Deal the `n` goals into groups at random, and let an oracle name the group of the true goal at the start,
for free. This gives the bound of `askwise.planning.bounds`. It is too low, because a question within a group names
fewer goals than in the whole problem. So questions within a group are charged more than their price.

Let `B` be the group of the goal `g`, with `m` goals. The other ``m - 1`` goals of `B` are drawn uniformly from the
``n - 1`` goals besides `g`. One such goal is in `B` with probability `q`. Of `K` such goals, none is in `B` with
probability ``none(K)``::

    q       = (m - 1) / (n - 1)
    none(K) = binomial(n - 1 - K, m - 1) / binomial(n - 1, m - 1)

The price of a question is `b`, plus `c` for each goal in it. In a group, a question that names `g` and `i` others is
charged ``own(i)``, and one that names `j` goals, but not `g`, ``other(j)``. A question that does not divide the group
is free. The teammate may pursue `a` goals in its state. ``other`` charges a share `s` of `c`, from 0 to 1, by the goal,
and the rest of the price in the fixed amount `f`::

    own(i)   = b + c (1 + i / q)
    other(j) = f + s c j / q
    f        = least of (b + (1 - s) c K) / (1 - none(K)) over 1 <= K <= a - 1

In the problem of a group, goals keep their weights. Let ``U(B)`` be the optimal value (`askwise.planning`) of this
problem, with these charges as prices. Then, for every prior::

    optimum  >=  E[sum of U(B) over the groups]                                                                  (1)

*Proof.* Let any policy of the whole problem play in the problem of the group that contains the goal. Fix the goal `g`,
the path of the teammate and all coin tosses of the policy. Then its steps and questions are fixed. The others in `B`
are still drawn uniformly, because the policy never learns about `B`. Steps cost the same as in the whole problem. Take
one of its questions, asked when the goals `A` are possible, at most `a`.

- It names `g` and `L` others of `A`. In expectation ``q L`` of these are in `B`, so the expected charge is at most
  ``b + c + (c / q) q L``: the price of the question.
- It does not name `g`, but `K` others. The charge is due only if one of them is in `B`: in expectation
  ``(1 - none(K)) f + (s c / q) q K``. By the choice of `f` that is at most ``b + c K``: the price.

Naming impossible goals only makes a question more expensive. So, in expectation over the dealing, the policy pays in
the groups at most what it pays in the whole problem, for each goal and therefore for every prior. In each group it pays
at least ``U(B)``. This holds for every policy, so (1) holds for the best.

If goals have different prices, `c` is the lowest. A group that is too large to solve is divided in two, with the same
charges. Then ``U(B) >= U(one half) + U(other half)``, because free information never hurts, and charges do not fall as
more goals are named. If ``m = n``, charges are prices (``s = 1``), and (1) is an equation.

**The choice of s.** Any `s` gives a valid bound. A larger `s` charges more for questions about many goals of a group,
and less for those about one. In examples, the best `s` was 1/4 with 50 goals in groups of 10, and 3/4 in groups of 25.

**Confidence.** The right side of (1) is a mean over all ways to deal the goals. A few are drawn at random. The bound is
the lower end of the one-sided 95 % confidence interval (Student's t) for the mean, as if the sums were normally
distributed.
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

    Returns None if the base price of a question is negative, or if options of multiple-choice questions have a price.

    Args:
        problem: a problem that `check_teammate` accepts, with a base price plus a price for each goal in a question.
        largest: most goals in a group, at least 2; more make the bound tighter and take longer.
        deals: how often the goals are divided into random groups, at least 2.
        seed: seed of these groups.
        limit: the most states to solve for a group; beyond it, the group is divided in two.
        progress: called with the numbers of solved groups and of all groups.
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

    `goals` are all possible goals. A group that takes more than `limit` states is divided in two.

    Attributes:
        groups: the solved groups.
        states: number of states solved for these groups.
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
        """Return the least expected marginal cost if only the goals of `group` were possible, times the group's weight.

        Questions cost the amounts of `charges` or, if the group has all goals, their price. A group that takes too many
        states is divided; the sum over its parts is a lower bound.
        """
        if len(group) < 2:
            return 0.0
        whole = len(group) == self.n_goals
        return self._solved(group, None if whole else self.charges(len(group)))

    def charges(self, size: int) -> Charges:
        """Return the amounts to charge for questions, instead of prices, in groups of `size` goals.

        With these amounts, the costs in groups give a valid lower bound (`charges_of`).
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

    The first index is the number of goals that the teammate may still pursue. ``[:, 0, i]`` is for a question that
    names the true goal and `i` others of the group, ``[:, 1, j]`` for one that names `j` goals, but not the true one.

    Args:
        n_goals: number of goals in all.
        size: goals in the group, from 2.
        base: price of a question.
        per_goal: price for each goal in it.
        flat: share of `per_goal` that ``[:, 1, j]`` charges by the goal, from 0 to 1; by default 1.5 times
            ``(size - 1) / (n_goals - 1)``, but at least 0.25 and at most 1.
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

    The group has `size` of the `n_goals` goals. The result is ``none(some)`` of the module docstring.
    """
    return comb(n_goals - 1 - some, size - 1) / comb(n_goals - 1, size - 1)
