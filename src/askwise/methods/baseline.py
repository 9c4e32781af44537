"""Asks about a random half of the possible goals whenever it does not know what to do."""

from __future__ import annotations

import numpy as np

from askwise.core.decision import Decision
from askwise.core.problem import JointState
from askwise.methods.base import BeliefAgent
from askwise.types import BoolArray


class Baseline(BeliefAgent):
    """The paper's `Baseline` (Mirsky et al., 2020)."""

    name = "baseline"
    markov = True

    def when_torn(self, state: JointState, possible: BoolArray) -> Decision:  # noqa: ARG002
        """See `BeliefAgent`."""
        return self.ask_random_half(possible)

    def ask_random_half(self, possible: BoolArray) -> Decision:
        """Ask about a random half, rounded down."""
        goals = np.flatnonzero(possible)
        half = self.rng.choice(goals, size=goals.size // 2, replace=False)
        return self.ask(
            half, f"Ask about a random half of the {goals.size} possible goals: {self.named(sorted(half))}."
        )
