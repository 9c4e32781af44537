"""Asks which way to go: about the goals for which one move is optimal, a set of medium size."""

from __future__ import annotations

import numpy as np

from askwise.core.decision import Decision
from askwise.core.problem import JointState
from askwise.methods.baseline import Baseline
from askwise.types import BoolArray


class Toolbox(Baseline):
    """The paper's `BL:Toolbox`.

    For each move that is available, take the possible goals for which it is optimal, sort these sets by size and ask
    about the upper median; of two, about the smaller. (So it is in the paper's grid, where the moves of a corner that
    lead off the map count as empty sets.) Where that set is empty or everything, wait; where no move is optimal for any
    possible goal (all of them begin by something else right here), ask about a random half.
    """

    name = "toolbox"

    def when_torn(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`."""
        moves = [move for move in self.problem.ego.actions.moves if self.problem.ego.next(state.ego, move) >= 0]
        optimal = self.problem.ego.optimal(state.ego)[:, moves] & possible[:, None]
        sizes = optimal.sum(axis=0)
        if not sizes.any():
            return self.ask_random_half(possible)
        median = np.argsort(sizes, kind="stable")[0 if len(moves) == 2 else len(moves) // 2]
        name = self.problem.ego.actions.names[moves[median]]
        if sizes[median] in (0, possible.sum()):
            return self.wait(f"Wait: {name}, the move of medium use, is optimal for {_goals(sizes[median])}.")
        goals = np.flatnonzero(optimal[:, median])
        return self.ask(goals, f"Ask about the {_goals(goals.size)} for which {name} is optimal.")


def _goals(number: int) -> str:
    return "1 possible goal" if number == 1 else f"{number} possible goals"
