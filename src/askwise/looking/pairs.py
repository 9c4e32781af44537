"""The pairs of goals that matter at a moment, and their zones (see `askwise.divergence.zones`).

Of all pairs of possible goals, those matter first whose plans for the fetcher branch first; among these, the likelier.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.divergence import Zone
from askwise.domains.tool_fetching import ToolFetching
from askwise.problem import JointState
from askwise.types import FloatArray

MOST_PAIRS = 5
LARGEST = 2_000_000
"""Cells times stations up to which zones are worked out: beyond, every single step would take noticeable time."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two goals, by number; the last step of Z_I and the first of Z_B, counted from the present one, which is 1."""

    first: int
    second: int
    informed: float
    branching: float

    @property
    def querying(self) -> Zone:
        """Z_Q: a question may pay."""
        return Zone(1, self.informed) & Zone(self.branching, np.inf)


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
    possible = np.flatnonzero(belief > 0)
    if possible.size < 2:
        return []
    rows, columns = (possible[k] for k in np.triu_indices(possible.size, 1))
    branching = problem.ego_matrices(state.ego)[1][rows, columns]
    weight = belief[rows] + belief[columns]
    informed = problem.teammate_matrices(state.teammate)[1][rows, columns]
    order = np.lexsort((columns, rows, -weight, branching))[:most]
    return [Pair(int(rows[k]), int(columns[k]), float(informed[k]), float(branching[k])) for k in order]
