"""Verdicts on claims: four words, and the rules that lead to them.

A claim has parts, one for each comparison it makes. It holds if every part holds, it does not hold as soon as one part
does not, and it is not decided otherwise: some condition is missing, there are too few episodes, or the interval
leaves it open. A claim that something takes long, where it takes less time here, is neither: computers and programs
differ, and being quicker speaks against no result. Tests are two-sided at 5 %, uncorrected, as the paper's are; Holm's
values are in the table of comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from askwise.studies.analysis.estimates import Estimate
from askwise.studies.analysis.evidence import Evidence, Missing

HOLDS, FAILS, FASTER, OPEN = "holds", "does not hold", "faster here", "not decided"
VERDICTS = (HOLDS, FAILS, FASTER, OPEN)
"""In the order in which they are counted; `FASTER` is for claims about computing time alone."""
SIGNIFICANT = 0.05
FEWEST_PAIRS = 10
"""With fewer independent pairs nothing is decided."""
PAPER_PAIRS = 100
"""Pairs of the paper: what was significant there may be missed with fewer, so "not significant" needs as many."""
SIMILAR = 1.0
"""Two costs are similar if they differ by less than one step."""


@dataclass(frozen=True, slots=True)
class Part:
    """One comparison of a claim: what was compared, what came out, and what that says."""

    name: str
    verdict: str
    result: str
    strength: float = 0.0
    """How clearly it holds, for telling the weakest part; larger is clearer."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a run says about a claim."""

    verdict: str
    measured: str


Rule = Callable[[Estimate], str]


def part(
    name: str, measure: Callable[[], Estimate], rule: Rule, *, unit: str = "", digits: int = 2, signed: bool = True
) -> Part:
    """Judge one estimate by a rule; what is missing or too little decides nothing."""
    try:
        found = measure()
    except Missing as missing:
        return Part(name, OPEN, str(missing))
    told = in_words(found, unit=unit, digits=digits, signed=signed)
    if found.units < FEWEST_PAIRS or found.p is None:
        return Part(name, OPEN, f"{told}; too few episodes")
    return Part(name, rule(found), told, abs(found.t or 0.0))


def below_zero(found: Estimate) -> str:
    """Whether a difference is below 0, by its test."""
    assert found.p is not None
    if found.p >= SIGNIFICANT:
        return OPEN
    return HOLDS if found.mean < 0 else FAILS


def above_zero(found: Estimate) -> str:
    """Whether a difference is above 0, by its test."""
    return {HOLDS: FAILS, FAILS: HOLDS, OPEN: OPEN}[below_zero(found)]


def significantly_below(found: Estimate) -> str:
    """Whether a test with the paper's number of pairs finds a difference below 0."""
    verdict = below_zero(found)
    return FAILS if verdict == OPEN and found.units >= PAPER_PAIRS else verdict


def not_significantly_below(found: Estimate) -> str:
    """Whether a test with the paper's number of pairs finds no difference below 0."""
    if below_zero(found) == HOLDS:
        return FAILS
    return HOLDS if found.units >= PAPER_PAIRS else OPEN


def similar(found: Estimate) -> str:
    """Whether a difference is less than `SIMILAR` either way, by its interval."""
    return within(-SIMILAR, SIMILAR)(found)


def within(low: float, high: float) -> Rule:
    """Return the rule that an interval lies between two numbers; it fails if it lies outside altogether."""

    def rule(found: Estimate) -> str:
        assert found.low is not None
        assert found.high is not None
        if low < found.low and found.high < high:
            return HOLDS
        return FAILS if found.high <= low or found.low >= high else OPEN

    return rule


def as_long_as(low: float, high: float) -> Rule:
    """Return the rule that something takes as long as the paper says; below that it is faster here."""

    def rule(found: Estimate) -> str:
        assert found.high is not None
        return FASTER if found.high <= low else within(low, high)(found)

    return rule


def together(parts: Iterable[Part]) -> Finding:
    """Return what all parts of a claim say together."""
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
    return "; ".join(_told(each, with_verdict=mixed) for each in parts)


def _many(parts: list[Part], listed: int = 4) -> str:
    """Return how many parts hold, which do not, and the one that holds least clearly."""
    holding = [each for each in parts if each.verdict == HOLDS]
    text = f"{len(holding)} of {len(parts)} comparisons hold"
    for verdict in (FAILS, OPEN):
        others = [each for each in parts if each.verdict == verdict]
        if others:
            shown = "; ".join(_told(each) for each in others[:listed])
            more = f"; and {len(others) - listed} more" if len(others) > listed else ""
            text += f". {'Against it' if verdict == FAILS else 'Left open'} ({len(others)}): {shown}{more}"
    if holding and len(holding) == len(parts):
        text += f". The least clear: {_told(min(holding, key=lambda each: each.strength))}"
    return text


def _told(each: Part, *, with_verdict: bool = False) -> str:
    return f"{each.name}: {each.result}" + (f" [{each.verdict}]" if with_verdict else "")


def in_words(found: Estimate, *, unit: str = "", digits: int = 2, signed: bool = True) -> str:
    """Return an estimate with its interval, as text."""
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
    """Something that the paper says about its results, in our words, and how a run is asked about it.

    Attributes:
        name: a few words, for short lists.
        where: where the paper says it.
        text: what it says.
        rule: when it counts as holding, beyond what the module says about all claims.
        judge: returns the comparisons that decide it.
    """

    name: str
    where: str
    text: str
    rule: str
    judge: Callable[[Evidence], Iterable[Part]]

    def finding(self, evidence: Evidence) -> Finding:
        """Ask a run about the claim."""
        try:
            return together(self.judge(evidence))
        except Missing as missing:
            return Finding(OPEN, str(missing))
