"""Results in plain words and short lists, shared by the report and the terminal.

The words of a report, explained to whoever opens it first.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import TextIO

import polars as pl

from askwise.studies.analysis.claims import COMPUTING_TIME
from askwise.studies.analysis.comparisons import ALL
from askwise.studies.analysis.estimates import DIGITS
from askwise.studies.analysis.results import Analysis
from askwise.studies.analysis.tables import ALL_FILES, FILE, grouping, is_mean
from askwise.studies.analysis.verdicts import FAILS, FASTER, HOLDS, OPEN, VERDICTS
from askwise.studies.schema.domain import StudyWords
from askwise.studies.schema.study import FROM_FILE
from askwise.text.wording import printable

SYMBOLS = {HOLDS: "\u2713", FAILS: "\u2717", FASTER: "\u2193", OPEN: "?"}
MANY = {HOLDS: "hold", FAILS: "do not hold", FASTER: "are faster here", OPEN: "are not decided"}
ONE = {HOLDS: "holds", FAILS: "does not hold", FASTER: "is faster here", OPEN: "is not decided"}
LONGEST = 38
"""Lines of the short version at most; what does not fit is counted."""
MOST_GROUPS = 12
"""Files (and their priors) of which the report says a sentence each; of more than that, only what the mean says."""


def number(value: object, digits: int = 2) -> str:
    """Return a number with so many decimals and a true minus sign; a dash where there is none."""
    if not isinstance(value, int | float) or math.isnan(value):
        return "\u2013"
    text = str(value) if isinstance(value, int) else f"{value:.{digits}f}"
    # Never "-0.00".
    text = text.removeprefix("-") if float(text) == 0 else text
    return text.replace("-", "\u2212").replace("inf", "\u221e")


def p_value(value: object) -> str:
    """Return a p value as one reads it."""
    if not isinstance(value, int | float) or math.isnan(value):
        return "\u2013"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def duration(value: object) -> str:
    """Return seconds in the unit that suits them."""
    if not isinstance(value, int | float) or math.isnan(value):
        return "\u2013"
    for limit, scale, unit in ((1e-3, 1e6, "\u00b5s"), (1.0, 1e3, "ms"), (600.0, 1.0, "s")):
        if value < limit:
            return f"{value * scale:.3g} {unit}"
    return f"{value / 60:.3g} min"


def counts(claims: pl.DataFrame) -> dict[str, int]:
    """Return how many claims got each verdict; none is faster where that is no question."""
    found = {verdict: int((claims["verdict"] == verdict).sum()) for verdict in VERDICTS}
    return {verdict: many for verdict, many in found.items() if many or verdict != FASTER}


def counted(many: int, verdict: str) -> str:
    """Return how many claims got a verdict, in words: ``1 does not hold``."""
    return f"{many} {(ONE if many == 1 else MANY)[verdict]}"


def apart(claims: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return claims about what agents do and pay, and claims about computing time, which depends on the computer."""
    timed = claims["about"] == COMPUTING_TIME
    return claims.filter(~timed), claims.filter(timed)


def _tally(claims: pl.DataFrame) -> str:
    return ", ".join(counted(many, verdict) for verdict, many in counts(claims).items())


def in_short(analysis: Analysis) -> list[str]:
    """Return the result in a few sentences: what was played, who is cheapest where, how the paper fares."""
    sentences = [_played(analysis)]
    groups = list(grouped(analysis.summary))
    if len(groups) > MOST_GROUPS and FILE in analysis.summary.columns:
        groups = [(where, rows) for where, rows in groups if is_mean(rows)]
    for where, rows in groups:
        sentences.append(f"{capital(where)}: {_cheapest(rows, analysis.tables.words.price)}")
    sentences += list(_beside_the_reference(analysis.ratios))
    if analysis.claims.height:
        behaviour, timed = apart(analysis.claims)
        sentences.append(f"Of the paper's {behaviour.height} claims about behaviour, {_tally(behaviour)}.")
        if timed.height:
            others = "on another computer and by another program"
            sentences.append(f"Of its {timed.height} claims about computing time, {others}, {_tally(timed)}.")
    return sentences


def _played(analysis: Analysis) -> str:
    episodes = analysis.tables.episodes
    maps, what = episodes["instance"].n_unique(), "file" if FILE in episodes.columns else "instance"
    text = f"{episodes.height} episodes on {maps} {what}{'' if maps == 1 else 's'}"
    if analysis.failures.is_empty():
        return f"{text}, all finished."
    failed, cut = int(analysis.failures["failed"].sum()), int(analysis.failures["unfinished"].sum())
    return f"{text}; {failed} failed and {cut} were cut off: these are left out of all means."


def _cheapest(rows: pl.DataFrame, price_name: str) -> str:
    """Say which methods are cheapest at which prices, and what each costs at the highest price.

    Methods with the same mean are all cheapest. Where each file has its own price, there is no price to name.
    """
    top = rows.filter(pl.col("per_station_cost").eq_missing(rows["per_station_cost"].max()))
    costs = ", ".join(
        f"{row['method']} {number(row['mean'], 1)}"
        for row in top.sort("mean", maintain_order=True).iter_rows(named=True)
    )
    prices = rows["per_station_cost"].unique().sort().to_list()
    price = "" if prices[-1] is None else f"{prices[-1]:g}"
    if len(prices) == 1:
        return f"mean marginal cost {costs} (in steps{f', at a {price_name} of {price}' if price else ''})."
    # Costs are sums of decimal fractions: equal means may differ in their last bits.
    means = rows.with_columns(pl.col("mean").round(DIGITS))
    best = means.filter(pl.col("mean") == pl.col("mean").min().over("per_station_cost"))
    won = {
        str(method): sorted(mine["per_station_cost"])
        for (method,), mine in best.group_by("method", maintain_order=True)
    }
    everywhere = [method for method, at in won.items() if len(at) == len(prices)]
    others = [f"{method} at {_list([f'{at:g}' for at in won[method]])}" for method in won if method not in everywhere]
    if everywhere:
        told = (
            f"{_list(everywhere)} {'is' if len(everywhere) == 1 else 'are'} cheapest at all {len(prices)} {price_name}s"
        )
        told += f" (as cheap: {', '.join(others)})" if others else ""
    else:
        told = f"no method is cheapest at every {price_name}: {', '.join(others)}"
    return f"{told}; at {price}: {costs} (steps above the optimum)."


