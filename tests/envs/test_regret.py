"""Rewards that are the regret of each step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from askwise.envs import FLAT_ID, FLAT_PROBLEM_ID, RegretReward
from askwise.errors import InputError
from tests.envs.playing import CORRIDOR, EAST, NOOP, WEST

ASK = 7  # the first question after four moves, NOOP and two pickups

WARD = Path(__file__).parent.parent.parent / "examples" / "ward.toml"
ONE_WAY = """
format = "askwise/problem@1"
name = "One way"
[teammate]
start = "a"
edges = [["a", "north", "b"], ["a", "south", "c"]]
[ego]
start = "x"
edges = [["x", "left", "y"], ["x", "right", "z"]]
[goals.left]
teammate = "b"
ego = "y"
[goals.right]
teammate = "c"
ego = "z"
[query_cost]
base = 0.5
"""


def _played(env: Any, seed: int) -> tuple[list[float], dict[str, Any]]:
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)
    rewards, over = [], False
    while not over:
        _, reward, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        rewards.append(reward)
        over = terminated or truncated
    return rewards, {**info, "truncated": truncated}


def test_the_sum_is_what_not_knowing_the_goal_cost() -> None:
    env = RegretReward(gymnasium.make(FLAT_PROBLEM_ID, problem=WARD))
    for seed in range(10):
        rewards, info = _played(env, seed)
        assert not info["truncated"]
        assert sum(rewards) == pytest.approx(-info["marginal_cost"])
        assert max(rewards) <= 0


def test_a_step_the_wrong_way_costs_two_and_a_question_its_price() -> None:
    # The fetcher stands between both toolboxes, and it has the longer way.
    env = RegretReward(gymnasium.make(FLAT_ID, instance=CORRIDOR, questions=["toolbox"]))
    rewards = {}
    for action in (EAST, WEST, NOOP, ASK):
        env.reset(seed=0, options={"goal": "S1"})
        rewards[action] = env.step(action)[1]
    assert rewards == {EAST: 0.0, WEST: -2.0, NOOP: -1.0, ASK: -0.75}


def test_what_is_lost_for_good_is_lost_at_once(tmp_path: Path) -> None:
    file = tmp_path / "one-way.toml"
    file.write_text(ONE_WAY, encoding="utf-8")
    env = RegretReward(gymnasium.make(FLAT_PROBLEM_ID, problem=str(file), max_steps=20, questions=[]))
    env.reset(seed=0, options={"goal": "left"})
    bare: Any = env.unwrapped
    names = bare.problem.ego.actions.names
    _, reward, _, _, _ = env.step(names.index("right"))
    # Two steps would have been enough; now all twenty are spent.
    assert reward == -18.0
    rest = [env.step(names.index("STAY"))[1] for _ in range(19)]
    assert rest == [0.0] * 19


def test_only_for_environments_of_askwise() -> None:
    with pytest.raises(InputError, match="expected one of askwise"):
        RegretReward(gymnasium.make("CartPole-v1"))
