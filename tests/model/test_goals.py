"""Goals are sets of states, however they are written."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from askwise.divergence import Divergence
from askwise.model import GridWorld, Model, goal_list, goal_states, urop
from askwise.types import GoalLike
from tests.refused import Fault, assert_refused, each

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
