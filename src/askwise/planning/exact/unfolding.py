"""Everything that can be believed, for each state of the teammate and each number of questions that may still be asked.

A *stage* is the number of questions left. A question leads to a belief one stage down, whatever is answered; a step of
the teammate to a belief of the same stage in its next state. In stage 0 either no questions are left, or (`truthful`)
any number of them with answers that are true: these lead to beliefs of the same stage with fewer goals.

A belief in which one goal is left has no regret and is not listed: row 0 stands for all of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from askwise.planning.exact.asking import Option, Questions
from askwise.planning.exact.hearing import Heard, Hearing
from askwise.planning.tables import Tables
from askwise.types import FloatArray, IntArray

CERTAIN = 0
"""The row of beliefs in which one goal is left."""


@dataclass(slots=True)
class Asking:
    """The questions of one belief.

    Attributes:
        options: the questions.
        rows: ``int [n_options, n_replies]``, the row of the belief after each reply; the last reply is none at all.
        factors: ``float64 [n_options, n_replies]``, the factor that comes with it.
    """

    options: list[Option]
    rows: IntArray
    factors: FloatArray


@dataclass(slots=True)
class Stage:
    """The beliefs in one state of the teammate with so many questions left.

    Attributes:
        heard: the beliefs, from row 1 on.
        row: the row of each.
        asking: the questions of each, empty where none is left.
        onwards: for each next state of the teammate the row of each belief there, and the factor that comes with it.
    """

    heard: list[Heard] = field(default_factory=list)
    row: dict[Heard, int] = field(default_factory=dict)
    asking: list[Asking] = field(default_factory=list)
    onwards: list[tuple[int, IntArray, FloatArray]] = field(default_factory=list)

    def find(self, heard: Heard) -> int:
        """Return the row of a belief, a new one if it is not listed."""
        if heard.certain:
            return CERTAIN
        found = self.row.get(heard)
        if found is None:
            found = self.row[heard] = len(self.heard) + 1
            self.heard.append(heard)
        return found


class Unfolding:
    """All stages of all states of the teammate.

    Args:
        tables: the problem, seen from the teammate's start.
        goals: the goals that are possible at all.
        questions: those that there are.
        hearing: how answers change beliefs.
        most: how many questions may be asked.
        root: what is believed at the start.
        truthful: whether any number of questions with true answers may follow.
        persistent: whether the same question may be asked once only.
    """

    def __init__(
        self,
        tables: Tables,
        goals: Sequence[int],
        questions: Questions,
        hearing: Hearing,
        *,
        most: int,
        root: Heard,
        truthful: bool,
        persistent: bool,
    ) -> None:
        self.tables, self.questions, self.hearing = tables, questions, hearing
        self.most, self.truthful, self.persistent = most, truthful, persistent
        bits = 1 << np.arange(len(goals), dtype=np.int64)
        self.alive = ((tables.weight[:, list(goals)] > 0) * bits).sum(axis=1).tolist()
        self.stages: dict[int, list[Stage]] = {}
        self.root = self.kept(hearing.among(root, self.alive[tables.start])[0], most)

    def unfold(self) -> Iterator[tuple[int, int]]:
        """Go through the teammate's states, nearest first; yields each with the number of its beliefs."""
        start = self.tables.start
        self._at(start)[self.most].find(self.root)
        waiting, seen = [start], {start}
        while waiting:
            following: list[int] = []
            for w in waiting:
                self._ask(w)
                yield w, sum(len(stage.heard) for stage in self.stages[w])
                for onwards in self._go_on(w):
                    if onwards not in seen:
                        seen.add(onwards)
                        following.append(onwards)
            waiting = following

    def _at(self, w: int) -> list[Stage]:
        return self.stages.setdefault(w, [Stage() for _ in range(self.most + 1)])

    def _ask(self, w: int) -> None:
        """List the questions of all beliefs in `w`, and the beliefs that follow."""
        stages = self.stages[w]
        for left in range(self.most, 0, -1):
            stages[left].asking = [self._asked(heard, stages[left - 1], left - 1) for heard in stages[left].heard]
        if self.truthful:
            last = stages[0]
            for heard in last.heard:  # grows while true answers lead to further ones
                last.asking.append(self._asked_truly(heard, last))

    def _asked(self, heard: Heard, after: Stage, left: int) -> Asking:
        options = self.questions.about(heard.left, heard.asked)
        replies = max((len(option.parts) for option in options), default=0) + 1
        asking = _no_asking(options, replies)
        for k, option in enumerate(options):
            base = replace(heard, asked=heard.asked | {option.key}) if self.persistent else heard
            for j, part in enumerate(option.parts):
                self._link(asking, k, j, after, *self.hearing.reply(base, part, option.answers), left)
            self._link(asking, k, -1, after, base, self.hearing.refused, left)
        return asking

    def _asked_truly(self, heard: Heard, after: Stage) -> Asking:
        options = self.questions.about(heard.left)
        asking = _no_asking(options, max((len(option.parts) for option in options), default=0))
        for k, option in enumerate(options):
            for j, part in enumerate(option.parts):
                self._link(asking, k, j, after, *self.hearing.truly(heard, part), 0)
        return asking

    def _link(
        self, asking: Asking, option: int, reply: int, after: Stage, heard: Heard, factor: float, left: int
    ) -> None:
        if factor > 0:
            asking.rows[option, reply] = after.find(self.kept(heard, left))
            asking.factors[option, reply] = factor

    def kept(self, heard: Heard, left: int) -> Heard:
        """Return the belief without questions that nobody could ask again anyway."""
        if not heard.asked:
            return heard
        if not left or heard.certain:
            return replace(heard, asked=frozenset())
        again = {option.key for option in self.questions.listed(heard.left)}
        return replace(heard, asked=heard.asked & again)

    def _go_on(self, w: int) -> Iterator[int]:
        """Take all beliefs in `w` along to the teammate's next states in which there is something to find out."""
        row = self.tables.following[w]
        for onwards in row[row >= 0].tolist():
            alive = self.alive[onwards]
            if not alive & (alive - 1):
                continue
            there = self._at(onwards)
            for left, stage in enumerate(self.stages[w]):
                rows = np.zeros(len(stage.heard) + 1, dtype=np.int32)
                factors = np.zeros(len(stage.heard) + 1)
                for k, heard in enumerate(stage.heard, start=1):
                    after, factors[k] = self.hearing.among(heard, alive)
                    rows[k] = there[left].find(self.kept(after, left))
                stage.onwards.append((onwards, rows, factors))
            yield onwards


def _no_asking(options: list[Option], replies: int) -> Asking:
    shape = len(options), replies
    return Asking(options, np.zeros(shape, dtype=np.int32), np.zeros(shape))
