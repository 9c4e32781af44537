"""Never asks: acts where one action is right for every possible goal, otherwise waits and watches."""

from __future__ import annotations

import numpy as np

from askwise.core.decision import Decision
from askwise.core.problem import JointState
from askwise.methods.base import BeliefAgent
from askwise.types import BoolArray


class Never(BeliefAgent):
    """The paper's `Never Query`."""

    name = "never"
    markov = True

    def when_torn(self, state: JointState, possible: BoolArray) -> Decision:  # noqa: ARG002
        """See `BeliefAgent`."""
        return self.wait(
            f"Wait: {np.count_nonzero(possible)} goals are possible and no action is optimal for all of them."
        )
