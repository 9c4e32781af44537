"""Branches of an agent's experience, and how they wait for their turn."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from askwise.methods import Agent, Observation
from askwise.play.evaluation.replies import Replies
from askwise.types import FloatArray

Goals = frozenset[int]


@dataclass(slots=True)
class Branch:
    """What an agent has met so far.

    Attributes:
        agent: the agent, ready to decide.
        observation: what it sees now.
        goals: the goals that are left.
        possible: the same and those with which the episode would be over by now, but the agent does not see why.
        ways: how many branches this one stands for; where answers may be wrong or missing, ``float64 [n_goals]``: times
            how probable each goal makes what they have heard.
        taken: decisions so far.
        weight: ``float64 [n_goals]``, probability of each goal and this branch, None where it follows from `ways` and
            where the teammate is.
        replies: what was heard, where answers may be wrong or missing.
        asked: such questions since the teammate's last step.
        questions: questions in all.
        situation: what the agent's decisions depend on, once that was asked for.
    """

    agent: Agent
    observation: Observation
    goals: Goals
    possible: Goals
    ways: float | FloatArray = 1.0
    taken: int = 0
    weight: FloatArray | None = None
    replies: Replies | None = None
    asked: int = 0
    questions: int = 0
    situation: Any = None

    def followed_by(
        self, observation: Observation, goals: Goals, possible: Goals, weight: FloatArray | None, **other: Any
    ) -> Branch:
        """Return the branch after an answer or a step, with the same agent."""
        asked = observation.answer is not None
        other |= {"asked": self.asked + 1 if "replies" in other else 0, "questions": self.questions + asked}
        new = replace(self, observation=observation, goals=goals, possible=possible, weight=weight, **other)
        new.situation = None
        return new

    def join(self, other: Branch) -> None:
        """Stand for another branch, too, that has come to the same situation."""
        self.ways = self.ways + other.ways
        if self.weight is not None and other.weight is not None:
            self.weight = self.weight + other.weight


class Waiting:
    """Branches that wait for their turn, those with the fewest doubtful replies and the most goals first.

    A question leaves fewer goals, or one reply more. So, when a branch has its turn, all others that meet it in this
    step have done so.
    """

    def __init__(self, situation: Callable[[Branch], Any] | None) -> None:
        self.situation = situation
        self._branches: dict[Any, Branch] = {}
        self._order: list[tuple[int, int, int, Any]] = []
        self._added = 0

    def __bool__(self) -> bool:
        return bool(self._order)

    def add(self, branch: Branch) -> bool:
        """Let a branch wait; False if one that waits already in the same situation stands for it."""
        self._added += 1
        key = self._added if self.situation is None else (branch.asked, self.situation(branch))
        known = self._branches.get(key)
        if known is not None:
            known.join(branch)
            return False
        self._branches[key] = branch
        heapq.heappush(self._order, (branch.asked, -len(branch.goals), self._added, key))
        return True

    def take(self) -> Branch:
        """Return the branch whose turn it is."""
        return self._branches.pop(heapq.heappop(self._order)[3])
