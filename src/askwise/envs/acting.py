"""The ego agent's actions in an environment: ``(0, ontic action)`` or ``(1, question)``."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from askwise.core.problem import Problem
from askwise.errors import InputError
from askwise.model.names import as_int
from askwise.types import BoolArray

ACT, ASK = 0, 1


def ego_space(problem: Problem) -> spaces.OneOf[Any]:
    """Return the space of what the ego agent can do."""
    return spaces.OneOf((spaces.Discrete(len(problem.ego.actions.names)), spaces.MultiBinary(len(problem.goals))))


def ontic_action(value: object, n_actions: int, field: str = "action") -> int:
    """Return a number of an action."""
    action = as_int(value)
    if action is None or not 0 <= action < n_actions:
        raise InputError(field, repr(value), f"a whole number from 0 to {n_actions - 1}")
    return action


def ego_action(action: Any, problem: Problem, goal_word: str = "goal") -> int | BoolArray:
    """Return an ontic action as its number, a question as ``bool [n_goals]``.

    Args:
        action: what the player chose.
        problem: what is played.
        goal_word: what the domain calls a goal, for messages.
    """
    kind = as_int(action[0]) if isinstance(action, tuple | list) and len(action) == 2 else None
    if kind == ACT:
        return ontic_action(action[1], len(problem.ego.actions.names), "ontic action")
    if kind == ASK:
        return _question(action[1], len(problem.goals), goal_word)
    raise InputError("action", repr(action), "a pair, (0, ontic action) or (1, question)")


def _question(value: Any, n_goals: int, goal_word: str) -> BoolArray:
    try:
        asked = np.asarray(value)
        question = asked.astype(np.bool_)
        if asked.shape == (n_goals,) and bool((question == asked).all()):
            return question
    except (TypeError, ValueError):
        pass  # Ragged or no numbers at all: refused like any other.
    raise InputError("question", repr(value), f"{n_goals} zeros and ones, one for each {goal_word}")
