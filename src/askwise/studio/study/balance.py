"""Who meets what in which order: Latin squares for orders, permuted blocks for people.

A *cell* is an order of conditions and a rotation of the problems. Within people, orders are the rows of a Williams
square: each condition stands in each place equally often, and follows each other one equally often (for an odd number
of conditions, the square and its mirror image). Between people, an order is one condition. Problems are rotated, so
that each condition is played on each problem, and each problem in each place, equally often over all cells.

A new person gets a cell that the fewest people have, counting those who finished and those who are still there; among
these, the first in the permutation of the present block, which is drawn from the seed. While nobody leaves, the cells
of any two people of one block differ, and numbers never differ by more than one; a cell that somebody left is the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Cell:
    """What a person meets.

    Attributes:
        order: conditions by number.
        rotation: by how many problems the list of problems is turned.
    """

    order: tuple[int, ...]
    rotation: int


def williams(n: int) -> list[tuple[int, ...]]:
    """Return the rows of a Williams square for `n` conditions: `n` of them if that is even, else twice as many."""
    # 0, 1, n - 1, 2, n - 2, ...: neighbours differ by every number once, which is what makes followers balanced.
    first = [0]
    low, high = 1, n - 1
    while low <= high:
        first.append(low)
        if low < high:
            first.append(high)
        low, high = low + 1, high - 1
    rows = [tuple((each + shift) % n for each in first) for shift in range(n)]
    return rows if n % 2 == 0 or n == 1 else [*rows, *(row[::-1] for row in rows)]


def cells(n_conditions: int, n_problems: int, *, within: bool) -> list[Cell]:
    """Return all cells of a design."""
    orders = williams(n_conditions) if within else [(condition,) for condition in range(n_conditions)]
    return [Cell(order, rotation) for rotation in range(n_problems) for order in orders]


def next_cell(counts: Sequence[int], seed: int) -> int:
    """Return the cell of the next person, where `counts` ``[n_cells]`` people are counted in each."""
    block = min(counts)
    order = np.random.default_rng([seed, block]).permutation(len(counts))
    return next(int(cell) for cell in order if counts[cell] == block)


def problems_of(cell: Cell, place: int, rounds: int, n_problems: int) -> list[int]:
    """Return the problems of the rounds in the condition at a place of the order."""
    first = cell.rotation + place * rounds
    return [(first + k) % n_problems for k in range(rounds)]
