"""What every search for a design shares: the best so far, how many were looked at, when it is time to stop.

Designs are compared by their value and, where values are equal, by how little they forbid. Of designs that are alike in
both, the one that was met first stays.

The least of any value of designs: all of them, one after the other, but for those that a bound rules out.

A design is met once: from one on, only things that come later in the order are forbidden in addition, and only those
that can still matter (`askwise.designs.paths`). What was passed over is *kept* below. A design that is not allowed
ends its branch, for costs never fall. So does a lower bound on all that contains a design and forbids nothing that is
kept, if it is not below the best so far. The best single things come first in the order: they make
early designs good, and are kept in all late ones, which makes the bound sharp there.

The least worst case: which things to forbid so that WCD over all pairs of goals is as small as can be.

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
from typing import Protocol

import numpy as np

from askwise.designs import _kernels
from askwise.designs.paths import Removals, TeammatePaths
from askwise.types import BoolArray, IntArray

EQUAL = 1e-9
"""Values that differ by less are equal: rounding must not decide what is forbidden."""

Progress = Callable[[int], None]
"""Is told how many designs were looked at so far."""
DESIGNS_A_TURN = 256


class BudgetSpent(Exception):  # noqa: N818 - nothing went wrong
    """As many designs were looked at as were asked for."""


class BestSoFar:
    """The best design so far.

    Args:
        value: the value of forbidding nothing.
        limit: stop (`BudgetSpent`) after so many designs.
        progress: called now and then.
        turn: how many designs there are between two such calls.
    """

    def __init__(self, value: float, limit: int, progress: Progress | None, turn: int = DESIGNS_A_TURN) -> None:
        self.value = value
        self.design: Removals = ()
        self.looked_at = 1
        self._limit, self._progress, self._turn = limit, progress, turn

    def look(self) -> None:
        """Count a design that is going to be looked at; raise `BudgetSpent` if it would be one too many."""
        if self.looked_at >= self._limit:
            raise BudgetSpent
        self.looked_at += 1
        if self._progress is not None and self.looked_at % self._turn == 0:
            self._progress(self.looked_at)

    def better(self, value: float, size: int) -> bool:
        """Whether a design of that value and size would be better than the best so far."""
        return value < self.value - EQUAL or (value <= self.value + EQUAL and size < len(self.design))

    def worth_going_on(self, bound: float, size: int) -> bool:
        """Whether a design of at least that size and value could be better."""
        return self.better(bound, size)

    def going_on(self, limit: int) -> BestSoFar:
        """Return the same with another limit, which what was looked at counts towards."""
        other = BestSoFar(self.value, limit, self._progress, self._turn)
        other.design, other.looked_at = self.design, self.looked_at
        return other

    def better_than(self, other: BestSoFar) -> bool:
        """Whether the best here is better than another one."""
        return other.better(self.value, len(self.design))

    def keep(self, value: float, design: Removals) -> None:
        """Keep a design if it is better than the best so far."""
        if self.better(value, len(design)):
            self.value, self.design = value, tuple(sorted(design))


class Measure(Protocol):
    """A value of designs that is to be small."""

    @property
    def expensive(self) -> bool:
        """Whether it takes long, and has a meaning only for designs that are allowed in every respect."""

    def value(self, design: Removals) -> float:
        """Return the value of a design that the teammate's costs allow."""

    def bound(self, design: Removals, kept: BoolArray) -> float:
        """Return what no design is below that contains this one and forbids nothing that is ``kept [n_things]``."""


class Branching:
    """Search for the design of the least value.

    Args:
        ways: the teammate's ways.
        measure: what is to be small.
        found: the best so far, which is changed.
        most: how many things may be forbidden.
        also_allowed: whether a design that the teammate's costs allow is allowed; if not, nothing that contains it is.
        order: the things, the most promising first.
    """

    def __init__(
        self,
        paths: TeammatePaths,
        measure: Measure,
        found: BestSoFar,
        most: int,
        also_allowed: Callable[[Removals], bool],
        order: Sequence[int],
    ) -> None:
        self.paths, self.measure, self.found, self.most = paths, measure, found, most
        self._also_allowed, self._order = also_allowed, list(order)

    def run(self) -> tuple[float, bool]:
        """Search; return what no design is below, and whether it came to its end: then that is the value found."""
        kept = np.ones(self.paths.n_things, dtype=np.bool_)
        kept[self._order] = False
        lowest = self.measure.bound((), kept)
        if not self.found.worth_going_on(lowest, 1):
            return self.found.value, True
        try:
            self._below((), 0, kept, self.most)
        except BudgetSpent:
            return min(lowest, self.found.value), False
        return self.found.value, True

    def _below(self, design: Removals, first: int, kept: BoolArray, left: int) -> None:
        """Look at everything that adds to `design` at most `left` things of the order from `first` on."""
        useful, kept = self.paths.useful(design), kept.copy()
        for place in range(first, len(self._order)):
            thing = self._order[place]
            kept[thing] = True
            if useful[thing]:
                self._with((*design, thing), place + 1, kept, left - 1)

    def _with(self, design: Removals, first: int, kept: BoolArray, left: int) -> None:
        self.found.look()
        if not self.paths.allowed(self.paths.steps(design)):
            return
        if self.measure.expensive and not self._also_allowed(design):
            return
        value = self.measure.value(design)
        improves = self.found.better(value, len(design))
        more = left > 0 and first < len(self._order)
        if (improves or more) and not self.measure.expensive and not self._also_allowed(design):
            return
        if improves:
            self.found.keep(value, design)
        if more and self.found.worth_going_on(self.measure.bound(design, kept), len(design) + 1):
            self._below(design, first, kept, left)


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
