"""The problems that guards record results for: always the same ones, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from askwise import AnswerModel, Prior, Problem, QueryCost, ToolFetching, generate
from tests.graphs import lopsided, random_problem

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = ("ward.toml", "kitchen.toml", "coverage.toml", "words.toml", "workshop.json")
PRIORS = ("far", "uniform", "near")


def drawn(
    side: int,
    stations: int,
    prior: str,
    cost: QueryCost,
    seed: int,
    *,
    toolboxes: int = 3,
    walls: float = 0.0,
    answers: AnswerModel | None = None,
) -> Problem:
    """Return tool fetching on a random map."""
    instance = generate(size=side, stations=stations, toolboxes=toolboxes, walls=walls, seed=seed)
    problem = ToolFetching(instance).with_terms(Prior(prior), cost)
    return problem if answers is None else problem.with_answers(answers)


def own_prices(goals: int) -> QueryCost:
    """Return a price of its own for each goal."""
    return QueryCost(0.3, prices=tuple(round(0.05 * (k % 7), 2) for k in range(goals)))


def to_decide(seed: int) -> dict[str, Callable[[], object]]:
    """Return the problems for recorded decisions: the examples, maps of several sizes, and graphs."""
    found: dict[str, Callable[[], object]] = {name: partial(Path, EXAMPLES / name) for name in FILES}
    for k, prior in enumerate(PRIORS):
        cost = QueryCost(0.5, (0.0, 0.1, 0.3)[(seed + k) % 3])
        for side, stations, walls in ((6, 6, 0.0), (9, 12, 0.2), (13, 24, 0.1)):
            found[f"map {side} {prior}"] = partial(drawn, side, stations, prior, cost, seed, walls=walls)
        found[f"paper {prior}"] = partial(drawn, 20, 50, prior, cost, seed, toolboxes=5)
    found["own prices"] = partial(drawn, 9, 12, "uniform", own_prices(12), seed)
    found["choices"] = partial(drawn, 9, 10, "uniform", QueryCost(0.3, 0.1, per_option=0.1), seed)
    found["graph"] = partial(random_problem, seed, n_goals=4)
    found["graph, own prices"] = partial(random_problem, seed, n_goals=5, by_goal=True)
    found["graph, own ways"] = partial(random_problem, seed, n_goals=4, policies=lopsided)
    return found


def to_solve() -> Iterator[tuple[str, Problem]]:
    """Yield one problem of each cell of ``python -m benchmarks --only optimum``, its small suite."""
    cells = [
        (side, w, prior, c) for side in (6, 8, 10) for w in (0.0, 0.2) for prior in PRIORS for c in (0.0, 0.2, 0.5)
    ]
    for seed, (side, walls, prior, price) in enumerate(cells):
        problem = drawn(side, side, prior, QueryCost(0.5, price), seed % 50, walls=walls)
        yield f"{side}x{side} walls {walls} {prior} price {price} seed {seed % 50}", problem


def to_solve_with_noise() -> Iterator[tuple[str, Problem]]:
    """Yield up to two problems for each kind of answers of ``python -m benchmarks --only noisy-optimum``."""
    kinds = [(w, r, e) for w in (0.05, 0.1, 0.2) for r in (0.0, 0.3) for e in ("independent", "persistent")]
    for seed, (wrong, refused, errors) in enumerate(kinds * 2):
        if seed in (3, 7, 13, 14, 19):
            continue  # these take seconds
        rng = np.random.default_rng([14, seed])
        side, stations = ((5, 4), (6, 4), (6, 5))[rng.integers(3)]
        walls, prior = (0.0, 0.2)[rng.integers(2)], PRIORS[seed % 3]
        price = (QueryCost(0.3, 0.0), QueryCost(0.2, 0.1))[rng.integers(2)]
        answers = AnswerModel(wrong, refused, errors)
        problem = drawn(side, stations, prior, price, seed, toolboxes=2, walls=walls, answers=answers)
        yield f"wrong {wrong} refused {refused} {errors} seed {seed}", problem
