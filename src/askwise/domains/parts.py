"""Parts that a `Domain` hands out: how it is drawn, and what may be forbidden in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from askwise.designing.space import Space
    from askwise.problem import JointState
    from askwise.showing.scene import Scene
    from askwise.types import FloatArray


@runtime_checkable
class Look(Protocol):
    """How a domain looks: scenes for those who draw, sentences for those who read."""

    def scene(self, problem: Any, state: JointState) -> Scene:
        """Return a moment of a problem: the map, everybody in place, and no belief."""

    def start(self, given: Any) -> Scene:
        """Return the start of an instance, without the tables that playing it needs."""

    def prior(self, given: Any) -> FloatArray:
        """``float64 [n_goals]``: how likely each goal of an instance is, again without these tables."""

    def describe(self, given: Any) -> str:
        """Return what an instance is like in a few lines, for ``askwise show``."""


@runtime_checkable
class Designs(Protocol):
    """What may be forbidden in an instance, for ``askwise design``; a domain that knows it has it as ``designs``."""

    def space(self, given: Any) -> Space:
        """Return all designs of an instance or a problem; refuse one that cannot be redesigned."""
