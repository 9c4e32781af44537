"""Where the ego agent can be after so many steps, and what each of its actions costs there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askwise.core.side import FAR
from askwise.planning.tables import Tables
from askwise.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Ground:
    """Where the ego agent can be after a number of joint steps.

    Attributes:
        column: the column of each place and load.
        steps: ``int [n_columns, n_goals]``, steps to each goal from there.
        after: ``int [n_columns, n_actions]``, the column after each action, one step later; -1 where it cannot be done.
    """

    column: dict[tuple[int, int], int]
    steps: IntArray
    after: IntArray


class Walking:
    """The ego agent's ways, step by step from where it starts.

    Actions are numbered: its moves, waiting last; then taking up the load of each goal.
    """

    def __init__(self, tables: Tables, goals: Sequence[int], start: tuple[int, int], wait: int, depth: int) -> None:
        self.ego, self.goals = tables.ego, list(goals)
        moves = range(len(self.ego.moves))
        self.moves = sorted(moves, key=lambda k: (self.ego.moves[k] == wait, k))
        self.n_actions = len(self.moves) + len(self.goals)
        self.grounds: list[Ground] = []
        here = {start: 0}
        for _ in range(depth + 1):
            there: dict[tuple[int, int], int] = {}
            after = np.full((len(here), self.n_actions), -1, dtype=np.int32)
            for (place, load), column in here.items():
                for action, onwards in self._ways(place, load):
                    after[column, action] = there.setdefault(onwards, len(there))
            self.grounds.append(Ground(here, self._steps(here), after))
            here = there
        self.grounds.append(Ground(here, self._steps(here), np.empty((0, 0), dtype=np.int32)))

    def action(self, place: int, number: int) -> int:
        """Return the ego action of that number in a place."""
        if number < len(self.moves):
            return self.ego.action(place, self.moves[number])
        return int(self.ego.load_actions[self.goals[number - len(self.moves)]])

    def regrets(self, depth: int, teammate: IntArray) -> tuple[FloatArray, BoolArray]:
        """Return by how much each action puts off the end for each goal, and the goals that it puts out of reach.

        Args:
            depth: joint steps so far.
            teammate: ``int [n_goals]``, the teammate's steps to each goal.

        Returns:
            ``float64 [n_actions, n_columns, n_goals]``, and ``bool`` of the same shape; actions that cannot be done
            have nothing to say.
        """
        ground, later = self.grounds[depth], self.grounds[depth + 1]
        before, after = ground.steps[None], later.steps[ground.after.T]
        regret = 1.0 + np.maximum(teammate, after) - np.maximum(teammate + 1, before)
        gone = after >= FAR
        return np.where(gone, 0.0, regret), gone & (before < FAR)

    def _ways(self, place: int, load: int) -> list[tuple[int, tuple[int, int]]]:
        ways = [(k, (int(self.ego.next[place, move]), load)) for k, move in enumerate(self.moves)]
        ways = [(k, onwards) for k, onwards in ways if onwards[0] >= 0]
        for k, goal in enumerate(self.goals):
            if self.ego.load_at[goal] == place and load != k:
                ways.append((len(self.moves) + k, (place, k)))
        return ways

    def _steps(self, here: dict[tuple[int, int], int]) -> IntArray:
        steps = np.empty((len(here), len(self.goals)), dtype=np.int32)
        for (place, load), column in here.items():
            steps[column] = self.ego.unloaded[place, self.goals]
            if load >= 0:
                steps[column, load] = self.ego.loaded[place, self.goals[load]]
        return steps
