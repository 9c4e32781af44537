"""The gate before every question: open only if no action is right for all goals that are possible."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.core.decision import common_actions, some_out_of_reach
from askwise.types import BoolArray

RIGHT = np.array(
    [
        [1, 1, 0, 0],  # for the first goal
        [0, 1, 1, 0],
        [0, 0, 1, 1],
        [0, 0, 0, 0],  # the last goal is out of reach
    ],
    dtype=np.bool_,
)
"""Which of four actions are optimal for each of four goals."""


def only(*goals: int) -> BoolArray:
    return np.isin(np.arange(len(RIGHT)), goals)


@pytest.mark.parametrize(
    ("goals", "common"),
    [((0,), [0, 1]), ((0, 1), [1]), ((1, 2), [2]), ((0, 2), []), ((0, 1, 2), []), ((3,), []), ((0, 3), [])],
)
def test_common_actions_are_right_for_every_possible_goal(goals: tuple[int, ...], common: list[int]) -> None:
    assert common_actions(RIGHT, only(*goals)).tolist() == common


@pytest.mark.parametrize(
    ("goals", "out"),
    [((0,), False), ((0, 1, 2), False), ((3,), True), ((0, 3), True), ((0, 1, 2, 3), True), ((), False)],
)
def test_only_a_possible_goal_without_a_right_action_is_out_of_reach(goals: tuple[int, ...], out: bool) -> None:
    assert some_out_of_reach(RIGHT, only(*goals)) is out
