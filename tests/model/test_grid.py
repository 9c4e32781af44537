"""Grids: cells, walls, neighbours, maps, slippery floors."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.model import GridWorld, Model
from tests.refused import Fault, assert_refused, each
from tests.small_models import MOVES, RandomGrid, grids, successor_table

NAN = float("nan")


@given(grids())
def test_neighbours_cell_by_cell(random: RandomGrid) -> None:
    assert random.grid.successor[:, :4].tolist() == successor_table(random.plain)


@given(grids())
def test_cells_are_the_names_of_the_states(random: RandomGrid) -> None:
    grid = random.grid
    names = [grid.name(s) for s in range(grid.n_states)]
    assert names == [(x, y) for y in range(grid.height) for x in range(grid.width) if not grid.walls[y, x]]
    assert [grid.state(name) for name in names] == list(range(grid.n_states))
    assert [tuple(cell) for cell in grid.cells.tolist()] == names
    assert grid.open == (not grid.walls.any())


def test_a_cell_may_be_a_tuple_a_list_or_an_array_and_a_number_is_an_index() -> None:
    grid = GridWorld(3, 2, walls=[(1, 0)])
    assert grid.state((2, 0)) == grid.state([2, 0]) == grid.state(np.array([2, 0])) == grid.state(1) == 1  # type: ignore[arg-type]


def test_walls_as_cells_and_as_a_mask_are_the_same() -> None:
    mask = np.zeros((2, 3), dtype=bool)
    mask[0, 1] = mask[1, 2] = True
    assert (GridWorld(3, 2, mask).successor == GridWorld(3, 2, [(1, 0), (2, 1)]).successor).all()


def test_values_are_laid_out_as_the_map() -> None:
    laid_out = GridWorld(2, 2, [(1, 0)]).on_map([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(laid_out, [[1, NAN], [2, 3]])


def test_pickling_keeps_a_grid() -> None:
    grid = GridWorld(3, 2, [(1, 0)])
    again = pickle.loads(pickle.dumps(grid))
    assert isinstance(again, GridWorld)
    assert (again.successor == grid.successor).all()
    assert (again.name(1), again.state((2, 1)), again.width, again.height) == ((2, 0), 4, 3, 2)


def test_repr_says_what_it_is() -> None:
    assert repr(GridWorld(3, 2)) == "<GridWorld: 6 states, 5 actions, deterministic>"


@given(grids(), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_a_slippery_move_goes_to_its_sides(random: RandomGrid, slip: float) -> None:
    grid, plain = random.grid, random.plain
    law = grid.slippery(slip).transitions.toarray().reshape(plain.n_states, 5, plain.n_states)
    for s in range(plain.n_states):
        for move in range(4):
            expected = np.zeros(plain.n_states)
            if plain.successor(s, move) >= 0:
                for way, probability in ((move, 1 - slip), ((move + 1) % 4, slip / 2), ((move + 3) % 4, slip / 2)):
                    expected[t if (t := plain.successor(s, way)) >= 0 else s] += probability
            assert law[s, move].tolist() == expected.tolist()
        assert law[s, 4, s] == 1


def test_a_slippery_floor_keeps_names_and_actions() -> None:
    grid = GridWorld(3, 2, [(1, 0)])
    floor = grid.slippery(0.5)
    assert [floor.name(s) for s in range(5)] == [grid.name(s) for s in range(5)]
    assert floor.actions == grid.actions == ("NORTH", "EAST", "SOUTH", "WEST", "STAY")
    assert floor.state((2, 1)) == 4
    assert isinstance(floor, Model)


def test_the_moves_point_where_their_names_say() -> None:
    grid = GridWorld(3, 3)
    middle = grid.state((1, 1))
    reached = [grid.name(int(grid.successor[middle, grid.action(a)])) for a in ("NORTH", "EAST", "SOUTH", "WEST")]
    assert reached == [(1 + dx, 1 + dy) for dx, dy in MOVES] == [(1, 2), (2, 1), (1, 0), (0, 1)]


FAULTS: dict[str, Fault] = {
    "no width": (lambda: GridWorld(0, 2), "width: found 0; expected a whole number from 1"),
    "fractional height": (lambda: GridWorld(2, 1.5), "height: found 1.5; expected a whole number from 1"),  # type: ignore[arg-type]
    "wall outside": (
        lambda: GridWorld(3, 2, [(0, 0), (0, 2)]),
        "wall 1: found (0, 2); expected a cell (x, y) with x from 0 to 2 and y from 0 to 1",
    ),
    "wall that is no cell": (
        lambda: GridWorld(3, 2, [7]),  # type: ignore[list-item]
        "wall 0: found 7; expected a cell (x, y) with x from 0 to 2 and y from 0 to 1",
    ),
    "walls everywhere": (
        lambda: GridWorld(1, 1, [(0, 0)]),
        "walls: found a wall in every cell; expected at least one free cell",
    ),
    "mask of another shape": (
        lambda: GridWorld(3, 2, np.zeros((3, 2), dtype=bool)),
        "walls: found a mask of shape (3, 2); expected (2, 3)",
    ),
    "cell outside": (
        lambda: GridWorld(3, 2).state((3, 0)),
        "cell: found (3, 0), outside the 3 x 2 grid; expected x from 0 to 2 and y from 0 to 1",
    ),
    "cell in a wall": (
        lambda: GridWorld(3, 2, [(1, 1)]).state((1, 1), "start"),
        "start: found (1, 1), a wall; expected a free cell",
    ),
    "cell with three coordinates": (
        lambda: GridWorld(3, 2).state((1, 1, 1)),
        "cell: found (1, 1, 1); expected a cell (x, y), or a state from 0 to 5",
    ),
    "cell between cells": (
        lambda: GridWorld(3, 2).state((0.5, 1)),
        "cell: found (0.5, 1); expected a cell (x, y), or a state from 0 to 5",
    ),
    "cell by an unknown name": (
        lambda: GridWorld(3, 2).state("corner"),
        "cell: found 'corner'; expected a cell (x, y), or a state from 0 to 5",
    ),
    "index outside": (lambda: GridWorld(3, 2).state(6), "cell: found 6; expected an index from 0 to 5"),
    "too slippery": (lambda: GridWorld(3, 2).slippery(1.5), "slip: found 1.5; expected a number from 0 to 1"),
    "slip that is not a number": (
        lambda: GridWorld(3, 2).slippery(NAN),
        "slip: found nan; expected a number from 0 to 1",
    ),
}


@each(FAULTS)
def test_faulty_grid_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


@pytest.mark.parametrize("side", [np.int32(2), np.int64(2)])
def test_sides_may_be_numpy_integers(side: int) -> None:
    assert GridWorld(side, side).n_states == 4
