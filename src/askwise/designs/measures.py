"""Values of designs that follow from the teammate's ways alone: the worst case, and the expected EDP.

**Worst case**: the largest WCD of two goals that the prior allows: steps until they are told apart, at the latest.

**Expected EDP**: the true goal `j` is drawn from the prior, another goal `i` from the prior among the others, and
EDP(i | j) is how long `i` stays possible:

    V = sum over j of P(j)  sum over i other than j of  P(i) / (1 - P(j))  EDP(i | j).

If only one goal is possible, there is nothing to tell apart: both values are 0.

**Bound on the expected EDP.** Let `D` be forbidden and some things kept. A plan on which everything is kept stays, and
stays shortest: a state on such a plan for `i` is *certain* for `i`, whatever else is forbidden. EDP(i | j) is the mean,
over the shortest plans for `j`, of the number of states on the plan at which `i` is still possible. So it is at least
that number of certain states on the plan for `j` that has the fewest of them. With a budget of 0, plans for `j` can
only be those of now. With a larger one that holds for a goal that has a plan on which all is kept: its cost cannot
change any more. For another goal only the start is counted: 1.

What not knowing the goal costs under a design: by the optimum, or by the planner.

    V(D) = expected cost with D forbidden  -  expected cost before, if the goal were known from the start.

With a budget of 0 nobody's way grows, and this is the expected regret. With a larger one, ways that have become longer
count as well: a design that makes everybody walk further is not credited with it.

**What can be left out.** A thing that is not useful to the teammate (`askwise.designs.paths`) leaves the teammate's
plans as they are. If it is forbidden, it can only take moves from the ego agent. Whatever can be done then could be
done before, at the same cost, so the least expected cost does not fall: for the optimum, a best design needs no such
thing. The planner is not the optimum and may do better with fewer moves, by luck; things that touch none of the
teammate's ways are not looked at for it either, and the verdict says so.

**Bound.** The expected cost is at least what it would be if the goal were known, and that never falls as more is
forbidden. No agent costs less than the optimum: where that can be solved, designs whose optimum is too dear are not
played by the planner at all.
"""

from __future__ import annotations

import math

import numpy as np

from askwise.api import as_problem
from askwise.core.problem import Problem, optimal_costs
from askwise.designs.branch_and_bound import BestSoFar
from askwise.designs.paths import Removals, TeammatePaths
from askwise.designs.space import Space
from askwise.errors import AskwiseError
from askwise.planning.exact import TooLarge
from askwise.play.evaluate import evaluate
from askwise.play.solve import solve
from askwise.types import BoolArray, FloatArray


def pair_weights(prior: FloatArray) -> FloatArray:
    """``float64 [n_goals, n_goals]``: the probability that column is the true goal and row the other one; sums to 1."""
    prior = prior / prior.sum()
    weights = np.zeros((prior.size, prior.size))
    if np.count_nonzero(prior) < 2:
        return weights
    for j in np.flatnonzero(prior).tolist():
        others = prior.copy()
        others[j] = 0.0
        weights[:, j] = prior[j] * others / others.sum()
    return weights


def expected_edp(edp: FloatArray, weights: FloatArray) -> float:
    """Return the expected EDP under `pair_weights`."""
    return float((edp * weights)[weights > 0].sum())


class ExpectedEdp:
    """The expected EDP as a `Measure`."""

    expensive = False

    def __init__(self, paths: TeammatePaths, prior: FloatArray, budget: int) -> None:
        self.paths, self.weights, self.budget = paths, pair_weights(prior), budget

    def value(self, design: Removals) -> float:
        """See `Measure`."""
        return expected_edp(self.paths.divergence(design)[0], self.weights)

    def bound(self, design: Removals, kept: BoolArray) -> float:
        """See `Measure`."""
        price = np.zeros(kept.size + 1, dtype=np.int32)
        price[:-1][~kept] = 1
        plans = self.paths.plans(self.paths.closed(design), price)
        agreed = plans.certain_agreement()
        if self.budget > 0:
            certain = plans.towards[plans.order[0]] == 0
            agreed[:, ~certain] = 1.0
        return expected_edp(np.maximum(agreed, 1.0), self.weights)


