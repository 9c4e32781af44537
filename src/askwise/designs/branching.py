"""The least of any value of designs: all of them, one after the other, but for those that a bound rules out.

A design is met once: from one on, only things that come later in the order are forbidden in addition, and only those
that can still matter (`askwise.designs.paths`). What was passed over is *kept* below. A design that is not allowed
ends its branch, for costs never fall. So does a lower bound on all that contains a design and forbids nothing that is
kept, if it is not below the best so far. The best single things come first in the order: they make
early designs good, and are kept in all late ones, which makes the bound sharp there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from askwise.designs.finding import BestSoFar, BudgetSpent
from askwise.designs.paths import Removals, TeammatePaths
from askwise.types import BoolArray


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
