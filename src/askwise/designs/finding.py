"""What every search for a design shares: the best so far, how many were looked at, when it is time to stop.

Designs are compared by their value and, where values are equal, by how little they forbid. Of designs that are alike in
both, the one that was met first stays.
"""

from __future__ import annotations

from collections.abc import Callable

from askwise.designs.paths import Removals

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
