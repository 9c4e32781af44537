"""Agents that look ahead: they decide by a plan wherever several goals are possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.core.decision import Decision, Situation
from askwise.methods.base import BeliefAgent, Observation
from askwise.planning.tables import within_reach
from askwise.types import BoolArray


class LooksAhead(BeliefAgent):
    """A `BeliefAgent` whose `when_torn` is asked in every moment in which more than one goal is possible.

    The paper's methods need it only where no action is optimal for all possible goals; a plan may do better than such
    an action, by asking before it.
    """

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        self.tracker.update(observation)
        state = observation.state
        possible = within_reach(self.problem, state.teammate, self.reckoned())
        if possible.sum() > 1:
            return self.when_torn(state, possible)
        actions = np.flatnonzero(self.problem.ego.optimal(state.ego)[possible].any(axis=0))
        if not actions.size:
            return self.wait("Wait: no possible goal can be reached any more.")
        return self._act(self.candidates(actions), possible, Situation(self.problem, state, self.probabilities))

    def reckoned(self) -> BoolArray:
        """Return the goals to reckon with: those that are possible, or still credible where answers can be wrong."""
        return self.belief.possible

    def candidates(self, actions: Any) -> Any:
        """Return those of the optimal actions among which the tie-break chooses when one goal is left."""
        return actions
