"""Rules that people use to decide whether to ask, for comparison with looking ahead.

A rule looks at a decision problem and returns which question to ask, or None to act. Then the best action is taken,
with the same belief and the same losses for all rules. `cost_of` computes the exact cost of a rule by following every
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
"""Returns the index of the question to ask; None to act."""

PLAUSIBLE = 0.1
CONFIDENT = 0.8
BITS = 0.1
TELLS = 1e-12
"""Questions with a smaller information gain, in bits, count as uninformative."""


def bits(problem: DecisionProblem) -> FloatArray:
    """Return ``float64 [n_questions]``: the information gain of each question about the intent, in bits."""
    told = np.zeros(len(problem.questions))
    for q, question in enumerate(problem.questions):
        joint = question.likelihood * problem.belief
        heard = joint.sum(axis=1)
        apart = heard[:, None] * problem.belief
        some = joint > 0
        told[q] = float((joint[some] * np.log2(joint[some] / apart[some])).sum())
    return told


def most_telling(problem: DecisionProblem, least: float = TELLS) -> int | None:
    """Return the most informative question if it may be asked and gains at least `least` bits; None otherwise."""
    if problem.most_questions == 0:
        return None
    told = bits(problem)
    best = int(told.argmax())
    return best if told[best] >= least else None


def plausible(problem: DecisionProblem, share: float = PLAUSIBLE) -> int | None:
    """Ask while more than one intent has at least this share of the probability."""
    return most_telling(problem) if (problem.belief >= share).sum() > 1 else None


def confident(problem: DecisionProblem, threshold: float = CONFIDENT) -> int | None:
    """Ask while the likeliest intent is less probable than this."""
    return most_telling(problem) if problem.belief.max() < threshold else None


def informative(problem: DecisionProblem, least: float = BITS) -> int | None:
    """Ask while some question has an information gain of at least `least` bits."""
    return most_telling(problem, max(least, TELLS))


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
    return best if values[best] < acting - TELLS else None


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
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def tuned(name: str) -> dict[str, Rule]:
    """Return a rule with several thresholds, by its name and threshold."""
    if name == "confident":
        return {f"{name} {each:g}": partial(confident, threshold=each) for each in THRESHOLDS}
    if name == "plausible":
        return {f"{name} {each:g}": partial(plausible, share=each) for each in (0.02, 0.05, 0.1, 0.2, 0.3, 0.4)}
    return {f"{name} {each:g}": partial(informative, least=each) for each in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)}


def cost_of(rule: Rule, problem: DecisionProblem) -> float:
    """Return the exact expected loss of a rule over all answers, prices included."""
    asked = rule(problem)
    if asked is None:
        return float((problem.loss @ problem.belief).min())
    question = problem.questions[asked]
    total = question.price
    for answer, row in zip(question.answers, question.likelihood, strict=True):
        heard = float(row @ problem.belief)
        if heard > 0:
            total += heard * cost_of(rule, problem.heard(question.name, answer))
    return total
