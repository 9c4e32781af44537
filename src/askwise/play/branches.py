"""Branches of an exact evaluation of an agent, and the queue in which branches wait to be followed.

A branch is a possible course of an episode so far, with the replies heard if answers may be wrong or missing.
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
"""Decimal digits to which log odds are rounded when they are compared."""

Given = tuple[Hashable, Answer]
"""A key of a question, equal for all forms of the same question, and the answer to it."""


@dataclass(frozen=True, slots=True, eq=False)
class HeardReplies:
    """The replies heard on one branch (possible course of an episode so far), if answers may be wrong or missing.

    Attributes:
        log: ``float64 [n_goals]``, log likelihood of all replies given each goal; None if no reply says anything.
        given: key and answer of each question asked; empty unless `remembers`.
        remembers: whether a repeated question gets the same reply, because errors are persistent.
        asked: number of questions asked.
    """

    log: FloatArray | None = None
    given: tuple[Given, ...] = ()
    remembers: bool = False
    asked: int = 0

    @property
    def key(self) -> Hashable:
        """A hashable key of all questions and answers in `given`; it does not depend on the order of asking."""
        return tuple(sorted(((question, _meant(answer)) for question, answer in self.given), key=repr))

    def odds(self, goals: Iterable[int]) -> Hashable:
        """Return a hashable key of how the replies change the odds of the given goals; equal changes have equal keys.

        The key has one number for each goal: the log likelihood of the replies, minus the largest of these, rounded to
        `DIGITS` decimals. It is None if the odds do not change.
        """
        if self.log is None:
            return None
        said = self.log[sorted(goals)]
        odds = tuple(np.round(said - said.max(), DIGITS).tolist())
        return odds if any(odds) else None

    def after(self, problem: Problem, asked: Question) -> Iterator[tuple[Answer, FloatArray, HeardReplies]]:
        """Yield each possible answer to the question `asked`, its likelihood, and all replies including this answer.

        The likelihood is ``float64 [n_goals]``, given each goal. If errors are persistent, a repeated question gets
        only the earlier answer.
        """
        n_goals, model = len(problem.goals), problem.answers
        question = _listed(same_question(asked, n_goals)) if self.remembers else None
        before = next((given for key, given in self.given if key == question), None) if model.persistent else None
        if before is not None:
            answer = same_reply(before, asked)
            yield answer, np.ones(n_goals), self._with(question, answer, None)
            return
        for answer in possible_answers(asked, n_goals):
            likelihood = model.likelihood(answer, n_goals)
            if likelihood.any():
                yield answer, likelihood, self._with(question, answer, likelihood)

    def _with(self, question: Hashable, answer: Answer, likelihood: FloatArray | None) -> HeardReplies:
        given = (*self.given, (question, answer)) if self.remembers else ()
        log = self.log
        if likelihood is not None and answer.reply is not None:  # a refusal brings no information about the goal
            with np.errstate(divide="ignore"):
                log = np.log(likelihood) if log is None else log + np.log(likelihood)
        return HeardReplies(log, given, self.remembers, self.asked + 1)


def possible_answers(asked: Question, n_goals: int) -> Iterator[Answer]:
    """Yield all possible answers to a question: first those with a reply, then the missing answer.

    `n_goals` is the number of goals of the problem.
    """
    if isinstance(asked, Choice):
        yield from (Answer(asked, k) for k in range(n_answers(asked, n_goals)))
    else:
        yield from (Answer(asked, True), Answer(asked, False))
    yield Answer(asked, None)


def _meant(answer: Answer) -> Hashable:
    """Return a hashable key of what a reply means; None for a missing reply.

    For example, yes to a set of goals and no to the set of all other goals have equal keys.
    """
    if answer.reply is None:
        return None
    if not isinstance(answer.asked, Choice):
        # A set and its complement are the same question; the key uses the one without goal 0.
        return bool(answer.reply) != (0 in answer.asked)
    groups = answer.asked.groups
    return tuple(sorted(groups[answer.reply])) if answer.reply < len(groups) else ()


def _listed(question: Any) -> Hashable:
    """Convert the key of a question from nested frozensets of integers to nested sorted tuples.

    Equal tuples have equal texts (``repr``), by which keys can be sorted. An integer is returned as it is.
    """
    if not isinstance(question, frozenset):
        return int(question)
    return tuple(sorted(_listed(each) for each in question))  # type: ignore[type-var]


Goals = frozenset[int]


@dataclass(slots=True)
class Branch:
    """A branch of an exact evaluation: a possible course of an episode so far, or several that were joined.

    Courses can be joined if the agent's further decisions are the same in all of them.

    Attributes:
        agent: the agent, ready to decide.
        observation: what the agent observes now.
        goals: the possible goals for which the episode continues.
        possible: `goals`, and those for which the episode would have ended.
        paths: number of the teammate's paths. If answers may be wrong or missing, ``float64 [n_goals]``: the sum over
            the paths of the likelihood of the replies, given each goal.
        taken: number of decisions.
        weight: ``float64 [n_goals]``, joint probability of each goal and this branch; None if it follows from `paths`.
        replies: the replies heard; None if answers are always true.
        asked: number of questions since the teammate's last step; 0 if answers are always true.
        questions: number of questions.
        situation: a key of all that the agent's decisions depend on; None until computed.
    """

    agent: Agent
    observation: Observation
    goals: Goals
    possible: Goals
    paths: float | FloatArray = 1.0
    taken: int = 0
    weight: FloatArray | None = None
    replies: HeardReplies | None = None
    asked: int = 0
    questions: int = 0
    situation: Any = None

    def followed_by(
        self, observation: Observation, goals: Goals, possible: Goals, weight: FloatArray | None, **other: Any
    ) -> Branch:
        """Return the branch that follows this one after an answer or a step; it shares the agent with this branch.

        Args:
            observation: what the agent then observes.
            goals: the possible goals for which the episode continues.
            possible: `goals`, and those for which the episode would have ended.
            weight: ``float64 [n_goals]``, joint probability of each goal and the new branch, or None.
            other: new `paths` and `replies`, if they change.
        """
        asked = observation.answer is not None
        other |= {"asked": self.asked + 1 if "replies" in other else 0, "questions": self.questions + asked}
        new = replace(self, observation=observation, goals=goals, possible=possible, weight=weight, **other)
        new.situation = None
        return new

    def join(self, other: Branch) -> None:
        """Add the `paths` and `weight` of the branch `other` to those of this branch, which then stands for both.

        The agent's decisions from now on must be the same in both branches.
        """
        self.paths = self.paths + other.paths
        if self.weight is not None and other.weight is not None:
            self.weight = self.weight + other.weight


class BranchQueue:
    """A priority queue of the branches of an exact evaluation; branches in the same situation are joined into one.

    A branch is a possible course of an episode so far. The queue holds the branches of one step of the teammate.
    Branches with the fewest questions in this step come first, then those with the most possible goals. So no branch is
    taken before all branches in its situation have been joined with it.

    Args:
        situation: returns a hashable key of all that the agent's decisions depend on; None to join no branches.
    """

    def __init__(self, situation: Callable[[Branch], Any] | None) -> None:
        self.situation = situation
        self._branches: dict[Any, Branch] = {}
        self._order: list[tuple[int, int, int, Any]] = []
        self._added = 0

    def __bool__(self) -> bool:
        return bool(self._order)

    def add(self, branch: Branch) -> bool:
        """Add a branch to the queue, or join it with a queued branch in the same situation.

        Returns:
            True if the branch was added, False if it was joined.
        """
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
        """Remove the branch of the highest priority from the queue and return it."""
        return self._branches.pop(heapq.heappop(self._order)[3])
