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
"""

from __future__ import annotations

import numpy as np

from askwise.designs.ways import Removals, TeammatePaths
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
    """The worst case as a `Measure`; `askwise.designs.worst` has a better way to search for the least one."""

    expensive = False

    def __init__(self, paths: TeammatePaths) -> None:
        self.paths = paths

    def value(self, design: Removals) -> float:
        """See `Measure`."""
        return self.paths.shared(design)[0]

    def bound(self, design: Removals, kept: BoolArray) -> float:  # noqa: ARG002 - whatever is forbidden or kept
        """See `Measure`."""
        return 1.0 if self.paths.counted.sum() > 1 else 0.0
