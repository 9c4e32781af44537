"""Branch and bound agrees with exhaustive search, and claims a proof only if it has one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest

import askwise
from askwise.designs.design import space_of_given
from tests.designs.plain import (
    cost_of_not_knowing,
    expected_edp,
    least,
    random_drawing,
    random_graph_problem,
    random_map_problem,
    worst_case,
)

VALUES = {"wcd": worst_case, "edp": expected_edp}


def _some(make: Any, n: int) -> Iterator[tuple[Any, np.random.Generator]]:
    """Yield the first `n` random problems, each with its generator."""
    found = 0
    for seed in count():
        rng = np.random.default_rng(seed)
        made = make(rng)
        if made is not None:
            found += 1
            yield made, rng
        if found == n:
            return


def _check(given: Any, minimise: str, value: Any, most: int, budget: int, **options: Any) -> None:
    space = space_of_given(given)
    most = min(most, len(space.names))
    truth = least(space, value, most, budget)
    found = askwise.design(given, most, minimise=minimise, budget=budget, **options)
    assert found.after.value == pytest.approx(truth.value, abs=1e-9)
    assert found.after.value == pytest.approx(value(found.changed), abs=1e-9)
    assert found.before.value == pytest.approx(value(given), abs=1e-9)
    assert (len(found.forbidden), found.verdict.proven) == (truth.size, True)
    assert found.verdict.bound == pytest.approx(truth.value, abs=1e-9)


@pytest.mark.parametrize("minimise", VALUES)
def test_on_maps(minimise: str) -> None:
    for drawing, rng in _some(random_drawing, 20):
        _check(drawing, minimise, VALUES[minimise], int(rng.integers(1, 3)), int(rng.integers(0, 3)))


@pytest.mark.parametrize("minimise", VALUES)
def test_where_both_walk(minimise: str) -> None:
    for problem, rng in _some(random_map_problem, 10):
        _check(problem, minimise, VALUES[minimise], 2, int(rng.integers(0, 3)))


@pytest.mark.parametrize("minimise", VALUES)
@pytest.mark.parametrize("shared", [False, True])
def test_on_graphs(minimise: str, shared: bool) -> None:
    for problem, rng in _some(lambda rng: random_graph_problem(rng, shared=shared), 10):
        _check(problem, minimise, VALUES[minimise], 3, int(rng.integers(0, 3)))


@pytest.mark.parametrize(
    ("make", "seed", "budget"),
    [
        (random_drawing, 1056, 2),
        (random_drawing, 1204, 2),
        (random_drawing, 1250, 0),
        (random_map_problem, 274, 2),
        (random_map_problem, 1716, 0),
        (random_map_problem, 1885, 2),
    ],
)
def test_where_the_best_single_steps_do_not_lead_to_the_best_design(make: Any, seed: int, budget: int) -> None:
    """Problems in which the greedy design is not optimal, so that the exact search is really needed."""
    _check(make(np.random.default_rng(seed)), "edp", expected_edp, 3, budget)


def test_the_cost_of_not_knowing() -> None:
    """The reference also tries cells that only the ego agent uses; an optimal design needs none of them."""
    for problem, rng in _some(random_map_problem, 8):
        budget = int(rng.integers(0, 2))
        _check(problem, "cost", cost_of_not_knowing(problem), 2, budget, by="optimum")
