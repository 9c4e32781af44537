"""Asks so that the choice right now gets as clear as possible for its price: an exact 0/1 program."""

from __future__ import annotations

import numpy as np

from askwise.core.decision import Decision
from askwise.core.problem import JointState
from askwise.methods.base import BeliefAgent
from askwise.methods.cost_prob_program import best_cut
from askwise.types import BoolArray


class CostProb(BeliefAgent):
    """The paper's `BL:Cost+Prob`: a cut through the pairs of goals that branch now, weighted by their probabilities.

    Where answers can be wrong or missing, the weights are scaled as in `Ezq`.
    """

    name = "cost-prob"
    markov = True

    def when_torn(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`."""
        goals = np.flatnonzero(possible)
        optimal = self.problem.ego.optimal(state.ego)[goals].astype(np.float32)
        # Two goals branch now if no action is optimal for both: a product counts those that are.
        branches = optimal @ optimal.T == 0
        price = self.problem.query_cost.additive(len(self.problem.goals), "cost-prob adds up prices by goal")
        belief = self.probabilities[goals]
        if not self.problem.answers.truthful:
            belief = belief * self.problem.answers.telling
        cut = best_cut(belief, branches, price.per_goal + price.extra[goals])
        asked = goals[cut.asked]
        verdict = "proven optimal" if cut.proven else "budget used"
        if asked.size in (0, goals.size):
            return self.wait(f"Wait: no question about the {goals.size} possible goals is worth its price ({verdict}).")
        decision = self.ask(asked, f"Ask about {self.named(asked)}: the best cut through what to do now ({verdict}).")
        return Decision(
            ask=decision.ask, considered=decision.ask, cost=decision.cost, why=decision.why, verdict=verdict
        )
