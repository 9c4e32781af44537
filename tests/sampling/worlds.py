"""Small environments and policies whose divergence by evidence can be enumerated."""

from __future__ import annotations

import math
from typing import Any

import gymnasium
import numpy as np


class Ring(gymnasium.Env[Any, Any]):
    """States in a ring; action 0 goes on, 1 goes back, and with probability `slip` the step has no effect.

    Args:
        n: number of states.
        slip: probability that a step has no effect.
        ends: the state in which an episode ends, None if it never does.
        cut: the number of steps after which an episode is truncated.
    """

    def __init__(self, n: int = 4, slip: float = 0.2, ends: int | None = None, cut: int | None = None) -> None:
        self.n, self.slip, self.ends, self.cut = n, slip, ends, cut
        self.observation_space, self.action_space = gymnasium.spaces.Discrete(n), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.state, self.t = 0, 0
        return self.state, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self.np_random.random() >= self.slip:
            self.state = (self.state + (1 if action == 0 else -1)) % self.n
        self.t += 1
        return self.state, 0.0, self.state == self.ends, self.t == self.cut, {}


TRUTH = np.array([[0.8, 0.2], [0.5, 0.5], [0.8, 0.2], [0.6, 0.4]])
OTHER = np.array([[0.4, 0.6], [0.5, 0.5], [0.4, 0.6], [0.2, 0.8]])
"""All log likelihood ratios are sums of log 2 and log 3, so few of them differ."""


def table(rows: Any) -> Any:
    return lambda state: rows[state]


def exact(truth: Any, other: Any, horizon: int, evidence: float, slip: float = 0.2) -> list[float]:
    """Return P(dp > t) for t from 0 to the horizon, by enumerating all (state, LLR) that can be reached."""
    limit = -math.log(evidence) if evidence else math.inf
    now: dict[tuple[int, float], float] = {(0, 0.0): 1.0}
    left = [1.0]
    for _ in range(horizon):
        following: dict[tuple[int, float], float] = {}
        for (state, llr), chance in now.items():
            for action in (0, 1):
                if truth[state, action] == 0:
                    continue
                gain = math.inf if other[state, action] == 0 else math.log(truth[state, action] / other[state, action])
                total = round(llr + gain, 9)
                if total >= limit:
                    continue
                moved = (state + (1 if action == 0 else -1)) % len(truth)
                for to, share in ((moved, 1 - slip), (state, slip)):
                    key = (to, total)
                    following[key] = following.get(key, 0.0) + chance * truth[state, action] * share
        now = following
        left.append(sum(now.values()))
    return left


def restricted_mean(left: list[float]) -> float:
    """Return E[min(dp, horizon)] from P(dp > t)."""
    return sum(left[:-1])
