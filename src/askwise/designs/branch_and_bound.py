"""Two exact searches for the best design: one for all values that have a lower bound, a faster one for the worst case.

A *thing* is a cell, edge or action. A *design* is a set of things to forbid. It is *allowed* if it lengthens no path by
more than the budget. An *extension* of a design forbids further things. The best design has the least value and, among
those, the fewest things.

**Branch and bound** (`Branching`). Things are added in a fixed order, the most promising first, except those that
cannot matter (`askwise.designs.paths`). Things passed over are *kept*: no extension forbids them. A branch ends if its
design is not allowed, because forbidding more never shortens a path. It also ends if no extension can be better, by a
lower bound on their values.

**Worst case** (`WorstCase`). WCD, worst-case distinctiveness, is the latest step at which two goals can be told apart.
If shortest plans for two goals have their first `d` steps in common, WCD is at least ``d + 1``. Forbidding things that
are not on these plans does not change this. So a design with WCD below `v` must forbid something on every *pair*: two
shortest plans, for different goals, with at least ``v - 1`` common first steps.

*Branching*: the search takes the pair with the fewest things that may still be forbidden. Each of these things has a
branch, which forbids it, and never the things of earlier branches.

*Bound*: WCD stays at `v` or more if nothing on some pair may be forbidden, or if there are more disjoint pairs than
things that may be added. Pairs are disjoint if they share no thing that may be forbidden. They are collected greedily.

Designs with one thing are searched first, then those with at most two, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from askwise.designs import _kernels
from askwise.designs.paths import Removals, TeammatePaths
from askwise.types import BoolArray, IntArray

EQUAL = 1e-9
"""Values that differ by less count as equal, so that rounding does not decide what is forbidden."""

Progress = Callable[[int], None]
"""A callback that receives the number of designs evaluated so far."""
DESIGNS_A_TURN = 256
FREE, KEPT, TAKEN = 1, 0, _kernels.NO_PLAN


class BudgetSpent(Exception):  # noqa: N818 - not an error
    """Raised to stop a search that has evaluated as many designs (sets of things to forbid) as its limit allows."""


class BestSoFar:
    """The best design that a search has found so far, and the number of designs that it has evaluated.

    A design is a set of things (cells, edges or actions) to forbid. Its value is minimised.

    Args:
        value: value of the empty design.
        limit: number of designs after which `BudgetSpent` is raised.
        progress: called with the number of designs so far, or None.
        turn: number of designs between two calls of `progress`.
    """

    def __init__(self, value: float, limit: int, progress: Progress | None, turn: int = DESIGNS_A_TURN) -> None:
        self.value = value
        self.design: Removals = ()
        self.looked_at = 1
        self._limit, self._progress, self._turn = limit, progress, turn

    def look(self) -> None:
        """Count one more design as evaluated; raise `BudgetSpent` if that would exceed the limit."""
        if self.looked_at >= self._limit:
            raise BudgetSpent
        self.looked_at += 1
        if self._progress is not None and self.looked_at % self._turn == 0:
            self._progress(self.looked_at)

    def better(self, value: float, size: int) -> bool:
        """Return whether a design is better than the best so far: a smaller value, or an equal value with fewer things.

        `size` is the number of things that the design forbids.
        """
        return value < self.value - EQUAL or (value <= self.value + EQUAL and size < len(self.design))

    def with_limit(self, limit: int) -> BestSoFar:
        """Return a copy with another limit on the number of designs; designs that were evaluated before count, too."""
        other = BestSoFar(self.value, limit, self._progress, self._turn)
        other.design, other.looked_at = self.design, self.looked_at
        return other

    def better_than(self, other: BestSoFar) -> bool:
        """Return whether the best design of `self` is better than the best design of `other`.

        Better means a smaller value, or an equal value with fewer forbidden things (cells, edges or actions).
        """
        return other.better(self.value, len(self.design))

    def keep(self, value: float, design: Removals) -> None:
        """Store a design as the best so far if its value is smaller, or equal with fewer forbidden things.

        Args:
            value: the value of the design.
            design: indices of the things (cells, edges or actions) that it forbids.
        """
        if self.better(value, len(design)):
            self.value, self.design = value, tuple(sorted(design))


# -- branch and bound ---------------------------------------------------------------------------------------------


class Measure(Protocol):
    """The interface of the values that a search for designs can minimise.

    A design is a tuple with the indices of the things (cells, edges or actions) that it forbids.
    """

    @property
    def expensive(self) -> bool:
        """Whether `value` takes long to compute.

        If True, a search calls `value` only for designs that are known to lengthen the paths of both agents by no more
        steps than allowed.
        """

    def value(self, design: Removals) -> float:
        """Return the value of a design, given by the indices of forbidden things (cells, edges or actions).

        The design must not lengthen the teammate's shortest path to any goal by more steps than the search allows.
        """

    def bound(self, design: Removals, kept: BoolArray) -> float:
        """Return a lower bound on the values of all designs that forbid `design` and perhaps more, but none of `kept`.

        `design` has indices of things; `kept`, ``bool [n_things]``, marks those that stay allowed.
        """


class Branching:
    """A branch-and-bound search for the design with the least value that forbids at most `most` things.

    A design has the indices of the things (cells, edges or actions) to forbid.

    Args:
        paths: the teammate's paths.
        measure: the value to minimise.
        found: the best design so far, which is updated.
        most: largest number of things to forbid.
        also_allowed: whether a design keeps the ego agent's paths within the budget. If it does not, no larger design
            does.
        order: things that may be forbidden, the most promising first.
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
        """Search for the design with the least value, and store it in ``self.found``.

        Returns:
            A lower bound on the values of all allowed designs; and whether the search was finished within its limit of
            designs. If so, the bound is the value of the best design.
        """
        kept = np.ones(self.paths.n_things, dtype=np.bool_)
        kept[self._order] = False
        lowest = self.measure.bound((), kept)
        if not self.found.better(lowest, 1):
            return self.found.value, True
        try:
            self._below((), 0, kept, self.most)
        except BudgetSpent:
            return min(lowest, self.found.value), False
        return self.found.value, True

    def _below(self, design: Removals, first: int, kept: BoolArray, left: int) -> None:
        """Evaluate those extensions of `design` that may still be better than the best design found so far.

        An extension forbids at most `left` further things, at position `first` or later in the list of things to try.
        `kept`, ``bool [n_things]``, marks things that no extension forbids.
        """
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
        if more and self.found.better(self.measure.bound(design, kept), len(design) + 1):
            self._below(design, first, kept, left)


