"""Grids and goals with fixed seeds, so that every run measures the same ones, and comparisons of computed values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from askwise import GridWorld
from askwise.divergence.edp_tables import closed_form
from askwise.types import FloatArray, IntArray

WALL_SHARE = 0.3


@dataclass(frozen=True)
class Case:
    """A grid, goals, and start states from which all goals can be reached; goals and starts are state numbers."""

    name: str
    grid: GridWorld
    goals: list[int]
    starts: list[int]

    @property
    def targets(self) -> IntArray:
        """The goals as an array, ``int32 [n_goals]``."""
        return np.array(self.goals, dtype=np.int32)

    def clear_caches(self) -> None:
        """Delete what askwise keeps between calls: predecessor lists and the closed form of the grid size."""
        self.grid.__dict__.pop("predecessors", None)
        closed_form.cache_clear()


def build(side: int, n_goals: int, *, walls: bool, seed: int = 2021, n_starts: int = 20) -> Case:
    """Return a case on a grid of `side` x `side` cells.

    With `walls`, 30 % of the cells are walls; goals and starts then lie in the largest connected part of the grid.
    """
    rng = np.random.default_rng([seed, side, walls])
    mask = rng.random((side, side)) < (WALL_SHARE if walls else 0.0)
    grid = GridWorld(side, side, mask)
    inside = _largest_part(grid)
    goals = rng.choice(inside, n_goals, replace=False)
    starts = rng.choice(inside, min(n_starts, inside.size), replace=False)
    kind = f"{WALL_SHARE:.0%} walls" if walls else "open"
    return Case(f"{side} x {side}, {kind}, {n_goals} goals", grid, goals.tolist(), starts.tolist())


def _largest_part(grid: GridWorld) -> IntArray:
    """Return the states of the largest connected part."""
    parts, _ = ndimage.label(~grid.walls)
    part_of_state = parts[~grid.walls]
    return np.flatnonzero(part_of_state == np.bincount(part_of_state).argmax()).astype(np.int32)


# -- comparing values ------------------------------------------------------------------------------------------------


class WrongNumbersError(Exception):
    """Two implementations returned different values, so comparing their times would mean nothing."""


def relative_deviation(values: FloatArray, reference: FloatArray) -> float:
    """Return the largest relative deviation from `reference`.

    It is infinite unless infinite and missing values (nan) are at the same places in both arrays.
    """
    same = (values == reference) | (np.isnan(values) & np.isnan(reference))
    with np.errstate(invalid="ignore"):
        deviations = np.where(same, 0.0, np.abs(values - reference) / np.abs(reference))
    return float(np.max(np.where(np.isnan(deviations), np.inf, deviations), initial=0.0))


def check_agreement(name: str, values: FloatArray, reference: FloatArray, tolerance: float = 1e-9) -> float:
    """Return the largest relative deviation; raise `WrongNumbersError` if it is above `tolerance`."""
    deviation = relative_deviation(values, reference)
    if deviation > tolerance:
        raise WrongNumbersError(f"{name}: values deviate by {deviation:.2g}; not timed")
    return deviation