def _list(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _beside_the_reference(ratios: pl.DataFrame) -> Iterator[str]:
    means = ratios.filter((pl.col("prior") == ALL) & pl.col("ratio").is_not_null()).sort("ratio", maintain_order=True)
    conditions = ratios.filter(pl.col("prior") != ALL).select(
        pl.exclude("method", "pairs", "ratio", "ci_low", "ci_high")
    )
    if means.height and conditions.n_unique() > 1:
        told = [f"{row['method']} {number(row['ratio'])}{_interval(row)}" for row in means.iter_rows(named=True)]
        over = (
            f"{conditions[FILE].n_unique()} files" if FILE in conditions.columns else f"{conditions.n_unique()} cells"
        )
        what = f"Marginal cost divided by that of {means['reference'][0]}, mean over {over}"
        yield f"{what}: {', '.join(told)}."


def _interval(row: dict[str, object]) -> str:
    return "" if row["ci_low"] is None else f" ({number(row['ci_low'])} to {number(row['ci_high'])})"


def grouped(table: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of each file, prior, teammate and base cost, with what they are of: ``prior far, base cost 0.5``.

    The files' own prior is not named if there is no other.
    """
    extra, priors = grouping(table), table["prior"].unique().to_list()
    files = table.filter(pl.col(FILE) != ALL_FILES)[FILE].n_unique() if FILE in extra else 0
    for (prior, *setting), rows in table.group_by("prior", *extra, maintain_order=True):
        given = dict(zip(extra, setting, strict=True))
        told = [] if files and priors == [FROM_FILE] else [f"prior {prior}"]
        if files:
            told.insert(0, f"mean over {files} files" if is_mean(rows) else f"file {given[FILE]}")
        told += [f"teammate {given['teammate']}"] if "teammate" in given else []
        told += [f"base cost {given['base_cost']:g}"] if given.get("base_cost") is not None else []
        if is_mean(rows) and (rows["per_station_cost"].has_nulls() or given.get("base_cost", 0.0) is None):
            told.append("each at its own price")
        yield ", ".join(told), rows


def capital(text: str) -> str:
    """Return text with a capital letter at the beginning."""
    return f"{text[:1].upper()}{text[1:]}"


# -- the terminal ------------------------------------------------------------------------------------------------


def short_text(analysis: Analysis) -> str:
    """Return the short version: a table of mean marginal costs for each prior, and the verdicts; under 40 lines.

    In a study over files there is a table for each file, as many as fit, and then the mean over all files.
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
    """Print the short version, in colour where `out` (standard output) is a terminal."""
    stream = sys.stdout if out is None else out
    encoding = getattr(stream, "encoding", None) or "utf-8"
    # Where the terminal lacks a sign, a question mark is better than an error.
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
    prices = rows["per_station_cost"].unique().sort().to_list()
    yield f"Marginal cost, {printable(where)}"
    if prices != [None]:
        yield f"  {price_name}".ljust(32) + "".join(f"{price:>8g}" for price in prices)
    for (method,), mine in rows.group_by("method", maintain_order=True):
        means = dict(mine.select("per_station_cost", "mean").iter_rows())
        yield f"  {printable(str(method))}".ljust(32) + "".join(f"{number(means.get(p)):>8}" for p in prices)


def _verdict_lines(claims: pl.DataFrame, room: int) -> Iterator[str]:
    if claims.is_empty():
        return
    if counts(claims)[OPEN] == claims.height:
        yield "The paper's claims: this study decides none of them"
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
    """Return each word with its meaning, for a study over files or not, with the paper's claims judged or not."""
    units = (
        "The episodes of a file are the units, so intervals are about these files, not about others; with one episode "
        "for each file, the files are."
        if files
        else "The instance is the unit: several episodes on one map count as one observation."
    )
    found = {
        "marginal cost": "What not knowing the goal cost: the cost of the episode less what it would have cost with "
        "the goal known from the start. A step costs 1, a question its price instead.",
        words.price: f"What each {words.goal} named in a question adds to its price.",
        "prior": f"How likely each goal is before anything is seen: {words.priors}",
        "intervals": f"95 %, Student's t. {units}",
        "pairs": f"All methods meet the same instances, goals and {words.teammate} paths, so they are compared episode "
        "by episode.",
        "p values": "Two-sided. Among many comparisons some are small by chance; Holm's correction allows for that.",
    }
    verdicts = {
        "verdicts": "A claim holds if all its comparisons do; it does not hold if one of them speaks against it; else "
        "this run cannot decide it. What takes less time than the paper says is faster here, which speaks against "
        "nothing. Fewer than 10 pairs decide nothing, and a missing difference counts only with at "
        "least the paper's 100 pairs.",
    }
    return {**found, **verdicts} if judged else found
