"""Decisions of the paper's size: moments at which an agent that never asks has to wait."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from typing import NamedTuple

import numpy as np

from askwise import simulate
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching.generate import generate
from askwise.domains.tool_fetching.instance import Prior
from askwise.methods.question_value import QuestionValue

PRIORS = ("far", "uniform", "near")
PRICES = (0.0, 0.2, 0.5)


class Moment(NamedTuple):
    """One decision: the kind of prior, the price of a goal in a question, and the values of all questions."""

    prior: str
    price: float
    values: QuestionValue


def decisions(n: int) -> list[Moment]:
    """Return `n` decisions from `n` episodes on 20 x 20 cells with 50 stations, 5 toolboxes, and various priors."""
    return list(islice(_decisions(), n))


def _decisions() -> Iterator[Moment]:
    for seed in count():
        prior, price = PRIORS[seed % 3], PRICES[seed // 3 % 3]
        drawn = generate(prior=Prior(prior), query_cost=QueryCost(0.5, price), seed=seed)
        episode = simulate(drawn, "never", seed=seed)
        problem = episode.problem
        moments = [step for step in episode.steps if step.decision.why.startswith("Wait")]
        if not moments:
            continue
        moment = moments[np.random.default_rng(seed).integers(len(moments))]
        assert moment.belief is not None
        goals = np.flatnonzero(moment.belief > 0)
        inside = np.ix_(goals, goals)
        values = QuestionValue(
            moment.belief[goals],
            problem.ego.divergence(moment.state.ego)[1][inside],
            problem.teammate.divergence(moment.state.teammate)[0][inside],
            problem.query_cost,
        )
        yield Moment(prior, price, values)
