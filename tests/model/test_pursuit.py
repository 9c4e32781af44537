"""Distances and optimal actions of several goals, and the target states of a goal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.divergence import Divergence
from askwise.model import GridWorld, Model, Pursuit, goal_list, goal_states, urop
from askwise.types import GoalLike, IntArray
from tests.refused import Fault, assert_refused, each


def single(*states: int) -> list[IntArray]:
    return [np.array([state], dtype=np.int32) for state in states]


def searched(grid: GridWorld, targets: list[IntArray]) -> Pursuit:
    """The same in a model that does not know that it is a grid."""
    return Pursuit(Model(grid.successor[:, :-1]), targets)


@given(st.integers(1, 7), st.integers(1, 7), st.data())
def test_columns_plus_rows_beside_a_search(width: int, height: int, data: st.DataObject) -> None:
    grid = GridWorld(width, height)
    states = data.draw(st.lists(st.integers(0, grid.n_states - 1), min_size=1, max_size=5))
    closed, plain = Pursuit(grid, single(*states)), searched(grid, single(*states))
    assert closed.distance.dtype == plain.distance.dtype == np.int32
    assert closed.distance.tolist() == plain.distance.tolist()
    assert not closed.distance.flags.writeable


@pytest.mark.parametrize(
    ("grid", "targets"),
    [
        (GridWorld(4, 3, walls=[(1, 0), (1, 1)]), single(0, 9)),
        (GridWorld(4, 3), [np.array([0, 11], dtype=np.int32), np.array([5], dtype=np.int32)]),
        (GridWorld(3, 3, walls=[(1, 0), (1, 1), (0, 1)]), single(0, 3)),
    ],
    ids=["walls", "a goal of two cells", "a pocket"],
)
def test_grids_without_a_closed_form(grid: GridWorld, targets: list[IntArray]) -> None:
    assert Pursuit(grid, targets).distance.tolist() == searched(grid, targets).distance.tolist()


def test_a_large_table_waits_until_many_states_are_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = GridWorld(4, 3, walls=[(1, 0), (1, 1)])
    plain = searched(grid, single(0, 5, 9))
    monkeypatch.setattr("askwise.model.pursuit.EARLY_BYTES", 0)
    late = Pursuit(grid, single(0, 5, 9))
    few = np.array([3, 7], dtype=np.int32)
    assert late.steps_at(3).tolist() == plain.steps_at(3).tolist()
    assert late.steps_from(few).tolist() == plain.steps_from(few).tolist()
    assert not late.steps_at(3).flags.writeable
    assert "distance" not in vars(late)
    assert late.steps_at(4).tolist() == plain.steps_at(4).tolist()
    assert "distance" in vars(late)
    assert late.distance.tolist() == plain.distance.tolist()


def test_columns_for_more_actions() -> None:
    pursuit = Pursuit(GridWorld(3, 3), single(0, 8))
    more = pursuit.optimal_at(4, more_actions=2)
    assert more[:, :5].tolist() == pursuit.optimal_at(4).tolist()
    assert more.shape == (2, 7)
    assert not more[:, 5:].any()


GRID = GridWorld(3, 2, walls=[(1, 0)])
NAMED = Model([[1], [0]], states=["bed", "sofa"])


@pytest.mark.parametrize(
    ("goal", "states"),
    [
        ((2, 0), [1]),
        (1, [1]),
        (np.int32(1), [1]),
        ([(2, 0)], [1]),
        ([(2, 1), (0, 0), (2, 1)], [0, 4]),
        ({4, 0}, [0, 4]),
        (np.array([4, 0, 4]), [0, 4]),
        ((s for s in (3, 2)), [2, 3]),
    ],
)
def test_states_of_a_goal_are_sorted_and_occur_once(goal: GoalLike, states: list[int]) -> None:
    found = goal_states(GRID, goal)
    assert found.tolist() == states
    assert found.dtype == np.int32


def test_a_string_is_one_state() -> None:
    assert goal_states(NAMED, "sofa").tolist() == [1]


def test_goals_of_a_sequence_are_named_after_their_states() -> None:
    names, targets = goal_list(NAMED, ["sofa", ["bed", "sofa"]])
    assert names is None
    assert Divergence(NAMED, ["sofa", ["bed", "sofa"]]).names == ("sofa", "bed or sofa")
    assert [states.tolist() for states in targets] == [[1], [0, 1]]


def test_goals_of_a_mapping_keep_their_names_and_order() -> None:
    names, targets = goal_list(GRID, {"B": (2, 0), "A": [(0, 0), (2, 1)]})
    assert names == ("B", "A")
    assert [states.tolist() for states in targets] == [[1], [0, 4]]


FAULTS: dict[str, Fault] = {
    "in a wall": (lambda: urop(GRID, (1, 0)), "goal: found (1, 0), a wall; expected a free cell"),
    "out of range": (
        lambda: urop(GRID, (3, 0)),
        "goal: found (3, 0), outside the 3 x 2 grid; expected x from 0 to 2 and y from 0 to 1",
    ),
    "index out of range": (lambda: urop(GRID, [0, 5]), "goal: found 5; expected an index from 0 to 4"),
    "without states": (lambda: urop(GRID, []), "goal: found no states; expected at least one target state"),
    "unknown name": (
        lambda: urop(NAMED, "chair"),
        "goal: found 'chair'; expected one of 'bed', 'sofa', or an index from 0 to 1",
    ),
    "one of a list in a wall": (
        lambda: goal_list(GRID, [(0, 0), (1, 0)]),
        "goal 1: found (1, 0), a wall; expected a free cell",
    ),
    "one of a mapping in a wall": (
        lambda: goal_list(GRID, {"A": (1, 0)}),
        "goal 'A': found (1, 0), a wall; expected a free cell",
    ),
    "empty list": (lambda: goal_list(GRID, []), "goals: found an empty list; expected at least one goal"),
    "empty mapping": (lambda: goal_list(GRID, {}), "goals: found an empty list; expected at least one goal"),
}


@each(FAULTS)
def test_faulty_goal_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)
