"""Asks which way to go: about the goals for which one move is optimal, a set of medium size."""

from __future__ import annotations

import numpy as np

from askwise.agents.base import Decision
from askwise.agents.baseline import Baseline
from askwise.problem import JointState
from askwise.types import BoolArray


class Toolbox(Baseline):
    """The paper's `BL:Toolbox`.

    For each move, take the possible goals for which it is optimal, sort these sets by size and ask about the upper
    median. Where that set is empty or everything, wait; where no move is optimal for any possible goal (all tools lie
    in the box underfoot), ask about a random half.
    """

    name = "toolbox"

    def when_torn(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`."""
        moves = list(self.problem.ego_moves)
        optimal = self.problem.ego_optimal(state.ego)[:, moves] & possible[:, None]
        sizes = optimal.sum(axis=0)
        if not sizes.any():
            return self.ask_random_half(possible)
        median = np.argsort(sizes, kind="stable")[len(moves) // 2]
        name = self.problem.describe_ego_action(moves[median])
        if sizes[median] in (0, possible.sum()):
            return self.wait(f"Wait: {name}, the move of medium use, is optimal for {sizes[median]} possible goals.")
        goals = np.flatnonzero(optimal[:, median])
        return self.ask(goals, f"Ask about the {goals.size} possible goals for which {name} is optimal.")
