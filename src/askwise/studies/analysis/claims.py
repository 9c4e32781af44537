"""The claims of the paper about its results, each with a verdict that is computed from the tables of a study.

This file lists all claims and defines those about questions and computing time; `cost_claims` defines those about
costs. `askwise.studies.analysis.verdicts` has the rules. The computing times in the paper were measured on an Intel i7
at 2.5 GHz.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import polars as pl

from askwise.studies.analysis.cost_claims import ALL_PRIORS_COSTS, FAR_COSTS, NEAR_COSTS, UNIFORM_COSTS
from askwise.studies.analysis.estimates import Estimate
from askwise.studies.analysis.tables import checked
from askwise.studies.analysis.verdicts import (
    FAILS,
    HOLDS,
    OPEN,
    Claim,
    Missing,
    Part,
    Pick,
    Rule,
    StudyEvidence,
    above_zero,
    as_long_as,
    below_zero,
    part,
    within,
)

HEURISTICS = ("baseline", "toolbox", "cost-prob")
PAPER_SECONDS = {"ezq": 8.9, "baseline": 0.23, "toolbox": 0.23, "cost-prob": 0.23}
"""Mean seconds of an episode in the paper; for the heuristics it gives an upper bound."""
GENETIC_SECONDS = 6.1
"""Seconds of the genetic algorithm per episode in the paper."""
HOURS = 2.0
"""The least number of hours that counts as the paper's "several hours"."""
FALL = 23.0
"""Percentage by which ezq asks fewer questions at 0.5 than at 0 in the paper."""
WIDEST = 30.0
"""The largest width, in percentage points, of an interval that can confirm `FALL`."""


# -- computing time ----------------------------------------------------------------------------------------------


def _more(evidence: StudyEvidence) -> Iterator[Part]:
    for method in HEURISTICS:
        one, two = Pick("ezq"), Pick(method)
        name = f"episode, ezq minus {method}"
        yield part(name, partial(evidence.difference, one, two, "seconds"), above_zero, unit="s", digits=4)


def _alike(evidence: StudyEvidence) -> Iterator[Part]:
    for method in HEURISTICS:
        weights = {Pick("ezq"): 1.0, Pick(method): -2.0}
        name = f"ezq minus twice {method}"
        yield part(name, partial(evidence.combined, weights, "seconds"), below_zero, unit="s", digits=4)


def _heuristics(evidence: StudyEvidence) -> Iterator[Part]:
    for method in HEURISTICS:
        limit = within(-1.0, PAPER_SECONDS[method])
        yield part(method, partial(evidence.mean, Pick(method), "seconds"), limit, unit="s", digits=4, signed=False)


def _ezq(evidence: StudyEvidence) -> Iterator[Part]:
    paper = PAPER_SECONDS["ezq"]
    limits = as_long_as(paper / 2, 2 * paper)
    yield part("ezq", partial(evidence.mean, Pick("ezq"), "seconds"), limits, unit="s", digits=3, signed=False)


def _genetic(evidence: StudyEvidence) -> Iterator[Part]:
    deciding = evidence.mean(Pick("ezq"), "decide_seconds").mean / evidence.mean(Pick("ezq"), "seconds").mean
    yield Part(
        "ezq",
        OPEN,
        f"all decisions together take {100 * deciding:.0f} % of an episode; the search is not timed separately",
    )


def _tables(evidence: StudyEvidence) -> Iterator[Part]:
    yield part(
        "time to set up a problem and its tables",
        partial(evidence.mean, Pick("ezq"), "setup_seconds"),
        as_long_as(3600 * HOURS, float("inf")),
        unit="s",
        digits=4,
        signed=False,
    )


def _bearable(evidence: StudyEvidence) -> Iterator[Part]:
    yield part(
        "one decision of ezq",
        partial(evidence.mean, Pick("ezq"), "decision_seconds"),
        within(-1.0, 1.0),
        unit="s",
        digits=4,
        signed=False,
    )


def _grows(_: StudyEvidence) -> Iterator[Part]:
    raise Missing("a study has one number of goals; the project's benchmarks measure the growth")


