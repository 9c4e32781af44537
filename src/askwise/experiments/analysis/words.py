"""Results in plain words and short lists, shared by the report and the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import TextIO

import polars as pl

from askwise.experiments.analysis.analyse import Analysis
from askwise.experiments.analysis.checking import settings
from askwise.experiments.analysis.claims import COMPUTING_TIME
from askwise.experiments.analysis.judging import FAILS, FASTER, HOLDS, OPEN, VERDICTS
from askwise.experiments.analysis.ratios import ALL
from askwise.reading import printable

SYMBOLS = {HOLDS: "\u2713", FAILS: "\u2717", FASTER: "\u2193", OPEN: "?"}
MANY = {HOLDS: "hold", FAILS: "do not hold", FASTER: "are faster here", OPEN: "are not decided"}
ONE = {HOLDS: "holds", FAILS: "does not hold", FASTER: "is faster here", OPEN: "is not decided"}
LONGEST = 38
"""Lines of the short version at most; what does not fit is counted."""


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
    groups = settings(analysis.tables.episodes)
    for (prior, *setting), rows in _groups(analysis.summary):
        where = f"Prior {prior}" + (f", {_setting(setting)}" if len(groups) > 1 else "")
        sentences.append(f"{where}: {_cheapest(rows, analysis.tables.words.price)}")
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
    maps = episodes["instance"].n_unique()
    text = f"{episodes.height} episodes on {maps} instance{'' if maps == 1 else 's'}"
    if analysis.failures.is_empty():
        return f"{text}, all finished."
    failed, cut = int(analysis.failures["failed"].sum()), int(analysis.failures["unfinished"].sum())
    return f"{text}; {failed} failed and {cut} were cut off: these are left out of all means."


def _cheapest(rows: pl.DataFrame, price_name: str) -> str:
    """Say who is cheapest at how many prices, and what the highest price does."""
    best = rows.sort("mean", maintain_order=True).group_by("per_station_cost", maintain_order=True).first()
    wins = best["method"].value_counts(sort=True)
    winner, won = wins["method"][0], int(wins["count"][0])
    top = rows.filter(pl.col("per_station_cost") == rows["per_station_cost"].max())
    costs = ", ".join(f"{row['method']} {number(row['mean'], 1)}" for row in top.sort("mean").iter_rows(named=True))
    price = f"{top['per_station_cost'][0]:g}"
    if best.height == 1:
        return f"mean marginal cost {costs} (in steps, at a {price_name} of {price})."
    many = f"all {best.height}" if won == best.height else f"{won} of {best.height}"
    return f"{winner} is cheapest at {many} {price_name}s; at {price}: {costs} (steps above the optimum)."


def _beside_the_reference(ratios: pl.DataFrame) -> Iterator[str]:
    means = ratios.filter((pl.col("prior") == ALL) & pl.col("ratio").is_not_null()).sort("ratio", maintain_order=True)
    conditions = ratios.filter(pl.col("prior") != ALL).select(
        pl.exclude("method", "pairs", "ratio", "ci_low", "ci_high")
    )
    if means.height and conditions.n_unique() > 1:
        told = [f"{row['method']} {number(row['ratio'])}{_interval(row)}" for row in means.iter_rows(named=True)]
        what = f"Marginal cost divided by that of {means['reference'][0]}, mean over {conditions.n_unique()} cells"
        yield f"{what}: {', '.join(told)}."


def _interval(row: dict[str, object]) -> str:
    return "" if row["ci_low"] is None else f" ({number(row['ci_low'])} to {number(row['ci_high'])})"


def _groups(summary: pl.DataFrame) -> Iterator[tuple[tuple[object, ...], pl.DataFrame]]:
    extra = [column for column in ("teammate", "base_cost") if column in summary.columns]
    yield from summary.group_by("prior", *extra, maintain_order=True)


def _setting(setting: list[object]) -> str:
    told = [f"teammate {part}" if isinstance(part, str) else f"base cost {part:g}" for part in setting]
    return ", ".join(told)


# -- the terminal ------------------------------------------------------------------------------------------------


def short_text(analysis: Analysis) -> str:
    """Return the short version: a table of mean marginal costs for each prior, and the verdicts; under 40 lines."""
    lines = list(_cost_lines(analysis))
    verdicts = list(_verdict_lines(analysis.claims, LONGEST - len(lines)))
    room = LONGEST - len(verdicts)
    if len(lines) > room:
        lines = [*lines[: room - 1], f"... {len(lines) - room + 1} more lines in summary.csv"]
    return "\n".join([*lines, *verdicts])


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


def _cost_lines(analysis: Analysis) -> Iterator[str]:
    yield _played(analysis)
    several = len(settings(analysis.tables.episodes)) > 1
    for (prior, *setting), rows in _groups(analysis.summary):
        prices = rows["per_station_cost"].unique().sort().to_list()
        where = f", {_setting(setting)}" if several else ""
        heads = "".join(f"{price:>8g}" for price in prices)
        title = printable(f"prior {prior}{where}")
        yield f"Marginal cost, {title}".ljust(32) + heads
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
