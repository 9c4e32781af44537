"""A random fetcher on random instances: whatever it does, the books are kept right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from askwise.core.problem import optimal_costs
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching.rules import WORK
from tests.envs.playing import joint_state, make

TINY: dict[str, Any] = {"size": (4, 3), "stations": 3, "toolboxes": 1, "walls": 0.1, "max_steps": 150}
"""Small enough for a random policy to get to the end now and then."""

TEAMMATES = ["urop", "uniform", "noisy:0.3", "via", "boltzmann:1"]


@pytest.mark.parametrize("teammate", TEAMMATES)
def test_random_episodes_add_up(teammate: str) -> None:
    env = make(**TINY, teammate=teammate, query_cost=QueryCost(0.3, 0.1), prior="near")
    env.action_space.seed(7)
    finished = 0
    seen, info = env.reset(seed=7)
    for _ in range(30):
        finished += _random_episode(env, seen, info)
        seen, info = env.reset()
    assert finished >= 5, "or else the end of an episode is hardly tested"


def _random_episode(env: Any, seen: dict[str, Any], info: dict[str, Any]) -> bool:
    """Play to the end and check everything; return whether the episode was finished."""
    start, rewards = joint_state(env.problem, seen), []
    assert start == env.problem.start
    over = False
    while not over:
        action = env.action_space.sample(mask=(info["action_mask"], None))
        before = seen
        seen, reward, terminated, truncated, info = env.step(action)
        assert seen in env.observation_space
        rewards.append(reward)
        asked = bool(action[0] == 1)
        expected = 0.3 + 0.1 * int(action[1].sum()) if asked else 1.0
        assert -reward == info["step_cost"] == pytest.approx(expected, abs=1e-12)
        assert (seen["worker_action"] == 0) is asked
        if asked:
            assert all(np.array_equal(seen[key], before[key]) for key in ("worker", "fetcher", "holding"))
        over = terminated or truncated
    assert info["cost"] == pytest.approx(-sum(rewards), abs=1e-9)
    goal = info["goal"]
    assert info["known_cost"] == optimal_costs(env.problem, start)[goal]
    assert info["marginal_cost"] == info["cost"] - info["known_cost"]
    assert seen["possible"][goal] == 1, "answers are truthful"
    if terminated:
        assert info["marginal_cost"] >= -1e-9
        assert seen["worker_action"] == WORK + 1
        assert seen["worker"].tolist() == seen["fetcher"].tolist() == seen["stations"][goal].tolist()
        assert seen["holding"] == goal + 1
    return bool(terminated)