TIME = (
    Claim(
        "ezq needs more computing time",
        "Results, last paragraph",
        "An episode with ezq takes more computing time than one with baseline, toolbox or cost-prob.",
        "significantly more seconds per episode, all conditions together",
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
        "8.9 s per episode with ezq",
        "Results, last paragraph",
        "An episode takes 8.9 s on average with ezq, not counting the tables of divergence.",
        "the interval of the mean lies within a factor of 2 of 8.9 s; a lower mean is faster here",
        _ezq,
    ),
    Claim(
        "6.1 s of it for the genetic search",
        "Results, last paragraph",
        "Of the 8.9 s of an episode with ezq, the genetic algorithm takes 6.1 s.",
        "never decided: the search is not timed separately",
        _genetic,
    ),
    Claim(
        "tables take hours per map",
        "Results, last paragraph",
        "Computing the tables of divergence takes several hours per map, far longer than everything else.",
        f"the interval of the mean set-up time lies above {HOURS:g} hours; a lower mean is faster here",
        _tables,
    ),
    Claim(
        "ezq is fast enough in practice",
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
        "With tables computed in advance, ezq is about as fast as simpler heuristics.",
        "significantly less than twice the seconds of each heuristic, all conditions together",
        _alike,
    ),
)


# -- questions ---------------------------------------------------------------------------------------------------


def _at_zero(evidence: StudyEvidence, column: str, what: str, rule: Rule) -> Iterator[Part]:
    """Compare `ezq` with `toolbox` and with `cost-prob` at a price of 0 for naming goals, under the prior `far`.

    Args:
        evidence: the episodes.
        column: the column of the table of episodes to compare.
        what: the column in words, for the names of the comparisons.
        rule: turns the estimated difference into a verdict.
    """
    for other in ("toolbox", "cost-prob"):
        one, two = Pick("ezq", "far", 0.0), Pick(other, "far", 0.0)
        yield part(f"{what}, ezq minus {other}", partial(evidence.difference, one, two, column), rule)


def _early(evidence: StudyEvidence) -> Iterator[Part]:
    there = evidence.early_until.filter((pl.col("prior") == "far") & (pl.col("per_goal") == 0))
    if there.is_empty():
        raise Missing("no questions under far at a per-station cost of 0 in this study")
    return _at_zero(evidence, "early_questions", f"questions up to step {there['until'][0]:g}", above_zero)


def _fewer(evidence: StudyEvidence) -> Iterator[Part]:
    one, two = Pick("ezq", None, evidence.top), Pick("ezq", None, 0.0)
    yield part(
        "questions per episode, at 0.5 minus at 0", partial(evidence.difference, one, two, "queries"), below_zero
    )


def _fewer_by(evidence: StudyEvidence) -> Iterator[Part]:
    for prior in (None, "far"):
        one, two = Pick("ezq", prior, evidence.top), Pick("ezq", prior, 0.0)
        name = f"fall {'under far' if prior else 'over all priors'}"
        yield part(name, partial(_fall, evidence, one, two), about_as_the_paper, unit="%", digits=0, signed=False)


def _fall(evidence: StudyEvidence, one: Pick, two: Pick) -> Estimate:
    """Estimate by how many per cent fewer questions are asked in the episodes of `one` than in those of `two`.

    Only episodes of the same instance, episode number and prior are compared.
    """
    found = evidence.quotient(one, two, "queries")
    if found.low is None or found.high is None:
        return replace(found, mean=100 * (1 - found.mean))
    return replace(found, mean=100 * (1 - found.mean), low=100 * (1 - found.high), high=100 * (1 - found.low))


def about_as_the_paper(found: Estimate) -> str:
    """Judge the paper's claim that `ezq` asks `FALL` (23) per cent fewer questions at a price of 0.5 than at 0.

    `found` is our percentage. The paper's is assumed to have the same standard error. If the interval of the difference
    excludes 0, the claim does not hold. If it includes 0, the claim holds if the interval is at most `WIDEST` (30)
    percentage points wide; otherwise it is not decided.
    """
    assert found.low is not None
    assert found.high is not None
    reach = math.sqrt(2) * (found.high - found.low) / 2
    if abs(found.mean - FALL) > reach:
        return FAILS
    return HOLDS if 2 * reach <= WIDEST else OPEN


