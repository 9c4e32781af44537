"""Tools for reinforcement learning: a reward that values each step at once, and trained policies as askwise agents.

**Rewards.** The reward of the environments is the negative cost of each step. The wrapper `RegretReward` gives the
negative *marginal cost*: the price of a question, or the number of steps by which an action delays the earliest
possible end. Let ``V(s)`` be the least cost of the rest of an episode from state `s` if the goal is known, 0 at the
end. Then::

    reward = -(cost of the step + V(state after the step) - V(state before the step))

If the goal is reached, the rewards sum to ``V(start)`` minus the cost of the episode. The same policies are optimal
with and without the wrapper (potential-based shaping, without discount). But the rewards reveal the goal: train with
the wrapper, measure without it.

**Policies.** A policy maps a vector and a mask to the index of an action. `PolicyAgent` makes it an agent of askwise.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from askwise.core.game import Game
from askwise.core.problem import Problem, optimal_costs
from askwise.envs.flat import FlatEnv
from askwise.envs.play import action_number
from askwise.envs.single_agent import GameEnv
from askwise.errors import InputError
from askwise.methods import Agent, Decision, Observation
from askwise.seeds import Seed
from askwise.types import BoolArray, FloatArray

Policy: TypeAlias = Callable[[Any, BoolArray], Any]
"""Takes an observation, ``float32 [k]``, and a mask, ``bool [n_actions]``; returns the index of an action."""


class RegretReward(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """A wrapper that rewards each step with its negative marginal cost, which shows at once whether the step is good.

    The marginal cost is ``cost of the step + V(state after it) - V(state before it)``. ``V(s)`` is the least cost of
    the rest of an episode from state `s` if the goal is known, 0 at the end. The wrapper does not change which policies
    are optimal. Its rewards reveal the goal, so measure costs without the wrapper.

    Args:
        env: an environment of askwise, wrapped or not.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        gymnasium.Wrapper.__init__(self, env)
        if not isinstance(env.unwrapped, GameEnv):
            raise InputError("environment", repr(env), "one of askwise, such as askwise/ProblemFlat-v0")
        self._bare = env.unwrapped

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode of the wrapped environment; return its observation and info dict."""
        seen, info = self.env.reset(seed=seed, options=options)
        self._left = _cost_left(self._bare.play.game)
        return seen, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action in the wrapped environment; return the results of its ``step``, with another reward.

        The reward is the negative marginal cost of the step.
        """
        seen, reward, terminated, truncated, info = self.env.step(action)
        before, self._left = self._left, _cost_left(self._bare.play.game)
        return seen, float(reward) + before - self._left, terminated, truncated, info


def _cost_left(game: Game) -> float:
    """Return the least cost of the rest of a game for an ego agent that knows the goal; 0 if the goal was reached.

    If the goal can no longer be reached, the cost is the number of steps until truncation.
    """
    if game.finished:
        return 0.0
    assert game.goal is not None
    if game.problem.ego.steps(game.state.ego)[game.goal] < 0:
        return float(game.max_steps - game.steps)  # the goal is out of reach: the episode will be truncated
    return float(optimal_costs(game.problem, game.state)[game.goal])


class PolicyAgent(Agent):
    """An agent that decides by a policy that was trained in a flat environment.

    Args:
        env: the flat environment in which the policy was trained, or an equal one; wrappers around it are ignored.
        policy: takes an observation, ``float32 [k]``, and a mask, ``bool [n_actions]``; returns the index of an action
            that the mask allows.
        name: the agent's name.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], policy: Policy, *, name: str = "policy") -> None:
        self._env = _flat(env)
        self._policy = policy
        self.name = name

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """Start an episode of `problem`; `seed` determines the agent's random choices."""
        super().reset(problem, seed)
        self.play = self._env.follow(problem)
        self.tracker = self._env.new_tracker(problem)

    @property
    def probabilities(self) -> FloatArray:
        """The agent's belief, ``float64 [n_goals]``: the probability of each goal."""
        return self.tracker.probabilities

    def watch(self, observation: Observation) -> None:
        """Update the agent's belief and its own copy of the episode with an observation, without deciding."""
        self.play.follow(observation)
        self.tracker.update(observation)

    def decide(self, observation: Observation) -> Decision:
        """Update the belief with an observation, and return the action or question that the policy chooses.

        Raises an InputError if the policy chooses an action that the mask excludes.
        """
        self.watch(observation)
        view = self._env.show(self.play, self.tracker)
        chosen = self._policy(view.flat, view.mask.astype(np.bool_))
        number = action_number(chosen, view.mask.size, "the policy's action")
        if not view.mask[number]:
            raise InputError("the policy's action", f"{number}, which the mask excludes", "one that the mask allows")
        question = number - (view.mask.size - len(view.asked))
        if question < 0:
            return Decision(action=number, why=f"{self.problem.ego.actions.names[number]}: the policy's choice.")
        asked = tuple(np.flatnonzero(view.asked[question]).tolist())
        price = self.problem.query_cost(asked)
        return Decision(ask=asked, considered=asked, cost=price, why="Ask: the policy's choice.")

    def __deepcopy__(self, memo: dict[int, Any]) -> PolicyAgent:
        """Return a copy that has its own episode and belief, but shares environment and policy with the original."""
        shared = [self._env, self._policy]
        if "play" in vars(self):
            shared += [self.play.masks]
        memo |= {id(each): each for each in shared}
        copied = copy.copy(self)
        vars(copied).update(copy.deepcopy(vars(self), memo))
        return copied


def _flat(env: Any) -> FlatEnv:
    """Return the `FlatEnv` inside any number of wrappers; raise an InputError if there is none."""
    inside = env
    while not isinstance(inside, FlatEnv):
        if not isinstance(inside, gymnasium.Wrapper):
            raise InputError("environment", repr(env), "a flat one, such as askwise/ProblemFlat-v0")
        inside = inside.env
    return inside
