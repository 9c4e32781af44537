"""The smallest environment that the bases allow: one problem of any domain, its states as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from askwise.core.factored import FactoredProblem
from askwise.envs.episodes import ProblemSource
from askwise.envs.parallel import GameParallelEnv
from askwise.envs.play import Play
from askwise.envs.single_agent import GameEnv
from askwise.errors import InputError


class Always(ProblemSource):
    """The same problem in every episode; questions about no goal are allowed."""

    empty_questions = True

    def given(self, chosen: object) -> Any:
        if chosen is not self.example:
            raise InputError("option 'problem'", repr(chosen), "the problem of this environment")
        return self.example


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


class PlainEnv(GameEnv):
    """A problem in Gymnasium."""

    def __init__(self, problem: FactoredProblem, **more: Any) -> None:
        super().__init__(Always(problem), Numbers(problem), **more)


class PlainParallelEnv(GameParallelEnv):
    """A problem in PettingZoo."""

    def __init__(self, problem: FactoredProblem, **more: Any) -> None:
        super().__init__(Always(problem), Numbers(problem), **more)
