"""A chain that runs until it leaks, and the question whether it ever does.

``matrix[s, s']`` is the probability of going on from `s` to `s'`; ``leaks[s]`` says that the chain may end in
`s`. That flag is kept apart from the numbers: whether a row sums to 1 cannot be told from rounded
probabilities, whether it has a leak can.

The expected number of steps until the leak is infinite exactly where, with positive probability, the chain
gets into a set of states that it cannot leave and that has no leak. Two walks over the graph find these
states: first the states from which no leak can be reached, then all states from which those can be reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from askwise.model.graph_search import breadth_first
from askwise.types import BoolArray, IntArray


@dataclass(frozen=True)
class AbsorbingChain:
    """Probabilities of going on, CSR ``[n, n]``, and ``leaks``, ``bool [n]``: where the chain may end."""

    matrix: Any
    leaks: BoolArray

    @property
    def size(self) -> int:
        """Number of states."""
        return int(self.matrix.shape[0])

    @cached_property
    def reverse(self) -> Any:
        """The edges backwards, CSR ``[n, n]``."""
        return self.matrix.T.tocsr()

    @cached_property
    def steps_to_leak(self) -> IntArray:
        """``int32 [n]``: fewest steps to a state with a leak, -1 where none can be reached."""
        return breadth_first(np.flatnonzero(self.leaks), self.reverse.indptr, self.reverse.indices)[0]

    @cached_property
    def trapped(self) -> BoolArray:
        """``bool [n]``: states from which the chain certainly never ends."""
        return self.steps_to_leak < 0

    @cached_property
    def infinite(self) -> BoolArray:
        """``bool [n]``: states from which the chain never ends with positive probability."""
        if not self.trapped.any():
            return self.trapped
        return breadth_first(np.flatnonzero(self.trapped), self.reverse.indptr, self.reverse.indices)[0] >= 0

    def restricted_to(self, states: Any) -> AbsorbingChain:
        """Return the chain on `states` (indices), which must be closed: nothing leads out of them."""
        return AbsorbingChain(self.matrix[states][:, states], self.leaks[states])

    def reachable_from(self, state: int) -> IntArray:
        """Return the states that the chain can get to from `state`, `state` itself first."""
        return breadth_first([state], self.matrix.indptr, self.matrix.indices)[1]
