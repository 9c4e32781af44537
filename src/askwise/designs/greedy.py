"""A good design, quickly: one thing after the other, then one for another as long as that helps.

Nothing is proven by it. It gives the search with a proof a good design to beat, and is what is left where there are too
many designs to look at. Where no single thing lowers the value, one that lowers a second value is taken all the same:
two ways that look alike often have to be closed together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from askwise.designs.branch_and_bound import EQUAL, BestSoFar
from askwise.designs.paths import Removals, TeammatePaths


class Valued(Protocol):
    """A value of designs that is to be small."""

    def value(self, design: Removals) -> float:
        """Return the value of a design that the teammate's costs allow."""


Options = Callable[[Removals], Iterable[int]]
"""The things that are worth trying beside those of a design."""


class Greedy:
    """Search without a proof.

    Args:
        ways: the teammate's ways.
        measures: what is to be small, and what decides where that is equal.
        found: the best so far, which is changed.
        most: how many things may be forbidden.
        also_allowed: whether a design that the teammate's costs allow is allowed.
        options: what is tried.
    """

    def __init__(
        self,
        paths: TeammatePaths,
        measures: tuple[Valued, ...],
        found: BestSoFar,
        most: int,
        also_allowed: Callable[[Removals], bool],
        options: Options,
    ) -> None:
        self.paths, self.measures, self.found, self.most = paths, measures, found, most
        self._also_allowed, self._options = also_allowed, options

    def run(self) -> None:
        """Search, until nothing helps or enough was looked at."""
        design: Removals = ()
        while len(design) < self.most:
            better = self._best_with(design)
            if better is None:
                break
            design = better
        if design:
            self._exchange(design)
        self._drop()

    def _values(self, design: Removals) -> tuple[float, ...] | None:
        """Return the values of a design, None if it is not allowed; keep it if it is the best."""
        self.found.look()
        if not self.paths.allowed(self.paths.steps(design)) or not self._also_allowed(design):
            return None
        values = tuple(measure.value(design) for measure in self.measures)
        self.found.keep(values[0], design)
        return values

    def _best_with(self, design: Removals) -> Removals | None:
        """Return the best design of one thing more."""
        best: tuple[tuple[float, ...], Removals] | None = None
        for thing in self._options(design):
            values = self._values((*design, thing))
            if values is not None and (best is None or _less(values, best[0])):
                best = values, (*design, thing)
        return None if best is None else best[1]

    def _exchange(self, design: Removals) -> None:
        """Put one thing in the place of another as long as that is better."""
        now = self._values(design)
        improved = now is not None
        while improved:
            improved = False
            for out in design:
                rest = tuple(thing for thing in design if thing != out)
                other = self._best_with(rest)
                values = None if other is None else self._values(other)
                if other is not None and values is not None and now is not None and _less(values, now):
                    design, now, improved = other, values, True
                    break

    def _drop(self) -> None:
        """Take out of the best design what it can do without."""
        for thing in self.found.design:
            if thing in self.found.design:
                self._values(tuple(each for each in self.found.design if each != thing))


def _less(values: tuple[float, ...], others: tuple[float, ...]) -> bool:
    """Whether values come before others, the first that differ deciding; rounding decides nothing."""
    for value, other in zip(values, others, strict=True):
        if abs(value - other) > EQUAL:
            return value < other
    return False
