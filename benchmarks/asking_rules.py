"""Simple rules for deciding whether to ask, to compare with looking ahead.

A rule is a function that, for a decision problem, returns the question to ask, or None to act. Then the best action is
taken, with the same belief and losses for all rules. `cost_of` computes the exact cost of a rule by following every
answer.

- ``plausible``: ask while more than one intent has at least a tenth of the probability.
- ``confident``: ask while the likeliest intent has less than 0.8.
- ``informative``: ask while some question has an information gain of at least 0.1 bits.
- ``one step``: ask the question that is best if you act right after it, while that is better than acting now.
- ``look ahead``: `askwise.decide`.

The first three ask the most informative question; they ignore prices and losses. Each question is asked at most once,
and only if it is informative.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from askwise.decisions.problem import DecisionProblem
from askwise.decisions.recommendation import recommend
from askwise.types import FloatArray

Rule: TypeAlias = Callable[[DecisionProblem], int | None]
"""A function that returns the index of the question to ask, or None to act."""

PLAUSIBLE = 0.1
CONFIDENT = 0.8
BITS = 0.1
"""The usual thresholds of the first three rules."""
THRESHOLDS = {
    "plausible": (0.02, 0.05, 0.1, 0.2, 0.3, 0.4),
    "confident": (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99),
    "informative": (0.02, 0.05, 0.1, 0.2, 0.4, 0.8),
}
"""Other thresholds of these rules, to choose the best in hindsight."""
LEAST_BITS = 1e-12
"""Questions with a smaller information gain, in bits, count as uninformative."""


def information_gains(problem: DecisionProblem) -> FloatArray:
    """Return ``float64 [n_questions]``: the information gain of each question about the intent, in bits."""
    gains = np.zeros(len(problem.questions))
    for q, question in enumerate(problem.questions):
        joint = question.likelihood * problem.belief
        independent = joint.sum(axis=1)[:, None] * problem.belief
        positive = joint > 0
        gains[q] = float((joint[positive] * np.log2(joint[positive] / independent[positive])).sum())
    return gains


def most_informative(problem: DecisionProblem, least: float = LEAST_BITS) -> int | None:
    """Return the most informative question if it may be asked and gains at least `least` bits; None otherwise."""
    if problem.most_questions == 0:
        return None
    gains = information_gains(problem)
    best = int(gains.argmax())
    return best if gains[best] >= least else None


def plausible(problem: DecisionProblem, share: float = PLAUSIBLE) -> int | None:
    """Ask the most informative question while more than one intent has at least the probability `share`."""
    return most_informative(problem) if (problem.belief >= share).sum() > 1 else None


def confident(problem: DecisionProblem, threshold: float = CONFIDENT) -> int | None:
    """Ask the most informative question while the probability of the likeliest intent is below `threshold`."""
    return most_informative(problem) if problem.belief.max() < threshold else None


def informative(problem: DecisionProblem, least: float = BITS) -> int | None:
    """Ask the most informative question while its information gain is at least `least` bits."""
    return most_informative(problem, max(least, LEAST_BITS))


def one_step(problem: DecisionProblem) -> int | None:
    """Ask the question that is best if you act right after it, while it is better than acting now."""
    acting = float((problem.loss @ problem.belief).min())
    if problem.most_questions == 0:
        return None
    values = [
        question.price + float((problem.loss @ (question.likelihood * problem.belief).T).min(axis=0).sum())
        for question in problem.questions
    ]
    best = int(np.argmin(values))
    return best if values[best] < acting - LEAST_BITS else None


def look_ahead(problem: DecisionProblem) -> int | None:
    """Ask the question that `askwise.decide` recommends."""
    asked = recommend(problem).ask
    return None if asked is None else [each.name for each in problem.questions].index(asked)


RULES: dict[str, Rule] = {
    "plausible": plausible,
    "confident": confident,
    "informative": informative,
    "one step": one_step,
    "look ahead": look_ahead,
}


def variants(name: str) -> list[Rule]:
    """Return one of the first three rules with each of its `THRESHOLDS`."""
    argument = {"plausible": "share", "confident": "threshold", "informative": "least"}[name]
    return [partial(RULES[name], **{argument: each}) for each in THRESHOLDS[name]]


def cost_of(rule: Rule, problem: DecisionProblem) -> float:
    """Return the exact expected loss of a rule over all answers, prices included."""
    asked = rule(problem)
    if asked is None:
        return float((problem.loss @ problem.belief).min())
    question = problem.questions[asked]
    total = question.price
    for answer, row in zip(question.answers, question.likelihood, strict=True):
        p = float(row @ problem.belief)
        if p > 0:
            total += p * cost_of(rule, problem.heard(question.name, answer))
    return total
