"""Figures: their elements and positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from askwise import plot
from askwise.divergence import Divergence, Zone, Zones, edp, zones
from askwise.model import Drawing, GridWorld, Model
from tests.refused import assert_refused

GRID = GridWorld(4, 3, walls=[(1, 1)])
GOALS = {"left": (0, 2), "right": (3, 2), "near": (3, 0)}


@pytest.fixture
def ax() -> Axes:
    return Figure(layout="constrained").subplots()


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Close all figures after a test."""
    yield
    plt.close("all")


@pytest.fixture
def family() -> Divergence:
    return Divergence(GRID, GOALS)


def texts_at(ax: Axes) -> dict[tuple[float, float], str]:
    return {(float(text.get_position()[0]), float(text.get_position()[1])): text.get_text() for text in ax.texts}


def frames(ax: Axes) -> list[tuple[float, float]]:
    """Return the centres of the frames that mark goals."""
    centres = [patch.get_center() for patch in ax.patches if isinstance(patch, Rectangle) and not patch.get_fill()]
    return sorted((round(float(x), 6), round(float(y), 6)) for x, y in centres)


def circles(ax: Axes) -> dict[str, tuple[float, float]]:
    """Return the positions of the agents by colour."""
    found = {}
    for line in ax.lines:
        x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        colour = to_hex(line.get_markeredgecolor())
        if x.size and colour != plot.PAPER:  # their rims
            found[colour] = (float(x[0]), float(y[0]))
    return found


