"""Compiled loops against plain Python."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.model import Model
from askwise.model.graph import BASE, breadth_first, count_plans, scale
from askwise.model.optimal import distances
from tests import exact
from tests.exact import Plain
from tests.small_models import deterministic_model, goal_sets, graphs


@given(st.data(), graphs(max_states=8))
def test_breadth_first_search(data: st.DataObject, plain: Plain) -> None:
    targets = data.draw(goal_sets(plain))
    distance, order = breadth_first(sorted(targets), *deterministic_model(plain).predecessors)
    expected = exact.distances(plain, targets)
    assert [d if d >= 0 else math.inf for d in distance.tolist()] == expected
    assert sorted(order.tolist()) == [s for s in range(plain.n_states) if expected[s] < math.inf]
    assert distance[order].tolist() == sorted(distance[order].tolist())


def test_breadth_first_search_takes_a_start_twice() -> None:
    model = Model([[1], [2], [-1]])
    distance, order = breadth_first([2, 2], *model.predecessors)
    assert (distance.tolist(), order.tolist()) == ([2, 1, 0], [2, 1, 0])


def _counts(model: Model, target: int | set[int]) -> list[Fraction]:
    """Plan counts as the kernel finds them, exactly as they are stored."""
    targets = np.array(sorted({target} if isinstance(target, int) else target), dtype=np.int32)
    found = distances(model, targets)
    mantissa, exponent = np.zeros(model.n_states), np.zeros(model.n_states, dtype=np.int32)
    count_plans(found.order, found.order.size, found.to_goal, model.successor, mantissa, exponent)
    return [Fraction(m) * Fraction(int(BASE)) ** int(e) for m, e in zip(mantissa, exponent, strict=True)]


@given(st.data(), graphs(max_states=8))
def test_plan_counts_of_small_graphs_are_exact(data: st.DataObject, plain: Plain) -> None:
    targets = data.draw(goal_sets(plain))
    assert _counts(deterministic_model(plain), targets) == exact.plan_counts(plain, targets)


def _stages(parallel: list[int]) -> Model:
    """A line of states; `parallel[s]` actions lead from `s` to the next state."""
    successor = [[s + 1 if a < k else -1 for a in range(3)] for s, k in enumerate(parallel)]
    return Model([*successor, [-1] * 3])


def test_powers_of_two_are_counted_exactly_far_beyond_doubles() -> None:
    counts = _counts(_stages([2] * 2000), 2000)
    assert counts == [2 ** (2000 - s) for s in range(2001)]


@given(st.lists(st.integers(1, 3), min_size=1, max_size=20), st.integers(1, 80))
def test_counts_beyond_doubles_are_right_to_rounding(pattern: list[int], times: int) -> None:
    parallel = pattern * times
    true = [math.prod(parallel[s:]) for s in range(len(parallel) + 1)]
    for found, count in zip(_counts(_stages(parallel), len(parallel)), true, strict=True):
        assert abs(found / count - 1) <= len(parallel) * 2.0**-52


@pytest.mark.parametrize(("difference", "factor"), [(0, 1.0), (-1, 2.0**-256), (-3, 2.0**-768), (-4, 0.0), (-9, 0.0)])
def test_scale_is_a_power_of_the_base_until_it_underflows(difference: int, factor: float) -> None:
    assert scale(difference) == factor
