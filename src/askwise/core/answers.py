"""How answers come: the truth always, or with errors and refusals as people give them.

A question has some possible answers, and each goal makes one of them true (`truth`). An `AnswerModel` says what is
heard instead. With probability ``refused`` there is no answer at all, whatever the goal. Else, with probability
``wrong``, it is one of the other answers, each equally likely. Else it is the truth. So the likelihood of hearing
answer `a` if the goal is `g` is, for `k` possible answers,

    L[a, g] = (1 - refused) * (1 - wrong            if a is true for g,
                               wrong / (k - 1)      if it is not).

Errors are made anew every time a question is asked (*independent*), or they are *persistent*: the same question gets
the same reply each time, so that asking it again tells nothing. The question about all other goals is the same
question.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from askwise.core.questions import Answer, Choice, Question
from askwise.errors import InputError
from askwise.types import FloatArray

ERRORS = ("independent", "persistent")
MOST_WRONG = 0.5
"""Of two answers, one that is wrong more often than right would tell more than a right one.

An `AnswerModel` is for questions of every kind, those with two answers included; see `most_wrong` for one question.
"""

CREDIBLE = 1e-3
"""How probable a goal has to be beside the likeliest one to be reckoned with, where answers can be wrong."""

NONE_OF_THESE = "none of these"


def _check_share(field: str, share: object, below: float) -> None:
    number = isinstance(share, int | float | np.integer | np.floating) and not isinstance(share, bool)
    if not number or not 0 <= share < below:  # type: ignore[operator]
        raise InputError(field, repr(share), f"a number from 0 and below {below:g}")


@dataclass(frozen=True, slots=True)
class AnswerModel:
    """How often answers are wrong or missing.

    Attributes:
        wrong: how often an answer that is given is wrong, from 0 and below 0.5, whatever is asked.
        refused: how often none is given, from 0 and below 1.
        errors: ``independent``, or ``persistent``: the same question always gets the same reply.
    """

    wrong: float = 0.0
    refused: float = 0.0
    errors: str = "independent"

    def __post_init__(self) -> None:
        _check_share("answers: wrong", self.wrong, MOST_WRONG)
        _check_share("answers: refused", self.refused, 1.0)
        if self.errors not in ERRORS:
            raise InputError("answers: errors", repr(self.errors), "one of " + ", ".join(map(repr, ERRORS)))

    @property
    def truthful(self) -> bool:
        """Whether every question is answered, and truly."""
        return self.wrong == 0 and self.refused == 0

    @property
    def persistent(self) -> bool:
        """Whether asking again tells nothing new; so it is where all answers are true."""
        return self.errors == "persistent" and not self.truthful

    @property
    def telling(self) -> float:
        """How far one yes/no answer leads towards being sure: 1 if it settles the question.

        To be sure, the odds of one side have to grow by a factor of ``1 / CREDIBLE``. An answer multiplies them by
        ``(1 - wrong) / wrong``, in the right direction or the wrong one, or does nothing at all.
        """
        if self.wrong == 0:
            return 1.0 - self.refused
        drift = (1.0 - self.refused) * (1.0 - 2.0 * self.wrong) * math.log((1.0 - self.wrong) / self.wrong)
        return min(1.0, drift / -math.log(CREDIBLE))

    def likelihood(self, answer: Answer, n_goals: int) -> FloatArray:
        """``float64 [n_goals]``: how probable each goal makes this answer; the same for all if there was none."""
        return likelihood_of(answer, n_goals, self.wrong, self.refused)

    def draw(self, asked: Question, goal: int, n_goals: int, rng: np.random.Generator) -> Answer:
        """Return an answer to a question, drawn anew."""
        true = truth(asked, goal)
        # Always the same number of draws, so that what comes later does not depend on what was asked.
        refuses, errs, other = rng.random(3)
        if refuses < self.refused:
            return Answer(asked, None)
        k = n_answers(asked, n_goals)
        if errs >= self.wrong or k < 2:
            return Answer(asked, true)
        if not isinstance(asked, Choice):
            return Answer(asked, not true)
        # One of the k - 1 others: those from the true one on move up by one.
        chosen = min(int(other * (k - 1)), k - 2)
        return Answer(asked, chosen + (chosen >= true))

    def __str__(self) -> str:
        """Return it as it is written on the command line."""
        if self.truthful:
            return "truthful"
        parts = [f"{name}:{share:g}" for name, share in (("wrong", self.wrong), ("refused", self.refused)) if share]
        return ",".join([*parts, *(["persistent"] if self.persistent else [])])


TRUTHFUL = AnswerModel()


def truth(asked: Question, goal: int) -> bool | int:
    """Return the true reply to a question."""
    if not isinstance(asked, Choice):
        return goal in asked
    return next((k for k, group in enumerate(asked.groups) if goal in group), len(asked.groups))


def n_answers(asked: Question, n_goals: int) -> int:
    """Return how many answers can be true; a question with only one of them tells nothing."""
    if not isinstance(asked, Choice):
        return 2 if 0 < len(asked) < n_goals else 1
    return len(asked.groups) + (len(asked.goals) < n_goals)


def agreeing(answer: Answer, n_goals: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """``bool [n_goals]``: the goals for which a reply is true."""
    asked, reply = answer.asked, answer.reply
    agree = np.zeros(n_goals, dtype=np.bool_)
    if not isinstance(asked, Choice):
        agree[list(asked)] = True
        return agree if reply else ~agree
    assert reply is not None
    if reply < len(asked.groups):
        agree[list(asked.groups[reply])] = True
        return agree
    agree[list(asked.goals)] = True
    return ~agree


def most_wrong(k: int) -> float:
    """Return what `wrong` has to be below for a question with `k` answers, at least 2.

    From there on, an answer would be heard more often where another one is true.
    """
    return 1.0 - 1.0 / k


def likelihood_of(answer: Answer, n_goals: int, wrong: float, refused: float) -> FloatArray:
    """``float64 [n_goals]``: how probable each goal makes this answer, see the top of this module."""
    if answer.reply is None:
        return np.full(n_goals, refused)
    k = n_answers(answer.asked, n_goals)
    right, miss = (1.0 - wrong, wrong / (k - 1)) if k > 1 else (1.0, 0.0)
    return np.where(agreeing(answer, n_goals), right, miss) * (1.0 - refused)


def check_reply(answer: Answer, n_goals: int) -> None:
    """Refuse a reply that the question does not offer."""
    asked, reply = answer.asked, answer.reply
    if reply is None:
        return
    if not isinstance(asked, Choice):
        if not isinstance(reply, bool | np.bool_):
            raise InputError("answer", repr(reply), "True, False, or None for no answer")
        return
    most = n_answers(asked, n_goals) - 1
    if isinstance(reply, bool | np.bool_) or not isinstance(reply, int | np.integer) or not 0 <= reply <= most:
        none = f" ({most}: {NONE_OF_THESE})" if most == len(asked.groups) else ""
        raise InputError("answer", repr(reply), f"the number of a group, 0 to {most}{none}, or None for no answer")


def same_question(asked: Question, n_goals: int) -> Hashable:
    """Return what is equal for two questions that are answered alike: the same one, or one about all other goals."""
    if isinstance(asked, Choice):
        return frozenset(frozenset(group) for group in asked.groups)
    goals = frozenset(asked)
    # Of a set and its complement the one without goal 0 stands for both.
    return goals if 0 not in goals else frozenset(range(n_goals)) - goals


def same_reply(answer: Answer, asked: Question) -> Answer:
    """Return an earlier answer as the reply to the same question in other words (see `same_question`)."""
    reply = answer.reply
    if reply is None:
        return Answer(asked, None)
    if not isinstance(asked, Choice):
        return Answer(asked, reply if set(asked) == set(answer.goals) else not reply)
    assert isinstance(answer.asked, Choice), "a choice is the same question as a choice only"
    if reply == len(answer.asked.groups):
        return Answer(asked, len(asked.groups))
    meant = set(answer.asked.groups[reply])
    return Answer(asked, next(k for k, group in enumerate(asked.groups) if set(group) == meant))
