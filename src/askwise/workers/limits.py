"""The limits of agents: time and memory. They belong to a run, not to the definition of a study."""

from __future__ import annotations

import math
from dataclasses import dataclass

GIB = 2**30
LEAST_LOADING = 10.0
"""The smallest time limit for loading an agent, in seconds: it may need large libraries."""


@dataclass(frozen=True)
class Limits:
    """The limits of an agent; infinity means no limit.

    Attributes:
        decision: seconds for one decision.
        episode: seconds for one episode, including loading and constructing the agent, its decisions and those of the
            teammate. In studies of expected costs: seconds for one expected cost.
        memory: GiB of address space of the agent's process. By default there is no limit; if memory runs out, the
            system ends this process first.
        unit: the noun in error messages for what `episode` limits.
    """

    decision: float = 300.0
    episode: float = 3600.0
    memory: float = math.inf
    unit: str = "an episode"

    @property
    def loading(self) -> float:
        """Seconds for loading and constructing an agent: the limit of a decision, but at least `LEAST_LOADING`."""
        return max(self.decision, LEAST_LOADING)

    def describe(self) -> dict[str, float | None]:
        """Return the limits as a JSON-compatible dict, in which None means no limit.

        The keys are ``decision_seconds``, ``episode_seconds`` and ``memory_gib``.
        """
        found = {"decision_seconds": self.decision, "episode_seconds": self.episode, "memory_gib": self.memory}
        return {name: None if math.isinf(value) else value for name, value in found.items()}
