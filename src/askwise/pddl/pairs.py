"""How long goals look alike, at the start or after a prefix of an optimal plan, in all conventions at once.

For each ordered pair (ruled out, pursued) of goals that are still possible:

- *EDP*: the expected step at which an optimal actor who pursues the second goal has ruled out the first. Infinite
  where both have a nearest
  state in common: an actor who stops there has told nobody which of the two it was.
- *EDP, capped*: the same, but the watching ends with the plan; the step in which the actor stays at its goal still
  counts. Finite for
  all pairs, and equal to EDP where that is finite.
- *WCD*: the last step at which optimal plans for the two can first differ, that step counted. Infinite as EDP is.
- *common prefix*: the longest common prefix of optimal plans for the two, what the literature on goal-recognition
  design calls
  WCD: one less, and finite for all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.divergence.cones import matrices_at
from askwise.pddl.cones import Cones
from askwise.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of goals that are still possible in one state; matrices are ``[ruled out, pursued]``.

    Attributes:
        state: the state of the cones' model.
        goals: the goals, by their numbers in the problem.
        steps: ``int32 [n]``, steps left to each of them.
        edp: ``float64 [n, n]``, ``inf`` on the diagonal.
        capped: ``float64 [n, n]``, EDP capped at the plan's end.
        wcd: ``float64 [n, n]``, ``inf`` on the diagonal.
        prefix: ``int32 [n, n]``, steps of the longest common prefix.
    """

    state: int
    goals: tuple[int, ...]
    steps: IntArray
    edp: FloatArray
    capped: FloatArray
    wcd: FloatArray
    prefix: IntArray

    def longest(self, most: int) -> list[tuple[int, int]]:
        """Return the places ``(ruled out, pursued)`` of the pairs that look alike longest, for ever ones first."""
        n = len(self.goals)
        order = np.lexsort((-self.capped.ravel(), -self.edp.ravel()))
        places = ((int(k) // n, int(k) % n) for k in order)
        return [place for place in places if place[0] != place[1]][:most]


def pairs_at(cones: Cones, state: int = 0) -> Pairs:
    """Return all pairs of goals that are still possible in a state of the cones' model, by default at the start."""
    goals = tuple(goal for goal in cones.reached if cones.inside[state, goal])
    if not goals:
        none = np.empty((0, 0))
        return Pairs(state, (), np.empty(0, dtype=np.int32), none, none, none, none.astype(np.int32))
    targets = np.concatenate([cones.targets[goal] for goal in goals])
    starts = np.concatenate(([0], np.cumsum([cones.targets[goal].size for goal in goals]))).astype(np.int32)
    edp, wcd, _ = matrices_at(cones.model, state, targets, starts)
    # The state of a goal that is pursued from here is the nearest one from here: the cones have no other.
    capped, last, steps = matrices_at(cones.model, state, targets, starts, capped=True)
    return Pairs(state, goals, steps, edp, capped, wcd, last.astype(np.int32) - 1)
