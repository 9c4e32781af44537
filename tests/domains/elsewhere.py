"""A problem of no domain."""

from __future__ import annotations

from askwise.core.problem import Problem


class Elsewhere(Problem):
    """Another problem under a type that no domain recognises."""

    def __init__(self, inner: Problem) -> None:
        groups = {name: [inner.goals[goal] for goal in goals] for name, goals in inner.groups.items()}
        super().__init__(
            goals=inner.goals,
            teammate=inner.teammate,
            ego=inner.ego,
            start=inner.start,
            prior=inner.prior,
            query_cost=inner.query_cost,
            answers=inner.answers,
            groups=groups,
            policies=inner.policies,
        )
