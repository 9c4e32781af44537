"""How long things may take, and how much memory: how a study is run, not what is played in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

GIB = 2**30
LEAST_LOADING = 10.0
"""Seconds that loading an agent may take in any case: libraries that it needs may be large."""


@dataclass(frozen=True)
class Limits:
    """What an agent may take; infinity is no limit.

    Attributes:
        decision: seconds for one decision. Loading an agent may take as long, see `loading`.
        episode: seconds for one episode, with all that belongs to it: loading and making the agent, its decisions, the
            teammate's. Also for one expected cost that a study computes.
        memory: GiB of address space of the process that plays. None by default: the system ends that process if memory
            runs out, and it is the first that it ends.
        unit: what a unit of work is called when it takes too long.
    """

    decision: float = 300.0
    episode: float = 3600.0
    memory: float = math.inf
    unit: str = "an episode"

    @property
    def loading(self) -> float:
        """Seconds for loading and making an agent: as many as for a decision, and ten at least."""
        return max(self.decision, LEAST_LOADING)

    def describe(self) -> dict[str, float | None]:
        """Return the limits as plain data, None where there is none."""
        found = {"decision_seconds": self.decision, "episode_seconds": self.episode, "memory_gib": self.memory}
        return {name: None if math.isinf(value) else value for name, value in found.items()}
