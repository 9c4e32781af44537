"""The paper's running example."""

from __future__ import annotations

import math

import pytest
from matplotlib.figure import Figure

from askwise.divergence import ecd
from askwise.studies import two_goal_grid
from askwise.studies.two_goal_grid import Comparison


def test_every_number_agrees_with_the_paper() -> None:
    rows = list(two_goal_grid.comparisons())
    assert {row.what: (row.paper, row.ours) for row in rows if not row.agrees} == {}
    assert len(rows) == len({row.what for row in rows}) == 8


def test_the_numbers_of_the_paper_are_these() -> None:
    papers = [row.paper for row in two_goal_grid.comparisons()]
    assert papers == ["3", "t <= 5", "t >= 4", "4 <= t <= 5", "t >= 7", "empty", "1.67", "yes"]


def test_a_number_that_differs_does_not_agree() -> None:
    assert Comparison("a number", "3", "3").agrees
    assert not Comparison("a number", "3", "4").agrees
    assert not Comparison("a number", "3", "3.0").agrees


@pytest.mark.parametrize(
    ("name", "value", "rows"),
    [
        ("TEAMMATE", (5, 3), [1, 3]),
        ("EGO_NEAR", (6, 4), [2, 3]),
        ("EGO_FAR", (3, 4), [4]),
        ("ECD_CELL", (6, 6), [6]),
        ("GOALS", {"g1": (8, 0), "g2": (7, 6)}, [1, 6, 7]),
        ("GOALS", {"g1": (8, 4), "g2": (8, 6)}, [0]),
    ],
)
def test_another_example_gives_other_numbers(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object, rows: list[int]
) -> None:
    # The numbers are computed: if something is moved by one cell, the numbers that depend on it change.
    monkeypatch.setattr(two_goal_grid, name, value)
    wrong = [k for k, row in enumerate(two_goal_grid.comparisons()) if not row.agrees]
    assert set(wrong) >= set(rows)


@pytest.mark.parametrize("row", [0, 1, 2])
def test_the_row_of_the_first_goal_does_not_matter(monkeypatch: pytest.MonkeyPatch, row: int) -> None:
    monkeypatch.setattr(two_goal_grid, "GOALS", {"g1": (8, row), "g2": (8, 6)})
    assert all(comparison.agrees for comparison in two_goal_grid.comparisons())


def test_ecd_as_a_fraction() -> None:
    grid, goals = two_goal_grid.GRID, list(two_goal_grid.GOALS.values())
    assert float(ecd(grid, goals, two_goal_grid.ECD_CELL)) == pytest.approx(5 / 3, rel=1e-12)


def test_expected_divergence_points_are_shown_with_their_fraction(monkeypatch: pytest.MonkeyPatch) -> None:
    assert two_goal_grid.edps() == ("2.0000", "2.0000")
    monkeypatch.setattr(two_goal_grid, "TEAMMATE", (7, 6))
    assert two_goal_grid.edps() == ("2.0000", "1.1429 = 8/7")


def test_the_ego_agent_covers_the_other_goal() -> None:
    # The goal is g2, so the ego agent at (7, 6) should go to g1. Believing g1, it goes to g2, one step east, and
    # stays there, which is wrong from step 2 on. Without swapped targets the value would be 8/7.
    zones = two_goal_grid.example_zones((7, 6))
    assert (zones.truth, zones.other) == ("g2", "g1")
    assert zones.expected_branching.start == 2
    assert zones.expected_branching.end == math.inf


def test_the_figure_has_the_map_and_both_timelines() -> None:
    figure = two_goal_grid.figure()
    assert isinstance(figure, Figure)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [
        "upper value: EDP(g1 | g2), g2 is pursued; lower value: EDP(g2 | g1), g1 is pursued",
        "",  # the colour bar
        "teammate at (4, 3), ego agent at (5, 4)",
        "teammate at (4, 3), ego agent at (2, 4)",
    ]
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert len(texts) == 9 * 7 + 2
    assert [text.get_text() for text in figure.axes[2].texts][:3] == ["t <= 5", "t >= 4", "4 <= t <= 5"]
    assert [text.get_text() for text in figure.axes[3].texts][:3] == ["t <= 5", "t >= 7", "empty"]
