"""Where actions that were seen lead, if they are the beginning of an optimal plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from askwise.errors import InputError
from askwise.pddl.cones import Cones
from askwise.pddl.tokens import Word, refusal

MOST_SHOWN = 5


def after_seen(cones: Cones, seen: Sequence[tuple[Word, str]]) -> dict[int, int]:
    """Return the states after actions that were seen one after the other, without gaps: see `Cones.after`.

    The first action with which no optimal plan for any goal goes on is refused, with those with which one would.
    """
    states = cones.after([])
    for k in range(1, len(seen) + 1):
        following = cones.after([action for _, action in seen[:k]])
        if not following:
            raise _off_all_plans(cones, states, *seen[k - 1])
        states = following
    return states


def _off_all_plans(cones: Cones, states: Iterable[int], at: Word, action: str) -> InputError:
    names = list(dict.fromkeys(label for state in states for label, _ in cones.steps_from(state)))
    shown = ", ".join(f"({name})" for name in names[:MOST_SHOWN]) + (", ..." if len(names) > MOST_SHOWN else "")
    expected = (
        f"an action with which an optimal plan for some goal goes on, such as {shown}" if names else "no more actions"
    )
    return refusal(at, f"({action})", f"{expected} (actions may not be missing here)")
