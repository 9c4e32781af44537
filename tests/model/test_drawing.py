"""Maps drawn in text."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.model import Drawing, GridWorld
from tests.refused import Fault, assert_refused, each

MAP = """
....#...B
.W..#.F..
2.......A
..2......
"""

ALLOWED = "'#' (wall), '.' (free), 'W' (teammate), 'F' (ego agent), or another letter or digit (a goal)"


def test_a_drawing_is_read_from_its_lower_left_corner() -> None:
    drawing = Drawing.parse(MAP)
    assert (drawing.grid.width, drawing.grid.height) == (9, 4)
    assert drawing.teammate == (1, 2)
    assert drawing.ego == (6, 2)
    assert drawing.goals == {"2": [(2, 0), (0, 1)], "A": [(8, 1)], "B": [(8, 3)]}
    assert [(x, y) for x in range(9) for y in range(4) if drawing.grid.walls[y, x]] == [(4, 2), (4, 3)]


def test_goals_are_listed_by_name_wherever_they_are_drawn() -> None:
    assert list(Drawing.parse("B.a\n1.A").goals) == ["1", "A", "B", "a"]


def test_agents_may_be_left_out() -> None:
    drawing = Drawing.parse(".#.")
    assert (drawing.teammate, drawing.ego, drawing.goals) == (None, None, {})


def test_a_grid_alone_can_be_read_from_a_drawing() -> None:
    grid = GridWorld.from_drawing(MAP)
    assert grid.n_states == 34
    assert grid.walls[3, 4]


def test_blank_lines_around_a_drawing_and_blanks_behind_its_lines_are_ignored() -> None:
    assert str(Drawing.parse("\n  \n..A  \n.#.\n \n")) == "..A\n.#."


def test_an_agent_in_the_corner_is_drawn_again() -> None:
    assert str(Drawing.parse("..\nW.")) == "..\nW."


@st.composite
def drawings(draw: st.DrawFn) -> str:
    width, height = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    marks = draw(st.lists(st.sampled_from("#..ABc1"), min_size=width * height, max_size=width * height))
    for agent in draw(st.sampled_from(["", "W", "F", "WF"])):
        marks[draw(st.integers(0, len(marks) - 1))] = agent
    marks[draw(st.integers(0, len(marks) - 1))] = "A"
    return "\n".join("".join(marks[y * width : (y + 1) * width]) for y in range(height))


@given(drawings())
def test_drawing_again_what_was_parsed(text: str) -> None:
    drawing = Drawing.parse(text)
    assert str(drawing) == text
    again = pickle.loads(pickle.dumps(drawing))
    assert str(again) == text


FAULTS: dict[str, Fault] = {
    "empty": (lambda: Drawing.parse("\n \n"), "drawing: found no lines; expected at least one line of cells"),
    "ragged": (
        lambda: Drawing.parse("...\n..\n..."),
        "drawing, line 2: found 2 cells; expected 3, as in line 1 (every line has the same length)",
    ),
    "gap": (
        lambda: Drawing.parse("..\n\n.."),
        "drawing, line 2: found 0 cells; expected 2, as in line 1 (every line has the same length)",
    ),
    "illegal character": (
        lambda: Drawing.parse("...\n.?."),
        f"drawing, line 2, column 2: found '?'; expected {ALLOWED}",
    ),
    "indentation": (lambda: Drawing.parse("  ..\n  .."), f"drawing, line 1, column 1: found ' '; expected {ALLOWED}"),
    "letter that is not ascii": (
        lambda: Drawing.parse("..é"),
        f"drawing, line 1, column 3: found 'é'; expected {ALLOWED}",
    ),
    "two teammates": (
        lambda: Drawing.parse("W..\n..W"),
        "drawing: found 'W' at (2, 0) and at (0, 1); expected at most one",
    ),
    "two ego agents": (
        lambda: Drawing.parse("FF"),
        "drawing: found 'F' at (0, 0) and at (1, 0); expected at most one",
    ),
    "walls only": (
        lambda: Drawing.parse("##"),
        "walls: found a wall in every cell; expected at least one free cell",
    ),
}


@each(FAULTS)
def test_faulty_drawing_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_drawings_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Drawing.parse("..").teammate = (0, 0)  # type: ignore[misc]
