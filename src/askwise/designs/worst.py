"""The least worst case: which things to forbid so that WCD over all pairs of goals is as small as can be.

**Two plans that agree.** If shortest plans for goals `i` and `j` agree for `d` steps, WCD is at least ``d + 1``. Let
both avoid `D`. If a design that contains `D` forbids nothing on either of them, both are still there and still
shortest, for costs never fall: its WCD is at least ``d + 1`` as well, whatever the budget. So a design that contains
`D` and beats a value `v` has to forbid something on *every* pair of plans that agree for ``v - 1`` steps or more: it
hits them all.

**Branch.** Take the pair on which the fewest things are left that may still be forbidden. Each of these is a branch: it
is forbidden, and those before it are kept from there on. No design is met twice.

**Bound.** A pair with nothing left that may be forbidden cannot be hit. And if there are more pairs than things to
forbid, no two with a thing in common, they cannot all be hit. In either case nothing that contains `D` beats `v`. Such
pairs are taken one after the other, always one with the fewest things that are neither kept nor taken before. Pairs in
which all is kept are, for a budget of 0, the common beginnings that remain whatever else is forbidden.

Sizes are tried from 1 on, and only less than the best so far counts: the fewest things that reach the least value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from askwise.designs import _kernels
from askwise.designs.finding import BestSoFar, BudgetSpent
from askwise.designs.paths import Removals, TeammatePaths
from askwise.types import IntArray

FREE, KEPT, TAKEN = 1, 0, _kernels.NO_PLAN


class WorstCase:
    """Search for the design of the least WCD.

    Args:
        ways: the teammate's ways.
        found: the best so far, which is changed.
        most: how many things may be forbidden.
        also_allowed: whether a design that the teammate's costs allow is allowed; if not, nothing that contains it is.
        things: what may be forbidden.
    """

    def __init__(
        self,
        paths: TeammatePaths,
        found: BestSoFar,
        most: int,
        also_allowed: Callable[[Removals], bool],
        things: Sequence[int],
    ) -> None:
        self.paths, self.found, self.most = paths, found, most
        self._also_allowed = also_allowed
        self._price = np.full(paths.n_things + 1, KEPT, dtype=np.int32)
        self._price[list(things)] = FREE

    def run(self) -> tuple[float, bool]:
        """Search; return what no design is below, and whether it came to its end: then that is the value found."""
        for size in range(1, self.most + 1):
            try:
                self._below((), self._price, size)
            except BudgetSpent:
                return self._bound(), False
        return self.found.value, True

    def _below(self, design: Removals, price: IntArray, left: int) -> None:
        """Look at everything that contains `design` and forbids at most `left` more."""
        pair = self._to_hit(design, price, left)
        if pair is None:
            return
        own = price.copy()
        for thing in pair:
            forbidden = (*design, int(thing))
            self.found.look()
            value, steps = self.paths.shared(forbidden)
            if self.paths.allowed(steps):
                self._go_on(forbidden, own, value, left - 1)
            own[thing] = KEPT

    def _go_on(self, design: Removals, price: IntArray, value: float, left: int) -> None:
        improves = self.found.better(value, len(design))
        if (improves or left > 0) and not self._also_allowed(design):
            return
        if improves:
            self.found.keep(value, design)
        if left > 0:
            self._below(design, price, left)

    def _to_hit(self, design: Removals, price: IntArray, left: int) -> IntArray | None:
        """Return the things of the pair to branch on, None if no better design contains this one."""
        return self.pairs(design, price, left, int(self.found.value) - 1)

    def pairs(self, design: Removals, price: IntArray, left: int, deepest: int) -> IntArray | None:
        """Return the things on the cheapest pair that agrees so long, None if not all such pairs can be hit."""
        closed, own, first = self.paths.closed(design), price, None
        for _ in range(left + 1):
            pair = self.paths.plans(closed, own).cheapest_pair(self.paths.counted, deepest)
            if pair is None:
                # Taken things are blocked, so there may be pairs that only cross those; branching will meet them.
                return first if first is not None else np.empty(0, dtype=np.int32)
            cost, things = pair
            if cost == 0:
                return None
            if first is None:
                first, own = things, own.copy()
            own[things] = TAKEN
        return None

    def _bound(self) -> float:
        """Return a value that no design beats: the least for which not all pairs can be hit at the start."""
        for value in range(1, int(self.found.value)):
            if self.pairs((), self._price, self.most, value) is not None:
                return float(value)
        return self.found.value
