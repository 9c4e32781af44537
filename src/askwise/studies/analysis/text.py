"""Functions that write the results of a study as text: numbers, sentences for reports, a summary for the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from typing import TextIO

import polars as pl

from askwise.studies.analysis.claims import COMPUTING_TIME
from askwise.studies.analysis.comparisons import ALL
from askwise.studies.analysis.estimates import DIGITS
from askwise.studies.analysis.results import Analysis
from askwise.studies.analysis.tables import ALL_FILES, FILE, grouping, is_mean, is_rough
from askwise.studies.analysis.verdicts import FAILS, FASTER, HOLDS, OPEN, VERDICTS
from askwise.studies.schema.domain import StudyWords
from askwise.studies.schema.study import FROM_FILE
from askwise.text.wording import printable

SYMBOLS = {HOLDS: "\u2713", FAILS: "\u2717", FASTER: "\u2193", OPEN: "?"}
MANY = {HOLDS: "hold", FAILS: "do not hold", FASTER: "were faster here", OPEN: "are not decided"}
ONE = {HOLDS: "holds", FAILS: "does not hold", FASTER: "was faster here", OPEN: "is not decided"}
LONGEST = 38
"""The largest number of lines of the short version; it states how many further lines there are."""
MOST_GROUPS = 12
"""The largest number of files (times priors) with a sentence each; with more, only the mean has one."""


def number(value: object, digits: int = 2) -> str:
    """Return a number as text for readers, with a typographic minus sign and with the infinity sign.

    Args:
        value: the number; the text is a dash for NaN and for other objects.
        digits: number of decimals of a float.
    """
    if not isinstance(value, int | float) or math.isnan(value):
        return "\u2013"
    text = str(value) if isinstance(value, int) else f"{value:.{digits}f}"
    # Never "-0.00".
    text = text.removeprefix("-") if float(text) == 0 else text
    return text.replace("-", "\u2212").replace("inf", "\u221e")


def p_value(value: object) -> str:
    """Return the p value of a test as text: ``< 0.001``, or three decimals; a dash if `value` is NaN or no number."""
    if not isinstance(value, int | float) or math.isnan(value):
        return "\u2013"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def duration(value: object) -> str:
    """Return a time as text in a suitable unit, such as ``12 ms``; a dash if `value` is NaN or not a number.

    Args:
        value: the time in seconds.
    """
    if not isinstance(value, int | float) or math.isnan(value):
        return "\u2013"
    for limit, scale, unit in ((1e-3, 1e6, "\u00b5s"), (1.0, 1e3, "ms"), (600.0, 1.0, "s")):
        if value < limit:
            return f"{value * scale:.3g} {unit}"
    return f"{value / 60:.3g} min"


def counts(claims: pl.DataFrame) -> dict[str, int]:
    """Return how many claims have each verdict, by the verdict.

    ``faster here`` is left out if no claim has it; ``holds``, ``does not hold`` and ``not decided`` are never left out.

    Args:
        claims: one row for each claim, with the column ``verdict``.
    """
    found = {verdict: int((claims["verdict"] == verdict).sum()) for verdict in VERDICTS}
    return {verdict: many for verdict, many in found.items() if many or verdict != FASTER}


def counted(many: int, verdict: str) -> str:
    """Return a number of claims and their verdict as text, such as ``1 does not hold`` or ``3 hold``.

    Args:
        many: number of claims.
        verdict: ``holds``, ``does not hold``, ``faster here`` or ``not decided``.
    """
    return f"{many} {(ONE if many == 1 else MANY)[verdict]}"


def apart(claims: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split a table of claims into two tables: claims about the behaviour of methods, and claims about computing time.

    Args:
        claims: one row for each claim; the column ``about`` has ``behaviour`` or ``computing time``.
    """
    timed = claims["about"] == COMPUTING_TIME
    return claims.filter(~timed), claims.filter(timed)


def _tally(claims: pl.DataFrame) -> str:
    return ", ".join(counted(many, verdict) for verdict, many in counts(claims).items())


