"""Zones: arithmetic, printing, and what they are made of."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.divergence import Divergence, Zone, edp, wcd, zones
from askwise.model import GridWorld, urop
from tests.refused import Fault, assert_refused, each

INF = math.inf
GRID = GridWorld(9, 7)
GOALS = {"low": (8, 0), "high": (8, 6), "left": (0, 3)}


@pytest.mark.parametrize(
    ("zone", "length", "text"),
    [
        (Zone(6, 10), 5, "6 <= t <= 10"),
        (Zone(1, 5), 5, "t <= 5"),
        (Zone(4, INF), INF, "t >= 4"),
        (Zone(1, INF), INF, "all t"),
        (Zone(3, 3), 1, "t = 3"),
        (Zone(1, 1), 1, "t <= 1"),
        (Zone(2.5, 4.25), 2.75, "2.5 <= t <= 4.25"),
        (Zone(1, 5 / 3), 5 / 3, "t <= 1.667"),
        (Zone(6, 5), 0, "empty"),
        # Two goals that the ego agent pursues alike for ever: it never has to branch.
        (Zone(INF, INF), 0, "empty"),
    ],
)
def test_length_and_text(zone: Zone, length: float, text: str) -> None:
    assert zone.length == length
    assert zone.empty == (text == "empty")
    assert str(zone) == text


times = st.integers(1, 8).map(float) | st.just(INF)


@given(times, times, times, times, st.integers(1, 9))
def test_intersection_holds_what_both_hold(a: float, b: float, c: float, d: float, t: int) -> None:
    one, two = Zone(a, b), Zone(c, d)
    both = one & two
    assert (t in both) == both.contains(t) == (t in one and t in two)
    assert both.empty == (both.length == 0)
    if both.empty:
        assert t not in both
    else:
        assert both.start in both


def _zones(truth: str, other: str) -> object:
    both = Divergence(GRID, GOALS)
    return zones(both, both, teammate_at=(4, 3), ego_at=(5, 4), truth=truth, other=other)


@pytest.mark.parametrize("truth", GOALS)
@pytest.mark.parametrize("other", GOALS)
def test_zones_are_made_of_worst_cases_and_means(truth: str, other: str) -> None:
    """The teammate pursues `truth`; the ego agent does what `other` asks for."""
    ego_grid = GridWorld(9, 7, walls=[(6, 4)])
    teammate, ego = Divergence(GRID, GOALS), Divergence(ego_grid, GOALS)
    found = zones(teammate, ego, teammate_at=(4, 3), ego_at=(5, 4), truth=truth, other=other)
    g, h = GOALS[truth], GOALS[other]
    assert found.information == Zone(1, float(wcd(GRID, h, g, (4, 3))))
    assert found.branching == Zone(float(wcd(ego_grid, h, g, (5, 4))), INF)
    assert found.expected_information.end == pytest.approx(float(edp(GRID, h, g, (4, 3))), rel=1e-12)
    assert found.expected_branching.start == pytest.approx(float(edp(ego_grid, g, h, (5, 4))), rel=1e-12)
    assert found.querying == found.information & found.branching
    assert found.expected_querying == found.expected_information & found.expected_branching
    assert (found.truth, found.other) == (truth, other)


def test_evidence_ends_the_expected_zone_of_information_earlier() -> None:
    plain, ego = Divergence(GRID, GOALS), Divergence(GRID, GOALS)
    # Each step east along the lowest row is certain for "low" and less likely for "high".
    at: dict[str, Any] = {"teammate_at": (0, 0), "ego_at": (5, 4), "truth": "low", "other": "high"}
    before = zones(plain, ego, **at)
    for evidence in (0.3, 0.5, 0.9):
        found = zones(Divergence(GRID, GOALS, evidence=evidence), ego, **at)
        expected = float(edp(GRID, GOALS["high"], GOALS["low"], (0, 0), evidence=evidence))
        assert found.expected_information.end == pytest.approx(expected, rel=1e-12)
        assert found.expected_information.end < before.expected_information.end
        assert found.expected_querying.end == found.expected_information.end
        assert (found.information, found.branching) == (before.information, before.branching)
        assert found.expected_branching == before.expected_branching


def test_noisy_teammates_have_a_zone_of_information_by_evidence_only() -> None:
    noisy = [urop(GRID, goal).soften(0.2) for goal in GOALS.values()]
    at: dict[str, Any] = {"teammate_at": (4, 3), "ego_at": (5, 4), "truth": "high", "other": "low"}
    ego = Divergence(GRID, GOALS)
    assert zones(Divergence(GRID, GOALS, policies=noisy), ego, **at).expected_information == Zone(1, INF)
    family = Divergence(GRID, GOALS, policies=noisy, evidence=0.05, within=0.1)
    lower, upper = family.bounds_at((4, 3))
    end = zones(family, ego, **at).expected_information.end
    assert 1 < lower[0, 1] <= end <= upper[0, 1] < 20


def test_printing() -> None:
    assert str(_zones("high", "low")) == (
        "zones for high (true) and low:\n"
        "  Z_I  t <= 5\n"
        "  Z_B  t >= 4\n"
        "  Z_Q  4 <= t <= 5\n"
        "  eZ_I t <= 2\n"
        "  eZ_B t >= 1.6\n"
        "  eZ_Q 1.6 <= t <= 2"
    )


def test_pickling_keeps_zones() -> None:
    found = _zones("high", "low")
    assert pickle.loads(pickle.dumps(found)) == found


FAULTS: dict[str, Fault] = {
    "unknown truth": (
        lambda: _zones("middle", "low"),
        "truth: found 'middle'; expected one of 'low', 'high', 'left', or an index from 0 to 2",
    ),
    "unknown other": (
        lambda: _zones("low", "middle"),
        "other: found 'middle'; expected one of 'low', 'high', 'left', or an index from 0 to 2",
    ),
}


@each(FAULTS)
def test_faulty_request_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_families_of_different_goals_are_refused() -> None:
    """With fewer goals, or other ones, in the ego agent's family the zones of two goals would be nonsense."""
    teammate, fewer = Divergence(GRID, GOALS), Divergence(GRID, {"low": (8, 0), "high": (8, 6)})
    shuffled = Divergence(GRID, dict(sorted(GOALS.items())))

    def with_ego(ego: Divergence) -> object:
        return zones(teammate, ego, teammate_at=(4, 3), ego_at=(5, 4), truth="left", other="low")

    expected = "expected those of the teammate, 3 goals (low, high, left)"
    assert_refused(lambda: with_ego(fewer), f"ego: found 2 goals (low, high); {expected}")
    assert_refused(lambda: with_ego(shuffled), f"ego: found 3 goals (high, left, low); {expected}")
    by_evidence = Divergence(GRID, GOALS, evidence=0.05)
    expected = "ego: found divergence by evidence 0.05; expected a Divergence without evidence"
    assert_refused(lambda: with_ego(by_evidence), expected)
