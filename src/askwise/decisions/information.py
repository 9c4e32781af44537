"""The least price of information: a lower bound of the loss of every plan, however many questions it asks.

A plan ends with an action that depends on the answers. An answer to question `q` carries at most the capacity ``C[q]``
of the channel ``L[q]`` from intents to answers. So a plan that pays ``c`` for questions on average has learned at most
``c / rate`` about the intent, with ``rate = min over q of price[q] / C[q]``, and its action cannot depend on the intent
by more than that:

    expected loss >= min over P(x | g) of  E loss(x, g) + rate * I(G; X).

The right-hand side is a point of the rate-distortion function of the losses. With any weights ``r[x]`` and
``a[g] = 1 / sum_x r[x] exp(-loss[x, g] / rate)`` it is at least

    rate * ( sum_g b[g] log a[g] - log max over x of sum_g b[g] a[g] exp(-loss[x, g] / rate) ),

with equality for the best weights, which Blahut's iteration approaches. Every step of the iteration gives a valid
bound.

The same iteration bounds capacities from above: with any distribution ``p`` over answers,
``C <= max over g of D(L[., g] || p)``.
"""

from __future__ import annotations

import math

import numpy as np

from askwise.decisions.problem import DecisionProblem
from askwise.types import FloatArray

STEPS = 30
CLOSE = 1e-3
"""Iterations stop once a bound is within this share of the largest possible saving."""


def information_bound(problem: DecisionProblem, steps: int = STEPS) -> float:
    """Return a lower bound of the expected loss, prices included, of every plan of asking and acting.

    A plan can adapt its action to the intent only by information from answers, and it pays at least
    `cheapest_information` for each nat of it. The bound is found numerically by at most `steps` iterations of Blahut's
    algorithm; each iteration can only raise it.
    """
    possible = problem.belief > 0
    belief, loss = problem.belief[possible], problem.loss[:, possible]
    known = float(belief @ loss.min(axis=0))
    acting = float((loss @ belief).min())
    rate = cheapest_information(problem)
    if not math.isfinite(rate):
        return acting
    if rate <= 0:
        return known
    # Losses above the least of each intent: the exponentials stay between 0 and 1, and one of each column is 1.
    beyond = loss - loss.min(axis=0)
    with np.errstate(over="ignore"):  # if information is almost free, all actions but the best have weight 0
        likely = np.exp(-beyond / rate)
    weights = np.full(len(loss), 1.0 / len(loss))
    bound = 0.0
    for _ in range(steps):
        scale = belief / np.maximum(weights @ likely, 1e-300)
        growth = likely @ scale
        value = rate * (float(belief @ np.log(np.maximum(scale / belief, 1e-300))) - math.log(float(growth.max())))
        bound = max(bound, value)
        if -rate * float(belief @ np.log(belief / scale)) - bound <= CLOSE * (acting - known):
            break  # these weights are nearly the best
        weights = weights * growth
        weights /= weights.sum()
    # Rounding in sums of logarithms must not raise the bound above the true value.
    slack = 1e-9 * max(float(np.abs(beyond).max()), rate)
    return min(known + max(bound - slack, 0.0), acting)


def cheapest_information(problem: DecisionProblem) -> float:
    """Return the least price per nat of information over all questions.

    The result is ``inf`` if no question is informative, or if the problem's limit allows no question.
    """
    if problem.most_questions == 0:
        return math.inf
    possible = problem.belief > 0
    priced = [(each.price, capacity(each.likelihood[:, possible])) for each in problem.questions]
    return min((price / most for price, most in priced if most > 0), default=math.inf)


def capacity(likelihood: FloatArray, steps: int = STEPS) -> float:
    """Return an upper bound of the information that the answer to a question can carry, in nats (its channel capacity).

    Args:
        likelihood: ``float64 [n_answers, n_intents]``, probability of each answer given each intent.
        steps: largest number of iterations of the algorithm (Blahut's) that lowers the bound.
    """
    ordered = likelihood[:, np.lexsort(likelihood)]
    new = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    columns = ordered[:, np.concatenate([[True], new])]  # without duplicates
    if columns.shape[1] < 2:
        return 0.0
    logs = np.log(np.where(columns > 0, columns, 1.0))
    inputs = np.full(columns.shape[1], 1.0 / columns.shape[1])
    best = math.log(len(columns))
    for _ in range(steps):
        mixed = np.maximum(columns @ inputs, 1e-300)
        apart = (columns * (logs - np.log(mixed)[:, None])).sum(axis=0)
        best = min(best, float(apart.max()) * (1 + 1e-12))
        if best - float(inputs @ apart) <= CLOSE * best:
            break
        inputs = inputs * np.exp(apart)
        inputs /= inputs.sum()
    return best
