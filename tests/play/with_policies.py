"""A comparison of exact and sampled costs, for teammates with policies of every kind.

Where the teammate may walk in circles, only agents that forget their ways can be evaluated exactly (`elimination`,
`informed`). On graphs without circles every belief can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from askwise import evaluate
from askwise.core.factored import FactoredProblem
from askwise.core.questions import QueryCost
from askwise.errors import AskwiseError, InputError
from askwise.methods import AGENTS
from askwise.model import GridWorld, Model, Policy, boltzmann, urop
from askwise.planning.exact import TooLarge
from tests.graphs import PolicyOf, lopsided

METHODS = [name for name in AGENTS if name != "optimal"]  # which refuses teammates with policies


class Settled:
    """A random generator that always returns the same result, so that agents are deterministic."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *given, **options: getattr(np.random.default_rng(7), name)(*given, **options)


# -- problems ----------------------------------------------------------------------------------------------------


def wilful(model: Model, targets: list[int], rng: np.random.Generator) -> Policy:
    """Return a policy with random probabilities for all actions from which the goal can be reached."""
    leading = boltzmann(model, targets).support
    shares = np.where(leading, rng.uniform(0.1, 1.0, size=leading.shape), 0.0)
    total = shares.sum(axis=1, keepdims=True)
    return Policy(model, np.divide(shares, total, out=np.zeros_like(shares), where=total > 0), partial=True)


def softened(model: Model, targets: list[int], rng: np.random.Generator) -> Policy:
    return urop(model, targets).soften(float(rng.uniform(0.1, 0.4)))


def careless(model: Model, targets: list[int], rng: np.random.Generator) -> Policy:
    return boltzmann(model, targets, float(rng.uniform(0.5, 2.5)))


def trained(model: Model, targets: list[int], rng: np.random.Generator) -> Any:
    """Return an array of positive probabilities, like a softmax."""
    scores = rng.normal(size=(model.n_states, model.n_actions)) + 2.0 * urop(model, targets).probabilities
    shares = np.where(model.available, np.exp(scores), 0.0)
    return shares / shares.sum(axis=1, keepdims=True)


def recorded(model: Model, targets: list[int], rng: np.random.Generator) -> Policy:
    """Return a policy learned from some paths of a teammate that takes detours."""
    base = careless(model, targets, rng)
    ways = []
    for _ in range(5):
        state, way = int(rng.choice(np.flatnonzero(base.defined))), []
        while state not in targets:
            action = int(rng.choice(model.n_actions, p=base.probabilities[state]))
            way.append((model.name(state), model.actions[action]))
            state = int(model.successor[state, action])
        ways.append(way)
    return Policy.from_trajectories(model, ways, base=base)


def room(rng: np.random.Generator) -> Model:
    return GridWorld(int(rng.integers(2, 4)), int(rng.integers(2, 4)))


def hall(rng: np.random.Generator) -> Model:
    return GridWorld(4, int(rng.integers(3, 5)))


def slope(rng: np.random.Generator) -> Model:
    """Return a graph without cycles, with paths of different lengths."""
    n = int(rng.integers(7, 11))
    successor = np.full((n, 3), -1)
    for state in range(n - 1):
        onwards = rng.permutation(np.arange(state + 1, min(state + 4, n)))
        successor[state, : onwards.size] = onwards
    return Model(successor, actions=["a", "b", "c"])


FAMILIES: dict[str, tuple[Callable[[np.random.Generator], Model], PolicyOf, bool]] = {
    "given, on a slope": (slope, wilful, False),
    "given, in a hall": (hall, lopsided, False),
    "Boltzmann, on a slope": (slope, careless, False),
    "learnt, on a slope": (slope, recorded, False),
    "softened, in a room": (room, softened, True),
    "Boltzmann, in a room": (room, careless, True),
    "learnt, in a room": (room, trained, True),
}
"""For each family a model, policies on it, and whether the teammate may walk in circles."""


def drawn(family: str, seed: int) -> FactoredProblem:
    """Return a random problem with two or three reachable goals."""
    ground, policy, _ = FAMILIES[family]
    rng = np.random.default_rng(seed)
    while True:
        model, ego = ground(rng), room(rng)
        n_goals = min(int(rng.integers(2, 4)), model.n_states // 2)
        cells = rng.permutation(np.arange(model.n_states // 2, model.n_states))[:n_goals].tolist()
        targets = [[cell] for cell in cells]
        try:
            return FactoredProblem(
                [f"g{k}" for k in range(n_goals)],
                rng.dirichlet(np.full(n_goals, 5.0)),
                model,
                targets,
                ego,
                [[int(cell)] for cell in rng.integers(ego.n_states, size=n_goals)],
                (int(rng.integers(2)), int(rng.integers(ego.n_states))),
                QueryCost(float(rng.choice([0.1, 0.5, 1.0])), float(rng.choice([0.0, 0.1]))),
                teammate_policies=[policy(model, own, rng) for own in targets],
            )
        except InputError as error:
            if error.expected != "a goal that can be reached":
                raise


# -- comparing ---------------------------------------------------------------------------------------------------


@dataclass
class Compared:
    """The results of the comparison.

    Attributes:
        compared: methods on problems whose exact and sampled costs agree.
        refused: methods that were refused, because the teammate may walk in circles.
        endless: methods that may never learn the goal, so that they have no cost.
        again: comparisons that took ten times as many episodes.
        worst: the most standard errors that a sampled cost is off.
    """

    compared: int = 0
    refused: int = 0
    endless: int = 0
    again: int = 0
    worst: float = 0.0


def belief_of(family: str, seed: int, method: str) -> str | None:
    """Return a belief with which a method can be evaluated exactly; None for the default, `robust`."""
    if method == "informed":
        return None
    return "elimination" if FAMILIES[family][2] else (None, "elimination", "bayes")[seed % 3]


def compare(family: str, seed: int, methods: list[str], paths: int, into: Compared) -> None:
    """Check that exact costs are within 4 standard errors of sampled ones, maybe with ten times as many episodes."""
    problem = drawn(family, seed)
    for method in methods:
        if FAMILIES[family][2] and method != "informed":
            with pytest.raises(TooLarge):
                evaluate(problem, method, exact=True)
            into.refused += 1
        belief = belief_of(family, seed, method)
        try:
            exact = evaluate(problem, method, belief=belief, exact=True)
        except AskwiseError as error:
            if str(error) != f"agent {method!r} may never be done: it has no cost":
                raise
            into.endless += 1
            continue
        assert exact.verdict.error_bound < 1e-9
        off = _off(problem, method, belief, exact.expected_cost, paths, seed)
        if off > 4:
            into.again += 1
            off = _off(problem, method, belief, exact.expected_cost, 10 * paths, seed + 1)
        assert off <= 4, (family, seed, method, belief, off)
        into.compared += 1
        into.worst = max(into.worst, off)


def _off(problem: FactoredProblem, method: str, belief: str | None, exact: float, paths: int, seed: int) -> float:
    """Return the difference of exact and sampled cost in standard errors."""
    found = evaluate(problem, method, belief=belief, paths=paths, seed=seed)
    return max(0.0, abs(found.expected_cost - exact) - 1e-9) / max(found.stderr, 1e-12)
