"""The results of an audit: what each decision cost beyond the best one, totals, and both as text, JSON or CSV.

`askwise.audits` defines the terms, such as regret and over-asking.
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
    """Return the kind of mistake that was made, one of `FAULTS`; an empty text if there was none.

    Args:
        asked: whether the decision was to ask.
        regret: its expected cost minus that of the best decision.
        needed: whether the best action cost more than the best question plus the tolerance.
        fitted: whether the best question cost at most the best action plus the tolerance.
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
"""Default number of the costliest steps to show."""


@dataclass(frozen=True, slots=True)
class AuditedStep:
    """The audit of one decision: its cost, the best decision at that time, and the kind of mistake.

    Attributes:
        t: number of the decision, from 1.
        knew: the belief before the step as text, likeliest goals first.
        done: the decision as text.
        asked: whether the agent asked.
        cost: expected cost from this step on.
        best: the best decision that the judge knows of, as text.
        best_asks: whether `best` is a question.
        best_cost: cost of `best`.
        regret: `cost` minus `best_cost`, at least 0; infinite if a possible goal is out of reach for good.
        needed: whether the best action cost more than the best question plus the tolerance.
        fitted: whether the best question cost at most the best action plus the tolerance; None if the agent acted.
        fault: ``over-asking``, ``under-asking``, ``wrong question`` or ``wrong act``; empty for none.
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
    """The audit of one episode or conversation.

    Attributes:
        source: the path of its file, with the line number in a ``.jsonl`` file; without a file, its position, such as
            "episode 2". The name of a conversation follows in parentheses.
        method: the method or assistant that decided.
        judge: what decisions were compared with, and how exact their costs are, as text.
        tolerance: regrets up to this are no mistakes.
        steps: audits of the decisions, in order.
    """

    source: str
    method: str
    judge: str
    tolerance: float
    steps: tuple[AuditedStep, ...]

    @property
    def regret(self) -> float:
        """Sum of the regrets of all steps, without infinite ones."""
        return math.fsum(step.regret for step in self.steps if math.isfinite(step.regret))


@dataclass(frozen=True, slots=True)
class Mistakes:
    """The mistakes of one kind in an audit.

    Attributes:
        count: number of mistakes.
        regret: sum of their regrets, without infinite ones. The regret of a decision is its expected cost minus that of
            the best decision.
    """

    count: int
    regret: float


@dataclass(frozen=True, slots=True)
class CostliestStep:
    """A decision with a large regret: one that cost much more than the best decision.

    Attributes:
        episode: the audit of the episode to which the decision belongs.
        step: the audit of the decision.
    """

    episode: AuditedEpisode
    step: AuditedStep


@dataclass(frozen=True)
class Audit:
    """The audit of several episodes or conversations: what each decision cost beyond the best one, and totals.

    Attributes:
        episodes: the audit of each, in the order given.
    """

    episodes: tuple[AuditedEpisode, ...]

    def __str__(self) -> str:

        return to_text(self)

    def __repr__(self) -> str:
        return f"<Audit: {len(self.episodes)} episodes, {self.steps} steps, regret {self.regret:.6g}>"

    @cached_property
    def steps(self) -> int:
        """Number of decisions in all episodes."""
        return sum(len(episode.steps) for episode in self.episodes)

    @cached_property
    def questions(self) -> int:
        """Number of questions asked in all episodes."""
        return sum(step.asked for step in self._all())

    @cached_property
    def needed(self) -> int:
        """Number of steps in which the best question was better than every action, by more than the tolerance."""
        return sum(step.needed for step in self._all())

    @cached_property
    def regret(self) -> float:
        """Sum of the regrets of all steps of all episodes, without infinite ones."""
        return math.fsum(step.regret for step in self._all() if math.isfinite(step.regret))

    @property
    def mean_regret(self) -> float:
        """Mean regret per episode: the sum of all finite regrets, divided by the number of episodes.

        ``nan`` if there are no episodes.
        """
        return _share(self.regret, len(self.episodes))

    @cached_property
    def out_of_reach(self) -> int:
        """Number of steps after which a possible goal can never be reached; their regret is infinite."""
        return sum(math.isinf(step.regret) for step in self._all())

    @cached_property
    def faults(self) -> dict[str, Mistakes]:
        """A dict from each kind of mistake (`FAULTS`) to the number of mistakes and the sum of their finite regrets."""
        found = {}
        for fault in FAULTS:
            regrets = [step.regret for step in self._all() if step.fault == fault]
            found[fault] = Mistakes(len(regrets), math.fsum(each for each in regrets if math.isfinite(each)))
        return found

    @cached_property
    def precision(self) -> float:
        """Of all questions asked, the share asked in steps where asking was right.

        Asking is right if the best question costs at most as much as the best action, plus the tolerance. ``nan`` if no
        question was asked.
        """
        return _share(sum(bool(step.fitted) for step in self._all()), self.questions)

    @cached_property
    def recall(self) -> float:
        """Of all steps that called for a question, the share in which the agent asked; ``nan`` if there are none.

        A step calls for a question if the best question beats every action by more than the tolerance.
        """
        return _share(sum(step.needed and step.asked for step in self._all()), self.needed)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall of asking; 0 if both are 0, ``nan`` if one of them is ``nan``."""
        if self.precision + self.recall == 0:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)

    def costliest(self, n: int = SHOWN) -> list[CostliestStep]:
        """Return the `n` steps with the largest regrets, largest first; steps with regret 0 are left out.

        Steps with equal regrets keep their order.
        """
        found = [CostliestStep(episode, step) for episode in self.episodes for step in episode.steps if step.regret > 0]
        return sorted(found, key=lambda each: -each.step.regret)[:n]

    def as_json(self, costliest: int = SHOWN) -> dict[str, Any]:
        """Return the audit as a JSON-compatible dict, with None for infinite numbers and ``nan``.

        It has the totals, such as ``regret`` and ``precision``, and the keys ``judges`` (what decisions were compared
        with), ``methods`` (the totals of each method), ``costliest`` (the steps with the largest regrets) and
        ``audited`` (a summary of each episode).

        Args:
            costliest: number of steps under ``costliest``.
        """
        return {
            **_totals_to_json(self),
            "judges": judges(self),
            "methods": {name: _totals_to_json(each) for name, each in self.by_method().items()},
            "costliest": [
                {"source": each.episode.source, "method": each.episode.method, **_step_to_json(each.step)}
                for each in self.costliest(costliest)
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
        """Return whether the mean regret per episode is above `most`, or a possible goal was put out of reach.

        A goal is put out of reach if it can never be reached after a decision.
        """
        return self.out_of_reach > 0 or self.mean_regret > most

    def by_method(self) -> dict[str, Audit]:
        """Return a dict from the name of each method to an audit of its episodes.

        The methods are in the order in which they first occur.
        """
        methods = dict.fromkeys(episode.method for episode in self.episodes)
        return {each: Audit(tuple(ep for ep in self.episodes if ep.method == each)) for each in methods}

    def _all(self) -> Iterator[AuditedStep]:
        return (step for episode in self.episodes for step in episode.steps)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


DASH = "-"


def to_text(audit: Audit, costliest: int = SHOWN) -> str:
    """Return an audit as text for users: totals, mistakes, totals of each method, and the costliest steps.

    Args:
        audit: the audit.
        costliest: the number of steps to list, those with the largest regrets; 0 leaves the list out.
    """
    parts = [_totals(audit), _mistakes(audit)]
    methods = audit.by_method()
    if len(methods) > 1:
        parts.append(_methods(methods))
    if costliest:
        parts.append(_costliest(audit.costliest(costliest)))
    return "\n".join(parts)


def judges(audit: Audit) -> list[str]:
    """Return what the decisions of an audit were compared with: all `AuditedEpisode.judge`, without repetitions."""
    return list(dict.fromkeys(episode.judge for episode in audit.episodes))


def number(value: float) -> str:
    """Return a cost or a share as text with four significant digits, infinity as "infinite" and ``nan`` as a dash."""
    if math.isnan(value):
        return DASH
    return "infinite" if math.isinf(value) else f"{value:.4g}"


def failure(audit: Audit, most: float) -> str | None:
    """Return a text that says why an audit fails; None if it does not.

    It fails if the mean regret per episode is above `most`, or if a possible goal can never be reached after a
    decision.
    """
    if not audit.exceeds(most):
        return None
    if audit.out_of_reach > 0:
        return f"failed: {counted(audit.out_of_reach, 'step')} put a possible goal out of reach"
    return f"failed: the mean regret per episode is {number(audit.mean_regret)}; at most {most:g} is allowed"


def precision_text(audit: Audit) -> str:
    """Return the precision of asking in words, such as "asking was right at 3 of 4 questions asked"."""
    fitted = sum(bool(step.fitted) for episode in audit.episodes for step in episode.steps)
    return f"asking was right at {fitted:,} of {_of(audit.questions, 'question')} asked"


def recall_text(audit: Audit) -> str:
    """Return the recall of asking in words, such as "it asked at 3 of 5 moments that called for a question"."""
    asked = sum(step.needed and step.asked for episode in audit.episodes for step in episode.steps)
    return f"it asked at {asked:,} of {_of(audit.needed, 'moment')} that called for a question"


def _of(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _totals(audit: Audit) -> str:
    rows = [
        ("episodes", f"{len(audit.episodes):,}"),
        ("steps", f"{audit.steps:,}"),
        ("judge", "; ".join(judges(audit))),
        ("regret", f"{number(audit.regret)} in total, {number(audit.mean_regret)} per episode"),
        ("precision", f"{number(audit.precision)} ({precision_text(audit)})"),
        ("recall", f"{number(audit.recall)} ({recall_text(audit)})"),
        ("F1", number(audit.f1)),
    ]
    if audit.out_of_reach:
        rows.append(("out of reach", f"{counted(audit.out_of_reach, 'step')} with infinite regret, not in the totals"))
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


def _costliest(found: Sequence[CostliestStep]) -> str:
    if not found:
        return "Nothing was lost.\n"
    lines = ["Costliest decisions"]
    for k, each in enumerate(found, start=1):
        step, episode = each.step, each.episode
        what = step.fault or "within the tolerance"
        lines += [
            f"{k:>3}. {number(step.regret)}, {what}: {episode.source}, step {step.t}, by {episode.method}",
            f"     knew  {step.knew}",
            f"     did   {step.done} ({number(step.cost)})",
            f"     best  {step.best} ({number(step.best_cost)})",
        ]
    return "\n".join(lines) + "\n"


# -- for programs ------------------------------------------------------------------------------------------------


def _totals_to_json(audit: Audit) -> dict[str, Any]:
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


def _step_to_json(step: AuditedStep) -> dict[str, Any]:
    found = asdict(step)
    return {key: _finite(value) if isinstance(value, float) else value for key, value in found.items()}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def csv_text(audit: Audit) -> str:
    """Return an audit as CSV: a header and one row for each decision.

    The columns are the source, method and judge of the episode, and the fields of `AuditedStep`.
    """
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
    """Write an audit to a CSV file with a header and one row for each decision.

    The file appears only when it is complete. A file that exists at `path` is replaced.
    """
    with whole_file(path) as temporary:
        temporary.write_text(csv_text(audit), encoding="utf-8")
