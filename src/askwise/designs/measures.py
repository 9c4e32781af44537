"""The values of designs that can be minimised: the worst case, the expected EDP, and the cost of not knowing the goal.

A *design* is a set of things to forbid. A *thing* is a cell, edge or action.

**Worst case**: the largest WCD (worst-case distinctiveness) of two possible goals, that is, the latest step at which
two goals can be told apart.

**Expected EDP**: the true goal `j` is drawn from the prior `P`. Another goal `i` is drawn from the prior among the
other goals. EDP(i | j), the expected divergence point, is the expected step at which `i` is ruled out if the teammate
pursues `j`. The value is::

    V = sum over j of P(j)  sum over i other than j of  P(i) / (1 - P(j))  EDP(i | j).

If only one goal is possible, both values are 0.

*Bound on the expected EDP.* Let the things `D` be forbidden, and let some other things be *kept*: they will not be
forbidden. A shortest plan on which all things are kept remains a shortest plan, whatever else is forbidden. Each state
on such a plan for goal `i` is called *certain* for `i`. EDP(i | j) is the mean, over the shortest plans for `j`, of the
number of states on the plan in which `i` is still possible. So it is at least the smallest number of certain states on
any shortest plan for `j`. With a budget of 0, this bound stays valid for all goals `j` when more is forbidden, because
a design can remove shortest plans for `j` but cannot add any. With a larger budget, the bound only stays valid for
goals `j` with a shortest plan on which all things are kept, because the length of their shortest plans cannot change
any more. For all other goals `j`, the bound is 1, because `i` is possible at the start.

**Cost of not knowing**, of the optimal agent or of the planner::

    V(D) = expected cost with D forbidden  -  expected cost before, if the goal were known from the start.

With a budget of 0 no path grows. Then V(D) is the expected marginal cost: what not knowing the goal adds to the cost
with `D` forbidden. With a larger budget, V(D) also contains the steps by which paths have become longer. So a design
gains nothing by making both agents walk further.

*Things that can be left out.* A thing that is not useful to the teammate (`askwise.designs.paths`) does not change the
teammate's plans. Forbidding it can only remove moves of the ego agent. Everything that is possible afterwards was
possible before, at the same cost, so the least expected cost does not decrease: an optimal design for the optimal agent
needs no such thing. The planner is not optimal, so fewer moves may by chance lead it to a lower cost. Nevertheless
things on none of the teammate's paths are not tried for the planner either, and the verdict says so.

*Bound on the cost.* The expected cost is at least the expected cost with a known goal, which never decreases as more is
forbidden. No agent costs less than the optimal agent. So if the cost of the optimal agent can be computed and is
already too high, the cost of the planner is not computed for this design.
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

    Entry ``[i, j]`` is the probability of drawing first `j`, the true goal, from the prior, and then `i` from the other
    goals, in proportion to their prior. All entries are 0 if only one goal has a prior above 0.

    Args:
        prior: ``float64 [n_goals]``, the weight of each goal; it need not add up to 1.
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
        edp: ``float64 [n_goals, n_goals]``; entry ``[i, j]`` is the expected step at which goal `i` is ruled out if the
            teammate pursues goal `j`.
        weights: ``float64 [n_goals, n_goals]``, the probability of each pair, as returned by `pair_weights`.
    """
    return float((edp * weights)[weights > 0].sum())


class ExpectedEdp:
    """The expected EDP as a `Measure`, that is, as a value of designs that a search minimises.

    The expected divergence point (EDP) is the expected step at which one goal is ruled out if the teammate pursues
    another goal. The expected EDP is its mean over pairs of goals that are drawn from the prior.

    Args:
        paths: the teammate's paths.
        prior: ``float64 [n_goals]``, the probability of each goal.
        budget: the number of steps by which the shortest path to each goal may grow.
    """

    expensive = False

    def __init__(self, paths: TeammatePaths, prior: FloatArray, budget: int) -> None:
        self.paths, self.weights, self.budget = paths, pair_weights(prior), budget

    def value(self, design: Removals) -> float:
        """Return the expected EDP if the cells, edges or actions with the indices in `design` are forbidden.

        EDP, the expected divergence point, is the expected step at which one goal is ruled out if the teammate pursues
        another goal. The expected EDP is its mean over pairs of goals that are drawn from the prior.
        """
        return expected_edp(self.paths.divergence(design)[0], self.weights)

    def bound(self, design: Removals, kept: BoolArray) -> float:
        """Return a lower bound on the expected EDP of all designs that forbid at least `design` and none of `kept`.

        EDP, the expected divergence point, is the expected step at which one goal is ruled out if the teammate pursues
        another goal. The expected EDP is its mean over pairs of goals that are drawn from the prior.

        Args:
            design: indices of the things (cells, edges or actions) that all these designs forbid.
            kept: ``bool [n_things]``, True for things that none of these designs forbids.
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

    WCD is the latest step at which two goals can be told apart. This class is for the greedy search. The exact search
    for the least WCD is `askwise.designs.branch_and_bound.WorstCase`.

    Args:
        paths: the teammate's paths.
    """

    expensive = False

    def __init__(self, paths: TeammatePaths) -> None:
        self.paths = paths

    def value(self, design: Removals) -> float:
        """Return the WCD (worst-case distinctiveness) of a design: the latest step at which two goals are told apart.

        Steps are counted from 1. Only goals with a prior above 0 count; the result is 0 if there is only one. `design`
        holds the indices of the forbidden things (cells, edges or actions).
        """
        return self.paths.shared(design)[0]

    def bound(self, design: Removals, kept: BoolArray) -> float:  # noqa: ARG002 - does not depend on the design
        """Return a trivial lower bound on the WCD of any design: 1, or 0 if only one goal has a prior above 0.

        WCD (worst-case distinctiveness) is the latest step at which two goals can be told apart, counted from 1. The
        arguments are ignored.
        """
        return 1.0 if self.paths.counted.sum() > 1 else 0.0


# -- cost of not knowing the goal ---------------------------------------------------------------------------------


class Cost:
    """The expected cost of not knowing the goal, as a `Measure`, that is, as a value of designs to be minimised.

    The value of a design is the expected cost of an episode with the design, minus the expected cost that an ego agent
    would have without the design if it knew the goal from the start.

    Args:
        space: the design space, that is, what may be forbidden in the problem.
        by: how the ego agent decides. With ``optimum`` it is the best possible agent; with ``planner`` it plans ahead,
            but is not optimal.

    Attributes:
        found: the best design so far. If a lower bound shows that another design is no better, `value` returns infinity
            for it, and does not compute the planner's cost. If `found` is None, every value is computed.
        estimated: whether some value is an average over episodes instead of an exact expectation.
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

        `design` holds the indices of the forbidden things (cells or edges). If the ego agent decides by ``planner``,
        the result is infinite if a lower bound already shows that the design is not better than ``self.found``, the
        best design so far.
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
        """Return a lower bound on the value of `design` and of all designs that forbid more.

        The bound is the expected cost of an episode with `design` if the ego agent knew the goal from the start, minus
        the same cost without a design. Forbidding more never lowers the bound.

        Args:
            design: the indices of the forbidden things (cells or edges).
            kept: ignored.
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
