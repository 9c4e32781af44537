"""Where actions that were seen lead, if they are the beginning of an optimal plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.errors import InputError
from askwise.pddl.cones import Cones
from askwise.pddl.tokens import Word, refusal

MOST_SHOWN = 5


def state_after(cones: Cones, seen: Sequence[tuple[Word, str]]) -> int:
    """Return the state after actions that were seen one after the other, without gaps.

    The first action with which no optimal plan for any goal goes on is refused, with those with which one would.
    """
    state = 0
    for k in range(1, len(seen) + 1):
        following = cones.after([action for _, action in seen[:k]])
        if following is None:
            raise _off_all_plans(cones, state, *seen[k - 1])
        state = following
    return state


def _off_all_plans(cones: Cones, state: int, at: Word, action: str) -> InputError:
    model = cones.model
    there = np.flatnonzero(model.available[state])
    names = [str(model.action_name(state, int(a))) for a in there if a != model.stay]
    shown = ", ".join(f"({name})" for name in names[:MOST_SHOWN]) + (", ..." if len(names) > MOST_SHOWN else "")
    expected = (
        f"an action with which an optimal plan for some goal goes on, such as {shown}" if names else "no more actions"
    )
    return refusal(at, f"({action})", f"{expected} (actions may not be missing here)")
