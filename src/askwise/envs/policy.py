"""What was trained in a flat environment, as an agent of askwise.

Libraries for reinforcement learning give a policy: a vector and a mask in, the number of an action out. With this it
plays wherever agents do: `askwise.simulate` and `askwise.evaluate` play it beside the others, `askwise.ask` asks it.
The agent shows the policy what the environment would: it follows the episode with the environment's belief, questions
and observation, so that a policy decides the same in both.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeAlias

import gymnasium
import numpy as np

from askwise.core.problem import Problem
from askwise.envs.acting import ontic_action
from askwise.envs.flat import FlatEnv
from askwise.errors import InputError
from askwise.methods import Agent, Decision, Observation
from askwise.seeds import Seed
from askwise.types import BoolArray, FloatArray

Policy: TypeAlias = Callable[[Any, BoolArray], Any]
"""Takes an observation, ``float32 [k]``, and a mask, ``bool [n_actions]``; returns the number of an action."""


class PolicyAgent(Agent):
    """An agent that decides as a policy of a flat environment does.

    Args:
        env: the flat environment in which the policy was trained, or one made with the same arguments; wrappers around
            it do not matter.
        policy: takes an observation and a mask, and returns the number of an action that the mask allows.
        name: what it is called.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], policy: Policy, *, name: str = "policy") -> None:
        self._env = _flat(env)
        self._policy = policy
        self.name = name

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem, seed)
        self.play = self._env.follow(problem)
        self.tracker = self._env.new_tracker(problem)

    @property
    def probabilities(self) -> FloatArray:
        """See `Agent`."""
        return self.tracker.probabilities

    def watch(self, observation: Observation) -> None:
        """See `Agent`."""
        self.play.follow(observation)
        self.tracker.update(observation)

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        self.watch(observation)
        shown = self._env.show(self.play, self.tracker)
        chosen = self._policy(shown.flat, shown.mask.astype(np.bool_))
        number = ontic_action(chosen, shown.mask.size, "the policy's action")
        if not shown.mask[number]:
            raise InputError("the policy's action", f"{number}, which the mask leaves out", "one that the mask allows")
        question = number - (shown.mask.size - len(shown.asked))
        if question < 0:
            return Decision(action=number, why=f"{self.problem.ego.actions.names[number]}: the policy's choice.")
        asked = tuple(np.flatnonzero(shown.asked[question]).tolist())
        price = self.problem.query_cost(asked)
        return Decision(ask=asked, considered=asked, cost=price, why="Ask: the policy's choice.")

    def __deepcopy__(self, memo: dict[int, Any]) -> PolicyAgent:
        """Copy what it has seen; environment and policy are the same for all copies."""
        shared = [self._env, self._policy]
        if "play" in vars(self):
            shared += [self.play.masks]
        memo |= {id(each): each for each in shared}
        copied = copy.copy(self)
        vars(copied).update(copy.deepcopy(vars(self), memo))
        return copied


def _flat(env: Any) -> FlatEnv:
    """Find the flat environment inside wrappers."""
    inside = env
    while not isinstance(inside, FlatEnv):
        if not isinstance(inside, gymnasium.Wrapper):
            raise InputError("environment", repr(env), "a flat one, such as askwise/ProblemFlat-v0")
        inside = inside.env
    return inside
