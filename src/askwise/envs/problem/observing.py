"""What is seen of any problem: the same dictionary of numbers in all environments, without the goal."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from askwise.core.problem import Problem
from askwise.envs.playing import Play
from askwise.envs.problem.starting import Shape

CHANGING = ("teammate", "ego", "teammate_action", "asked", "answer", "possible")
"""What may change from step to step; the rest is the problem's."""


def observation_space(shape: Shape) -> spaces.Dict:
    """Return the space of the observations; see the environments for what they mean."""
    n = shape.goals
    return spaces.Dict(
        {
            "teammate": spaces.Discrete(shape.teammate_states),
            "ego": spaces.Discrete(shape.ego_states),
            "teammate_action": spaces.Discrete(shape.teammate_actions + 1),
            "asked": spaces.MultiBinary(n),
            "answer": spaces.Discrete(3),
            "possible": spaces.MultiBinary(n),
            "prior": spaces.Box(0.0, 1.0, (n,), np.float64),
        }
    )


class ProblemObserver:
    """Makes observations; fulfils `askwise.envs.observing.Observer`."""

    changing = CHANGING

    def __init__(self, shape: Shape) -> None:
        self.space = observation_space(shape)

    def begin(self, problem: Problem) -> None:
        """See `askwise.envs.observing.Observer`."""
        # A prior may exceed 1 by the last digit where one goal has nearly all of it.
        self._prior = np.minimum(problem.prior, 1.0)

    def __call__(self, play: Play) -> dict[str, Any]:
        """See `askwise.envs.observing.Observer`."""
        game = play.game
        action = game.teammate_action
        return {
            "teammate": game.state.teammate,
            "ego": game.state.ego,
            "teammate_action": 0 if action is None else action + 1,
            "asked": play.asked.astype(np.int8),
            "answer": play.answer,
            "possible": game.allowed.astype(np.int8),
            "prior": self._prior.copy(),
        }
