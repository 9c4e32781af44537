"""Goals are sets of states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from askwise.errors import InputError
from askwise.frozen import read_only
from askwise.model.model import Model
from askwise.types import GoalLike, IntArray, StateLike


def goal_states(model: Model, goal: GoalLike, field: str = "goal") -> IntArray:
    """Return the target states of `goal`, ``int32``, sorted, without repetition, read-only.

    A tuple, a string or a number is one state; any other iterable (a list, a set, an array) is several.
    """
    if isinstance(goal, tuple | str) or not isinstance(goal, Iterable):
        return read_only(np.array([model.state(goal, field)], dtype=np.int32))
    states = np.unique(np.array([model.state(state, field) for state in goal], dtype=np.int32))
    if states.size == 0:
        raise InputError(field, "no states", "at least one target state")
    return read_only(states)


def state_names(model: Model, states: Iterable[int]) -> list[StateLike]:
    """Return the names of states given by number: a goal that means the same even if names are numbers."""
    return [model.name(int(state)) for state in states]


def goal_list(model: Model, goals: Any) -> tuple[tuple[str, ...] | None, tuple[IntArray, ...]]:
    """Return names and target states of `goals`, a mapping from name to goal or a sequence, which has no names."""
    names = None
    if isinstance(goals, Mapping):
        named = [(str(name), goal) for name, goal in goals.items()]
        targets = tuple(goal_states(model, goal, f"goal {name!r}") for name, goal in named)
        names = tuple(name for name, _ in named)
    else:
        targets = tuple(goal_states(model, goal, f"goal {k}") for k, goal in enumerate(goals))
    if not targets:
        raise InputError("goals", "an empty list", "at least one goal")
    return names, targets