def heat(ax: Axes) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the values of the heat map, ``nan`` for cells without a value."""
    values = ax.images[0].get_array()
    assert values is not None
    return np.ma.filled(values.astype(float), np.nan)


# -- the map of a pair -------------------------------------------------------------------------------------------


def test_a_map_has_both_numbers_in_every_free_cell(family: Divergence, ax: Axes) -> None:
    assert plot.edp_map(family, "left", "right", ax=ax) is ax
    there, back = np.asarray(edp(GRID, (0, 2), (3, 2))), np.asarray(edp(GRID, (3, 2), (0, 2)))
    found = texts_at(ax)
    for state, (x, y) in enumerate(GRID.cells.tolist()):
        first, second = found[x, y].split("\n")
        assert float(first) == pytest.approx(there[state], abs=0.005)
        assert float(second) == pytest.approx(back[state], abs=0.005)
    assert (1, 1) not in found


def test_numbers_of_a_map_that_can_be_checked_by_hand(ax: Axes) -> None:
    grid = GridWorld(9, 7)
    plot.edp_map(Divergence(grid, {"g1": (8, 0), "g2": (8, 6)}), ax=ax)
    found = texts_at(ax)
    # One step east and staying gives g1 away in step 2; of one east and six south, the first south: 8/7.
    assert found[7, 6] == "2\n1.14"
    assert found[4, 3] == "2\n2"
    assert found[8, 3] == "1\n1"
    assert found[0, 6] == "9\n2.14"
    assert ax.get_title() == "EDP(g1 | g2) / EDP(the other way)"


def test_the_colour_is_the_mean(family: Divergence, ax: Axes) -> None:
    plot.edp_map(family, "right", "near", ax=ax)
    there, back = np.asarray(edp(GRID, (3, 2), (3, 0))), np.asarray(edp(GRID, (3, 0), (3, 2)))
    assert not np.allclose(there, back)
    np.testing.assert_allclose(heat(ax), GRID.on_map((there + back) / 2))
    assert math.isnan(heat(ax)[1, 1])


def test_goals_and_agents_are_marked(family: Divergence, ax: Axes) -> None:
    plot.edp_map(family, "left", "near", teammate=(2, 1), ego=(0, 0), ax=ax)
    assert frames(ax) == [(0, 2), (3, 0)]
    names = {text.get_text() for text in ax.texts}
    assert {"left", "near"} <= names
    assert "right" not in names
    assert circles(ax) == {plot.TEAMMATE: (2, 1), plot.EGO: (0, 0)}
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["teammate", "ego agent"]


def test_no_legend_without_agents(family: Divergence, ax: Axes) -> None:
    plot.edp_map(family, ax=ax)
    assert ax.get_legend() is None
    assert circles(ax) == {}


def test_goals_by_number_and_the_order_of_directions(family: Divergence, ax: Axes) -> None:
    other = Figure().subplots()
    plot.edp_map(family, 0, 2, ax=ax)
    plot.edp_map(family, "near", "left", ax=other)
    one, two = texts_at(ax), texts_at(other)
    assert ax.get_title() == "EDP(left | near) / EDP(the other way)"
    assert other.get_title() == "EDP(near | left) / EDP(the other way)"
    for cell in map(tuple, GRID.cells.tolist()):
        assert one[cell].split("\n") == two[cell].split("\n")[::-1]


def test_a_large_map_has_colours_only(ax: Axes) -> None:
    grid = GridWorld(13, 2)
    plot.edp_map(Divergence(grid, {"a": (0, 0), "b": (12, 0)}), ax=ax)
    assert sorted(text.get_text() for text in ax.texts) == ["a", "b"]
    plot.edp_map(Divergence(GridWorld(12, 2), {"a": (0, 0), "b": (11, 0)}), ax=(small := Figure().subplots()))
    assert len(small.texts) == 24 + 2


def shown(ax: Axes) -> Any:
    """Return the values of the heat map, -1 for cells without a value."""
    found: Any = ax.images[0].get_array()
    return np.ma.filled(found, -1)


def test_a_huge_map_is_solved_at_once_and_every_other_cell_is_drawn(
    family: Divergence, ax: Axes, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = shown(plot.edp_map(family, ax=ax))
    monkeypatch.setattr(plot, "MOST_SOLVED", 0)
    at_once = shown(plot.edp_map(family))
    np.testing.assert_allclose(at_once, usual, rtol=1e-12)
    width, height = family.model.width, family.model.height  # type: ignore[attr-defined]
    monkeypatch.setattr(plot, "MOST_DRAWN", -(-max(width, height) // 2))
    sampled = plot.edp_map(family)
    np.testing.assert_array_equal(shown(sampled), at_once[1::2, 1::2])
    assert tuple(sampled.images[0].get_extent()) == (-0.5, width - 0.5, -0.5, height - 0.5)


def test_a_pocket_without_way_to_the_goals_stays_empty(ax: Axes) -> None:
    drawing = Drawing.parse("A.#.\n..##\n...B")
    plot.edp_map(Divergence(drawing.grid, drawing.goals), ax=ax)
    assert texts_at(ax)[3, 2] == "\n"
    assert math.isnan(heat(ax)[2, 3])


def test_goals_that_share_a_target_are_infinite_there(ax: Axes) -> None:
    grid = GridWorld(3, 1)
    plot.edp_map(Divergence(grid, {"a": [(0, 0)], "b": [(0, 0), (2, 0)]}), ax=ax)
    assert texts_at(ax)[0, 0] == "∞\n∞"
    assert frames(ax) == [(0, 0), (0, 0), (2, 0)]


def test_a_goal_beside_itself_is_infinite_everywhere(family: Divergence, ax: Axes) -> None:
    plot.edp_map(family, "left", "left", ax=ax)
    assert {texts_at(ax)[cell] for cell in map(tuple, GRID.cells.tolist())} == {"∞\n∞"}


# -- the map of all goals ----------------------------------------------------------------------------------------


def test_a_map_of_all_goals(family: Divergence, ax: Axes) -> None:
    assert plot.ambiguity_map(family, teammate=(2, 0), ax=ax) is ax
    expected = []
    for state in range(GRID.n_states):
        values = family.edp_at(state)
        expected.append(values[np.isfinite(values)].mean())
    np.testing.assert_allclose(heat(ax), GRID.on_map(expected))
    assert frames(ax) == [(0, 2), (3, 0), (3, 2)]
    assert sorted(text.get_text() for text in ax.texts) == ["left", "near", "right"]
    assert circles(ax) == {plot.TEAMMATE: (2, 0)}
    assert ax.get_title() == "where goals are hard to tell apart"


def test_a_map_of_one_goal_has_nothing_to_colour(ax: Axes) -> None:
    plot.ambiguity_map(Divergence(GRID, {"left": (0, 2)}), ax=ax)
    assert np.isnan(heat(ax)).all()


def test_a_map_of_goals_only(family: Divergence, ax: Axes) -> None:
    assert plot.goal_map(family, ax=ax) is ax
    np.testing.assert_array_equal(np.isfinite(heat(ax)), GRID.walls)
    assert frames(ax) == [(0, 2), (3, 0), (3, 2)]


# -- the matrix --------------------------------------------------------------------------------------------------


def test_a_matrix_has_the_pursued_goal_in_columns(ax: Axes) -> None:
    grid = GridWorld(9, 7)
    family = Divergence(grid, {"g1": (8, 0), "g2": (8, 6)})
    assert plot.edp_matrix(family, (7, 6), ax=ax) is ax
    # Text is placed by column and row: (1, 0) is row 0, column 1, EDP(g1 | g2).
    assert texts_at(ax) == {(1, 0): "2", (0, 1): "1.14"}
    assert [label.get_text() for label in ax.get_xticklabels()] == ["g1", "g2"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["g1", "g2"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("goal that is pursued", "goal to be ruled out")
    assert ax.get_title() == "EDP at (7, 6)"
    np.testing.assert_allclose(heat(ax), [[np.nan, 2], [8 / 7, np.nan]])


def test_a_large_matrix_has_colours_only_and_some_names(ax: Axes) -> None:
    family = Divergence(GridWorld(60, 1), {f"s{k}": (k, 0) for k in range(60)})
    plot.edp_matrix(family, (0, 0), ax=ax)
    assert len(ax.texts) == 0
    assert [label.get_text() for label in ax.get_xticklabels()] == [f"s{k}" for k in range(0, 60, 2)]


def test_a_matrix_needs_no_grid(ax: Axes) -> None:
    model = Model.from_edges([("hall", "left", "kitchen"), ("hall", "right", "office")])
    family = Divergence(model, {"cook": "kitchen", "work": "office"})
    plot.edp_matrix(family, "hall", ax=ax)
    assert texts_at(ax) == {(1, 0): "1", (0, 1): "1"}
    assert ax.get_title() == "EDP at hall"


def contrast(one: Any, other: Any) -> float:
    """Return the contrast ratio of two colours as defined by WCAG, from 1 to 21."""
    low, high = sorted(float(np.dot([0.2126, 0.7152, 0.0722], np.array(colour) ** 2.2)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def test_numbers_stand_out_from_their_colour(ax: Axes) -> None:
    family = Divergence(GridWorld(9, 1), {f"s{k}": (k, 0) for k in range(1, 9)})
    plot.edp_matrix(family, (0, 0), ax=ax)
    image = ax.images[0]
    for text in ax.texts:
        column, row = (int(k) for k in text.get_position())
        value = heat(ax)[row, column]
        behind = to_rgb(plot.PAPER) if math.isnan(value) else image.cmap(image.norm(value))[:3]
        assert contrast(to_rgb(str(text.get_color())), behind) > 4, (text.get_text(), row, column)


def test_numbers_stand_out_on_a_map(ax: Axes) -> None:
    family = Divergence(GridWorld(9, 7), {"one": (8, 0), "two": (8, 6)})
    plot.edp_map(family, ax=ax)
    image, numbers = ax.images[0], [text for text in ax.texts if "\n" in text.get_text()]
    assert len(numbers) == 63
    for text in numbers:
        column, row = (int(k) for k in text.get_position())
        strong = np.array(image.cmap(image.norm(heat(ax)[row, column]))[:3])
        behind = np.ones(3) + plot.HEAT * (strong - 1)
        assert contrast(to_rgb(str(text.get_color())), behind) > 4, (text.get_text(), row, column)


# -- the timeline ------------------------------------------------------------------------------------------------


def example_zones() -> Zones:
    """Z_I to 5, Z_B from 4, Z_Q from 4 to 5; in expectation to 2.5, from 3 and so nothing."""
    return Zones("desk", "door", Zone(1, 5), Zone(4, math.inf), Zone(1, 2.5), Zone(3, math.inf))


def bars(ax: Axes) -> dict[int, tuple[float, float]]:
    """Return the start and the end of each row's bar."""
    found = {}
    for patch in ax.patches:
        assert isinstance(patch, Rectangle)
        row = round(patch.get_y() + patch.get_height() / 2)
        found[row] = (patch.get_x(), patch.get_x() + patch.get_width())
    return found


