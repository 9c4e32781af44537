"""Everything that can be believed, and what leads from one belief to the next, wherever the teammate is.

A *stage* is the number of questions left. A question leads to a belief one stage down, whatever is answered. In stage 0
either no questions are left, or (`truthful`) any number of them with answers that are true: these lead to beliefs of
the same stage with fewer goals. A step of the teammate leads to a belief of the same stage among the goals that are
possible there.

Beliefs are numbered as they are met. Number 0 stands for all in which one goal is left: they have no regret.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from askwise.planning.exact.arrays import Work
from askwise.planning.exact.asking import Option, Questions
from askwise.planning.exact.hearing import Heard, Hearing
from askwise.types import FloatArray, IntArray

CERTAIN = 0
"""The number of beliefs in which one goal is left."""


@dataclass(frozen=True, eq=False, slots=True)
class Asking:
    """The questions of one belief.

    Attributes:
        options: the questions.
        prices: ``float64 [n_options]``, their prices.
        beliefs: ``int [n_options, n_replies]``, the belief after each reply; in the last column there was none.
        factors: ``float64 [n_options, n_replies]``, the factor that comes with it, 0 for what cannot be heard.
    """

    options: list[Option]
    prices: FloatArray
    beliefs: IntArray
    factors: FloatArray


class Beliefs:
    """All beliefs that were met.

    Args:
        questions: the questions that there are.
        hearing: how answers change beliefs.
        truthful: whether any number of questions with true answers may follow in stage 0.
        persistent: whether the same question may be asked once only.
        work: counts what is done.
    """

    def __init__(self, questions: Questions, hearing: Hearing, *, truthful: bool, persistent: bool, work: Work) -> None:
        self.questions, self.hearing, self.work = questions, hearing, work
        self.truthful, self.persistent = truthful, persistent
        self.heard: list[Heard] = [Heard(0)]
        self.weights: list[FloatArray] = [np.zeros(hearing.n_goals)]
        self._stage = [0]
        self._numbers: dict[tuple[int, Heard], int] = {}
        self._asking: dict[int, Asking] = {}
        self._onwards: dict[tuple[int, int], tuple[int, float]] = {}
        self._again: dict[int, set[Hashable]] = {}

    def number(self, stage: int, heard: Heard) -> int:
        """Return the number of a belief, a new one if it was not met before."""
        if heard.certain:
            return CERTAIN
        key = stage, self.kept(heard, stage)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.heard)
            self.heard.append(key[1])
            self.weights.append(self.hearing.weights(heard))
            self._stage.append(stage)
        return found

    def known(self, stage: int, heard: Heard) -> int | None:
        """Return the number of a belief, None if it was not met."""
        return self._numbers.get((stage, self.kept(heard, stage)))

    def kept(self, heard: Heard, stage: int) -> Heard:
        """Return the belief without questions that nobody could ask again anyway."""
        if not heard.asked:
            return heard
        if not stage:
            return Heard(heard.left, heard.against)
        if heard.left not in self._again:
            self._again[heard.left] = {option.key for option in self.questions.listed(heard.left)}
        return Heard(heard.left, heard.against, heard.asked & self._again[heard.left])

    def asking(self, belief: int) -> Asking | None:
        """Return the questions of a belief, None if none may be asked."""
        stage = self._stage[belief]
        if not stage and not self.truthful:
            return None
        if belief not in self._asking:
            heard = self.heard[belief]
            self._asking[belief] = self._asked(heard, stage - 1) if stage else self._asked_truly(heard)
        return self._asking[belief]

    def onwards(self, belief: int, alive: int) -> tuple[int, float]:
        """Return the belief when the teammate's way leaves only the goals `alive`, and its factor."""
        key = belief, alive
        if key not in self._onwards:
            after, factor = self.hearing.among(self.heard[belief], alive)
            self._onwards[key] = self.number(self._stage[belief], after), factor
        return self._onwards[key]

    def _asked(self, heard: Heard, stage: int) -> Asking:
        options = self.questions.about(heard.left, heard.asked)
        asking = self._room(options, refusals=1)
        for k, option in enumerate(options):
            asked = heard.asked | {option.key} if self.persistent else heard.asked
            base = Heard(heard.left, heard.against, asked)
            for j, part in enumerate(option.parts):
                after, asking.factors[k, j] = self.hearing.reply(base, part, option.answers)
                asking.beliefs[k, j] = self.number(stage, after) if asking.factors[k, j] > 0 else CERTAIN
            if self.hearing.refused > 0:
                asking.factors[k, -1], asking.beliefs[k, -1] = self.hearing.refused, self.number(stage, base)
        return asking

    def _asked_truly(self, heard: Heard) -> Asking:
        options = self.questions.about(heard.left)
        asking = self._room(options, refusals=0)
        for k, option in enumerate(options):
            for j, part in enumerate(option.parts):
                after, asking.factors[k, j] = self.hearing.truly(heard, part)
                asking.beliefs[k, j] = self.number(0, after) if asking.factors[k, j] > 0 else CERTAIN
        return asking

    def _room(self, options: list[Option], *, refusals: int) -> Asking:
        shape = len(options), max((len(option.parts) for option in options), default=0) + refusals
        self.work.count(replies=shape[0] * shape[1])
        prices = np.array([option.price for option in options])
        return Asking(options, prices, np.zeros(shape, dtype=np.int32), np.zeros(shape))