def in_short(analysis: Analysis) -> list[str]:
    """Return the main results of a study as sentences: episodes played, cheapest methods, claims that hold."""
    sentences = [_played(analysis)]
    groups = list(grouped(analysis.summary))
    if len(groups) > MOST_GROUPS and FILE in analysis.summary.columns:
        groups = [(where, rows) for where, rows in groups if is_mean(rows)]
    for where, rows in groups:
        sentences.append(f"{capital(where)}: {_cheapest(rows, analysis.tables.words.price)}")
    sentences += list(_compared_to_reference(analysis.ratios))
    sentences += [rough] if (rough := rough_text(analysis.summary)) else []
    if analysis.claims.height:
        behaviour, timed = apart(analysis.claims)
        sentences.append(f"Of the paper's {behaviour.height} claims about behaviour, {_tally(behaviour)}.")
        if timed.height:
            sentences.append(f"Computing time (different machine and code): of {timed.height} claims, {_tally(timed)}.")
    return sentences


def _played(analysis: Analysis) -> str:
    episodes = analysis.tables.episodes
    maps, what = episodes["instance"].n_unique(), "file" if FILE in episodes.columns else "instance"
    text = f"{episodes.height} episodes on {maps} {what}{'' if maps == 1 else 's'}"
    if analysis.failures.is_empty():
        return f"{text}, all finished."
    failed, cut = int(analysis.failures["failed"].sum()), int(analysis.failures["unfinished"].sum())
    return f"{text}; {failed} failed and {cut} were cut off; these are excluded from all means."


def rough_text(summary: pl.DataFrame) -> str:
    """Return a remark that the confidence intervals of mean costs are rough; an empty text if they are not.

    Args:
        summary: one row for each mean, with the columns ``episodes`` (their number), ``mean`` and ``ci_low``.
    """
    if not is_rough(summary):
        return ""
    few = int(summary["episodes"].min())  # type: ignore[arg-type]
    below = (summary["mean"] >= 0).all() and (summary["ci_low"].fill_null(0.0) < 0).any()
    text = f"Intervals are rough: each mean is over {few} episode{'' if few == 1 else 's'} or more."
    return text + (" Those that go below 0 only show that more episodes are needed." if below else "")


def _cheapest(rows: pl.DataFrame, price_name: str) -> str:
    """Return text with the cheapest methods at each price, and all mean costs at the highest price.

    If there is only one price, the text has only the mean costs. `rows` has one row for each method and price; a price
    that differs between files is null.
    """
    top = rows.filter(pl.col("per_goal").eq_missing(rows["per_goal"].max()))
    costs = ", ".join(
        f"{row['method']} {number(row['mean'], 1)}"
        for row in top.sort("mean", maintain_order=True).iter_rows(named=True)
    )
    prices = rows["per_goal"].unique().sort().to_list()
    price = "" if prices[-1] is None else f"{prices[-1]:g}"
    if len(prices) == 1:
        return f"mean marginal cost {costs} (in steps{f', at a {price_name} of {price}' if price else ''})."
    # Costs are sums of decimal fractions, so equal means may differ in their last bits.
    means = rows.with_columns(pl.col("mean").round(DIGITS))
    best = means.filter(pl.col("mean") == pl.col("mean").min().over("per_goal"))
    won = {str(method): sorted(mine["per_goal"]) for (method,), mine in best.group_by("method", maintain_order=True)}
    everywhere = [method for method, at in won.items() if len(at) == len(prices)]
    others = [
        f"{method} at {conjoined([f'{at:g}' for at in won[method]])}" for method in won if method not in everywhere
    ]
    if everywhere:
        be, how_many = "is" if len(everywhere) == 1 else "are", "both" if len(prices) == 2 else f"all {len(prices)}"
        text = f"{conjoined(everywhere)} {be} cheapest at {how_many} {price_name}s"
        text += f" (equally cheap: {', '.join(others)})" if others else ""
    else:
        text = f"no method is cheapest at every {price_name}: {', '.join(others)}"
    return f"{text}; at {price}: {costs} (steps above the cost with the goal known)."


