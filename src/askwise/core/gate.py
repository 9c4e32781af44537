"""The gate before every question: ask only if no action is right for all goals that are still possible.

In an open grid this says that some pair of possible goals has the current step in its zone of querying.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.types import BoolArray


def common_actions(optimal: BoolArray, possible: BoolArray) -> Any:
    """Return the actions that are optimal for every possible goal; if there is none, the gate is open.

    Args:
        optimal: ``bool [n_goals, n_actions]``.
        possible: ``bool [n_goals]``.
    """
    common = np.empty(optimal.shape[1], dtype=np.int64)
    return common[: _common(optimal, possible, common)]


@compiled(work=lambda given: given.optimal.size)
def _common(optimal: Any, possible: Any, common: Any) -> int:
    """Write the actions that are right for all; return how many there are."""
    n_goals, n_actions = optimal.shape
    filled = 0
    for a in range(n_actions):
        shared = True
        for goal in range(n_goals):
            if possible[goal] and not optimal[goal, a]:
                shared = False
                break
        if shared:
            common[filled] = a
            filled += 1
    return filled


@compiled(work=lambda given: given.optimal.size)
def some_out_of_reach(optimal: Any, possible: Any) -> bool:
    """Whether some possible goal has no optimal action: the agent cannot reach it."""
    n_goals, n_actions = optimal.shape
    for goal in range(n_goals):
        if possible[goal]:
            reached = False
            for a in range(n_actions):
                if optimal[goal, a]:
                    reached = True
                    break
            if not reached:
                return True
    return False
