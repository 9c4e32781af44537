"""The pairs of goals that matter at a moment, and their zones (see `askwise.divergence.zones`).

Of all pairs of possible goals, `pairs_at` returns those whose plans for the fetcher branch first, and among these the
likelier; `heaviest_pairs` those for which the fetcher is expected to be torn longest, weighted by their probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.divergence import Zone
from askwise.divergence.zones import ROUNDING
from askwise.domains.tool_fetching import ToolFetching
from askwise.problem import JointState
from askwise.types import FloatArray, IntArray

MOST_PAIRS = 5
LARGEST = 2_000_000
"""Cells times stations up to which zones are worked out: beyond, every single step would take noticeable time."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two goals, by number, and when they can be told apart, in steps counted from the present one, which is 1.

    Attributes:
        first: one goal.
        second: the other.
        informed: the last step of Z_I.
        branching: the first step of Z_B.
        expected: the last step of eZ_I if the first goal is the true one, and if the second is.
    """

    first: int
    second: int
    informed: float
    branching: float
    expected: tuple[float, float]

    @property
    def information(self) -> Zone:
        """Z_I: watching may not have told them apart yet."""
        return Zone(1, self.informed)

    @property
    def parting(self) -> Zone:
        """Z_B: the fetcher has to do different things for the two."""
        return Zone(self.branching, np.inf)

    @property
    def querying(self) -> Zone:
        """Z_Q: a question may pay."""
        return self.information & self.parting

    @property
    def expected_querying(self) -> tuple[Zone, Zone]:
        """When a question is expected to pay, if the first goal is the true one, and if the second is.

        These are the intervals that the value of a question counts: eZ_I of the worker with Z_B of the fetcher.
        """
        one, other = (Zone(1, end) & self.parting for end in self.expected)
        return one, other


def affordable(problem: ToolFetching) -> bool:
    """Whether the zones of a whole episode can be worked out in reasonable time."""
    return problem.grid.n_states * len(problem.goals) <= LARGEST


def pairs_at(problem: ToolFetching, state: JointState, belief: FloatArray, most: int = MOST_PAIRS) -> list[Pair]:
    """Return the pairs that branch first.

    Args:
        problem: what is played.
        state: where everybody is.
        belief: ``float64 [n_goals]``; pairs of goals with a positive probability are looked at.
        most: how many pairs to return.
    """
    return _AllPairs(problem, state, belief).first_by(most, "branching") if _several(belief) else []


def heaviest_pairs(problem: ToolFetching, state: JointState, belief: FloatArray, most: int = MOST_PAIRS) -> list[Pair]:
    """Return the pairs that weigh most in the value of questions; arguments as for `pairs_at`."""
    return _AllPairs(problem, state, belief).first_by(most, "torn") if _several(belief) else []


def _several(belief: FloatArray) -> bool:
    """Whether there is something to tell apart; nothing is worked out otherwise."""
    return bool(np.count_nonzero(belief > 0) > 1)


def _length(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the lengths of many zones, as `Zone.length` does for one."""
    return np.where(start <= end + ROUNDING, np.maximum(end, start) - start + 1, 0.0)


class _AllPairs:
    """All pairs of possible goals, as arrays with one entry for each pair."""

    def __init__(self, problem: ToolFetching, state: JointState, belief: FloatArray) -> None:
        possible = np.flatnonzero(belief > 0)
        first, second = (possible[k] for k in np.triu_indices(possible.size, 1))
        edp, wcd = problem.teammate_matrices(state.teammate)
        self.first: IntArray = first.astype(np.int32)
        self.second: IntArray = second.astype(np.int32)
        self.branching: FloatArray = problem.ego_matrices(state.ego)[1][first, second]
        self.informed: FloatArray = wcd[first, second]
        self.expected: tuple[FloatArray, FloatArray] = edp[second, first], edp[first, second]
        self.likely: FloatArray = belief[first] + belief[second]
        one, other = (_length(self.branching, end) for end in self.expected)
        self.torn: FloatArray = belief[first] * one + belief[second] * other
        """Steps in which the fetcher is expected to be torn between the two, times how likely that is."""

    def first_by(self, most: int, what: str) -> list[Pair]:
        """Return the pairs that branch first or are torn longest, the likelier first among equals."""
        keys = (self.second, self.first, -self.likely, self.branching)
        order = np.lexsort((*keys, -self.torn) if what == "torn" else keys)[:most]
        return [self._pair(int(k)) for k in order]

    def _pair(self, k: int) -> Pair:
        return Pair(
            first=int(self.first[k]),
            second=int(self.second[k]),
            informed=float(self.informed[k]),
            branching=float(self.branching[k]),
            expected=(float(self.expected[0][k]), float(self.expected[1][k])),
        )
