"""Kinds of policies that can be sampled, and one interface for all of them.

A policy is one of these:

- a function from an observation to the probabilities of the actions (`Discrete` action spaces);
- a `VectorPolicy`: the same for many observations at once, which is faster;
- an object with ``log_prob(observation, action)`` and ``sample(observation, rng)``. For continuous actions the first
  returns a log density. If the object also has ``reset()``, it is **recurrent**: it may keep a memory of the episode.
  Then each episode has its own copy, which is reset at its start; ``sample`` must leave the memory as it is, and
  ``log_prob`` is called once for each step, in order, whether the policy is followed or only compared;
- a model of Stable-Baselines3 with a stochastic policy (PPO, A2C, SAC), or sb3-contrib's RecurrentPPO.

A deterministic policy has no likelihood: one unexpected action would rule it out. You state how noisy it is, with
`NoisyPolicy` (discrete actions) or `GaussianPolicy` (continuous actions).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.errors import InputError
from askwise.types import FloatArray


@dataclass(frozen=True)
class VectorPolicy:
    """A policy that computes the probabilities of actions for many observations at once.

    Attributes:
        function: takes stacked observations, ``[n, ...]``, and returns probabilities, ``float [n, n_actions]``.
    """

    function: Callable[[Any], Any]


@dataclass(frozen=True)
class NoisyPolicy:
    """A deterministic policy that takes a random action with a stated probability, for discrete actions.

    Attributes:
        act: takes an observation and returns the index of an action, from 0.
        n_actions: number of actions.
        noise: probability of a uniformly random action.
    """

    act: Callable[[Any], Any]
    n_actions: int
    noise: float

    def __post_init__(self) -> None:
        if not 0 < self.noise <= 1:
            raise InputError("noise", self.noise, "a number above 0, at most 1")

    def __call__(self, observation: Any) -> FloatArray:
        """Return the probability of each action, ``float64 [n_actions]``."""
        probabilities = np.full(self.n_actions, self.noise / self.n_actions)
        probabilities[int(self.act(observation))] += 1 - self.noise
        return probabilities


@dataclass(frozen=True)
class GaussianPolicy:
    """A deterministic policy with normally distributed noise, for continuous actions.

    Attributes:
        act: takes an observation and returns an action, an array.
        spread: standard deviation of the noise in each component.
    """

    act: Callable[[Any], Any]
    spread: float

    def __post_init__(self) -> None:
        if not 0 < self.spread < math.inf:
            raise InputError("spread", self.spread, "a finite number above 0")

    def log_prob(self, observation: Any, action: Any) -> float:
        """Return the log density of an action after an observation."""
        away = (np.asarray(action, dtype=np.float64) - self.act(observation)) / self.spread
        return float(-0.5 * np.square(away).sum() - away.size * math.log(self.spread * math.sqrt(2 * math.pi)))

    def sample(self, observation: Any, rng: np.random.Generator) -> Any:
        """Draw an action after an observation."""
        return rng.normal(self.act(observation), self.spread)
