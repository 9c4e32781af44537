"""Answer models: how often answers to questions are wrong or missing.

A question has `k` possible answers, and the goal makes one of them true (`truth`). With probability ``refused``, there
is no answer. An answer is wrong with probability ``wrong``; the ``k - 1`` false answers are equally likely. So answer
`a` has the likelihood under goal `g`::

    L[a, g] = (1 - refused) * (1 - wrong            if a is true for g,
                               wrong / (k - 1)      if a is false for g).

*Independent* errors are drawn anew for each question. With *persistent* errors, the same question always gets the same
answer. A yes/no question and the one about all other goals count as the same question.

To add an answer model, write a subclass of `AnswerModel` with its own `draw`, `likelihood` and, if answers can be
wrong, `fallible`. For planners, `AnswerModel.for_planning` returns an approximation by the formula above.
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
"""Upper bound (exclusive) on `AnswerModel.wrong`: at or above it, yes/no answers would not point to the truth.

The bound holds for questions with two answers; `most_wrong` gives it for a question with any number of answers.
"""

CREDIBLE = 1e-3
"""Where answers can be wrong, goals below this share of the likeliest goal's probability are not considered."""

NONE_OF_THESE = "none of these"


def _check_share(field: str, share: object, below: float) -> None:
    number = isinstance(share, int | float | np.integer | np.floating) and not isinstance(share, bool)
    if not number or not 0 <= share < below:  # type: ignore[operator]
        raise InputError(field, repr(share), f"a number from 0 and below {below:g}")


@dataclass(frozen=True, slots=True)
class AnswerModel:
    """The probabilities that an answer is wrong or missing.

    Attributes:
        wrong: probability that a given answer is wrong, at least 0 and below 0.5; false answers are equally likely.
        refused: probability that no answer is given, at least 0 and below 1.
        errors: ``"independent"`` if wrong and missing answers are drawn anew each time; ``"persistent"`` if the same
            question always gets the same answer.
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
        """Whether every question gets a true answer: answers are never wrong and never missing."""
        return not self.fallible and self.refused == 0

    @property
    def fallible(self) -> bool:
        """Whether an answer can be wrong."""
        return self.wrong > 0

    @property
    def persistent(self) -> bool:
        """Whether a repeated question always gets the same answer, even if that answer is wrong or missing.

        False if errors are drawn anew each time, and also if all answers are true.
        """
        return self.errors == "persistent" and not self.truthful

    @property
    def telling(self) -> float:
        """How much a yes/no reply tells, from 0 to 1: about ``1 / telling`` replies make the true answer certain.

        Certain means that the true answer's odds have grown by a factor of 1000 (``1 / CREDIBLE``). A right reply adds
        ``log((1 - wrong) / wrong)`` to the logarithm of the odds; a wrong one subtracts it. The result is the mean
        change divided by ``log(1000)``, at most 1; ``1 - refused`` if replies are never wrong.
        """
        if self.wrong == 0:
            return 1.0 - self.refused
        drift = (1.0 - self.refused) * (1.0 - 2.0 * self.wrong) * math.log((1.0 - self.wrong) / self.wrong)
        return min(1.0, drift / -math.log(CREDIBLE))

    def likelihood(self, answer: Answer, n_goals: int) -> FloatArray:
        """Return the probability of an answer under each goal, ``float64 [n_goals]``.

        Args:
            answer: the question and the reply to it, which may be missing.
            n_goals: number of goals.
        """
        return likelihood_of(answer, n_goals, self.wrong, self.refused)

    def draw(self, asked: Question, goal: int, n_goals: int, rng: np.random.Generator) -> Answer:
        """Draw an answer to a question, which may be true, wrong or missing; each call draws a new one.

        Args:
            asked: the question.
            goal: index of the teammate's goal.
            n_goals: number of goals.
            rng: the random generator; three numbers are drawn.
        """
        true = truth(asked, goal)
        # Always the same number of draws, so that later draws do not depend on the question.
        refuses, errs, other = rng.random(3)
        if refuses < self.refused:
            return Answer(asked, None)
        k = n_answers(asked, n_goals)
        if errs >= self.wrong or k < 2:
            return Answer(asked, true)
        if not isinstance(asked, Choice):
            return Answer(asked, not true)
        # One of the k - 1 others: indices from the true one on are shifted by one.
        chosen = min(int(other * (k - 1)), k - 2)
        return Answer(asked, chosen + (chosen >= true))

    def for_planning(self, who: str) -> AnswerModel:
        """Return the answer model that planners compute with: this model, or a subclass's approximation of itself.

        Planners need answers that are wrong or missing with fixed probabilities.

        Args:
            who: which method needs such answers, and why, as the end of the error message.

        Raises:
            InputError: a subclass overrides `draw` or `likelihood`, but not `for_planning`.
        """
        kind = type(self)
        if kind.draw is not AnswerModel.draw or kind.likelihood is not AnswerModel.likelihood:
            allowed = f"an AnswerModel with errors and refusals only, or a method for_planning: {who}"
            raise InputError("answers", f"{kind.__name__}, a model with its own answers", allowed)
        return self

    def __str__(self) -> str:
        """Return the model as users write it on the command line, such as ``wrong:0.05,persistent`` or ``truthful``."""
        if self.truthful:
            return "truthful"
        parts = [f"{name}:{share:g}" for name, share in (("wrong", self.wrong), ("refused", self.refused)) if share]
        return ",".join([*parts, *(["persistent"] if self.persistent else [])])


TRUTHFUL = AnswerModel()


def truth(asked: Question, goal: int) -> bool | int:
    """Return the true reply to a question.

    It is True or False for a yes/no question. For a `Choice`, it is the index of the group that contains the goal, or
    the number of groups for "none of these".
    """
    if not isinstance(asked, Choice):
        return goal in asked
    return next((k for k, group in enumerate(asked.groups) if goal in group), len(asked.groups))


def n_answers(asked: Question, n_goals: int) -> int:
    """Return how many of the possible answers to a question are true for some goal.

    If the result is 1, the true answer is the same for all goals, and asking is pointless.
    """
    if not isinstance(asked, Choice):
        return 2 if 0 < len(asked) < n_goals else 1
    return len(asked.groups) + (len(asked.goals) < n_goals)


def agreeing(answer: Answer, n_goals: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return for which goals an answer is true, ``bool [n_goals]``.

    Args:
        answer: the question and the reply to it, which must not be missing.
        n_goals: number of goals.
    """
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
    """Return the bound below which the probability of a wrong answer must stay for questions with `k` answers.

    At this bound, an answer would give no information.

    Args:
        k: number of possible answers, at least 2.
    """
    return 1.0 - 1.0 / k


