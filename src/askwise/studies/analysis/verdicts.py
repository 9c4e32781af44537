"""Verdicts on claims: four words, and the rules that lead to them.

A claim has parts, one for each comparison that it makes. It holds if every part holds, and it does not hold if one part
does not. Otherwise it is not decided: a condition is missing, there are too few episodes, or the interval leaves it
open. If the paper says that something takes long and it takes less time here, the verdict is "faster here": machines
and programs differ, and being faster does not contradict a result. Tests are two-sided at 5 % and uncorrected, as in
the paper; Holm's corrected values are in the table of comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from askwise.studies.analysis.estimates import Estimate
from askwise.studies.analysis.evidence import Missing, StudyEvidence

HOLDS, FAILS, FASTER, OPEN = "holds", "does not hold", "faster here", "not decided"
VERDICTS = (HOLDS, FAILS, FASTER, OPEN)
"""The verdicts in the order in which reports count them; `FASTER` is only for claims about computing time."""
SIGNIFICANT = 0.05
FEWEST_PAIRS = 10
"""The smallest number of independent pairs that can decide a claim."""
PAPER_PAIRS = 100
"""The number of pairs in the paper. "Not significant" counts only with at least as many."""
SIMILAR = 1.0
"""Two costs are similar if they differ by less than one step."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the comparisons that a claim makes, with its verdict.

    Attributes:
        name: what is compared.
        verdict: one of `VERDICTS`.
        result: the estimate as text, or what is missing.
        strength: how clearly the comparison holds: the absolute value of Student's t.
    """

    name: str
    verdict: str
    result: str
    strength: float = 0.0


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on a claim, and the measured numbers as text."""

    verdict: str
    measured: str


Rule = Callable[[Estimate], str]
"""A function from an estimate to a verdict."""


def part(
    name: str, measure: Callable[[], Estimate], rule: Rule, *, unit: str = "", digits: int = 2, signed: bool = True
) -> Part:
    """Judge one of the comparisons that a claim makes.

    The verdict is "not decided" if data are missing or too few.

    Args:
        name: what is compared.
        measure: returns the estimate, or raises `Missing`.
        rule: returns the verdict on the estimate.
        unit: the unit of the estimate, for the text.
        digits: the number of decimals in the text.
        signed: whether the text has a plus sign in front of positive numbers.
    """
    try:
        found = measure()
    except Missing as missing:
        return Part(name, OPEN, str(missing))
    text = to_text(found, unit=unit, digits=digits, signed=signed)
    if found.units < FEWEST_PAIRS or found.p is None:
        return Part(name, OPEN, f"{text}; too few episodes")
    return Part(name, rule(found), text, abs(found.t or 0.0))


def below_zero(found: Estimate) -> str:
    """Return the verdict `HOLDS` if a mean is significantly below 0, `FAILS` if significantly above, else `OPEN`."""
    assert found.p is not None
    if found.p >= SIGNIFICANT:
        return OPEN
    return HOLDS if found.mean < 0 else FAILS


def above_zero(found: Estimate) -> str:
    """Return the verdict `HOLDS` if a mean is significantly above 0, `FAILS` if significantly below, else `OPEN`."""
    return {HOLDS: FAILS, FAILS: HOLDS, OPEN: OPEN}[below_zero(found)]


def significantly_below(found: Estimate) -> str:
    """Return the verdict `HOLDS` if a difference is significantly below 0, otherwise `FAILS` or `OPEN`.

    It is `OPEN` if the difference is not significant in either direction and has fewer pairs than in the paper (100).
    """
    verdict = below_zero(found)
    return FAILS if verdict == OPEN and found.units >= PAPER_PAIRS else verdict


def not_significantly_below(found: Estimate) -> str:
    """Return the verdict `FAILS` if a difference is significantly below 0, otherwise `HOLDS` or `OPEN`.

    It is `OPEN` if there are fewer pairs than in the paper (100).
    """
    if below_zero(found) == HOLDS:
        return FAILS
    return HOLDS if found.units >= PAPER_PAIRS else OPEN


def similar(found: Estimate) -> str:
    """Return the verdict on whether two costs differ by less than one step.

    It is `HOLDS` if the interval of the difference lies within plus or minus `SIMILAR` (1 step), `FAILS` if it lies
    completely outside, otherwise `OPEN`.
    """
    return within(-SIMILAR, SIMILAR)(found)