def conjoined(names: Sequence[str]) -> str:
    """Return names as one text, such as ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _compared_to_reference(ratios: pl.DataFrame) -> Iterator[str]:
    means = ratios.filter((pl.col("prior") == ALL) & pl.col("ratio").is_not_null()).sort("ratio", maintain_order=True)
    conditions = ratios.filter(pl.col("prior") != ALL).select(
        pl.exclude("method", "pairs", "ratio", "ci_low", "ci_high")
    )
    if means.height and conditions.n_unique() > 1:
        each = [f"{row['method']} {number(row['ratio'])}{_interval(row)}" for row in means.iter_rows(named=True)]
        over = (
            f"{conditions[FILE].n_unique()} files"
            if FILE in conditions.columns
            else f"{conditions.n_unique()} conditions"
        )
        what = f"Marginal cost divided by that of {means['reference'][0]}, mean over {over}"
        yield f"{what}: {', '.join(each)}."


def _interval(row: dict[str, object]) -> str:
    return "" if row["ci_low"] is None else f" ({number(row['ci_low'])} to {number(row['ci_high'])})"


def grouped(table: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Split a table of results by prior, file, teammate and base price; yield each group of rows.

    Args:
        table: the results, with ``prior`` and optionally ``file``, ``teammate`` and ``base``.

    Yields:
        a name for readers, such as ``prior far, base price 0.5``, and the rows. The name has no prior if all instances
        use the priors in their files.
    """
    extra, priors = grouping(table), table["prior"].unique().to_list()
    files = table.filter(pl.col(FILE) != ALL_FILES)[FILE].n_unique() if FILE in extra else 0
    for (prior, *setting), rows in table.group_by("prior", *extra, maintain_order=True):
        given = dict(zip(extra, setting, strict=True))
        names = [] if files and priors == [FROM_FILE] else [f"prior {prior}"]
        if files:
            names.insert(0, f"mean over {files} files" if is_mean(rows) else f"file {given[FILE]}")
        names += [f"teammate {given['teammate']}"] if "teammate" in given else []
        names += [f"base price {given['base']:g}"] if given.get("base") is not None else []
        if is_mean(rows) and (rows["per_goal"].has_nulls() or given.get("base", 0.0) is None):
            names.append(f"each at its own {'price' if rows['per_goal'].has_nulls() else 'base price'}")
        yield ", ".join(names), rows


def capital(text: str) -> str:
    """Return text with its first letter in upper case."""
    return f"{text[:1].upper()}{text[1:]}"


# -- the terminal ------------------------------------------------------------------------------------------------