def likelihood_of(answer: Answer, n_goals: int, wrong: float, refused: float) -> FloatArray:
    """Return the probability of an answer under each goal, ``float64 [n_goals]``.

    Args:
        answer: the question and the reply, which may be missing.
        n_goals: number of goals.
        wrong: probability that an answer is wrong if there is one.
        refused: probability that no answer is given.
    """
    if answer.reply is None:
        return np.full(n_goals, refused)
    k = n_answers(answer.asked, n_goals)
    right, miss = (1.0 - wrong, wrong / (k - 1)) if k > 1 else (1.0, 0.0)
    return np.where(agreeing(answer, n_goals), right, miss) * (1.0 - refused)


def check_reply(answer: Answer, n_goals: int) -> None:
    """Raise an `InputError` if an answer's reply does not fit its question; None (no reply) fits every question."""
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
    """Return a hashable key that is equal for two questions if they give the same information.

    The order of goals and groups does not matter. A yes/no question has the same key as the yes/no question about all
    other goals.
    """
    if isinstance(asked, Choice):
        return frozenset(frozenset(group) for group in asked.groups)
    goals = frozenset(asked)
    # A set and its complement have the same key: the one without goal 0.
    return goals if 0 not in goals else frozenset(range(n_goals)) - goals


def same_reply(answer: Answer, asked: Question) -> Answer:
    """Translate the answer to one question into the answer to an equivalent question (`same_question`).

    The index of a group is translated if the order of groups differs. Yes and no are exchanged if each question names
    the goals that the other does not.

    Args:
        answer: the known answer, with its own question.
        asked: the equivalent question.
    """
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
