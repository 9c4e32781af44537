"""Distances and optimal actions of several goals: the closed form of open grids beside a search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.model import GridWorld, Model, Pursuit
from askwise.types import IntArray


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
