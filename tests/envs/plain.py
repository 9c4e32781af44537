"""The smallest environment that the bases allow: one problem of any domain, its states as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from askwise.core.factored import FactoredProblem
from askwise.envs.both import GameParallelEnv
from askwise.envs.playing import Play
from askwise.envs.single import GameEnv
from askwise.envs.stage import Staging
from askwise.errors import InputError


class Always:
    """The same problem in every episode."""

    option = "problem"
    limit = None

    def __init__(self, problem: FactoredProblem) -> None:
        self.example = problem

    def draw(self, rng: np.random.Generator) -> FactoredProblem:
        return self.example

    def given(self, chosen: object) -> FactoredProblem:
        if chosen is not self.example:
            raise InputError("option 'problem'", repr(chosen), "the problem of this environment")
        return self.example

    def check(self, problem: object) -> None:
        self.given(problem)


class Numbers:
    """Shows the numbers of everything."""

    changing = ("teammate", "ego", "teammate_action", "asked", "answer", "possible")

    def __init__(self, problem: FactoredProblem) -> None:
        n = len(problem.goals)
        self.space = spaces.Dict(
            {
                "teammate": spaces.Discrete(problem.teammate.model.n_states),
                "ego": spaces.Discrete(problem.ego.model.n_states),
                "teammate_action": spaces.Discrete(len(problem.teammate.actions.names) + 1),
                "asked": spaces.MultiBinary(n),
                "answer": spaces.Discrete(3),
                "possible": spaces.MultiBinary(n),
            }
        )

    def begin(self, problem: FactoredProblem) -> None:
        pass

    def __call__(self, play: Play) -> dict[str, Any]:
        game = play.game
        return {
            "teammate": game.state.teammate,
            "ego": game.state.ego,
            "teammate_action": 0 if game.teammate_action is None else game.teammate_action + 1,
            "asked": play.asked.astype(np.int8),
            "answer": play.answer,
            "possible": game.allowed.astype(np.int8),
        }


class InWords:
    """Draws nothing but where everybody is."""

    def text(self, play: Play) -> str:
        return f"{play.game.state.teammate} and {play.game.state.ego} after {play.game.steps} steps"

    def pixels(self, play: Play) -> Any:
        return np.full((4, 4, 3), play.game.steps, dtype=np.uint8)


def _staging(problem: FactoredProblem) -> Staging:
    return Staging(Always(problem), Numbers(problem), InWords())


class PlainEnv(GameEnv):
    """A problem in Gymnasium."""

    def __init__(self, problem: FactoredProblem, **more: Any) -> None:
        super().__init__(_staging(problem), **more)


class PlainParallelEnv(GameParallelEnv):
    """A problem in PettingZoo."""

    def __init__(self, problem: FactoredProblem, **more: Any) -> None:
        super().__init__(_staging(problem), **more)
