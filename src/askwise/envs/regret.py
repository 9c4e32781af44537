"""Rewards that say at once what each step was worth, for learning.

The reward of the environments is the negative cost of each step. Nearly all steps cost the same, and a learner that has
never reached the goal cannot tell a good one from a bad one. With the goal known, the rest of an episode from state `s`
would cost ``V(s)``. This wrapper gives the *regret* of each step instead, by how much it put off the end or what was
paid to ask:

    reward = -(cost of the step + V(after) - V(before)),        V = 0 at the end.

The sum over an episode that ends is the negative marginal cost: the cost less ``V(start)``, which does not depend on
what is done. So the same policies are best, with or without the wrapper (this is potential-based shaping, with no
discount). ``V`` depends on the goal, which the rewards therefore tell: to whoever learns from them, and only after the
step. A policy sees what it saw before. Train with this, measure without it.
"""

from __future__ import annotations

from typing import Any

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from askwise.core.game import Game
from askwise.core.problem import optimal_costs
from askwise.envs.single import GameEnv
from askwise.errors import InputError


class RegretReward(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Gives the negative regret of each step as its reward.

    Args:
        env: an environment of askwise, flat or not, wrapped or not.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        gymnasium.Wrapper.__init__(self, env)
        if not isinstance(env.unwrapped, GameEnv):
            raise InputError("environment", repr(env), "one of askwise, such as askwise/ProblemFlat-v0")
        self._bare = env.unwrapped

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        seen, info = self.env.reset(seed=seed, options=options)
        self._left = _cost_left(self._bare.play.game)
        return seen, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act or ask."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        before, self._left = self._left, _cost_left(self._bare.play.game)
        return seen, float(reward) + before - self._left, terminated, truncated, info


def _cost_left(game: Game) -> float:
    """Return what the rest of an episode costs whoever knows the goal."""
    if game.finished:
        return 0.0
    assert game.goal is not None
    if game.problem.ego.steps(game.state.ego)[game.goal] < 0:
        return float(game.max_steps - game.steps)  # no way leads back to the goal: it is lost until it is cut off
    return float(optimal_costs(game.problem, game.state)[game.goal])
