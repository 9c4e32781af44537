"""The limits of a study: how long agents may take, how much memory."""

from __future__ import annotations

import math
from typing import Any

from askwise.errors import InputError
from askwise.text.limits import real
from askwise.text.reading import Field
from askwise.workers.limits import Limits

NAMES = {"decision_seconds": "decision", "episode_seconds": "episode", "memory_gib": "memory"}
"""What study files call the limits."""
NONE = "none"
ALLOWED = "a number above 0, or 'none'"


def read_limits(root: Field) -> Limits:
    """Return the limits that a study file sets; the others have their defaults."""
    if not root.has("limits"):
        return Limits()
    given = root.child("limits").object((), NAMES)
    stated: dict[str, Any] = {NAMES[name]: _limit(given.child(name)) for name in given.value}
    return Limits(**stated)


def limit_from(text: str, option: str) -> float:
    """Return a limit as it is given on the command line."""
    try:
        return math.inf if text == NONE else real(text, option, above=0)
    except InputError:
        raise InputError(option, repr(text), ALLOWED) from None


def _limit(field: Field) -> float:
    if field.value in (NONE, math.inf):
        return math.inf
    try:
        return field.number(above=0)
    except InputError:
        raise field.refuse(ALLOWED) from None
