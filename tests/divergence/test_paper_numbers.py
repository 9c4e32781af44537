"""The numbers that the paper gives for its grid with two goals, (8, 0) and (8, 6)."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from askwise.divergence import Divergence, dp, ecd, edp, wcd, zones
from askwise.divergence.zones import Zone, Zones
from askwise.model import GridWorld, follow, urop

GRID = GridWorld(9, 7)
LOWER, UPPER = (8, 0), (8, 6)
TEAMMATE = (4, 3)


def _zones(ego_at: tuple[int, int]) -> Zones:
    both = Divergence(GRID, {"lower": LOWER, "upper": UPPER})
    return zones(both, both, teammate_at=TEAMMATE, ego_at=ego_at, truth="upper", other="lower")


def test_zone_of_information_of_the_teammate() -> None:
    assert float(wcd(GRID, LOWER, UPPER, TEAMMATE)) == 5
    assert _zones((5, 4)).information == Zone(1, 5)


def test_an_ego_agent_on_its_way_branches_early_enough_to_ask() -> None:
    found = _zones((5, 4))
    assert found.branching == Zone(4, math.inf)
    assert found.querying == Zone(4, 5)
    assert [t for t in range(1, 20) if t in found.querying] == [4, 5]


def test_an_ego_agent_far_away_branches_when_nothing_is_left_to_ask() -> None:
    found = _zones((2, 4))
    assert found.branching == Zone(7, math.inf)
    assert found.querying.empty


def test_divergence_point_of_a_path() -> None:
    path = follow(GRID, TEAMMATE, ["EAST", "EAST", "NORTH"])
    assert dp(urop(GRID, LOWER), path) == 3
    assert dp(urop(GRID, UPPER), path) == math.inf


def test_expected_case_distinctiveness() -> None:
    """At (7, 6) EAST is optimal for both goals and SOUTH for one: weights 2/3 and 1/3, and then one more step."""
    assert float(ecd(GRID, [LOWER, UPPER], (7, 6))) == pytest.approx(5 / 3, rel=1e-15)


def test_expected_divergence_point_at_the_teammate() -> None:
    """From (4, 3) both goals are 4 columns and 3 rows away: EAST is taken while no vertical step was drawn."""
    alike = [Fraction(4, 7), Fraction(3, 6), Fraction(2, 5), Fraction(1, 4)]
    expected, surviving = Fraction(1), Fraction(1)
    for east in alike:
        surviving *= east
        expected += surviving
    assert float(edp(GRID, LOWER, UPPER, TEAMMATE)) == pytest.approx(float(expected), rel=1e-15)
    assert _zones((5, 4)).expected_information.end == pytest.approx(float(expected), rel=1e-15)


@pytest.mark.parametrize("row", [0, 1, 2])
def test_the_lower_goal_may_be_in_any_of_three_rows(row: int) -> None:
    """The numbers of the paper do not say in which of the rows 0, 1 and 2 the lower goal is."""
    assert float(wcd(GRID, (8, row), UPPER, TEAMMATE)) == 5
    assert float(wcd(GRID, (8, row), UPPER, (5, 4))) == 4
    assert float(wcd(GRID, (8, row), UPPER, (2, 4))) == 7


def test_expected_divergence_is_not_symmetric() -> None:
    """The near goal lies on some plans for the far one: following the far one tells them apart sooner."""
    near, far = (1, 1), (6, 1)
    assert float(edp(GRID, near, far, (0, 0))) == pytest.approx(1 + 6 / 7 * (1 + 1 / 6) + 1 / 7 * (1 + 1), rel=1e-15)
    assert float(edp(GRID, far, near, (0, 0))) == 3
