"""States as people type them: by their names, cells as ``X,Y``."""

from __future__ import annotations

from collections.abc import Hashable

from askwise.errors import InputError, did_you_mean
from askwise.model.grid import GridWorld
from askwise.model.model import Model
from askwise.text.limits import cell

MOST_NAMED = 20
"""States that an error lists as possible."""


def spoken(name: Hashable) -> str:
    """Return a state's name as people type it."""
    return ",".join(map(str, name)) if isinstance(name, tuple) else str(name)


def state_said(model: Model, text: str, option: str) -> Hashable:
    """Return the name of the state that somebody typed; `option` is what a refusal calls it."""
    if isinstance(model, GridWorld):
        return cell(text, option)
    names = {spoken(model.name(state)): model.name(state) for state in range(model.n_states)}
    if text not in names:
        listed = ", ".join(map(repr, list(names)[:MOST_NAMED])) + (", ..." if len(names) > MOST_NAMED else "")
        raise InputError(option, repr(text), f"one of {listed}{did_you_mean(text, names)}")
    return names[text]
