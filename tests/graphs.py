"""Small random problems on directed graphs, for tests that hold for every model.

Edges may lead one way only, several actions may lead to the same state, goals may have several targets, ways of
different length meet. Every goal can be reached from the start, and no two goals share a target of the teammate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from askwise.core.factored import FactoredProblem
from askwise.core.questions import QueryCost
from askwise.errors import InputError
from askwise.model import Model, Policy, urop

TRIES = 1000


def random_model(rng: np.random.Generator, n_states: int, n_actions: int) -> Model:
    """A graph in which most states have some actions, and some actions lead to the same state."""
    successor = rng.integers(n_states, size=(n_states, n_actions))
    successor[rng.random(successor.shape) < 0.35] = -1
    twin = rng.random(n_states) < 0.3
    successor[twin, 1] = successor[twin, 0]  # parallel actions
    return Model(successor, actions=[f"a{k}" for k in range(n_actions)])


PolicyOf = Callable[[Model, list[int], np.random.Generator], Policy]
"""Makes a policy towards some target states."""


def lopsided(model: Model, targets: list[int], rng: np.random.Generator) -> Policy:
    """Somebody who prefers some shortest plans to others: no UROP, but it never goes in circles."""
    plans = urop(model, targets)
    shares = plans.probabilities * rng.uniform(0.2, 1.0, size=plans.probabilities.shape)
    total = shares.sum(axis=1, keepdims=True)
    return Policy(model, np.divide(shares, total, out=np.zeros_like(shares), where=total > 0), partial=True)


def random_problem(
    seed: int, *, n_goals: int | None = None, by_goal: bool = False, policies: PolicyOf | None = None
) -> FactoredProblem:
    """A problem on two random graphs; draws until all goals can be reached."""
    rng = np.random.default_rng(seed)
    for _ in range(TRIES):
        n = int(rng.integers(2, 5)) if n_goals is None else n_goals
        problem = _drawn(rng, n, by_goal, policies)
        if problem is not None:
            return problem
    raise AssertionError("no problem in many tries")


def _drawn(rng: np.random.Generator, n_goals: int, by_goal: bool, policies: PolicyOf | None) -> FactoredProblem | None:
    teammate = random_model(rng, int(rng.integers(n_goals + 2, 9)), int(rng.integers(2, 5)))
    ego = random_model(rng, int(rng.integers(3, 8)), int(rng.integers(2, 5)))
    order = rng.permutation(teammate.n_states)
    targets: list[list[int]] = [[int(order[k])] for k in range(n_goals)]
    if teammate.n_states > n_goals + 2 and rng.random() < 0.5:
        targets[0].append(int(order[n_goals]))
    ego_targets = [[int(rng.integers(ego.n_states))] for _ in range(n_goals)]
    start = int(rng.integers(teammate.n_states)), int(rng.integers(ego.n_states))
    prices = tuple(rng.choice([0.0, 0.1, 0.7], size=n_goals).tolist()) if by_goal else None
    try:
        return FactoredProblem(
            goals=[f"g{k}" for k in range(n_goals)],
            prior=rng.dirichlet(np.ones(n_goals)),
            teammate_model=teammate,
            teammate_goals=targets,
            ego_model=ego,
            ego_goals=ego_targets,
            start=start,
            query_cost=QueryCost(float(rng.choice([0.1, 0.5])), float(rng.choice([0.0, 0.1])), prices),
            teammate_policies=None if policies is None else [policies(teammate, own, rng) for own in targets],
        )
    except InputError as error:
        if error.expected != "a goal that can be reached":
            raise
        return None
