"""The pairs of goals that matter at a moment, and their zones (see `askwise.divergence.zones`).

Of all pairs of possible goals, those matter most for which the ego agent is expected to be torn longest, weighted by
how likely they are: ``P(g) |[B, E(g' | g)]| + P(g') |[B, E(g | g')]|``, with `B` the step at which its plans for the
two must branch and `E` the teammate's expected divergence point. These are the lengths that the value of a question
adds up (without their overlaps).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.divergence import Zone
from askwise.divergence.zones import ROUNDING
from askwise.problem import JointState, Problem, credible_goals
from askwise.types import FloatArray

MOST_PAIRS = 5


@dataclass(frozen=True, slots=True)
class PairZones:
    """Two goals, by number, and when they can be told apart, in steps counted from the present one, which is 1.

    Attributes:
        first: one goal.
        second: the other.
        informed: the last step of Z_I, the teammate's WCD.
        branching: the first step of Z_B, the ego agent's WCD.
        expected: the last step of eZ_I if the first goal is the true one, and if the second is: the teammate's EDP.
        weight: for how many steps the ego agent is expected to be torn between the two, times how likely they are.
    """

    first: int
    second: int
    informed: float
    branching: float
    expected: tuple[float, float]
    weight: float

    @property
    def information(self) -> Zone:
        """Z_I: watching may not have told them apart yet."""
        return Zone(1, self.informed)

    @property
    def parting(self) -> Zone:
        """Z_B: the ego agent has to do different things for the two."""
        return Zone(self.branching, np.inf)

    @property
    def querying(self) -> Zone:
        """Z_Q: a question may pay."""
        return self.information & self.parting

    @property
    def now(self) -> bool:
        """Whether the present step lies in Z_Q."""
        return 1 in self.querying

    @property
    def expected_querying(self) -> tuple[Zone, Zone]:
        """When a question is expected to pay, if the first goal is the true one, and if the second is.

        These are the intervals that the value of a question counts: eZ_I of the teammate with Z_B of the ego agent.
        """
        one, other = (Zone(1, end) & self.parting for end in self.expected)
        return one, other


def heaviest_pairs(
    problem: Problem, state: JointState, belief: FloatArray, most: int = MOST_PAIRS
) -> tuple[PairZones, ...]:
    """Return the pairs that weigh most; among equals those that branch first, then the likelier.

    Args:
        problem: what is played.
        state: where everybody is.
        belief: ``float64 [n_goals]``; pairs of goals with a positive probability are looked at.
        most: how many pairs to return.
    """
    possible = np.flatnonzero(credible_goals(problem, belief))
    if possible.size < 2:
        return ()  # nothing to tell apart, and nothing is worked out
    first, second = (possible[k] for k in np.triu_indices(possible.size, 1))
    edp, wcd = problem.teammate.divergence(state.teammate)
    branching = problem.ego.divergence(state.ego)[1][first, second]
    expected = edp[second, first], edp[first, second]
    torn = [belief[goal] * _length(branching, end) for goal, end in zip((first, second), expected, strict=True)]
    weight = torn[0] + torn[1]
    order = np.lexsort((second, first, -(belief[first] + belief[second]), branching, -weight))[:most]
    return tuple(
        PairZones(
            first=int(first[k]),
            second=int(second[k]),
            informed=float(wcd[first[k], second[k]]),
            branching=float(branching[k]),
            expected=(float(expected[0][k]), float(expected[1][k])),
            weight=float(weight[k]),
        )
        for k in order
    )


def _length(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the lengths of many zones, as `Zone.length` does for one."""
    held = (start <= end + ROUNDING) & np.isfinite(start)
    begin = np.where(held, start, 0.0)
    return np.where(held, np.maximum(end, begin) - begin + 1, 0.0)
