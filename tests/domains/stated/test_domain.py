"""States of problem files as people type them."""

from __future__ import annotations

from typing import Any

import pytest

from askwise.api import as_problem
from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState, teammate_goals
from askwise.domains import registry
from askwise.domains.coverage import Coverage
from askwise.domains.stated.file import StatedProblem
from askwise.model import GridWorld, Model
from tests.domains.stated.files import CONTENTS, read, ward
from tests.refused import assert_refused

DOMAIN = registry.domain("problem")
HOUSE = Model.from_edges([("a", "x", "b"), ("a", "y", "c"), ("b", "down", "end"), ((1, 2), "up", "a")])


def house() -> FactoredProblem:
    return FactoredProblem({"g": "b", "h": "c"}, teammate_model=HOUSE, start=("a", "a"))


def test_states_by_name_by_cell_and_by_letter() -> None:
    problem = read(CONTENTS).problem()
    assert DOMAIN.parse_state(problem) == problem.start
    hall = problem.teammate.model.state("hall")
    for ego in ("0,1", "A", " A ", " 0 , 1"):
        assert DOMAIN.parse_state(problem, "hall", ego) == JointState(hall, problem.ego.model.state((0, 1)))


def test_states_of_problems_made_in_python() -> None:
    assert DOMAIN.parse_state(house(), "c").teammate == HOUSE.state("c")
    assert DOMAIN.parse_state(house(), "1,2").teammate == HOUSE.state((1, 2))
    grid = FactoredProblem({"g": (2, 0)}, teammate_model=GridWorld(3, 2), start=((0, 0), (0, 0)))
    assert DOMAIN.parse_state(grid, "1,1").teammate == grid.teammate.model.state((1, 1))
    numbered = FactoredProblem({"g": 2}, teammate_model=Model([[1], [2], [-1]]), start=(0, 0))
    assert DOMAIN.parse_state(numbered, ego="1") == JointState(0, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"teammate": "hell"},
            "--teammate-at: found 'hell'; expected a state of the graph, "
            '"desk", "hall", "room 1", "room 2" (did you mean \'hall\'?)',
        ),
        (
            {"ego": "X"},
            '--ego-at: found "X"; expected a letter of the map, "A", "B", "F", or a cell [x, y]',
        ),
        ({"ego": "1,x"}, "--ego-at: found '1,x'; expected a cell X,Y, two whole numbers"),
        ({"ego": "4,1"}, "--ego-at: found [4, 1], which is a wall; expected a free cell"),
        ({"ego": "9,9"}, "--ego-at: found [9, 9], outside the map; expected x from 0 to 4 and y from 0 to 1"),
        ({"holding": "x"}, "--holding: found 'x'; expected nothing: in this problem nothing is carried"),
    ],
)
def test_places_that_are_none(given: dict[str, str], message: str) -> None:
    assert_refused(lambda: DOMAIN.parse_state(read(CONTENTS).problem(), **given), message)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"teammate": "z"},
            "--teammate-at: found 'z'; expected one of 'a', 'b', 'c', 'end', '1,2'",
        ),
        (
            {"teammate": "end"},
            '--teammate-at: found "end", with no way to any goal; expected a state with a way to one',
        ),
        ({"ego": "b"}, '--ego-at: found "b", with no way to goal "h"; expected a state with a way to every goal'),
    ],
)
def test_places_from_which_there_is_no_way(given: dict[str, str], message: str) -> None:
    assert_refused(lambda: DOMAIN.parse_state(house(), **given), message)


def test_a_letter_on_many_cells_is_no_place() -> None:
    problem = read(ward(ego__map="AA..#\n..F.B")).problem()
    assert_refused(
        lambda: DOMAIN.parse_state(problem, ego="A"), '--ego-at: found "A", which is on 2 cells; expected one cell'
    )


# -- another start -----------------------------------------------------------------------------------------------


def test_another_start() -> None:
    problem = read(ward(teammate__start="desk")).problem()
    state = DOMAIN.parse_state(problem, "hall", "A")
    moved: Any = DOMAIN.problem(problem, state)
    assert isinstance(moved, StatedProblem)
    assert moved.start == state
    assert moved.file.to_json()["ego"]["start"] == [0, 1]
    assert moved.prior.tolist() == problem.prior.tolist()
    assert problem.start != state, "the first one stays as it is"


def test_another_start_of_problems_made_in_python() -> None:
    moved = DOMAIN.problem(house(), JointState(HOUSE.state((1, 2)), HOUSE.state("a")))
    assert moved.start.teammate == HOUSE.state((1, 2))
    coverage = Coverage("A.W\nF.B")
    there: Any = DOMAIN.problem(coverage, DOMAIN.parse_state(coverage, "1,0", "1,1"))
    assert (there.drawing.teammate, there.drawing.ego) == ((1, 0), (1, 1))
    written = registry.domain("problem").write(there)
    assert (written["teammate"]["start"], written["ego"]["start"]) == ([1, 0], [1, 1])
    assert coverage.drawing.teammate == (2, 1)
    assert_refused(
        lambda: DOMAIN.problem(house(), JointState(HOUSE.state("b"), HOUSE.state("a"))),
        '--teammate-at: found "b", with no way to goal "h"; expected a state with a way to every goal',
    )


# -- the teammate alone ------------------------------------------------------------------------------------------


def test_the_teammate_s_goals() -> None:
    file = read(CONTENTS)
    model, goals, start = teammate_goals(as_problem(file))
    assert (model, start) == (file.teammate.model, "desk")
    assert goals == {"to room 1": ["room 1"], "to room 2": ["room 2"]}
    assert teammate_goals(house())[1:] == ({"g": ["b"], "h": ["c"]}, "a")
    drawn = Coverage("A.W\nF.B")
    assert teammate_goals(drawn)[1:] == ({"A": [(0, 1)], "B": [(2, 0)]}, (2, 1))
