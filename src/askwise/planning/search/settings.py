"""How far the planner looks, and how much work it may do."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class PlannerSettings:
    """How far the planner looks.

    Attributes:
        questions: the most questions that a plan holds.
        kept: questions on the menu of a state, see `askwise.planning.search.menus`.
        depth: steps ahead within which a plan may ask later.
        breadth: actions that are compared now.
        inner: actions that are compared in later states.
        climbs: how often the best question is improved by one goal.
        budget: states to be looked at for a decision; what is not at hand then is valued by settling.
        endgame: try to find the optimum once this many goals are left,
        endgame_states: with at most so many states.
        log_memory: two to this power values are remembered.
    """

    questions: int = 2
    kept: int = 6
    depth: int = 4
    breadth: int = 5
    inner: int = 2
    climbs: int = 4
    budget: int = 75_000
    endgame: int = 14
    endgame_states: int = 20_000
    log_memory: int = 18

    @property
    def menus(self) -> int:
        """Menus for one decision: one now, and one for each answer to each question on it, again and again."""
        return int((2 * self.kept + 1) ** self.questions)

    def with_budget(self, budget: int) -> PlannerSettings:
        """Return the same with another budget; a larger one is for the search of the optimum as well.

        What plans lose is mostly that they end early (`askwise.planning.search.planner`), which more plans of the kind
        do not mend. The optimum has no end, and each goal more takes it about 1.4 times as long.
        """
        more = max(1.0, budget / self.budget)
        goals, states = self.endgame + int(math.log(more, 1.4)), int(self.endgame_states * more)
        return replace(self, budget=budget, endgame=goals, endgame_states=states)


FULL = PlannerSettings()
LIGHT = PlannerSettings(
    questions=1,
    kept=4,
    depth=3,
    breadth=2,
    inner=2,
    climbs=2,
    budget=30_000,
    endgame=12,
    endgame_states=2_500,
    log_memory=16,
)
