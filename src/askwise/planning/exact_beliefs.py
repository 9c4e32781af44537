"""Which beliefs can come about where answers can be wrong or missing, and where each answer leads.

**Counts instead of probabilities.** An answer to a question with `k` possible answers is ``rho_k = (e / (k - 1)) / (1 -
e)`` times as likely for a goal that it speaks against as for one that it speaks for. So all that counts is, for each
goal and each `k`, how many answers spoke against it; and, since only odds matter, that number less the least among the
goals left. Two experiences with the same numbers are one belief. A common factor, what was taken off, is kept apart:
values of the recursion are in proportion to it.

Answers that cannot be wrong rule goals out instead: then the goals left are fewer, and there is nothing to count.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.planning.exact import TooLarge
from askwise.planning.exact_questions import Option, Questions
from askwise.planning.tables import Tables
from askwise.types import FloatArray, IntArray

REPLIES_A_STATE = 15
"""To find out what a reply leads to takes as long as so many states."""


@dataclass(slots=True)
class Work:
    """What has been done so far where questions are limited, and when to give up.

    Attributes:
        goals: number of goals.
        questions: how many may be asked.
        limit: the most states to solve, or as much other work; None for any number.
        states: states so far.
        replies: replies to questions that were looked at so far.
    """

    goals: int
    questions: int
    limit: int | None
    states: int = 0
    replies: int = 0

    def count(self, states: int = 0, replies: int = 0) -> None:
        """Count work that is about to be done, or refuse to go on."""
        self.states += states
        self.replies += replies
        if self.limit is not None and self.states + REPLIES_A_STATE * self.replies > self.limit:
            raise TooLarge(
                f"too large for an exact answer: {self.goals} goals and at most {self.questions} questions, not solved "
                f"after {self.states:,} states and {self.replies:,} replies; allow fewer questions "
                "(questions, --questions), or go on anyway"
            )


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
        """Return the belief without questions that could not be asked again anyway."""
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


@dataclass(slots=True)
class Stage:
    """The beliefs in one state of the teammate with so many questions left.

    Attributes:
        beliefs: ``int [n]``, their numbers, sorted; row ``k + 1`` of a table of values is the k-th, row 0 is `CERTAIN`.
        onwards: for each next state of the teammate the rows of the beliefs there, and the factors that come with it.
    """

    met: set[int] = field(default_factory=set)
    beliefs: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    onwards: list[tuple[int, IntArray, FloatArray]] = field(default_factory=list)

    def rows(self, beliefs: IntArray) -> IntArray:
        """Return the rows of these beliefs, all of which are listed."""
        found = np.searchsorted(self.beliefs, beliefs).astype(np.int32) + 1
        return np.where(beliefs == CERTAIN, 0, found).astype(np.int32)


class Unfolding:
    """All stages of all states of the teammate in which there is something to find out.

    Args:
        tables: the problem, seen from the teammate's start.
        goals: the goals that are possible at all.
        beliefs: what can be believed.
        most: how many questions may be asked.
        root: what is believed at the start.
    """

    def __init__(self, tables: Tables, goals: Sequence[int], beliefs: Beliefs, most: int, root: Heard) -> None:
        self.tables, self.beliefs, self.most = tables, beliefs, most
        bits = 1 << np.arange(len(goals), dtype=np.int64)
        self.alive: list[int] = ((tables.weight[:, list(goals)] > 0) * bits).sum(axis=1).tolist()
        self.stages: dict[int, list[Stage]] = {}
        self._meet(tables.start, most, [beliefs.number(most, beliefs.hearing.among(root, self.alive[tables.start])[0])])

    def unfold(self) -> Iterator[tuple[int, int]]:
        """Go through the teammate's states, nearest first; yields each with the number of its beliefs."""
        waiting = list(self.stages)
        while waiting:
            following: dict[int, None] = {}
            for w in waiting:
                self._ask(w)
                yield w, sum(stage.beliefs.size for stage in self.stages[w])
                following.update(dict.fromkeys(self._go_on(w)))
            for w in waiting:
                self._link(w)
            waiting = list(following)

    def _meet(self, w: int, stage: int, beliefs: Sequence[int]) -> None:
        stages = self.stages.setdefault(w, [Stage() for _ in range(self.most + 1)])
        stages[stage].met.update(belief for belief in beliefs if belief != CERTAIN)

    def _ask(self, w: int) -> None:
        """Add the beliefs that answers lead to."""
        stages = self.stages[w]
        for left in range(self.most, 0, -1):
            self._add_answers(list(stages[left].met), stages[left - 1])
        new = stages[0].met if self.beliefs.truthful else set()
        while new:
            before = set(stages[0].met)
            self._add_answers(list(new), stages[0])
            new = stages[0].met - before
        for stage in stages:
            stage.beliefs = np.array(sorted(stage.met), dtype=np.int32)

    def _add_answers(self, beliefs: list[int], after: Stage) -> None:
        for belief in beliefs:
            asking = self.beliefs.asking(belief)
            if asking is not None:
                after.met.update(np.unique(asking.beliefs).tolist())
        after.met.discard(CERTAIN)

    def _go_on(self, w: int) -> Iterator[int]:
        """Take all beliefs in `w` along to the teammate's next states in which there is something to find out."""
        for onwards in self._following(w):
            for left, stage in enumerate(self.stages[w]):
                found = [self.beliefs.onwards(belief, self.alive[onwards])[0] for belief in stage.beliefs.tolist()]
                self._meet(onwards, left, found)
            yield onwards

    def _link(self, w: int) -> None:
        """Note to which beliefs steps lead."""
        for onwards in self._following(w):
            for stage in self.stages[w]:
                found = [self.beliefs.onwards(belief, self.alive[onwards]) for belief in stage.beliefs.tolist()]
                numbers = np.array([CERTAIN, *(number for number, _ in found)], dtype=np.int32)
                stage.onwards.append((onwards, numbers, np.array([0.0, *(factor for _, factor in found)])))

    def _following(self, w: int) -> list[int]:
        row = self.tables.following[w]
        return [t for t in row[row >= 0].tolist() if self.alive[t] & (self.alive[t] - 1)]
