"""A problem of no domain: it can be played and drawn, and nothing knows how to record it."""

from __future__ import annotations

from askwise.problem import Problem


class Elsewhere(Problem):
    """Does what another problem does, under a type that no domain owns."""

    def __init__(self, inner: Problem) -> None:
        super().__init__(
            goals=inner.goals,
            teammate=inner.teammate,
            ego=inner.ego,
            start=inner.start,
            prior=inner.prior,
            query_cost=inner.query_cost,
            answers=inner.answers,
        )
