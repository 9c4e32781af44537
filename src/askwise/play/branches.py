"""What a branch of an agent's experience has heard, where answers may be wrong or missing.

Branches of an agent's experience, and how they wait for their turn.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from askwise.core.answers import n_answers, same_question, same_reply
from askwise.core.problem import Problem
from askwise.core.questions import Answer, Choice, Question
from askwise.methods import Agent, Observation
from askwise.types import FloatArray

DIGITS = 8
"""Digits by which logarithms of odds differ that are not the same."""

Given = tuple[Hashable, Answer]
"""A question, however it was put, and the answer to it."""


@dataclass(frozen=True, slots=True, eq=False)
class HeardReplies:
    """All replies so far.

    Attributes:
        log: ``float64 [n_goals]``, the logarithm of how probable each goal makes them all, None if there were none.
        given: each question with its reply, in the order in which they were asked; nothing unless `remembers`.
        remembers: whether what was asked matters, not only what is believed after it: errors persist.
        asked: how many questions were asked.
    """

    log: FloatArray | None = None
    given: tuple[Given, ...] = ()
    remembers: bool = False
    asked: int = 0

    @property
    def key(self) -> Hashable:
        """The same for all that have heard the same, in whatever order."""
        return tuple(sorted(((question, _meant(answer)) for question, answer in self.given), key=repr))

    def odds(self, goals: Iterable[int]) -> Hashable:
        """Return what they say of some goals beside each other; the same for all that are believed the same."""
        if self.log is None:
            return None
        said = self.log[sorted(goals)]
        odds = tuple(np.round(said - said.max(), DIGITS).tolist())
        return odds if any(odds) else None

    def after(self, problem: Problem, asked: Question) -> Iterator[tuple[Answer, FloatArray, HeardReplies]]:
        """Iterate over what may be heard: the answer, how probable each goal makes it, and all replies then."""
        n_goals, model = len(problem.goals), problem.answers
        question = _listed(same_question(asked, n_goals)) if self.remembers else None
        before = next((given for key, given in self.given if key == question), None) if model.persistent else None
        if before is not None:
            answer = same_reply(before, asked)
            yield answer, np.ones(n_goals), self._with(question, answer, None)
            return
        for answer in _answers(asked, n_goals):
            likelihood = model.likelihood(answer, n_goals)
            if likelihood.any():
                yield answer, likelihood, self._with(question, answer, likelihood)

    def _with(self, question: Hashable, answer: Answer, likelihood: FloatArray | None) -> HeardReplies:
        given = (*self.given, (question, answer)) if self.remembers else ()
        log = self.log
        if likelihood is not None and answer.reply is not None:  # a refusal says nothing of the goal
            with np.errstate(divide="ignore"):
                log = np.log(likelihood) if log is None else log + np.log(likelihood)
        return HeardReplies(log, given, self.remembers, self.asked + 1)


NOTHING_HEARD = HeardReplies()


def _answers(asked: Question, n_goals: int) -> Iterator[Answer]:
    """Yes before no, the first group of a choice before the last, and no answer at the end."""
    if isinstance(asked, Choice):
        yield from (Answer(asked, k) for k in range(n_answers(asked, n_goals)))
    else:
        yield from (Answer(asked, True), Answer(asked, False))
    yield Answer(asked, None)


def _meant(answer: Answer) -> Hashable:
    """Return a reply as what it says of the goals: yes to a set is no to all others."""
    if answer.reply is None:
        return None
    if not isinstance(answer.asked, Choice):
        # Of a set and its complement the one without goal 0 names the question.
        return bool(answer.reply) != (0 in answer.asked)
    groups = answer.asked.groups
    return tuple(sorted(groups[answer.reply])) if answer.reply < len(groups) else ()


def _listed(question: Any) -> Hashable:
    """Return sets as sorted lists: these are written alike whenever they are equal."""
    if not isinstance(question, frozenset):
        return int(question)
    return tuple(sorted(_listed(each) for each in question))  # type: ignore[type-var]


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
    replies: HeardReplies | None = None
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
