"""Hill climbing: after any number of flips, its gains equal their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.core.questions import QueryCost
from askwise.methods.hill_climbing import climb, flip, standing, sum_up
from askwise.methods.optimisers import _price_arrays
from askwise.methods.question_value import FOREVER, QuestionValue
from askwise.types import BoolArray, FloatArray
from tests.methods.questions import plain_value, situation, situations, values_of

Situation = tuple[FloatArray, FloatArray, FloatArray]


def plain_gains(mask: BoolArray, drawn: Situation) -> list[float]:
    """Return the gain of each flip by its definition."""

    def value(question: BoolArray) -> float:
        return plain_value(set(np.flatnonzero(question).tolist()), *drawn)

    return [value(mask ^ (np.arange(mask.size) == goal)) - value(mask) for goal in range(mask.size)]


@given(situations(), st.data())
def test_gains_beside_plain_python(drawn: Situation, data: st.DataObject) -> None:
    values = values_of(drawn)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=values.n, max_size=values.n)))
    now = standing(mask, values.belief, values.intervals)
    np.testing.assert_allclose(now.gains, plain_gains(mask, drawn), atol=1e-12)
    for goal in data.draw(st.lists(st.integers(0, values.n - 1), max_size=12)):
        flip(goal, now, values.belief, values.intervals)
        np.testing.assert_allclose(now.gains, plain_gains(mask, drawn), atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_gains_after_a_thousand_flips(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = values_of(situation(random, 40, whole=seed % 2 == 0))
    mask = random.random(values.n) < 0.3
    now = standing(mask, values.belief, values.intervals)
    for _ in range(10):
        for goal in random.integers(values.n, size=100):
            flip(int(goal), now, values.belief, values.intervals)
        np.testing.assert_allclose(now.gains, values.flips(mask), atol=1e-11)
    sum_up(now, values.intervals)
    again = standing(mask.copy(), values.belief, values.intervals)
    assert now.gains.tolist() == again.gains.tolist(), "nothing is left of the way here"


@given(situations(max_goals=12), st.booleans(), st.integers(0, 1000))
def test_a_climb_ends_where_no_flip_helps(drawn: Situation, swaps: bool, seed: int) -> None:
    values = values_of(drawn, QueryCost(0.5, 0.25))
    mask = _question(values, seed)
    before = values.net(mask)
    net, looked_at = climb(mask, swaps, values.belief, values.conflict_steps, values.intervals, *_price_arrays(values))
    assert net == pytest.approx(values.net(mask), abs=1e-12)
    assert net >= before - 1e-12
    assert looked_at >= values.n
    flips = [mask ^ (np.arange(values.n) == goal) for goal in range(values.n)]
    assert all(values.net(other) <= net + 1e-9 for other in flips if 0 < other.sum() < values.n)


def test_swaps_get_further_than_flips() -> None:
    ahead = []
    for seed in range(20):
        values = values_of(situation(np.random.default_rng(seed), 20), QueryCost(0.5, 0.25))
        rest = (values.belief, values.conflict_steps, values.intervals, *_price_arrays(values))
        flipped, swapped = (climb(_question(values, seed), swaps, *rest)[0] for swaps in (False, True))
        ahead.append(swapped - flipped)
    assert min(ahead) >= 0
    assert max(ahead) > 0.01


def test_goals_that_watching_never_tells_apart() -> None:
    # Intervals that never end are as long as all others together, and rounding beside them must not keep a climb going.
    random = np.random.default_rng(5)
    belief, branching, divergence = situation(random, 30)
    divergence[random.random(divergence.shape) < 0.2] = np.inf
    values = values_of((belief, branching, divergence))
    assert values.conflict_steps.max() > FOREVER / 2
    mask = _question(values, 5)
    net, _ = climb(mask, True, values.belief, values.conflict_steps, values.intervals, *_price_arrays(values))
    assert net == pytest.approx(values.net(mask), rel=1e-12)
    assert values.flips(mask).max() < 0.01


def _question(values: QuestionValue, seed: int) -> BoolArray:
    mask = np.random.default_rng(seed).random(values.n) < 0.5
    mask[0], mask[1] = True, False
    return mask
