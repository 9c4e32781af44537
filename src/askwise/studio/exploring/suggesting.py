"""Which walls, or closed edges of a graph, would make goals plain soonest, as `askwise.design` finds them.

Designs begin where both agents start. An edge is one of the teammate's graph, ``[state, action, next state]``.
"""

from __future__ import annotations

from typing import Any

from askwise.designs.designing import design
from askwise.studio.exploring.draft import Draft
from askwise.text.reading import Field, printable

MINIMISE = ("edp", "wcd")
MOST_WALLS = 3
MOST_LONGER = 10
MOST_DESIGNS = 20_000
"""Designs that are looked at before the best so far is suggested: a few seconds."""


def suggested(draft: Draft, given: Field) -> dict[str, Any]:
    """Return the cells to become walls, what that changes, and what is proven.

    Args:
        draft: the map.
        given: what to minimise, how many walls at most, by how much ways may grow.
    """
    given.object(["minimise", "most", "budget"], [])
    found = design(
        draft.given,
        given.child("most").whole(1, MOST_WALLS),
        minimise=given.child("minimise").text(MINIMISE),
        budget=given.child("budget").whole(0, MOST_LONGER),
        limit=MOST_DESIGNS,
    )
    now = draft.to_json()
    taken = [now[who]["now"] for who in ("teammate", "ego")]
    things: list[Any] = [list(thing) if isinstance(thing, tuple) else thing for thing in found.forbidden]
    return {
        "things": things,
        "inTheWay": [thing for thing in things if thing in taken],
        "before": {"wcd": found.before.wcd, "edp": found.before.edp},
        "after": {"wcd": found.after.wcd, "edp": found.after.edp},
        "verdict": printable(str(found.verdict)),
    }