def _fewer_under_near(evidence: StudyEvidence) -> Iterator[Part]:
    for method in ("baseline", "toolbox", "cost-prob", "ezq"):
        for other in ("uniform", "far"):
            one, two = Pick(method, "near", 0.0), Pick(method, other, 0.0)
            name = f"questions of {method}, near minus {other}"
            yield part(name, partial(evidence.difference, one, two, "queries"), below_zero)


WHEN = (
    Claim(
        "far: ezq asks earlier",
        "Results, figure 4",
        "Under far with free stations, ezq asks more questions in the early steps than toolbox and cost-prob.",
        "significantly more questions up to the median step of all questions of the three",
        _early,
    ),
    Claim(
        "far: ezq finds the goal sooner",
        "Results, figure 4",
        "Under far with free stations, ezq knows the worker's goal sooner than toolbox and cost-prob.",
        "the first step at which only one goal is possible is significantly earlier",
        lambda evidence: _at_zero(evidence, "known_at", "step at which the goal is known", below_zero),
    ),
    Claim(
        "far: ezq can act later",
        "Results, figure 4",
        "Under far with free stations, ezq takes longer than toolbox and cost-prob until it knows an action that is "
        "certainly right.",
        "significantly more consecutive questions from the first one on",
        lambda evidence: _at_zero(evidence, "first_run", "consecutive questions before it can act", above_zero),
    ),
)
HOW_MANY = (
    Claim(
        "ezq asks less when it costs more",
        "Results, paragraph on figure 4",
        "ezq asks fewer questions when stations cost 0.5 than when they cost nothing.",
        "significantly fewer questions per episode, all priors together",
        _fewer,
    ),
    Claim(
        "ezq asks 23 % less at 0.5",
        "Results, paragraph on figure 4",
        "ezq asks 23 % fewer questions when stations cost 0.5 than when they cost nothing.",
        "the 95 % interval of the difference from 23 % contains 0 and is at most 30 points wide, over all priors and "
        "under far; the paper's number is assumed to have the same standard error as ours",
        _fewer_by,
    ),
)
NEAR_QUESTIONS = (
    Claim(
        "near: the worker gives itself away",
        "Appendix, figure 6",
        "Under near, the worker's actions soon reveal its goal, so that there is less need to ask.",
        "each asking method asks significantly fewer questions at price 0 than under uniform and under far",
        _fewer_under_near,
    ),
)


# -- all claims --------------------------------------------------------------------------------------------------

CLAIMS: tuple[Claim, ...] = (
    *FAR_COSTS,
    *WHEN,
    *HOW_MANY,
    *TIME,
    *UNIFORM_COSTS,
    *NEAR_COSTS,
    *NEAR_QUESTIONS,
    *ALL_PRIORS_COSTS,
)
"""All claims in the order of the paper; the last ones are about all priors together."""

BEHAVIOUR, COMPUTING_TIME = "behaviour", "computing time"
"""The subjects of claims. Computing time depends on the machine and the code as much as on the method."""

COLUMNS = {
    "name": pl.String, "where": pl.String, "about": pl.String, "claim": pl.String, "measured": pl.String,
    "verdict": pl.String, "rule": pl.String,
}  # fmt: skip


def claims(
    episodes: pl.DataFrame, queries: pl.DataFrame | None = None, timings: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return one row for each claim of the paper: its text, where the paper states it, our measurement, the verdict.

    The columns are those of `COLUMNS`. Only episodes with the paper's methods and priors and prices up to 0.5 count; if
    teammates or base prices vary, only those with the optimal teammate and the base price 0.5. If no episode counts,
    the table is empty. A claim is not decided if conditions are missing.

    Args:
        episodes: one row for each episode.
        queries: one row for each question.
        timings: one row for each timed episode.
    """
    evidence = StudyEvidence(checked(episodes, queries, timings))
    if evidence.empty:
        return pl.DataFrame(schema=COLUMNS)
    rows = []
    for claim in CLAIMS:
        finding = claim.finding(evidence)
        about = COMPUTING_TIME if claim in TIME else BEHAVIOUR
        rows.append((claim.name, claim.where, about, claim.text, finding.measured, finding.verdict, claim.rule))
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")
