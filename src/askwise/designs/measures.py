"""The values of designs that can be minimised: the worst case, the expected EDP, and the cost of not knowing the goal.

A *thing* is a cell, edge or action. A *design* is a set of things to forbid. The budget is the number of steps by which
it may lengthen paths.

**Worst case**: WCD (worst-case distinctiveness), the latest step at which two possible goals can be told apart.

**Expected EDP**: EDP(i | j), the expected divergence point, is the expected step at which goal `i` is ruled out while
goal `j` is pursued. The value is its mean, with `j` from the prior `P`, and `i` from the prior among the other goals::

    V = sum over j of P(j)  sum over i other than j of  P(i) / (1 - P(j))  EDP(i | j).

If only one goal is possible, both values are 0.

*Bound on the expected EDP.* Things that will not be forbidden are *kept*. A shortest plan with only kept things stays a
shortest plan, and its states are *certain* for its goal. EDP(i | j) is the mean number of states on a shortest plan for
`j` in which `i` is still possible. So it is at least the least number of states certain for `i` on such a plan. This
stays valid when more is forbidden if the shortest plans for `j` cannot become longer: with a budget of 0, or if one of
them has only kept things. If these plans can become longer, the bound is 1.

**Cost of not knowing**, of the optimal agent or of the planner::

    V(D) = expected cost with D forbidden  -  expected cost before, if the goal were known from the start.

With a budget of 0, V(D) is the expected marginal cost: what not knowing the goal adds. With a larger budget, it also
has the steps by which paths became longer.

*Things left out.* Forbidding a thing that is not useful to the teammate (`askwise.designs.paths`) only removes moves of
the ego agent, which cannot lower the cost of the optimal agent. It may by chance lower the planner's. The search does
not try this, and the verdict says so.

*Bound on the cost.* No cost is below that with a known goal, which never falls as more is forbidden. The planner's cost
is not computed if the optimal agent's is known and already too high.
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
from askwise.play.evaluate import evaluate, solve
from askwise.types import BoolArray, FloatArray

MOST_STATES = 200_000
"""Largest number of states for which the optimum is solved, because this is done for many designs."""
PATHS = 20
"""Episodes per goal if the expected cost is too large to compute exactly."""
SEED = 0


def pair_weights(prior: FloatArray) -> FloatArray:
    """Return the probability of each ordered pair of different goals, ``float64 [n_goals, n_goals]``.

    Entry ``[i, j]`` is the probability of drawing first `j` from the prior, and then `i` from the prior among the other
    goals. It is 0 if only one goal has a prior above 0. `prior`, ``float64 [n_goals]``, need not add up to 1.
    """
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
    """Return the mean expected divergence point (EDP) over all pairs of different goals.

    Args:
        edp: ``float64 [n_goals, n_goals]``; ``[i, j]`` is the expected step at which goal `i` is ruled out while `j` is
            pursued.
        weights: ``float64 [n_goals, n_goals]``, probability of each pair (`pair_weights`).
    """
    return float((edp * weights)[weights > 0].sum())


class ExpectedEdp:
    """The expected EDP as a `Measure`, a value of designs that a search minimises.

    It is the expected step at which one goal is ruled out while another is pursued, both drawn from the prior.

    Args:
        paths: the teammate's paths.
        prior: ``float64 [n_goals]``, probability of each goal.
        budget: steps by which shortest paths may grow.
    """

    expensive = False

    def __init__(self, paths: TeammatePaths, prior: FloatArray, budget: int) -> None:
        self.paths, self.weights, self.budget = paths, pair_weights(prior), budget

    def value(self, design: Removals) -> float:
        """Return the expected EDP if the things (cells, edges or actions) with the indices in `design` are forbidden.

        It is the expected step at which one goal is ruled out while another is pursued.
        """
        return expected_edp(self.paths.divergence(design)[0], self.weights)

    def bound(self, design: Removals, kept: BoolArray) -> float:
        """Return a lower bound on the expected EDP of all designs that forbid at least `design` and none of `kept`.

        The expected EDP is the expected step at which one goal is ruled out while another is pursued. `design` has
        indices of things (cells, edges or actions); `kept` is ``bool [n_things]``.
        """
        price = np.zeros(kept.size + 1, dtype=np.int32)
        price[:-1][~kept] = 1
        plans = self.paths.plans(self.paths.closed(design), price)
        agreed = plans.certain_agreement()
        if self.budget > 0:
            certain = plans.towards[plans.order[0]] == 0
            agreed[:, ~certain] = 1.0
        return expected_edp(np.maximum(agreed, 1.0), self.weights)


class WorstCaseValue:
    """Worst-case distinctiveness (WCD) as a `Measure`, that is, as a value of designs that a search minimises.

    WCD is the latest step at which two goals can be told apart.

    Args:
        paths: the teammate's paths.
    """

    expensive = False

    def __init__(self, paths: TeammatePaths) -> None:
        self.paths = paths

    def value(self, design: Removals) -> float:
        """Return the WCD (worst-case distinctiveness) of a design: the latest step at which two goals are told apart.

        `design` has the indices of the forbidden things. The result is 0 if only one goal has a prior above 0.
        """
        return self.paths.shared(design)[0]

    def bound(self, design: Removals, kept: BoolArray) -> float:  # noqa: ARG002 - does not depend on the design
        """Return a trivial lower bound on the WCD of any design: 1, or 0 if only one goal has a prior above 0.

        The arguments are ignored.
        """
        return 1.0 if self.paths.counted.sum() > 1 else 0.0


# -- cost of not knowing the goal ---------------------------------------------------------------------------------


class Cost:
    """The expected cost of not knowing the goal as a `Measure`, a value of designs that a search minimises.

    It is the expected cost with the design, minus the expected cost without it if the goal is known from the start.

    Args:
        space: what may be forbidden.
        by: the ego agent: ``planner``, or ``optimum``, the best possible agent.

    Attributes:
        found: the best design so far, to skip designs that cannot be better; None to compute every value.
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
        """Return the expected cost with a design, minus the expected cost without the design if the goal were known.

        `design` has the indices of the forbidden things. For ``planner``, the result is infinite if a lower bound shows
        that the design is not better than ``self.found``.
        """
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

    def bound(self, design: Removals, kept: BoolArray) -> float:  # noqa: ARG002 - does not depend on `kept`
        """Return a lower bound on the value of `design` and of all designs that forbid more; `kept` is ignored.

        The bound is the expected cost with `design`, minus the expected cost without it, both for a known goal.
        """
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
        """Return a lower bound on the expected cost of an episode under a design, for any ego agent.

        `design` holds the indices of the forbidden things.
        """
        key = frozenset(design)
        if key not in self._least:
            try:
                self._least[key] = self._solved(self._problem(design), least=True)
            except AskwiseError:  # too large, or prices for which the optimum cannot be computed
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
