"""What the paper's text says about computing time. Its computer was another: an Intel i7 at 2.5 GHz."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from askwise.studies.analysis.evidence import Evidence, Missing, Pick
from askwise.studies.analysis.judging import OPEN, Claim, Part, above_zero, as_long_as, below_zero, part, within

HEURISTICS = ("baseline", "toolbox", "cost-prob")
PAPER_SECONDS = {"ezq": 8.9, "baseline": 0.23, "toolbox": 0.23, "cost-prob": 0.23}
"""Mean seconds of an episode in the paper; for its heuristics an upper bound."""
GENETIC_SECONDS = 6.1
HOURS = 2.0
"""What the paper's "several hours" means at least."""


def _more(evidence: Evidence) -> Iterator[Part]:
    for method in HEURISTICS:
        one, two = Pick("ezq"), Pick(method)
        name = f"episode, ezq less {method}"
        yield part(name, partial(evidence.difference, one, two, "seconds"), above_zero, unit="s", digits=4)


def _alike(evidence: Evidence) -> Iterator[Part]:
    for method in HEURISTICS:
        weights = {Pick("ezq"): 1.0, Pick(method): -2.0}
        name = f"ezq less twice {method}"
        yield part(name, partial(evidence.combined, weights, "seconds"), below_zero, unit="s", digits=4)


def _heuristics(evidence: Evidence) -> Iterator[Part]:
    for method in HEURISTICS:
        limit = within(-1.0, PAPER_SECONDS[method])
        yield part(method, partial(evidence.mean, Pick(method), "seconds"), limit, unit="s", digits=4, signed=False)


def _ezq(evidence: Evidence) -> Iterator[Part]:
    paper = PAPER_SECONDS["ezq"]
    limits = as_long_as(paper / 2, 2 * paper)
    yield part("ezq", partial(evidence.mean, Pick("ezq"), "seconds"), limits, unit="s", digits=3, signed=False)


def _genetic(evidence: Evidence) -> Iterator[Part]:
    deciding = evidence.mean(Pick("ezq"), "decide_seconds").mean / evidence.mean(Pick("ezq"), "seconds").mean
    yield Part(
        "ezq",
        OPEN,
        f"all deciding together takes {100 * deciding:.0f} % of an episode; the search is not timed apart from it",
    )


def _tables(evidence: Evidence) -> Iterator[Part]:
    yield part(
        "making a problem and its tables",
        partial(evidence.mean, Pick("ezq"), "setup_seconds"),
        as_long_as(3600 * HOURS, float("inf")),
        unit="s",
        digits=4,
        signed=False,
    )


def _bearable(evidence: Evidence) -> Iterator[Part]:
    yield part(
        "one decision of ezq",
        partial(evidence.mean, Pick("ezq"), "decision_seconds"),
        within(-1.0, 1.0),
        unit="s",
        digits=4,
        signed=False,
    )


def _grows(_: Evidence) -> Iterator[Part]:
    raise Missing("a study has one number of goals; the project's benchmarks measure the growth")


TIME = (
    Claim(
        "ezq needs more computing time",
        "Results, last paragraph",
        "An episode with ezq takes more computing time than one with baseline, toolbox or cost-prob.",
        "significantly more seconds an episode, all cells together",
        _more,
    ),
    Claim(
        "an episode in under 0.23 s",
        "Results, last paragraph",
        "An episode takes less than 0.23 s on average with baseline, toolbox and cost-prob.",
        "the interval of each mean lies below 0.23 s",
        _heuristics,
    ),
    Claim(
        "8.9 s an episode with ezq",
        "Results, last paragraph",
        "An episode takes 8.9 s on average with ezq, tables of divergence made before.",
        "the interval of the mean lies within a factor of 2; below that it is faster here",
        _ezq,
    ),
    Claim(
        "6.1 s of it for the genetic search",
        "Results, last paragraph",
        "Of the 8.9 s of an episode with ezq, the genetic algorithm takes 6.1 s.",
        "never decided: the search is not timed apart",
        _genetic,
    ),
    Claim(
        "tables take hours a map",
        "Results, last paragraph",
        "Making the tables of divergence takes several hours for a map, far longer than all the rest.",
        f"the interval of the mean set-up time lies above {HOURS:g} hours; below that it is faster here",
        _tables,
    ),
    Claim(
        "no trouble in practice",
        "Results, last paragraph",
        "The computing time of ezq does not matter in practice: waiting for the answer takes longer.",
        "one decision takes less than a second on average",
        _bearable,
    ),
    Claim(
        "time grows like n\u00b2 log n",
        "Results, last paragraph",
        "The time of a decision of ezq grows with the number of goals n like n\u00b2 log n.",
        "needs several numbers of goals",
        _grows,
    ),
    Claim(
        "online time like the heuristics'",
        "Introduction",
        "With tables made before, ezq is about as fast as simpler heuristics.",
        "significantly less than twice the seconds of each, all cells together",
        _alike,
    ),
)
