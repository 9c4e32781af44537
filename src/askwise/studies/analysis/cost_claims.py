"""The claims of the paper about marginal costs: its figures 3, 5 and 6, and the tests of its appendix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from askwise.studies.analysis.verdicts import (
    FAILS,
    HOLDS,
    METHODS,
    OPEN,
    PRIORS,
    SIMILAR,
    Claim,
    Part,
    Pick,
    Rule,
    StudyEvidence,
    above_zero,
    below_zero,
    not_significantly_below,
    part,
    significantly_below,
    similar,
    within,
)

OTHERS = tuple(method for method in METHODS if method != "ezq")
ASKING = ("baseline", "toolbox", "cost-prob")
EXCEPTIONS = {"uniform": 0.4, "near": 0.2}
"""The two exceptions in the paper: up to this price, its tests find no advantage of ezq over cost-prob."""


def _against(
    evidence: StudyEvidence, rule: Rule, others: Iterable[str], prior: str, prices: Iterable[float], first: str = "ezq"
) -> Iterator[Part]:
    """Compare the marginal cost of the method `first` with that of each of `others`, under one prior at each price.

    `prices` are for naming one more goal in a question. `rule` turns the estimated difference, `first` minus the other
    method, into a verdict.
    """
    for price in prices:
        for other in others:
            one, two = Pick(first, prior, price), Pick(other, prior, price)
            name = f"{first} minus {other}, {prior} at {price:g}"
            yield part(name, partial(evidence.difference, one, two), rule)


def _growth(evidence: StudyEvidence, method: str, prior: str, against: str | None = None) -> Part:
    """Judge whether the marginal cost of a method rises from a price of 0 to the paper's highest price, 0.5.

    With `against`, judge whether it rises by more than the cost of this second method.
    """
    top = evidence.top
    weights = {Pick(method, prior, top): 1.0, Pick(method, prior, 0.0): -1.0}
    if against is not None:
        weights |= {Pick(against, prior, top): -1.0, Pick(against, prior, 0.0): 1.0}
    what = f"rise of {method}" + (f" minus that of {against}" if against else "") + f", {prior}, 0 to {top:g}"
    return part(what, partial(evidence.combined, weights), above_zero)


def _uniform_worsen(evidence: StudyEvidence) -> Iterator[Part]:
    for method in ASKING:
        weights = {Pick(method, "uniform", evidence.top): 1.0, Pick(method, "uniform", 0.0): -2.0}
        name = f"{method} at {evidence.top:g} minus twice that at 0"
        yield part(name, partial(evidence.combined, weights), above_zero)


def _uniform_robust(evidence: StudyEvidence) -> Iterator[Part]:
    yield from _against(evidence, below_zero, ("never",), "uniform", evidence.prices)
    for method in ASKING:
        yield _growth(evidence, method, "uniform", against="ezq")


def _near_less_to_gain(evidence: StudyEvidence) -> Iterator[Part]:
    for other in ("uniform", "far"):
        weights = {Pick("never", "near", 0.0): 1.0, Pick("ezq", "near", 0.0): -1.0}
        weights |= {Pick("never", other, 0.0): -1.0, Pick("ezq", other, 0.0): 1.0}
        name = f"gain of ezq over never, near minus {other}"
        yield part(name, partial(evidence.combined, weights), below_zero)


def _near_only_ezq(evidence: StudyEvidence) -> Iterator[Part]:
    """Judge the claim that under the prior `near` only `ezq` is cheaper than never asking.

    Each of the methods `baseline`, `toolbox` and `cost-prob` has a part, which holds if `never` is significantly
    cheaper than this method at one or more prices above 0.
    """
    for method in ASKING:
        compared = list(_against(evidence, below_zero, (method,), "near", evidence.rising, first="never"))
        losing = [each for each in compared if each.verdict == HOLDS]
        if losing:
            yield Part(method, HOLDS, f"never is cheaper at {len(losing)} of {len(compared)} prices")
        elif all(each.verdict == FAILS for each in compared):
            yield Part(method, FAILS, f"cheaper than never at all {len(compared)} prices")
        else:
            yield Part(method, OPEN, compared[-1].result)


def _near_never_good(evidence: StudyEvidence) -> Iterator[Part]:
    for other in ("uniform", "far"):
        weights = {Pick("never", "near", evidence.prices[0]): 1.0, Pick("never", other, evidence.prices[0]): -0.5}
        name = f"never under near minus half of that under {other}"
        yield part(name, partial(evidence.combined, weights), below_zero)


def _significant(evidence: StudyEvidence) -> Iterator[Part]:
    for prior in PRIORS:
        for price in evidence.prices:
            excepted = price <= EXCEPTIONS.get(prior, -1.0)
            others = [method for method in OTHERS if not (excepted and method == "cost-prob")]
            yield from _against(evidence, significantly_below, others, prior, [price])


def _exception(prior: str) -> Claim:
    limit = EXCEPTIONS[prior]

    def judge(evidence: StudyEvidence) -> Iterator[Part]:
        prices = [price for price in evidence.prices if price <= limit]
        return _against(evidence, not_significantly_below, ["cost-prob"], prior, prices)

    return Claim(
        f"{prior}: no significant lead over cost-prob up to {limit:g}",
        "Appendix, last paragraph",
        f"Under {prior}, ezq is not significantly better than cost-prob up to a per-station cost of {limit:g}: an "
        "exception to the previous claim.",
        "no significant lead in any of these conditions, with at least the paper's 100 pairs",
        judge,
    )


def _best_overall(evidence: StudyEvidence) -> Iterator[Part]:
    share = 1 / len(evidence.prices)
    for prior in PRIORS:
        for other in OTHERS:
            weights = {Pick("ezq", prior, price): share for price in evidence.prices}
            weights |= {Pick(other, prior, price): -share for price in evidence.prices}
            name = f"ezq minus {other}, {prior}, mean of all prices"
            yield part(name, partial(evidence.combined, weights), below_zero)


FAR_COSTS = (
    Claim(
        "far: ezq like the heuristics at 0",
        "Results, figure 3",
        "Under far, with free stations, ezq costs about as much as baseline, toolbox and cost-prob.",
        "the interval of each difference lies within one step",
        lambda evidence: _against(evidence, similar, ASKING, "far", [0.0]),
    ),
    Claim(
        "far: ezq best once stations cost",
        "Results, figure 3",
        "Under far, ezq is cheaper than every other method once stations cost something.",
        "significantly cheaper than each of the four others at every price above 0",
        lambda evidence: _against(evidence, below_zero, OTHERS, "far", evidence.rising),
    ),
    Claim(
        "far: the lead of ezq grows",
        "Results, figure 3",
        "Under far, the lead of ezq over the other asking methods grows with the per-station cost.",
        "their cost rises significantly more than that of ezq from price 0 to 0.5",
        lambda evidence: (_growth(evidence, method, "far", against="ezq") for method in ASKING),
    ),
)
UNIFORM_COSTS = (
    Claim(
        "uniform: ezq like the others at 0",
        "Appendix, figure 5",
        "Under uniform, with free stations, ezq costs as much as the other asking methods.",
        "the interval of each difference lies within one step",
        lambda evidence: _against(evidence, similar, ASKING, "uniform", [0.0]),
    ),
    Claim(
        "uniform: the baselines worsen",
        "Appendix, figure 5",
        "Under uniform, baseline, toolbox and cost-prob get much more expensive as the price of stations rises.",
        "the cost at 0.5 is significantly more than twice that at 0",
        _uniform_worsen,
    ),
    Claim(
        "uniform: baseline, toolbox lose to never",
        "Appendix, figure 5",
        "Under uniform, baseline and toolbox are no better than never asking when stations are expensive enough.",
        "never is significantly cheaper at 0.5",
        lambda evidence: _against(
            evidence, below_zero, ("baseline", "toolbox"), "uniform", [evidence.top], first="never"
        ),
    ),
    Claim(
        "uniform: cost-prob still beats never",
        "Appendix, figure 5",
        "Under uniform, cost-prob is the only baseline that stays better than never asking.",
        "significantly cheaper than never at 0.5",
        lambda evidence: _against(evidence, below_zero, ("never",), "uniform", [evidence.top], first="cost-prob"),
    ),
    Claim(
        "uniform: ezq is robust to the price",
        "Appendix, figure 5",
        "Under uniform, ezq continues to do well as the price rises.",
        "significantly cheaper than never at every price, and its cost rises significantly less than each baseline's",
        _uniform_robust,
    ),
)
NEAR_COSTS = (
    Claim(
        "near: less to gain by asking",
        "Appendix, figure 6",
        "Under near, asking can save less than under the other priors.",
        "what ezq saves over never at price 0 is significantly less than under uniform and far",
        _near_less_to_gain,
    ),
    Claim(
        "near: ezq best of those that ask",
        "Appendix, figure 6",
        "Under near, ezq is still cheaper than the other asking methods.",
        "significantly cheaper than each of the three at every price above 0 (at 0 the paper states the opposite)",
        lambda evidence: _against(evidence, below_zero, ASKING, "near", evidence.rising),
    ),
    Claim(
        "near: toolbox, cost-prob ahead at 0",
        "Appendix, figure 6",
        "Under near, toolbox and cost-prob are slightly cheaper than ezq when stations cost nothing.",
        "the interval of each difference lies between 0 and one step",
        lambda evidence: _against(evidence, within(0.0, SIMILAR), ("toolbox", "cost-prob"), "near", [0.0]),
    ),
    Claim(
        "near: ezq beats never at every price",
        "Appendix, figure 6; Discussion",
        "Under near, ezq stays cheaper than never asking as the price rises, although asking saves little there.",
        "significantly cheaper at every price above 0",
        lambda evidence: _against(evidence, below_zero, ("never",), "near", evidence.rising),
    ),
    Claim(
        "near: only ezq beats never",
        "Appendix, figure 6",
        "Under near, no other method stays cheaper than never asking.",
        "for each other method, never is significantly cheaper at some price above 0",
        _near_only_ezq,
    ),
    Claim(
        "near: never does very well",
        "Appendix, figure 6",
        "Under near, never asking costs very little.",
        "significantly less than half of what it costs under uniform and under far",
        _near_never_good,
    ),
)
ALL_PRIORS_COSTS = (
    Claim(
        "ezq significantly better elsewhere",
        "Appendix, last paragraph",
        "With two exceptions, ezq is significantly better than every other method in every condition.",
        "p below 0.05 in each condition except the exceptions; with at least the paper's 100 pairs, p above 0.05 "
        "counts against it",
        _significant,
    ),
    _exception("uniform"),
    _exception("near"),
    Claim(
        "ezq best under every prior",
        "Introduction, Discussion",
        "However the worker chooses its goal, ezq does better than all other methods.",
        "the mean over all prices is significantly below that of each other method, under each prior",
        _best_overall,
    ),
)
