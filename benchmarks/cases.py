"""The grids and goals that everything is measured on; fixed seeds, so that every run has the same ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from askwise import GridWorld
from askwise.divergence import open_grid
from askwise.types import IntArray

WALL_SHARE = 0.3


@dataclass(frozen=True)
class Case:
    """A grid, goals, and start states from which all of them can be reached; all given by state number."""

    name: str
    grid: GridWorld
    goals: list[int]
    starts: list[int]

    @property
    def targets(self) -> IntArray:
        """The goals as one array."""
        return np.array(self.goals, dtype=np.int32)

    def forget(self) -> None:
        """Throw away what askwise keeps between calls: predecessor lists and the closed form of the grid size."""
        self.grid.__dict__.pop("predecessors", None)
        open_grid.closed_form.cache_clear()


def build(side: int, n_goals: int, *, walls: bool, seed: int = 2021, n_starts: int = 20) -> Case:
    """Return a `side` x `side` grid; with walls, goals and starts lie in its largest connected part."""
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