def within(low: float, high: float) -> Rule:
    """Return a rule: a function that judges whether an estimate lies between `low` and `high`.

    Its verdict is `HOLDS` if the 95 % interval lies between them, `FAILS` if it lies completely outside, otherwise
    `OPEN`.
    """

    def rule(found: Estimate) -> str:
        assert found.low is not None
        assert found.high is not None
        if low < found.low and found.high < high:
            return HOLDS
        return FAILS if found.high <= low or found.low >= high else OPEN

    return rule


def as_long_as(low: float, high: float) -> Rule:
    """Return a rule: a function that judges whether an estimated time lies between `low` and `high` seconds.

    Its verdict is `HOLDS` if the 95 % interval lies between them, `FASTER` if it lies below `low`, `FAILS` if it lies
    above `high`, otherwise `OPEN`.
    """

    def rule(found: Estimate) -> str:
        assert found.high is not None
        return FASTER if found.high <= low else within(low, high)(found)

    return rule


def together(parts: Iterable[Part]) -> Finding:
    """Combine the comparisons of a claim into one verdict and one text.

    The claim fails if any comparison fails. Otherwise it is not decided if any comparison is not decided, or if there
    is none.
    """
    found = list(parts)
    verdicts = {each.verdict for each in found}
    worst_first = (FAILS, OPEN, FASTER, HOLDS)
    verdict = next((verdict for verdict in worst_first if verdict in verdicts), OPEN)
    return Finding(verdict, _few(found) if len(found) <= 4 else _many(found))


def _few(parts: list[Part]) -> str:
    results = {each.result for each in parts}
    if len(results) == 1 and parts[0].result.startswith("no "):
        return parts[0].result
    mixed = len({each.verdict for each in parts}) > 1
    return "; ".join(_part_text(each, with_verdict=mixed) for each in parts)


def _many(parts: list[Part], listed: int = 4) -> str:
    """Return a text with the number of comparisons that hold, and with those that fail or are not decided.

    Args:
        parts: all comparisons of a claim.
        listed: the largest number of failing, and of undecided, comparisons that are named; others are counted.
    """
    holding = [each for each in parts if each.verdict == HOLDS]
    text = f"{len(holding)} of {len(parts)} comparisons hold"
    for verdict in (FAILS, OPEN):
        others = [each for each in parts if each.verdict == verdict]
        if others:
            shown = "; ".join(_part_text(each) for each in others[:listed])
            more = f"; and {len(others) - listed} more" if len(others) > listed else ""
            text += f". {'Against it' if verdict == FAILS else 'Undecided'} ({len(others)}): {shown}{more}"
    if holding and len(holding) == len(parts):
        text += f". The least clear: {_part_text(min(holding, key=lambda each: each.strength))}"
    return text


def _part_text(each: Part, *, with_verdict: bool = False) -> str:
    return f"{each.name}: {each.result}" + (f" [{each.verdict}]" if with_verdict else "")


def to_text(found: Estimate, *, unit: str = "", digits: int = 2, signed: bool = True) -> str:
    """Return an estimate with its interval as text, such as ``+1.20 s (+0.80 to +1.60)``.

    Args:
        found: the estimate.
        unit: the unit to write after the mean, such as ``s``; empty for none.
        digits: the number of decimals.
        signed: whether positive numbers have a plus sign.
    """
    space = f" {unit}" if unit else ""
    if found.low is None or found.high is None:
        return f"{_number(found.mean, digits, signed)}{space}"
    low, high = (_number(value, digits, signed) for value in (found.low, found.high))
    return f"{_number(found.mean, digits, signed)}{space} ({low} to {high})"


def _number(value: float, digits: int, signed: bool) -> str:
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    return text.replace("-", "\u2212")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the paper about its results, and how to judge it.

    Attributes:
        name: a few words, for short lists.
        where: where the paper states the claim.
        text: the claim, in our words.
        rule: a description of when the claim holds, for readers of the report.
        judge: returns the comparisons that decide the claim, each with a verdict.
    """

    name: str
    where: str
    text: str
    rule: str
    judge: Callable[[StudyEvidence], Iterable[Part]]

    def finding(self, evidence: StudyEvidence) -> Finding:
        """Return the verdict on the claim and the numbers behind it.

        The claim is not decided if the episodes lack a condition.
        """
        try:
            return together(self.judge(evidence))
        except Missing as missing:
            return Finding(OPEN, str(missing))
