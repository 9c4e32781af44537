"""How far the planner looks, and how much work it may do."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

MOST_ANSWERS = 16
"""Most answers to a question of a plan."""
ANSWERS_FOLLOWED = 4
"""Answers to a choice after which a state has candidates of its own; further ones share the last of these."""
MOST_MARGIN = 3
"""Largest margin until which a question is repeated."""
MOST_COMPLETE = 63
"""Most questions of a complete search: a bit for each says which were asked."""


@dataclass(frozen=True, slots=True)
class PlannerSettings:
    """How far the planner looks.

    Attributes:
        questions: the most questions that a plan holds.
        candidates: questions that are compared in a state.
        depth: steps ahead within which a plan may ask later.
        breadth: actions that are compared now.
        inner: actions that are compared in later states.
        climbs: how often the best questions are improved by one goal.
        budget: states to be looked at for a decision. When it is used up, plans end where they are.
        endgame: with at most this many goals left, the planner tries to find the optimum.
        endgame_states: the most states that it looks at for that.
        endgame_questions: the most questions of such a plan, where answers can be wrong or missing.
        identify_factor: how much more it costs to identify the goal than the capacity of answers implies.
        negligible: goals of less than this part of the heaviest one are left out where plans end.
        log_table: the transposition table has two to this power entries.
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
        """Return how many states of a plan have candidates: now, and after each answer to each, again and again."""
        return sum((followed(choices) * self.candidates) ** k for k in range(self.questions + 1))

    def with_budget(self, budget: int) -> PlannerSettings:
        """Return the same with another budget; a larger one is for the search of the optimum as well.

        What plans lose is mostly that they end early, and more plans of the kind do not mend that. The optimum has no
        end, and takes about 1.4 times as long for each further goal.
        """
        more = max(1.0, budget / self.budget)
        goals, states = self.endgame + int(math.log(more, 1.4)), int(self.endgame_states * more)
        return replace(self, budget=budget, endgame=goals, endgame_states=states)


def followed(choices: bool) -> int:
    """Return after how many answers to a question states have candidates of their own."""
    return ANSWERS_FOLLOWED if choices else 2


FULL = PlannerSettings()
LIGHT = PlannerSettings(
    questions=1,
    candidates=4,
    depth=3,
    breadth=2,
    inner=2,
    climbs=2,
    budget=30_000,
    endgame=12,
    endgame_states=2_500,
    log_table=16,
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
