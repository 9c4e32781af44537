"""The kinds of mistakes, as `askwise.audits` defines them.

What an audit says: steps, episodes, and the sums over all of them. Definitions are those of `askwise.audits`.

An audit in words, as JSON and as rows of a table.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from askwise.text.files import whole_file
from askwise.text.wording import counted

OVER_ASKING, UNDER_ASKING = "over-asking", "under-asking"
WRONG_QUESTION, WRONG_ACT = "wrong question", "wrong act"
FAULTS = (OVER_ASKING, UNDER_ASKING, WRONG_QUESTION, WRONG_ACT)


def fault_of(*, asked: bool, regret: float, needed: bool, fitted: bool, tolerance: float) -> str:
    """Return the kind of mistake, empty if there is none.

    Args:
        asked: whether a question was asked.
        regret: what the decision cost beyond the best one.
        needed: whether no action was as good as asking, within the tolerance.
        fitted: whether some question was as good as acting, within the tolerance.
        tolerance: regrets up to this are no mistakes.
    """
    if asked and not fitted:
        return OVER_ASKING
    if not asked and needed:
        return UNDER_ASKING
    if regret <= tolerance:
        return ""
    return WRONG_QUESTION if asked else WRONG_ACT


SHOWN = 10
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
class CostliestStep:
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

        return to_text(self)

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

    def dearest(self, n: int = SHOWN) -> list[CostliestStep]:
        """Return the moments of the largest regret, the dearest first; of equals in the order of the episodes."""
        found = [CostliestStep(episode, step) for episode in self.episodes for step in episode.steps if step.regret > 0]
        return sorted(found, key=lambda dear: -dear.step.regret)[:n]

    def as_json(self, dearest: int = SHOWN) -> dict[str, Any]:
        """Return sums, methods, the costliest steps and a line for each episode as JSON.

        A number that is infinite or not a number is null.

        Args:
            dearest: how many of the costliest steps to list.
        """
        return {
            **_sums_as_json(self),
            "judges": judges(self),
            "methods": {name: _sums_as_json(each) for name, each in self.by_method().items()},
            "dearest": [
                {"source": each.episode.source, "method": each.episode.method, **_step_as_json(each.step)}
                for each in self.dearest(dearest)
            ],
            "audited": [
                {
                    "source": episode.source,
                    "method": episode.method,
                    "judge": episode.judge,
                    "tolerance": episode.tolerance,
                    "steps": len(episode.steps),
                    "regret": episode.regret,
                }
                for episode in self.episodes
            ],
        }

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


DASH = "-"


def to_text(audit: Audit, dearest: int = SHOWN) -> str:
    """Return an audit for people: sums, mistakes, methods, and the dearest moments first of all that follows."""
    parts = [_sums(audit), _mistakes(audit)]
    methods = audit.by_method()
    if len(methods) > 1:
        parts.append(_methods(methods))
    if dearest:
        parts.append(_dearest(audit.dearest(dearest)))
    return "\n".join(parts)


def judges(audit: Audit) -> list[str]:
    """Return who judged, each once."""
    return list(dict.fromkeys(episode.judge for episode in audit.episodes))


def number(value: float) -> str:
    """Return a cost or a share, a dash if it is not a number."""
    if math.isnan(value):
        return DASH
    return "infinite" if math.isinf(value) else f"{value:.4g}"


def failure(audit: Audit, most: float) -> str | None:
    """Return why an audit fails that may show a mean regret of at most `most`, None if it does not."""
    if not audit.exceeds(most):
        return None
    if audit.out_of_reach > 0:
        return f"failed: {counted(audit.out_of_reach, 'step')} put a possible goal out of reach for good"
    return f"failed: {number(audit.mean_regret)} is lost in an episode on average, at most {most:g} is allowed"


def precision_in_words(audit: Audit) -> str:
    """Return what precision counts."""
    fitted = sum(bool(step.fitted) for episode in audit.episodes for step in episode.steps)
    return f"asking was right at {fitted:,} of {_of(audit.questions, 'question')} asked"


def recall_in_words(audit: Audit) -> str:
    """Return what recall counts."""
    asked = sum(step.needed and step.asked for episode in audit.episodes for step in episode.steps)
    return f"it asked at {asked:,} of {_of(audit.needed, 'moment')} that called for a question"


def _of(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _sums(audit: Audit) -> str:
    rows = [
        ("episodes", f"{len(audit.episodes):,}"),
        ("steps", f"{audit.steps:,}"),
        ("judge", "; ".join(judges(audit))),
        ("regret", f"{number(audit.regret)} in all, {number(audit.mean_regret)} an episode"),
        ("precision", f"{number(audit.precision)} ({precision_in_words(audit)})"),
        ("recall", f"{number(audit.recall)} ({recall_in_words(audit)})"),
        ("F1", number(audit.f1)),
    ]
    if audit.out_of_reach:
        rows.append(("out of reach", f"{counted(audit.out_of_reach, 'step')} of infinite regret, not in the sums"))
    return "".join(f"{name:<14}{value}\n" for name, value in rows)


def _mistakes(audit: Audit) -> str:
    lines = [f"{'mistake':<16}{'steps':>8}{'regret':>10}"]
    lines += [f"{name:<16}{each.count:>8,}{number(each.regret):>10}" for name, each in audit.faults.items()]
    return "\n".join(lines) + "\n"


def _methods(methods: dict[str, Audit]) -> str:
    heads = ("method", "episodes", "regret each", "over", "under", "precision", "recall")
    rows = [heads]
    for name, each in methods.items():
        over, under = (f"{each.faults[kind].count:,}" for kind in ("over-asking", "under-asking"))
        shares = number(each.precision), number(each.recall)
        rows.append((name, f"{len(each.episodes):,}", number(each.mean_regret), over, under, *shares))
    widths = [max(len(row[k]) for row in rows) for k in range(len(heads))]
    aligned = (
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        for row in rows
    )
    return "".join("  ".join(row).rstrip() + "\n" for row in aligned)


def _dearest(found: Sequence[CostliestStep]) -> str:
    if not found:
        return "Nothing was lost.\n"
    lines = ["The dearest moments"]
    for k, dear in enumerate(found, start=1):
        step = dear.step
        what = step.fault or "within the tolerance"
        lines += [
            f"{k:>3}. {number(step.regret)}, {what}: {dear.episode.source}, step {step.t}, by {dear.episode.method}",
            f"     knew  {step.knew}",
            f"     did   {step.done} ({number(step.cost)})",
            f"     best  {step.best} ({number(step.best_cost)})",
        ]
    return "\n".join(lines) + "\n"


# -- for programs ------------------------------------------------------------------------------------------------


def _sums_as_json(audit: Audit) -> dict[str, Any]:
    return {
        "episodes": len(audit.episodes),
        "steps": audit.steps,
        "questions": audit.questions,
        "needed": audit.needed,
        "regret": audit.regret,
        "mean_regret": _finite(audit.mean_regret),
        "out_of_reach": audit.out_of_reach,
        "mistakes": {name: asdict(each) for name, each in audit.faults.items()},
        "precision": _finite(audit.precision),
        "recall": _finite(audit.recall),
        "f1": _finite(audit.f1),
    }


def _step_as_json(step: AuditedStep) -> dict[str, Any]:
    found = asdict(step)
    return {key: _finite(value) if isinstance(value, float) else value for key, value in found.items()}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def csv_text(audit: Audit) -> str:
    """Return one row for each step."""
    columns = [each.name for each in fields(AuditedStep)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["source", "method", "judge", *columns])
    for episode in audit.episodes:
        for step in episode.steps:
            row = [getattr(step, name) for name in columns]
            writer.writerow([episode.source, episode.method, episode.judge, *map(_cell, row)])
    return text.getvalue()


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else "" if value is None else value


def write_csv(audit: Audit, path: str | Path) -> None:
    """Write one row for each step, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(csv_text(audit), encoding="utf-8")
