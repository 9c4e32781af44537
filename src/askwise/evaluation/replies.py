"""What a branch of an agent's experience has heard, where answers may be wrong or missing."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.answers import n_answers, same_question, same_reply
from askwise.problem import Problem
from askwise.questions import Answer, Choice, Question
from askwise.types import FloatArray

Given = tuple[Hashable, Hashable]
"""A question, however it was put, and the reply, as what it says of the goals."""


@dataclass(frozen=True, slots=True, eq=False)
class Replies:
    """All replies so far.

    Attributes:
        key: the same for all that have heard the same, in whatever order.
        asked: how many questions were asked.
        factor: ``float64 [n_goals]``, how probable each goal makes them all, None if there were none.
        given: the reply to each question, for errors that persist.
    """

    key: tuple[Given, ...] = ()
    asked: int = 0
    factor: FloatArray | None = None
    given: tuple[tuple[Hashable, Answer], ...] = ()

    def after(self, problem: Problem, asked: Question) -> Iterator[tuple[Answer, FloatArray, Replies]]:
        """Iterate over what may be heard: the answer, how probable each goal makes it, and all replies then."""
        n_goals, model = len(problem.goals), problem.answers
        question = _listed(same_question(asked, n_goals))
        if model.persistent:
            before = dict(self.given).get(question)
            if before is not None:
                answer = same_reply(before, asked)
                yield answer, np.ones(n_goals), self._with(question, answer, np.ones(n_goals), keep=False)
                return
        for answer in _answers(asked, n_goals):
            likelihood = model.likelihood(answer, n_goals)
            if likelihood.any():
                yield answer, likelihood, self._with(question, answer, likelihood, keep=model.persistent)

    def _with(self, question: Hashable, answer: Answer, likelihood: FloatArray, *, keep: bool) -> Replies:
        key = tuple(sorted((*self.key, (question, _meant(answer))), key=repr))
        factor = likelihood if self.factor is None else self.factor * likelihood
        return Replies(key, self.asked + 1, factor, (*self.given, (question, answer)) if keep else self.given)


NOTHING_HEARD = Replies()


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
