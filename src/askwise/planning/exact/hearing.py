"""What answers that may be wrong leave of a belief: small whole numbers instead of probabilities.

An answer to a question with `k` possible answers is ``rho_k = (e / (k - 1)) / (1 - e)`` times as likely for a goal
that it speaks against as for one that it speaks for. So all that counts is, for each goal and each `k`, how many
answers spoke against it; and, since only odds matter, that number less the least among the goals left. Two experiences
with the same numbers are one belief. A common factor, what was taken off, is kept apart: values of the recursion are
in proportion to it.

Answers that cannot be wrong rule goals out instead: then the goals left are fewer, and there is nothing to count.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.types import FloatArray

Counts = tuple[tuple[int, tuple[int, ...]], ...]
"""For numbers of answers, sorted, how many of these spoke against each goal."""


class Heard(NamedTuple):
    """A belief, but for where the teammate is.

    Attributes:
        left: the goals that are possible, as bits.
        against: see `Counts`; goals that are not left have 0, and of those left at least one has 0.
        asked: the questions that may not be asked again.
    """

    left: int
    against: Counts = ()
    asked: frozenset[Hashable] = frozenset()

    @property
    def certain(self) -> bool:
        """Whether there is nothing left to find out."""
        return not self.left & (self.left - 1)


class Hearing:
    """How answers change a belief.

    Args:
        answers: how they come.
        n_goals: how many goals are possible at all.
    """

    def __init__(self, answers: AnswerModel, n_goals: int) -> None:
        self.wrong, self.refused = float(answers.wrong), float(answers.refused)
        self.n_goals = n_goals
        self._replies: dict[tuple[int, Counts, int, int], tuple[Counts, float]] = {}

    def ratio(self, n_answers: int) -> float:
        """Return how likely a certain wrong answer is beside the true one."""
        return self.wrong / (n_answers - 1) / (1.0 - self.wrong)

    def reply(self, heard: Heard, true_for: int, n_answers: int) -> tuple[Heard, float]:
        """Return the belief after an answer that is true for some goals, and the factor that comes with it.

        The factor is 0 if that answer cannot be heard.
        """
        left, against, asked = heard
        if self.wrong == 0:
            return self.truly(heard, true_for, 1.0 - self.refused)
        key = left, against, true_for & left, n_answers
        if key not in self._replies:
            found = dict(against)
            before = found.get(n_answers, (0,) * self.n_goals)
            # Goals that are not left are set back to 0 by `_tidied`.
            found[n_answers] = tuple(n + (not (true_for >> k) & 1) for k, n in enumerate(before))
            self._replies[key] = self._tidied(left, tuple(sorted(found.items())))
        counts, factor = self._replies[key]
        return Heard(left, counts, asked), factor * (1.0 - self.refused) * (1.0 - self.wrong)

    def truly(self, heard: Heard, true_for: int, factor: float = 1.0) -> tuple[Heard, float]:
        """Return the same for an answer that cannot be wrong."""
        after, more = self.among(heard, true_for)
        return after, factor * more if after.left else 0.0

    def among(self, heard: Heard, possible: int) -> tuple[Heard, float]:
        """Return the belief when the teammate's way leaves only these goals possible."""
        left = heard.left & possible
        counts, factor = self._tidied(left, heard.against)
        return Heard(left, counts, heard.asked), factor

    def _tidied(self, left: int, against: Counts) -> tuple[Counts, float]:
        """Return the least numbers that mean the same for the goals left, and the factor that was taken off."""
        if not against:
            return against, 1.0
        factor, kept = 1.0, []
        inside = [(left >> k) & 1 for k in range(self.n_goals)]
        for n_answers, numbers in against:
            least = min((n for n, is_left in zip(numbers, inside, strict=True) if is_left), default=0)
            if least:
                factor *= self.ratio(n_answers) ** least
            less = tuple(n - least if is_left else 0 for n, is_left in zip(numbers, inside, strict=True))
            if any(less):
                kept.append((n_answers, less))
        return tuple(kept), factor

    def weights(self, heard: Heard) -> FloatArray:
        """``float64 [n_goals]``: what the belief multiplies the weight of each goal by, 0 for those not left."""
        found = np.array([float((heard.left >> k) & 1) for k in range(self.n_goals)])
        for n_answers, numbers in heard.against:
            found *= self.ratio(n_answers) ** np.array(numbers, dtype=np.float64)
        return found