def short_text(analysis: Analysis) -> str:
    """Return the results of a study as text of fewer than 40 lines, for the terminal.

    The text has tables of mean marginal costs, and the verdicts on the paper's claims. A remark replaces lines that do
    not fit.
    """
    price = analysis.tables.words.price
    groups = list(grouped(analysis.summary))
    lines = [_played(analysis)]
    lines += [line for where, rows in groups if not is_mean(rows) for line in _cost_lines(where, rows, price)]
    mean = [line for where, rows in groups if is_mean(rows) for line in _cost_lines(where, rows, price)]
    verdicts = list(_verdict_lines(analysis.claims, LONGEST - len(lines)))
    mean = _cut(mean, LONGEST // 2)
    return "\n".join([*_cut(lines, LONGEST - len(mean) - len(verdicts)), *mean, *verdicts])


def _cut(lines: list[str], room: int) -> list[str]:
    if len(lines) <= room:
        return lines
    return [*lines[: room - 1], f"... {len(lines) - room + 1} more lines in summary.csv"]


def print_short(analysis: Analysis, out: TextIO | None = None) -> None:
    """Print the results of a study in fewer than 40 lines.

    Args:
        analysis: all tables that were computed from the study.
        out: the stream to print to, in colour if it is a terminal; None for standard output.
    """
    stream = sys.stdout if out is None else out
    encoding = getattr(stream, "encoding", None) or "utf-8"
    # A character that the terminal cannot show becomes a question mark.
    text = short_text(analysis).encode(encoding, "replace").decode(encoding)
    if not stream.isatty():
        print(text, file=stream)
        return
    from rich.console import Console
    from rich.text import Text

    coloured = Text(text)
    for pattern, style in (
        (rf"(?m)^ +{SYMBOLS[HOLDS]}.*$", "green"),
        (rf"(?m)^ +{SYMBOLS[FAILS]}.*$", "red"),
        (r"(?m)^ +\? .*$", "yellow"),
        (r"(?m)^(Marginal cost|The paper's claims|Its claims).*$", "bold"),
    ):
        coloured.highlight_regex(pattern, style)
    Console(file=stream).print(coloured, soft_wrap=True)


def _cost_lines(where: str, rows: pl.DataFrame, price_name: str) -> Iterator[str]:
    prices = rows["per_goal"].unique().sort().to_list()
    yield f"Marginal cost, {printable(where)}"
    if prices != [None]:
        yield f"  {price_name}".ljust(32) + "".join(f"{price:>8g}" for price in prices)
    for (method,), mine in rows.group_by("method", maintain_order=True):
        means = dict(mine.select("per_goal", "mean").iter_rows())
        yield f"  {printable(str(method))}".ljust(32) + "".join(f"{number(means.get(p)):>8}" for p in prices)


def _verdict_lines(claims: pl.DataFrame, room: int) -> Iterator[str]:
    if claims.is_empty():
        return
    if counts(claims)[OPEN] == claims.height:
        yield "The paper's claims: none of them can be decided by this study"
        return
    behaviour, timed = apart(claims)
    yield f"The paper's claims about behaviour: {_tally(behaviour)}"
    lines = []
    for verdict in (FAILS, OPEN):
        names = behaviour.filter(pl.col("verdict") == verdict)["name"].to_list()
        lines += [f"  {SYMBOLS[verdict]} {verdict}: {name}" for name in names]
    room = max(room - 2, 4)
    if len(lines) > room:
        lines = [*lines[: room - 1], f"  ... and {len(lines) - room + 1} more, in the report"]
    yield from lines
    yield f"Its claims about computing time: {_tally(timed)}"


def glossary(words: StudyWords, *, files: bool = False, judged: bool = False) -> dict[str, str]:
    """Return a dict from each term that a report explains, such as ``marginal cost``, to the explanation.

    Args:
        words: words for goals and the teammate.
        files: whether the instances come from files, which changes the explanation of intervals.
        judged: whether to explain the verdicts on the paper's claims.
    """
    units = (
        "The unit is the episode, so intervals say nothing about other files; with one episode per file, the unit is "
        "the file."
        if files
        else "The unit is the instance: several episodes on one map count as one observation."
    )
    found = {
        "marginal cost": "The cost of not knowing the goal: the cost of the episode minus its cost with the goal known "
        "from the start. A step costs 1; a question costs its price instead.",
        words.price: f"The amount that each {words.goal} named in a question adds to its price.",
        "prior": f"The probability of each goal before anything is observed: {words.priors}",
        "intervals": f"95 %, Student's t. {units}",
        "pairs": f"All methods play the same instances, goals and {words.teammate} paths, so they are compared episode "
        "by episode.",
        "p values": "Two-sided. Among many comparisons some p values are small by chance; Holm's correction accounts "
        "for this.",
    }
    verdicts = {
        "verdicts": "A claim holds if all its comparisons hold, and does not hold if one of them contradicts it; "
        'otherwise this run cannot decide it. A computing time below the paper\'s is "faster here", which '
        'contradicts nothing. Fewer than 10 pairs decide nothing, and "no difference" counts only with at least '
        "the paper's 100 pairs.",
    }
    return {**found, **verdicts} if judged else found
