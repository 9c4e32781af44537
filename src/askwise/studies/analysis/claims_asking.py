"""What the paper's text says about questions: how many, and when (its figure 4)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import polars as pl

from askwise.studies.analysis.estimates import Estimate
from askwise.studies.analysis.evidence import Evidence, Missing, Pick
from askwise.studies.analysis.judging import FAILS, HOLDS, OPEN, Claim, Part, Rule, above_zero, below_zero, part

FALL = 23.0
"""By how many per cent fewer questions ezq asks in the paper at 0.5 than at 0."""
WIDEST = 30.0
"""A wider interval of the difference from that fall, in points, cannot confirm it."""


def _at_zero(evidence: Evidence, column: str, what: str, rule: Rule) -> Iterator[Part]:
    """Compare ezq with toolbox and cost-prob in the condition of the paper's figure 4."""
    for other in ("toolbox", "cost-prob"):
        one, two = Pick("ezq", "far", 0.0), Pick(other, "far", 0.0)
        yield part(f"{what}, ezq less {other}", partial(evidence.difference, one, two, column), rule)


def _early(evidence: Evidence) -> Iterator[Part]:
    there = evidence.early_until.filter((pl.col("prior") == "far") & (pl.col("per_station_cost") == 0))
    if there.is_empty():
        raise Missing("no questions under far at a per-station cost of 0 in this study")
    return _at_zero(evidence, "early_questions", f"questions up to step {there['until'][0]:g}", above_zero)


def _sooner(evidence: Evidence) -> Iterator[Part]:
    return _at_zero(evidence, "known_at", "step at which the goal is known", below_zero)


def _later(evidence: Evidence) -> Iterator[Part]:
    return _at_zero(evidence, "first_run", "questions in a row before it can act", above_zero)


def _fewer(evidence: Evidence) -> Iterator[Part]:
    one, two = Pick("ezq", None, evidence.top), Pick("ezq", None, 0.0)
    yield part("questions an episode, at 0.5 less at 0", partial(evidence.difference, one, two, "queries"), below_zero)


def _fewer_by(evidence: Evidence) -> Iterator[Part]:
    for prior in (None, "far"):
        one, two = Pick("ezq", prior, evidence.top), Pick("ezq", prior, 0.0)
        name = f"fall {'under far' if prior else 'over all priors'}"
        yield part(name, partial(_fall, evidence, one, two), about_as_the_paper, unit="%", digits=0, signed=False)


def _fall(evidence: Evidence, one: Pick, two: Pick) -> Estimate:
    """Return by how many per cent the number of questions falls."""
    found = evidence.quotient(one, two, "queries")
    if found.low is None or found.high is None:
        return replace(found, mean=100 * (1 - found.mean))
    return replace(found, mean=100 * (1 - found.mean), low=100 * (1 - found.high), high=100 * (1 - found.low))


def about_as_the_paper(found: Estimate) -> str:
    """Whether a fall differs from the paper's, which is measured as well: its standard error is taken to be ours.

    The difference of two such numbers has an interval that is wider than ours by the square root of 2.
    """
    assert found.low is not None
    assert found.high is not None
    reach = math.sqrt(2) * (found.high - found.low) / 2
    if abs(found.mean - FALL) > reach:
        return FAILS
    return HOLDS if 2 * reach <= WIDEST else OPEN


def _fewer_under_near(evidence: Evidence) -> Iterator[Part]:
    for method in ("baseline", "toolbox", "cost-prob", "ezq"):
        for other in ("uniform", "far"):
            one, two = Pick(method, "near", 0.0), Pick(method, other, 0.0)
            name = f"questions of {method}, near less {other}"
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
        "the step from which one goal only is possible is significantly earlier",
        _sooner,
    ),
    Claim(
        "far: ezq can act later",
        "Results, figure 4",
        "Under far with free stations, ezq takes longer than toolbox and cost-prob until it knows an action that is "
        "right for sure.",
        "significantly more questions in a row from the first one on",
        _later,
    ),
)
HOW_MANY = (
    Claim(
        "ezq asks less when it costs more",
        "Results, paragraph on figure 4",
        "ezq asks fewer questions when stations cost 0.5 than when they cost nothing.",
        "significantly fewer questions an episode, all priors together",
        _fewer,
    ),
    Claim(
        "ezq asks 23 % less at 0.5",
        "Results, paragraph on figure 4",
        "ezq asks 23 % fewer questions when stations cost 0.5 than when they cost nothing.",
        "the 95 % interval of the difference from 23 % contains 0 and is at most 30 points wide, over all priors and "
        "under far; the paper's number is allowed a standard error as large as ours",
        _fewer_by,
    ),
)
NEAR = (
    Claim(
        "near: the worker gives itself away",
        "Appendix, figure 6",
        "Under near, the worker soon shows its goal by what it does, so that there is less need to ask.",
        "each asking method asks significantly fewer questions at price 0 than under uniform and under far",
        _fewer_under_near,
    ),
)
