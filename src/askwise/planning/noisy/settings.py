"""How far the planner looks where answers can be wrong or missing, and how much work it may do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NoisySettings:
    """How far the planner looks.

    Attributes:
        questions: the most questions that a plan holds.
        kept: questions on the menu of a state.
        depth: steps ahead within which a plan may ask later.
        breadth: actions that are compared now.
        inner: actions that are compared in later states.
        climbs: how often the best question is improved by one goal.
        budget: states to be looked at for a decision.
        complete_goals: look at all questions and all actions once this many goals are left,
        complete_states: with at most so many states,
        complete_questions: and as many questions.
        settling: how much dearer finding out the goal is than what answers tell on average says.
        faint: goals of less than this part of the heaviest one are left out where plans end.
        log_memory: two to this power values are remembered.
    """

    questions: int = 2
    kept: int = 6
    depth: int = 4
    breadth: int = 5
    inner: int = 3
    climbs: int = 2
    budget: int = 20_000
    complete_goals: int = 5
    complete_states: int = 4_000
    complete_questions: int = 3
    settling: float = 1.0
    faint: float = 1e-3
    log_memory: int = 17

    @property
    def menus(self) -> int:
        """Menus for one decision: one now, and one for each answer to each question on it, again and again."""
        return sum((ANSWERS_FOLLOWED * self.kept) ** k for k in range(self.questions + 1))


ANSWERS_FOLLOWED = 4
"""Answers after which a state has a menu of its own; further ones share the last of these."""

FULL = NoisySettings()
LIGHT = NoisySettings(
    questions=1,
    kept=4,
    depth=3,
    breadth=2,
    inner=2,
    climbs=1,
    budget=15_000,
    complete_goals=4,
    complete_states=2_000,
    complete_questions=2,
    log_memory=15,
)
