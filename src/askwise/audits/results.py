"""What an audit says: steps, episodes, and the sums over all of them. Definitions are those of `askwise.audits`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from askwise.audits.faults import FAULTS

DEAREST = 10
"""How many of the dearest moments are shown unless told otherwise."""


@dataclass(frozen=True, slots=True)
class AuditedStep:
    """One decision.

    Attributes:
        t: number of the step from 1.
        knew: what was believed, the likeliest first.
        done: what was done, in words.
        asked: whether that was a question.
        cost: its expected cost from there on.
        best: the best that the judge knows of, in words.
        best_asks: whether that is a question.
        best_cost: its expected cost.
        regret: what the decision cost beyond the best one, infinite if it put a possible goal out of reach.
        needed: whether the moment called for a question.
        fitted: whether asking was right; None if nothing was asked.
        fault: ``over-asking``, ``under-asking``, ``wrong question``, ``wrong act``, or empty.
    """

    t: int
    knew: str
    done: str
    asked: bool
    cost: float
    best: str
    best_asks: bool
    best_cost: float
    regret: float
    needed: bool
    fitted: bool | None
    fault: str


@dataclass(frozen=True, slots=True)
class AuditedEpisode:
    """One episode or conversation.

    Attributes:
        source: where it is from: a file, with the line if it has many, or its number.
        method: who decided.
        judge: who judged, and how sure that is.
        tolerance: regrets up to this are no mistakes.
        steps: its decisions in order.
    """

    source: str
    method: str
    judge: str
    tolerance: float
    steps: tuple[AuditedStep, ...]

    @property
    def regret(self) -> float:
        """Sum of all regrets that are finite."""
        return math.fsum(step.regret for step in self.steps if math.isfinite(step.regret))


@dataclass(frozen=True, slots=True)
class Mistakes:
    """Mistakes of one kind: how many, and what they cost in all."""

    count: int
    regret: float


@dataclass(frozen=True, slots=True)
class Dear:
    """One of the dearest moments: the episode, and the step in it."""

    episode: AuditedEpisode
    step: AuditedStep


@dataclass(frozen=True)
class Audit:
    """What was lost in some episodes or conversations, and where.

    Attributes:
        episodes: each of them, in the order in which they were given.
    """

    episodes: tuple[AuditedEpisode, ...]

    def __str__(self) -> str:
        from askwise.audits.telling import told

        return told(self)

    def __repr__(self) -> str:
        return f"<Audit: {len(self.episodes)} episodes, {self.steps} steps, regret {self.regret:.6g}>"

    @cached_property
    def steps(self) -> int:
        """Number of decisions."""
        return sum(len(episode.steps) for episode in self.episodes)

    @cached_property
    def questions(self) -> int:
        """Number of questions asked."""
        return sum(step.asked for step in self._all())

    @cached_property
    def needed(self) -> int:
        """Number of moments that called for a question."""
        return sum(step.needed for step in self._all())

    @cached_property
    def regret(self) -> float:
        """Sum of all regrets that are finite."""
        return math.fsum(step.regret for step in self._all() if math.isfinite(step.regret))

    @property
    def mean_regret(self) -> float:
        """Mean regret of an episode, ``nan`` of none."""
        return _share(self.regret, len(self.episodes))

    @cached_property
    def out_of_reach(self) -> int:
        """Number of steps that put a possible goal out of reach for good; their regret is infinite."""
        return sum(math.isinf(step.regret) for step in self._all())

    @cached_property
    def faults(self) -> dict[str, Mistakes]:
        """Mistakes by their kind."""
        found = {}
        for fault in FAULTS:
            regrets = [step.regret for step in self._all() if step.fault == fault]
            found[fault] = Mistakes(len(regrets), math.fsum(each for each in regrets if math.isfinite(each)))
        return found

    @cached_property
    def precision(self) -> float:
        """Of all questions asked, the share at moments where asking was right; ``nan`` if none was asked."""
        return _share(sum(bool(step.fitted) for step in self._all()), self.questions)

    @cached_property
    def recall(self) -> float:
        """Of all moments that called for a question, the share at which it asked; ``nan`` if none did."""
        return _share(sum(step.needed and step.asked for step in self._all()), self.needed)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; ``nan`` if one of them is not a number."""
        if self.precision + self.recall == 0:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)

    def dearest(self, n: int = DEAREST) -> list[Dear]:
        """Return the moments of the largest regret, the dearest first; of equals in the order of the episodes."""
        found = [Dear(episode, step) for episode in self.episodes for step in episode.steps if step.regret > 0]
        return sorted(found, key=lambda dear: -dear.step.regret)[:n]

    def as_json(self, dearest: int = DEAREST) -> dict[str, Any]:
        """Return all but the single steps as JSON, with so many of the dearest moments."""
        from askwise.audits.telling import as_json

        return as_json(self, dearest)

    def exceeds(self, most: float) -> bool:
        """Whether the mean regret of an episode is above `most`, or a goal was put out of reach."""
        return self.out_of_reach > 0 or self.mean_regret > most

    def by_method(self) -> dict[str, Audit]:
        """Return an audit for each method, in the order in which they first occur."""
        methods = dict.fromkeys(episode.method for episode in self.episodes)
        return {each: Audit(tuple(ep for ep in self.episodes if ep.method == each)) for each in methods}

    def _all(self) -> Iterator[AuditedStep]:
        return (step for episode in self.episodes for step in episode.steps)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
