"""Priors: how likely each station is at the start."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.core.belief import make_belief
from askwise.domains.tool_fetching import Instance, Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from tests.tool_fetching import free_cells, instances, steps_between, workshop

WORKER_STEPS = [5, 5, 9]
"""From (0, 0) to A, B and C of the workshop."""
TOOL_STEPS = [4, 4, 2]
"""From (2, 0) to the toolboxes of A, B and C."""


def prior(value: dict[str, Any]) -> list[float]:
    found = ToolFetching(workshop(prior=value)).prior
    assert found.dtype == np.float64
    return [float(p) for p in found]


def normalised(weights: list[float]) -> list[float]:
    return [weight / sum(weights) for weight in weights]


def test_uniform() -> None:
    assert prior({"kind": "uniform"}) == [1 / 3] * 3
    assert ToolFetching(workshop()).prior.tolist() == [1 / 3] * 3


@pytest.mark.parametrize("temperature", [0.5, 1.0, 7.0])
@pytest.mark.parametrize(
    ("kind", "sign", "steps"),
    [
        ("far", 1, WORKER_STEPS),
        ("near", -1, WORKER_STEPS),
        ("fetcher-far", 1, TOOL_STEPS),
        ("fetcher-near", -1, TOOL_STEPS),
    ],
)
def test_kinds_weigh_by_the_exponential_of_a_distance(
    kind: str, sign: int, steps: list[int], temperature: float
) -> None:
    expected = normalised([math.exp(sign * d / temperature) for d in steps])
    assert prior({"kind": kind, "temperature": temperature}) == pytest.approx(expected, rel=1e-12)


def test_the_temperature_is_1_unless_given() -> None:
    assert prior({"kind": "far"}) == prior({"kind": "far", "temperature": 1})


def test_weights_by_station() -> None:
    assert prior({"C": 1, "A": 2, "B": 1}) == [0.5, 0.25, 0.25]
    assert prior({"A": 0, "B": 0.5, "C": 0}) == [0, 1, 0]


@given(instances(max_side=6, max_stations=6))
def test_distances_go_around_walls(drawn: Instance) -> None:
    free = free_cells(drawn)
    kind, temperature = drawn.prior.kind, drawn.prior.temperature
    worker, fetcher = steps_between(free, drawn.worker), steps_between(free, drawn.fetcher)
    steps = [
        fetcher[drawn.toolboxes[station.toolbox]] if kind.startswith("fetcher") else worker[station.at]
        for station in drawn.stations.values()
    ]
    sign = {"far": 1, "near": -1}.get(kind.removeprefix("fetcher-"), 0)
    expected = normalised([math.exp(sign * d / temperature) for d in steps])
    assert ToolFetching(drawn).prior.tolist() == pytest.approx(expected, rel=1e-12)


@given(st.sampled_from(["far", "near", "fetcher-far", "fetcher-near"]), st.floats(0, 1e308, exclude_min=True))
def test_no_temperature_makes_a_station_impossible(kind: str, temperature: float) -> None:
    found = ToolFetching(workshop(prior={"kind": kind, "temperature": temperature})).prior
    assert np.isfinite(found).all()
    assert (found > 0).all()
    assert found.sum() == pytest.approx(1)
    order = np.argsort(TOOL_STEPS if kind.startswith("fetcher") else WORKER_STEPS, kind="stable")
    along = found[order] if kind.endswith("far") else found[order[::-1]]
    assert (np.diff(along) >= 0).all(), "never against the distance"


@pytest.mark.parametrize("temperature", [5e-324, 1e-308, 1e-307, 1e-300, 1e-3, 1e3, 1e308])
@pytest.mark.parametrize("kind", ["far", "near", "fetcher-far", "fetcher-near"])
def test_extreme_temperatures(kind: str, temperature: float) -> None:
    found = ToolFetching(workshop(prior={"kind": kind, "temperature": temperature})).prior
    assert (found > 0).all()
    assert found.sum() == pytest.approx(1)
    steps = TOOL_STEPS if kind.startswith("fetcher") else WORKER_STEPS
    likeliest = max(steps) if kind.endswith("far") else min(steps)
    if temperature < 1:
        assert found[[d == likeliest for d in steps]].sum() == pytest.approx(1)
    if temperature == 1e308:
        assert found.tolist() == pytest.approx([1 / 3] * 3)


weights = st.floats(0, 1.7e308) | st.sampled_from([0.0, 5e-324, 1e-300, 1.0, 1e308])


@given(st.tuples(weights, weights, weights).filter(any))
def test_weights_of_any_size_keep_what_is_possible(given_weights: tuple[float, float, float]) -> None:
    found = ToolFetching(workshop(prior=dict(zip("ABC", given_weights, strict=True)))).prior
    assert found.sum() == pytest.approx(1)
    assert (found > 0).tolist() == [weight > 0 for weight in given_weights]
    assert make_belief("bayes", found).possible.tolist() == (found > 0).tolist()


def test_far_away_on_a_large_map() -> None:
    # exp(1000) is beyond what a double can hold.
    problem = ToolFetching(generate(width=600, height=2, stations=20, prior=Prior("far", 0.5), seed=1))
    assert problem.prior.argmax() == problem.teammate.steps(problem.start.teammate).argmax()
    assert (problem.prior > 0).all()
    assert problem.prior.sum() == pytest.approx(1)


def test_an_unknown_kind_is_not_taken_for_another_one() -> None:
    with pytest.raises(InputError):
        ToolFetching(generate(stations=3, prior=Prior("farr"), seed=1)).prior  # noqa: B018
