"""The report of an audit: one HTML file, the dearest moments first."""

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
    precision_in_words,
    recall_in_words,
)
from askwise.text.files import whole_file
from askwise.text.wording import counted
from askwise.view.html import Html, Section, TableCell, folded, joined, report_page, table, tag

MOST_EPISODES = 200
"""Episodes that the page lists, the dearest first; `--csv` has all."""

MEANING = {
    "over-asking": "it asked, and no question was as good as acting",
    "under-asking": "it acted, and no action was as good as asking",
    "wrong question": "asking was right, another question was better",
    "wrong act": "acting was right, another action was better",
}

TERMS = {
    "cost": "what is expected to be paid from that moment on, if the judge decides everything after it",
    "regret": "the cost of what was done less the cost of the best decision, given what was known then; whether it "
    "turned out well plays no part",
    "precision": "of all questions asked, the share at moments where asking was right",
    "recall": "of all moments that called for a question, the share at which it asked",
    "F1": "their harmonic mean",
    "tolerance": "regrets up to this are no mistakes",
}


def write_page(audit: Audit, path: str | Path, *, dearest: int = SHOWN) -> None:
    """Write the report, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(page_text(audit, dearest=dearest), encoding="utf-8", errors="backslashreplace")


def page_text(audit: Audit, *, dearest: int = SHOWN) -> str:
    """Return the report as HTML."""
    subtitle = (
        f"{counted(len(audit.episodes), 'episode')}, {counted(audit.steps, 'decision')}; "
        f"judged by: {'; '.join(judges(audit))}"
    )
    return report_page("What asking and not asking cost", subtitle, _sections(audit, dearest))


def _sections(audit: Audit, dearest: int) -> Iterator[Section]:
    yield "dearest", "The dearest moments", [_dearest(audit.dearest(dearest))]
    yield "sums", "In all", [_sums(audit), _mistakes(audit)]
    methods = audit.by_method()
    if len(methods) > 1:
        yield "methods", "By method", [_methods(methods)]
    yield "episodes", "Episodes", list(_episodes(audit))
    yield "meaning", "What the words mean", [_terms(audit)]


def _dearest(found: list[CostliestStep]) -> Html:
    if not found:
        return tag("p", "Nothing was lost: every decision was as good as the best one.")
    heads = [_right("regret"), "mistake", "where", "what was known", "what was done", "what was best"]
    rows = [
        [
            _right(number(dear.step.regret)),
            TableCell(dear.step.fault or "within the tolerance", "verdict fails" if dear.step.fault else "open"),
            TableCell(dear.episode.source, note=f"step {dear.step.t}, by {dear.episode.method}"),
            dear.step.knew,
            TableCell(dear.step.done, note=f"expected cost {number(dear.step.cost)}"),
            TableCell(dear.step.best, note=f"expected cost {number(dear.step.best_cost)}"),
        ]
        for dear in found
    ]
    return table(heads, rows)


def _sums(audit: Audit) -> Html:
    rows = [
        ["regret in all", _right(number(audit.regret)), ""],
        ["regret of an episode", _right(number(audit.mean_regret)), "on average"],
        ["precision of asking", _right(number(audit.precision)), precision_in_words(audit)],
        ["recall of asking", _right(number(audit.recall)), recall_in_words(audit)],
        ["F1", _right(number(audit.f1)), "harmonic mean of precision and recall"],
    ]
    if audit.out_of_reach:
        why = "put a possible goal out of reach for good; infinite regret, not in the sums"
        rows.append(["out of reach", _right(f"{audit.out_of_reach:,}"), why])
    return table(["what", _right("value"), "of what"], rows)


def _mistakes(audit: Audit) -> Html:
    rows = [
        [name, _right(f"{each.count:,}"), _right(number(each.regret)), MEANING[name]]
        for name, each in audit.faults.items()
    ]
    return table(["mistake", _right("steps"), _right("regret"), "meaning"], rows, "Mistakes")


def _methods(methods: dict[str, Audit]) -> Html:
    heads = ["episodes", "questions", "regret of an episode", *MEANING, "precision", "recall", "F1"]
    rows = []
    for name, each in methods.items():
        counts = [f"{each.faults[kind].count:,}" for kind in MEANING]
        shares = [number(share) for share in (each.precision, each.recall, each.f1)]
        cells = [f"{len(each.episodes):,}", f"{each.questions:,}", number(each.mean_regret), *counts, *shares]
        rows.append([name, *map(_right, cells)])
    return table(["method", *map(_right, heads)], rows, "Mistakes are counted in steps")


def _episodes(audit: Audit) -> Iterator[Html]:
    ranked = sorted(audit.episodes, key=lambda episode: -_worst(episode))
    if len(ranked) > MOST_EPISODES:
        yield tag("p", f"The {MOST_EPISODES} dearest of {len(ranked):,}.")
    heads = ["where", "method", _right("steps"), _right("questions"), _right("mistakes"), _right("regret")]
    rows = []
    for episode in ranked[:MOST_EPISODES]:
        asked = sum(step.asked for step in episode.steps)
        mistakes = sum(bool(step.fault) for step in episode.steps)
        numbers = (len(episode.steps), asked, mistakes, number(_worst(episode)))
        rows.append([episode.source, episode.method, *(_right(str(each)) for each in numbers)])
    shown = table(heads, rows, "The dearest first")
    yield shown if len(rows) <= SHOWN else folded(f"{len(rows)} episodes", shown)


def _worst(episode: AuditedEpisode) -> float:
    """Return the regret of an episode, infinite if a goal was put out of reach."""
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