class WorstCaseValue:
    """The worst case as a `Measure`; `askwise.designs.branch_and_bound` has a better way to search for the least one."""

    expensive = False

    def __init__(self, paths: TeammatePaths) -> None:
        self.paths = paths

    def value(self, design: Removals) -> float:
        """See `Measure`."""
        return self.paths.shared(design)[0]

    def bound(self, design: Removals, kept: BoolArray) -> float:  # noqa: ARG002 - whatever is forbidden or kept
        """See `Measure`."""
        return 1.0 if self.paths.counted.sum() > 1 else 0.0


MOST_STATES = 200_000
"""States up to which an optimum is solved: there are many designs to solve."""
PATHS = 20
"""Episodes for each goal where all that can happen is too much."""
SEED = 0


class Cost:
    """The expected cost of not knowing as a `Measure`.

    Args:
        space: what may be forbidden.
        by: ``optimum`` or ``planner``.

    Attributes:
        found: the best so far, None as long as there is none.
        estimated: whether some value is an average over episodes.
    """

    expensive = True

    def __init__(self, space: Space, by: str) -> None:
        self.space, self.by = space, by
        self.found: BestSoFar | None = None
        self.estimated = False
        self._known: dict[frozenset[int], float] = {}
        self._least: dict[frozenset[int], float] = {}
        self._costs: dict[frozenset[int], float] = {}
        self._before = self._known_cost(())

    def value(self, design: Removals) -> float:
        """Return the value; infinity of a design that cannot be the best, if that takes less time to say."""
        key = frozenset(design)
        if key in self._costs:
            return self._costs[key] - self._before
        if self.by == "optimum":
            self._costs[key] = self._solved(self._problem(design))
            return self._costs[key] - self._before
        if self.found is not None and not self.found.better(self._lower(design) - self._before, len(key)):
            return math.inf
        self._costs[key] = self._played(self._problem(design))
        return self._costs[key] - self._before

    def bound(self, design: Removals, kept: BoolArray) -> float:  # noqa: ARG002 - whatever is kept
        """See `Measure`."""
        return self._known_cost(design) - self._before

    def _problem(self, design: Removals) -> Problem:
        return as_problem(self.space.changed(design))

    def _known_cost(self, design: Removals) -> float:
        key = frozenset(design)
        if key not in self._known:
            problem = self._problem(design)
            prior = problem.prior / problem.prior.sum()
            self._known[key] = float((prior * optimal_costs(problem, problem.start))[prior > 0].sum())
        return self._known[key]

    def _lower(self, design: Removals) -> float:
        """Return what no agent costs less than."""
        key = frozenset(design)
        if key not in self._least:
            try:
                self._least[key] = self._solved(self._problem(design), least=True)
            except AskwiseError:  # too large, or prices that the optimum is not worked out for
                self._least[key] = self._known_cost(design)
        return self._least[key]

    def _solved(self, problem: Problem, *, least: bool = False) -> float:
        solution = solve(problem, limit=MOST_STATES)
        if not least or solution.lower_bound is None:
            return solution.expected_cost
        return solution.expected_cost - solution.expected_marginal_cost + solution.lower_bound

    def _played(self, problem: Problem) -> float:
        try:
            return evaluate(problem, "planner", exact=True).expected_cost
        except TooLarge:
            self.estimated = True
            found = evaluate(problem, "planner", paths=PATHS, seed=SEED)
            prior = problem.prior / problem.prior.sum()
            known = float((prior * optimal_costs(problem, problem.start))[prior > 0].sum())
            return known + found.expected_marginal_cost