def test_a_timeline_has_a_bar_for_each_zone(ax: Axes) -> None:
    assert plot.zone_timeline(example_zones(), horizon=8, ax=ax) is ax
    # Each step is as wide as 1, around its number; what goes on for ever ends at the horizon.
    assert bars(ax) == {0: (0.5, 5.5), 1: (3.5, 8.5), 2: (3.5, 5.5), 3: (0.5, 3.0), 4: (2.5, 8.5)}
    assert [text.get_text() for text in ax.texts] == [
        "t <= 5", "t >= 4", "4 <= t <= 5", "t <= 2.5", "t >= 3", "empty",
    ]  # fmt: skip
    assert ax.texts[-1].get_position() == (1, 5)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Z_I", "Z_B", "Z_Q", "eZ_I", "eZ_B", "eZ_Q"]
    assert ax.get_ylim() == (5.5, -0.5)  # the first row on top
    assert ax.get_xlim() == (0.5, 8.5)
    assert ax.get_title() == "zones for desk (true) and door"


def test_a_timeline_finds_its_own_horizon(ax: Axes) -> None:
    plot.zone_timeline(example_zones(), ax=ax)
    assert ax.get_xlim() == (0.5, 7.5)


def test_a_timeline_of_zones_without_end(family: Divergence, ax: Axes) -> None:
    # A goal beside itself never diverges and never branches: Z_I goes on for ever, Z_B never begins.
    both = zones(family, family, teammate_at=(0, 0), ego_at=(0, 0), truth="left", other="left")
    plot.zone_timeline(both, ax=ax)
    assert bars(ax) == {0: (0.5, 3.5), 3: (0.5, 3.5)}


