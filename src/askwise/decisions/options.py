"""What could be done first, and how far the best of it can be from the best there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askwise.text.reading import printable

ACT, ASK = "act", "ask"


@dataclass(frozen=True, slots=True)
class Option:
    """Something that could be done first.

    Attributes:
        kind: ``act`` or ``ask``.
        name: the action or the question.
        loss: expected loss, prices included, if all goes on as planned after it.
    """

    kind: str
    name: str
    loss: float

    def __str__(self) -> str:
        return f"ask {printable(self.name)!r}" if self.kind == ASK else f"act: {printable(self.name)}"

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"do": self.kind, "name": self.name, "loss": self.loss}


@dataclass(frozen=True, slots=True)
class Bounded:
    """How far the plan can be from the best one there is.

    Attributes:
        exact: there is no better plan.
        depth: how many questions ahead was looked.
        narrow: whether only the most telling question was followed after the first.
        lower_bound: no plan costs less.
        gap: by how much the plan may cost more than the best.
    """

    exact: bool
    depth: int
    narrow: bool
    lower_bound: float
    gap: float

    def __str__(self) -> str:
        if self.exact:
            return "exact"
        ahead = f"looked {self.depth} question{'s' if self.depth != 1 else ''} ahead"
        way = ", along the most telling ones" if self.narrow else ""
        return f"{ahead}{way}; at most {self.gap:.4g} above the best plan"

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "exact": self.exact,
            "depth": self.depth,
            "narrow": self.narrow,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "text": str(self),
        }