# -- worst case ---------------------------------------------------------------------------------------------------


class WorstCase:
    """An exact search for the design with the least worst-case distinctiveness (WCD).

    WCD is the latest step at which two goals can be told apart. The search takes two shortest plans, for different
    goals, that share too many first steps. To lower WCD, a thing (cell, edge or action) on one of them must be
    forbidden. The search tries each.

    Args:
        paths: the teammate's paths.
        found: the best design so far, which is updated.
        most: largest number of things to forbid.
        also_allowed: whether a design (indices of things) keeps the ego agent's paths within the budget. If it does
            not, no larger design does.
        things: things that may be forbidden.
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
        """Search for the design with the least worst-case distinctiveness (WCD), and store it in ``self.found``.

        Returns:
            A lower bound on the WCD of all allowed designs; and whether the search was finished within its limit of
            designs. If so, the bound is the WCD of the best design.
        """
        for size in range(1, self.most + 1):
            try:
                self._below((), self._price, size)
            except BudgetSpent:
                return self._bound(), False
        return self.found.value, True

    def _below(self, design: Removals, price: IntArray, left: int) -> None:
        """Evaluate those extensions of `design` that may still have a smaller WCD than the best design found so far.

        An extension forbids at most `left` further things. `price`, ``int32 [n_things + 1]``, is 1 for things that may
        still be forbidden, 0 for others and in the last entry.
        """
        pair = self.pairs(design, price, left, int(self.found.value) - 1)
        if pair is None:
            return
        own = price.copy()
        for thing in pair:
            forbidden = (*design, int(thing))
            self.found.look()
            value, steps = self.paths.shared(forbidden)
            if self.paths.allowed(steps):
                self._extend(forbidden, own, value, left - 1)
            own[thing] = KEPT

    def _extend(self, design: Removals, price: IntArray, value: float, left: int) -> None:
        improves = self.found.better(value, len(design))
        if (improves or left > 0) and not self._also_allowed(design):
            return
        if improves:
            self.found.keep(value, design)
        if left > 0:
            self._below(design, price, left)

    def pairs(self, design: Removals, price: IntArray, left: int, deepest: int) -> IntArray | None:
        """Return the things (cells, edges or actions) to forbid next: those on two plans that share too many steps.

        These are shortest plans for different goals, with the same first `deepest` steps or more. The two with the
        fewest things that may be forbidden are taken.

        Args:
            design: indices of things forbidden so far.
            price: ``int32 [n_things + 1]``, 1 for things that may still be forbidden, 0 for others.
            left: largest number of further things to forbid.
            deepest: least number of common steps.

        Returns:
            Indices of things on either plan that may be forbidden; empty if there are no such plans. None if forbidding
            `left` further things is proven to leave such plans.
        """
        closed, own, first = self.paths.closed(design), price, None
        for _ in range(left + 1):
            pair = self.paths.plans(closed, own).cheapest_pair(self.paths.counted, deepest)
            if pair is None:
                # Pairs that share a thing with an earlier pair are not found here; branching visits them later.
                return first if first is not None else np.empty(0, dtype=np.int32)
            cost, things = pair
            if cost == 0:
                return None
            if first is None:
                first, own = things, own.copy()
            own[things] = TAKEN
        return None

    def _bound(self) -> float:
        """Return a lower bound on the worst-case distinctiveness (WCD) of all designs that the search may choose.

        To lower WCD to `v`, a design has to forbid something on every pair of shortest plans that begin with the same
        `v` steps. The bound is the first `v` for which this is not proven impossible.
        """
        for value in range(1, int(self.found.value)):
            if self.pairs((), self._price, self.most, value) is not None:
                return float(value)
        return self.found.value
