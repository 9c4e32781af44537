"""The settings of the planner: how far plans look ahead.

`askwise.planning.planner` picks them by name (`SETTINGS`), and `askwise.planning.workspace` makes room for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

ANSWERS_FOLLOWED = 4
"""Answers to a choice after which a state has its own candidates; further answers share the last of these lists."""


@dataclass(frozen=True, slots=True)
class PlannerSettings:
    """How far the planner looks ahead.

    Attributes:
        questions: the most questions in a plan.
        candidates: the most questions to compare in a state.
        depth: a plan asks only until this many of its steps have caused a delay.
        breadth: the most actions to compare in the present state.
        inner: the most actions to compare in later states.
        climbs: how often a good question is improved by adding or removing a goal.
        budget: the most states to consider.
        endgame: the most goals for which the optimum is tried.
        endgame_states: the most states to solve for the optimum.
        endgame_questions: the most questions in an optimal plan if answers can be wrong or missing.
        identify_factor: factor for the estimated cost of identifying the goal.
        negligible: where plans end, goals below this share of the largest weight are left out.
        log_table: base-2 logarithm of the size of the table of values.
    """

    questions: int = 2
    candidates: int = 6
    depth: int = 4
    breadth: int = 5
    inner: int = 2
    climbs: int = 4
    budget: int = 75_000
    endgame: int = 14
    endgame_states: int = 20_000
    endgame_questions: int = 3
    identify_factor: float = 1.0
    negligible: float = 0.0
    log_table: int = 18

    def lists(self, *, choices: bool) -> int:
        """Return how many lists of candidates a plan has: one before any answer, one after each sequence of answers.

        Candidates are the questions that are compared in a state. `choices` is whether some of them may be
        multiple-choice questions.
        """
        followed = ANSWERS_FOLLOWED if choices else 2
        return sum((followed * self.candidates) ** k for k in range(self.questions + 1))

    def with_budget(self, budget: int) -> PlannerSettings:
        """Return the same settings with another budget, the number of states to consider for a decision.

        A larger budget also raises the limits of the exact search: `endgame_states`, and `endgame` by 1 each time the
        budget grows by the factor 1.4.
        """
        more = max(1.0, budget / self.budget)
        # The exact search takes about 1.4 times as long for each further goal.
        goals, states = self.endgame + int(math.log(more, 1.4)), int(self.endgame_states * more)
        return replace(self, budget=budget, endgame=goals, endgame_states=states)


FULL = PlannerSettings()
LIGHT = PlannerSettings(
    1, 4, depth=3, breadth=2, climbs=2, budget=30_000, endgame=12, endgame_states=2_500, log_table=16
)
# Where answers can be wrong, each question leads to states with as many goals as before: a state costs more work, and
# the optimum is out of reach with more than a few goals.
NOISY_FULL = replace(
    FULL, inner=3, climbs=2, budget=20_000, endgame=5, endgame_states=4_000, negligible=1e-3, log_table=17
)
NOISY_LIGHT = replace(
    LIGHT, climbs=1, budget=15_000, endgame=4, endgame_states=2_000, endgame_questions=2, negligible=1e-3, log_table=15
)

SETTINGS = {"full": (FULL, NOISY_FULL), "light": (LIGHT, NOISY_LIGHT)}
"""Settings by name: for true answers to any number of yes/no questions, and for everything else."""
