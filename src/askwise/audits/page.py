"""The report of an audit as one HTML file: what decisions cost beyond the best decisions, the costliest first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from askwise.audits.results import (
    SHOWN,
    Audit,
    AuditedEpisode,
    CostliestStep,
    judges,
    number,
    precision_text,
    recall_text,
)
from askwise.text.files import whole_file
from askwise.text.wording import counted
from askwise.view.html import Html, Section, TableCell, folded, joined, report_page, table, tag

MOST_EPISODES = 200
"""Largest number of episodes that the page lists, costliest first; the CSV file has all of them."""

MEANING = {
    "over-asking": "it asked although acting would have been better",
    "under-asking": "it acted although asking would have been better",
    "wrong question": "asking was right, but another question would have been better",
    "wrong act": "acting was right, but another action would have been better",
}

TERMS = {
    "cost": "expected cost from that moment on, if the judge decides everything after it",
    "regret": "the cost of the decision minus the cost of the best decision, given what was known then; how the "
    "episode went on plays no part",
    "precision": "of all questions asked, the share at moments where asking was right",
    "recall": "of all moments that called for a question, the share at which it asked",
    "F1": "the harmonic mean of precision and recall",
    "tolerance": "regrets up to this are no mistakes",
}


def write_page(audit: Audit, path: str | Path, *, costliest: int = SHOWN) -> None:
    """Write the report of an audit to an HTML file; an existing file is replaced.

    `costliest` is the number of decisions to list: those that cost most beyond the best decision.
    """
    with whole_file(path) as temporary:
        temporary.write_text(page_text(audit, costliest=costliest), encoding="utf-8", errors="backslashreplace")


def page_text(audit: Audit, *, costliest: int = SHOWN) -> str:
    """Return the report of an audit as an HTML page.

    `costliest` is the number of decisions to list: those that cost most beyond the best decision.
    """
    subtitle = (
        f"{counted(len(audit.episodes), 'episode')}, {counted(audit.steps, 'decision')}; "
        f"judged by: {'; '.join(judges(audit))}"
    )
    return report_page("Audit of questions and actions", subtitle, _sections(audit, costliest))


def _sections(audit: Audit, costliest: int) -> Iterator[Section]:
    yield "costliest", "Costliest decisions", [_costliest(audit.costliest(costliest))]
    yield "sums", "Totals", [_totals(audit), _mistakes(audit)]
    methods = audit.by_method()
    if len(methods) > 1:
        yield "methods", "By method", [_methods(methods)]
    yield "episodes", "Episodes", list(_episodes(audit))
    yield "meaning", "Terms", [_terms(audit)]


def _costliest(found: list[CostliestStep]) -> Html:
    if not found:
        return tag("p", "Nothing was lost: every decision was as good as the best one.")
    heads = [_right("regret"), "mistake", "step", "belief", "decision", "best decision"]
    rows = [
        [
            _right(number(each.step.regret)),
            TableCell(each.step.fault or "within the tolerance", "verdict fails" if each.step.fault else "open"),
            TableCell(each.episode.source, note=f"step {each.step.t}, by {each.episode.method}"),
            each.step.knew,
            TableCell(each.step.done, note=f"expected cost {number(each.step.cost)}"),
            TableCell(each.step.best, note=f"expected cost {number(each.step.best_cost)}"),
        ]
        for each in found
    ]
    return table(heads, rows)


def _totals(audit: Audit) -> Html:
    rows = [
        ["total regret", _right(number(audit.regret)), ""],
        ["regret per episode", _right(number(audit.mean_regret)), "mean"],
        ["precision of asking", _right(number(audit.precision)), precision_text(audit)],
        ["recall of asking", _right(number(audit.recall)), recall_text(audit)],
        ["F1", _right(number(audit.f1)), "harmonic mean of precision and recall"],
    ]
    if audit.out_of_reach:
        why = "steps after which a possible goal can never be reached; infinite regret, not in the totals"
        rows.append(["out of reach", _right(f"{audit.out_of_reach:,}"), why])
    return table(["measure", _right("value"), "meaning"], rows)


def _mistakes(audit: Audit) -> Html:
    rows = [
        [name, _right(f"{each.count:,}"), _right(number(each.regret)), MEANING[name]]
        for name, each in audit.faults.items()
    ]
    return table(["mistake", _right("steps"), _right("regret"), "meaning"], rows, "Mistakes")


def _methods(methods: dict[str, Audit]) -> Html:
    heads = ["episodes", "questions", "regret per episode", *MEANING, "precision", "recall", "F1"]
    rows = []
    for name, each in methods.items():
        counts = [f"{each.faults[kind].count:,}" for kind in MEANING]
        shares = [number(share) for share in (each.precision, each.recall, each.f1)]
        cells = [f"{len(each.episodes):,}", f"{each.questions:,}", number(each.mean_regret), *counts, *shares]
        rows.append([name, *map(_right, cells)])
    return table(["method", *map(_right, heads)], rows, "Mistakes are counted in steps")


def _episodes(audit: Audit) -> Iterator[Html]:
    ranked = sorted(audit.episodes, key=lambda episode: -_total_regret(episode))
    if len(ranked) > MOST_EPISODES:
        yield tag("p", f"The {MOST_EPISODES} costliest of {len(ranked):,}.")
    heads = ["episode", "method", _right("steps"), _right("questions"), _right("mistakes"), _right("regret")]
    rows = []
    for episode in ranked[:MOST_EPISODES]:
        asked = sum(step.asked for step in episode.steps)
        mistakes = sum(bool(step.fault) for step in episode.steps)
        numbers = (len(episode.steps), asked, mistakes, number(_total_regret(episode)))
        rows.append([episode.source, episode.method, *(_right(str(each)) for each in numbers)])
    listed = table(heads, rows, "Costliest first")
    yield listed if len(rows) <= SHOWN else folded(f"{len(rows)} episodes", listed)


def _total_regret(episode: AuditedEpisode) -> float:
    """Return the sum of the regrets of all decisions in an episode; infinity if one of them is infinite."""
    return sum(step.regret for step in episode.steps)


def _terms(audit: Audit) -> Html:
    tolerances = ", ".join(dict.fromkeys(f"{episode.tolerance:g}" for episode in audit.episodes))
    meaning = {**TERMS, "tolerance": f"{TERMS['tolerance']}: {tolerances}"}
    return tag(
        "dl",
        joined(part for name, text in meaning.items() for part in (tag("dt", name), tag("dd", text))),
        class_="how",
    )


def _right(content: object) -> TableCell:
    return TableCell(content, "n")
