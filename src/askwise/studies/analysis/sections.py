"""The sections of a study's report: each function returns the content of one section as a list of text and HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from askwise.studies.analysis.claims import GENETIC_SECONDS, PAPER_SECONDS
from askwise.studies.analysis.comparisons import ALL
from askwise.studies.analysis.figures.picture import FIGURES, MOST_FILES
from askwise.studies.analysis.results import Analysis
from askwise.studies.analysis.tables import FILE
from askwise.studies.analysis.text import (
    SYMBOLS,
    apart,
    capital,
    conjoined,
    counted,
    counts,
    duration,
    glossary,
    grouped,
    in_short,
    number,
    p_value,
    rough_text,
)
from askwise.studies.analysis.verdicts import FAILS, FASTER, HOLDS, OPEN
from askwise.studies.schema.domain import StudyWords
from askwise.view.html import Html, TableCell, facts, folded, joined, table, tag

Description = Mapping[str, object] | str | None
"""A description of a study or of its runs: text, or nested settings."""
KINDS = {HOLDS: "holds", FAILS: "fails", FASTER: "faster", OPEN: "open"}
CITATION = """@inproceedings{macke2021expected,
  title     = {Expected Value of Communication for Planning in Ad Hoc Teamwork},
  author    = {Macke, William and Mirsky, Reuth and Stone, Peter},
  booktitle = {Proceedings of the AAAI Conference on Artificial Intelligence},
  year      = {2021}
}"""
PAPER_METHODS = ("never", "baseline", "toolbox", "cost-prob", "ezq")
Section = tuple[str, str, list[object] | None]
"""The name that links use, the heading, and the content; None if the study has no content for the section."""


def sections(analysis: Analysis, study: Description, provenance: Description) -> Iterator[Section]:
    """Yield name in links, heading, and content (None if empty) of each section of a report, in order, without figures.

    Args:
        analysis: all tables of the study.
        study: description of the study, text or a dict; None for none.
        provenance: when and how the study was run, text or a dict; None for none.
    """
    short = tag("ul", joined(tag("li", line) for line in in_short(analysis)), class_="short")
    yield "short", "In short", [short]
    yield FIGURES, "Figures", _not_drawn(analysis.tables.episodes)
    behaviour, timed = apart(analysis.claims)
    judged = not analysis.claims.is_empty()
    yield "claims", "The paper's claims", _claims(behaviour) if behaviour.height else None
    expected, words = analysis.expected_summary, analysis.tables.words
    yield "costs", "Marginal cost", _costs(analysis.summary, words.price)
    yield "ratios", "Ratios", _ratios(analysis.ratios, words.price) if analysis.ratios.height else None
    yield "expected", "Exact expectations", _expected(expected, words.price) if expected.height else None
    yield (
        "comparisons",
        "Comparisons",
        _comparisons(analysis.comparisons, words) if analysis.comparisons.height else None,
    )
    yield "failures", "Failures", _failures(analysis.failures)
    yield "claims-time", "The paper's claims about computing time", _timed(timed) if timed.height else None
    yield (
        "time",
        "Computing time",
        _times(analysis.timing_summary, judged=judged) if analysis.timing_summary.height else None,
    )
    yield "run", "What was run", [*_described("Study", study), *_described("Provenance", provenance)]
    kind = {"files": FILE in analysis.tables.episodes.columns, "judged": judged}
    yield "reading", "How to read this", [_how_to_read(glossary(words, **kind))]
    yield "cite", "Citation", _citation(analysis.tables.episodes["method"].unique().to_list(), judged=judged)


def _claims(claims: pl.DataFrame) -> list[object]:
    tally = [_verdict(verdict, counted(many, verdict)) for verdict, many in counts(claims).items()]
    intro = tag(
        "p",
        "The claims of the paper about its results, in our words, and what this run measured. Each verdict is "
        "computed from the data by the rule below the claim.",
        class_="faint",
    )
    rows = [
        (
            TableCell(_verdict(row["verdict"]), "key"),
            joined([row["claim"], tag("div", f"{row['where']}. Rule: {row['rule']}.", class_="faint small")]),
            joined(tag("div", line) for line in row["measured"].split("; ")),
        )
        for row in claims.iter_rows(named=True)
    ]
    return [intro, tag("div", joined(tally), class_="tally"), table(["verdict", "claim", "measured here"], rows)]


def _timed(claims: pl.DataFrame) -> list[object]:
    """Return the content of the section on the paper's claims about computing time.

    Args:
        claims: the rows for these claims in the table of claims.
    """
    apart_from = tag(
        "p",
        "The paper used another machine and implementation, so faster times here say nothing against its results.",
    )
    return [apart_from, *_claims(claims)]


def _verdict(verdict: str, words: str | None = None) -> Html:
    symbol = tag("b", SYMBOLS[verdict], aria_hidden="true")
    return tag("span", joined([symbol, words or verdict], ""), class_=f"verdict {KINDS[verdict]}")


def _not_drawn(episodes: pl.DataFrame) -> list[object] | None:
    """Return the note that only the first files have figures; None if all have, or if there are no files."""
    files = episodes[FILE].n_unique() if FILE in episodes.columns else 0
    return (
        [tag("p", f"Only the first {MOST_FILES} of {files} files have figures.", class_="faint")]
        if files > MOST_FILES
        else None
    )


def _costs(summary: pl.DataFrame, price: str) -> list[object]:
    """Return the content of the section on marginal costs: tables of mean costs, then the whole summary.

    There is a table, methods by prices, for each prior, file, teammate and base price. `price` is the term for prices.
    """
    parts: list[object] = [
        tag("p", "Mean marginal cost in steps, with 95 % intervals; bold: the lowest in its column.", class_="faint")
    ]
    parts += [tag("p", rough, class_="faint")] if (rough := rough_text(summary)) else []
    for where, rows in grouped(summary):
        parts += [tag("h3", capital(where)), _cost_table(rows, price)]
    heads = [TableCell(name.replace("_", " "), _kind(summary[name])) for name in summary.columns]
    lines = (
        [TableCell(_plain(value), _kind(summary[name])) for name, value in row.items()]
        for row in summary.iter_rows(named=True)
    )
    return [*parts, folded("All conditions (summary.csv)", table(heads, lines))]


def _ratios(ratios: pl.DataFrame, price: str) -> list[object]:
    """Return the content of the section on ratios: marginal costs divided by those of a reference method.

    First comes a table of means over all conditions, then one for each prior, file, teammate and base price. `price` is
    the term for prices.
    """
    intro = (
        f"Mean marginal cost divided by that of {ratios['reference'][0]}, on the same episodes, with 95 % intervals; "
        "bold: the lowest in its column."
    )
    parts: list[object] = [tag("p", intro, class_="faint")]
    every = ratios["prior"] == ALL
    named = ratios.rename({"ratio": "mean"})
    if every.any():
        heading = "Mean over all files" if FILE in ratios.columns else "Mean over all conditions"
        parts += [tag("h3", heading), _cost_table(named.filter(every), price, "ratio")]
    for where, rows in grouped(named.filter(~every)):
        parts += [tag("h3", capital(where)), _cost_table(rows, price)]
    return parts


def _expected(summary: pl.DataFrame, price: str) -> list[object]:
    """Return the content of the section on exact expected costs: an introduction and a table.

    The table has each method's mean expected marginal cost and the mean lower bound on the same instances. `price` is
    the heading for prices.
    """
    intro = tag(
        "p",
        "Expected marginal cost, computed exactly for each instance instead of sampled, and averaged over the "
        "instances. The bound is a lower bound for all methods on the same instances; the last column states how far "
        "the mean is above it.",
        class_="faint",
    )
    files = [FILE] if FILE in summary.columns else []
    heads = [*files, "prior", price, "method", "instances", "mean", "bound", "above"]
    lines = [
        [
            *(row[column] for column in files),
            row["prior"],
            TableCell(f"{row['per_goal']:g}", "n"),
            row["method"],
            TableCell(str(row["instances"]), "n"),
            TableCell(f"{row['mean']:.3f} ± {row['stderr']:.3f}", "n"),
            TableCell("" if row["bound"] is None else f"{row['bound']:.3f}", "n"),
            TableCell(_above(row["mean"], row["bound"]), "n"),
        ]
        for row in summary.iter_rows(named=True)
    ]
    return [intro, table(heads, lines)]


def _above(mean: float, bound: float | None) -> str:
    return "" if not bound else f"{100 * (mean / bound - 1):.0f} %"


def _cost_table(rows: pl.DataFrame, price_name: str, without_price: str = "mean") -> Html:
    """Return an HTML table of means, methods by prices; the lowest mean of each column is bold.

    Args:
        rows: the means, with the columns ``method``, ``per_goal`` (the price, may be null), ``mean``, ``ci_low`` and
            ``ci_high``.
        price_name: the term for the price.
        without_price: title of the only column if all prices are null.
    """
    prices = rows["per_goal"].unique().sort().to_list()
    lowest = dict(rows.group_by("per_goal").agg(pl.col("mean").min()).iter_rows())
    lines = []
    for (method,), mine in rows.group_by("method", maintain_order=True):
        by_price = {row["per_goal"]: row for row in mine.iter_rows(named=True)}
        lines.append([tag("b", method), *(_cost_cell(by_price.get(price), lowest[price]) for price in prices)])
    if prices == [None]:
        return table(["method", TableCell(without_price, "n")], lines)
    return table([f"{price_name}:", *(TableCell(f"{price:g}", "n") for price in prices)], lines)


def _cost_cell(row: dict[str, float] | None, lowest: float) -> TableCell:
    if row is None:
        return TableCell("\u2013", "n")
    note = "" if row["ci_low"] is None else f"{number(row['ci_low'])} to {number(row['ci_high'])}"
    return TableCell(number(row["mean"]), "n best" if row["mean"] == lowest else "n", note)


def _comparisons(comparisons: pl.DataFrame, words: StudyWords) -> list[object]:
    intro = (
        f"Difference (first minus second) on the same instances, goals and {words.teammate} paths; negative means the "
        f"first is cheaper. Holm: corrected for all {comparisons.height} comparisons of this study."
    )
    parts: list[object] = [tag("p", intro, class_="faint")]
    numbers = ("pairs", "difference", "95 % interval", "p (t)", "Holm", "p (Wilcoxon)", "Holm")
    heads = [
        TableCell(words.price, "n"),
        "first",
        "second",
        *(TableCell(name, "n") for name in numbers),
        "note",
    ]
    for where, rows in grouped(comparisons):
        lines = [_comparison(row) for row in rows.iter_rows(named=True)]
        parts.append(folded(f"{capital(where)}: {rows.height} comparisons", table(heads, lines)))
    return parts


def _comparison(row: dict[str, object]) -> list[object]:
    interval = "\u2013" if row["ci_low"] is None else f"{number(row['ci_low'])} to {number(row['ci_high'])}"
    tests = [p_value(row[name]) for name in ("p_t", "p_t_holm", "p_wilcoxon", "p_wilcoxon_holm")]
    numbers = [number(row["pairs"]), number(row["difference"]), interval, *tests]
    price = TableCell(_plain(row["per_goal"]), "n")
    return [price, row["first"], row["second"], *(TableCell(each, "n") for each in numbers), row["note"] or ""]


def _failures(failures: pl.DataFrame) -> list[object]:
    if failures.is_empty():
        return [tag("p", "None: every episode finished.")]
    intro = tag("p", "These episodes have no marginal cost and are excluded from all means and tests.", class_="faint")
    heads = [name.replace("_", " ") for name in failures.columns]
    return [intro, table(heads, ([_plain(value) for value in row] for row in failures.iter_rows()))]


def _times(timings: pl.DataFrame, *, judged: bool) -> list[object]:
    """Return the content of the section on computing time: a table with a row for each method, and a note.

    If `judged`, the table also has the times that the paper states.
    """
    columns = ("episode_mean", "episode_median", "episode_p95", "decision_mean", "decision_median", "decision_p95")
    heads = ["method", TableCell("episodes", "n"), *(TableCell(_time_head(name), "n") for name in columns)]
    heads += [TableCell("paper, episode mean", "n")] if judged else []
    rows = []
    for row in timings.iter_rows(named=True):
        cells = [row["episodes"], *(duration(row[column]) for column in columns)]
        if judged:
            paper = PAPER_SECONDS.get(row["method"])
            cells.append("\u2013" if paper is None else f"{'' if row['method'] == 'ezq' else '< '}{paper:g} s")
        rows.append([tag("b", row["method"]), *(TableCell(each, "n") for each in cells)])
    note = (
        "The paper used another machine, and tables of divergence that were computed in advance; "
        f"{GENETIC_SECONDS:g} s of its {PAPER_SECONDS['ezq']:g} s were spent in the genetic algorithm. "
    )
    text = (
        f"A decision is one step of an episode. {note if judged else ''}Times differ from run to run; all other "
        "numbers of this report are reproduced exactly."
    )
    return [table(heads, rows), tag("p", text, class_="faint small")]


def _time_head(name: str) -> str:
    what, which = name.split("_")
    return f"{what}, {'95th percentile' if which == 'p95' else which}"


def _described(heading: str, given: Description) -> list[object]:
    if not given:
        return []
    return [tag("h3", heading), tag("pre", given) if isinstance(given, str) else facts(given)]


def _how_to_read(entries: Mapping[str, str]) -> Html:
    terms = (joined([tag("dt", word), tag("dd", text)]) for word, text in entries.items())
    return tag("dl", joined(terms), class_="how")


def _citation(methods: Sequence[str], *, judged: bool) -> list[object]:
    """Return the content of the section on citation: what the study takes from the paper, and how to cite the paper.

    Args:
        methods: names of the study's methods.
        judged: whether the report judges the paper's claims, which the section then mentions.
    """
    theirs = [name for name in PAPER_METHODS if any(each.split(",")[0] == name for each in methods)]
    parts = [f"the method{'' if len(theirs) == 1 else 's'} {conjoined(theirs)}"] if theirs else []
    parts += ["the domain", "the claims"] if judged else ["the idea of expected divergence points"]
    be = "is" if parts == ["the idea of expected divergence points"] else "are"
    text = f"{capital(conjoined(parts))} {be} from W. Macke, R. Mirsky and P. Stone (AAAI 2021). Please cite the paper:"
    return [tag("p", text), tag("pre", CITATION)]


def _plain(value: object) -> str:
    if value is None:
        return "\u2013"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _kind(column: pl.Series) -> str:
    return "n" if column.dtype.is_numeric() else ""
