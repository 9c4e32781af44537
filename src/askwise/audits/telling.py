"""An audit in words, as JSON and as rows of a table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from askwise.audits.results import DEAREST, Audit, AuditedStep, Dear
from askwise.text.files import whole_file
from askwise.text.wording import counted

DASH = "-"


def told(audit: Audit, dearest: int = DEAREST) -> str:
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


def _dearest(found: Sequence[Dear]) -> str:
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


def as_json(audit: Audit, dearest: int = DEAREST) -> dict[str, Any]:
    """Return an audit as JSON: null for what is not a number; a regret that is infinite is null, too."""
    return {
        **_sums_as_json(audit),
        "judges": judges(audit),
        "methods": {name: _sums_as_json(each) for name, each in audit.by_method().items()},
        "dearest": [
            {"source": dear.episode.source, "method": dear.episode.method, **_step_as_json(dear.step)}
            for dear in audit.dearest(dearest)
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
            for episode in audit.episodes
        ],
    }


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
