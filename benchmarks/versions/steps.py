"""Steps of the environments, with random actions drawn before, without questions; resets are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from askwise import Instance
from askwise.envs import FLAT_ID, ID, tool_fetching_v0

EPISODE = 50
MOVES_AND_NOOP = 5
"""The number of these actions, which come first in the flat environment."""


def _single(env: Any, actions: list[Any]) -> Callable[[], object]:
    def work() -> object:
        seen = [env.reset(seed=0)[0]]
        rewards = []
        for action in actions:
            observation, reward, terminated, truncated, _ = env.step(action)
            rewards.append(float(reward))
            if terminated or truncated:
                seen += [observation, env.reset()[0]]
        return seen, rewards

    return work


def _gymnasium(instance: Instance, count: int) -> Callable[[], object]:
    env = gymnasium.make(ID, disable_env_checker=True, max_steps=EPISODE, instance=instance)
    return _single(env, _ontic(env.action_space, count))


def _flat(instance: Instance, count: int) -> Callable[[], object]:
    env = gymnasium.make(FLAT_ID, disable_env_checker=True, max_steps=EPISODE, instance=instance)
    return _single(env, _numbers(MOVES_AND_NOOP, count, 1))


def _pettingzoo(instance: Instance, count: int) -> Callable[[], object]:
    env: Any = tool_fetching_v0.parallel_env(instance, max_steps=EPISODE)
    worker = _numbers(int(env.action_space("worker").n), count, 2)
    fetcher = _ontic(env.action_space("fetcher"), count)
    actions = [{"worker": w, "fetcher": f} for w, f in zip(worker, fetcher, strict=True)]

    def work() -> object:
        seen = [env.reset(seed=0)[0]]
        rewards = []
        for action in actions:
            observation, reward, _, _, _ = env.step(action)
            rewards.append({name: float(value) for name, value in reward.items()})
            if not env.agents:
                seen += [observation, env.reset()[0]]
        return seen, rewards

    return work


def _ontic(space: Any, count: int) -> list[Any]:
    return [(0, action) for action in _numbers(int(space[0].n), count, 1)]


def _numbers(below: int, count: int, seed: int) -> list[int]:
    numbers: list[int] = np.random.default_rng(seed).integers(below, size=count).tolist()
    return numbers


ENVIRONMENTS = {"Gymnasium": _gymnasium, "Gymnasium, flat": _flat, "PettingZoo": _pettingzoo}
