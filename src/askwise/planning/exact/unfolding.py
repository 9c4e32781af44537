"""Which beliefs can come about in each state of the teammate, from its start on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from askwise.planning.exact.believing import CERTAIN, Beliefs
from askwise.planning.exact.hearing import Heard
from askwise.planning.tables import Tables
from askwise.types import FloatArray, IntArray


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
