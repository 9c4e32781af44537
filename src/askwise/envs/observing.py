"""What players see, whichever domain shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gymnasium import spaces

from askwise.envs.playing import Play


class Observer(Protocol):
    """Makes the observations of an environment: dictionaries, without the goal.

    All arrays are new in every step, so that a user may keep or change them.
    """

    @property
    def space(self) -> spaces.Dict:
        """What the observations are in."""

    @property
    def changing(self) -> Sequence[str]:
        """The keys that may change from step to step; the rest stays the same throughout an episode."""

    def begin(self, problem: Any) -> None:
        """Get ready for episodes of this problem."""

    def __call__(self, play: Play) -> dict[str, Any]:
        """Return what everybody may know now."""