def test_a_zone_behind_the_horizon_has_no_bar(ax: Axes) -> None:
    late = Zones("a", "b", Zone(1, 9), Zone(7, math.inf), Zone(1, 9), Zone(7.5, math.inf))
    plot.zone_timeline(late, horizon=4, ax=ax)
    assert all(start <= end for start, end in bars(ax).values()), "a bar runs backwards"
    assert all(text.get_position()[0] <= 4.5 for text in ax.texts), "a label lies outside the picture"


# -- axes and errors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "draw",
    [
        lambda family: plot.edp_map(family),
        lambda family: plot.ambiguity_map(family),
        lambda family: plot.goal_map(family),
        lambda family: plot.edp_matrix(family, (0, 0)),
        lambda _: plot.zone_timeline(example_zones()),
    ],
    ids=["edp_map", "ambiguity_map", "goal_map", "edp_matrix", "zone_timeline"],
)
def test_without_axes_a_new_figure_is_made(family: Divergence, draw: Callable[[Divergence], Axes]) -> None:
    first, second = draw(family), draw(family)
    assert first.figure is not second.figure
    assert len(plt.get_fignums()) == 2
    first.figure.canvas.draw()


@pytest.mark.parametrize(
    "draw", [plot.edp_map, plot.ambiguity_map, plot.goal_map], ids=["edp_map", "ambiguity_map", "goal_map"]
)
def test_only_grids_have_a_map(draw: Callable[[Divergence], Axes]) -> None:
    model = Model.from_edges([("hall", "left", "kitchen"), ("hall", "right", "office")])
    family = Divergence(model, ["kitchen", "office"])
    assert_refused(
        lambda: draw(family),
        f"divergence: found {model!r}; expected goals on a GridWorld, which has a map to draw",
    )
    assert plt.get_fignums() == []


def test_unknown_goals_and_cells_are_refused(family: Divergence, ax: Axes) -> None:
    known = "one of 'left', 'right', 'near', or an index from 0 to 2"
    assert_refused(lambda: plot.edp_map(family, "up", ax=ax), f"first: found 'up'; expected {known}")
    assert_refused(lambda: plot.edp_map(family, 0, 3, ax=ax), f"second: found 3; expected {known}")
    assert_refused(
        lambda: plot.edp_map(family, teammate=(1, 1), ax=ax), "teammate: found (1, 1), a wall; expected a free cell"
    )
    assert_refused(
        lambda: plot.edp_map(family, ego=(4, 0), ax=ax),
        "ego agent: found (4, 0), outside the 4 x 3 grid; expected x from 0 to 3 and y from 0 to 2",
    )
    assert_refused(
        lambda: plot.edp_matrix(family, (9, 9), ax=ax),
        "state: found (9, 9), outside the 4 x 3 grid; expected x from 0 to 3 and y from 0 to 2",
    )
