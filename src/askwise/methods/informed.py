"""Knows the goal from the start: the yardstick for everybody else.

Its marginal cost is exactly 0 beside a teammate that takes shortest ways. Beside any other it is what the teammate's
own detours cost, which no question can save.
"""

from __future__ import annotations

import numpy as np

from askwise.core.decision import Decision, Situation
from askwise.frozen import read_only
from askwise.methods.base import Agent, Observation
from askwise.types import FloatArray


class Informed(Agent):
    """Takes any optimal action towards the goal it was told."""

    name = "informed"
    markov = True

    def told(self, goal: int) -> None:
        """Be told the goal."""
        self.goal = goal
        certain = np.zeros(len(self.problem.goals))
        certain[goal] = 1.0
        self.certain = read_only(certain)

    @property
    def probabilities(self) -> FloatArray:
        """See `Agent`."""
        return self.certain

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        actions = np.flatnonzero(self.problem.ego.optimal(observation.state.ego)[self.goal])
        action = int(actions[0] if actions.size == 1 else actions[self.rng.integers(actions.size)])
        name = self.problem.ego.actions.names[action]
        why = f"{name}: the goal is known to be {self.problem.goals[self.goal]}."
        situation = Situation(self.problem, observation.state, self.probabilities)
        return Decision(action=action, why=why, situation=situation)
