"""The PettingZoo environment."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from askwise.envs import tool_fetching_v0
from tests.envs.playing import CORRIDOR, EAST, NOOP, PICKUP_S1, PICKUP_S2, SMALL, act, ask, make

WORK, STAY_PUT = 4, 5
FETCHING = (EAST, PICKUP_S1, EAST, EAST, EAST)
WORKING = (EAST, WORK, WORK, WORK, WORK)


def _both(worker: int, fetcher: Any) -> dict[str, Any]:
    return {"worker": worker, "fetcher": fetcher}


@pytest.mark.parametrize("arguments", [{}, SMALL, {"instance": CORRIDOR}], ids=["as in the paper", "small", "given"])
def test_the_tests_of_pettingzoo(arguments: dict[str, Any]) -> None:
    # Warnings are errors here.
    parallel_api_test(tool_fetching_v0.parallel_env(**arguments), num_cycles=300)
    parallel_seed_test(lambda: tool_fetching_v0.parallel_env(**arguments), num_cycles=200)


def test_taking_turns() -> None:
    with warnings.catch_warnings():
        # These are recommendations (plain arrays, equal spaces, numbered agents); what is demanded is asserted.
        warnings.filterwarnings("ignore", module=r"pettingzoo\.test")
        api_test(tool_fetching_v0.env(**SMALL), num_cycles=200)
    seed_test(lambda: tool_fetching_v0.env(**SMALL), num_cycles=100)


def test_only_the_worker_is_told_the_goal() -> None:
    env = tool_fetching_v0.parallel_env(instance=CORRIDOR)
    observations, infos = env.reset(seed=0, options={"goal": "S2"})
    assert observations["worker"].pop("goal") == 1
    assert observations["worker"].keys() == observations["fetcher"].keys()
    assert "goal" not in infos["worker"]
    for agent in env.agents:
        assert env.reset()[0][agent] in env.observation_space(agent)


def test_an_episode_of_both() -> None:
    env = tool_fetching_v0.parallel_env(instance=CORRIDOR)
    env.reset(seed=0, options={"goal": "S1"})
    total = dict.fromkeys(env.agents, 0.0)
    for worker, fetcher in zip(WORKING, FETCHING, strict=True):
        assert env.agents == ["worker", "fetcher"]
        observations, rewards, terminations, truncations, infos = env.step(_both(worker, act(fetcher)))
        total = {agent: total[agent] + reward for agent, reward in rewards.items()}
    assert env.agents == []
    assert total == {"worker": -5.0, "fetcher": -5.0}
    assert terminations == {"worker": True, "fetcher": True}
    assert truncations == {"worker": False, "fetcher": False}
    assert observations["worker"]["worker"].tolist() == observations["fetcher"]["fetcher"].tolist() == [5, 0]
    for info in infos.values():
        assert (info["goal"], info["cost"], info["known_cost"], info["marginal_cost"]) == (0, 5.0, 5.0, 0.0)


def test_in_a_question_nobody_moves() -> None:
    env = tool_fetching_v0.parallel_env(instance=CORRIDOR)
    env.reset(seed=0, options={"goal": "S1"})
    observations, rewards, _, _, infos = env.step(_both(EAST, ask(1, 0)))
    for seen in observations.values():
        assert (seen["worker"].tolist(), seen["fetcher"].tolist(), seen["worker_action"]) == ([4, 0], [1, 0], 0)
        assert (seen["asked"].tolist(), seen["answer"]) == ([1, 0], 2)
    assert rewards == {"worker": -0.75, "fetcher": -0.75}
    assert {info["illegal"] for info in infos.values()} == {False}


@pytest.mark.parametrize(
    ("worker", "fetcher", "illegal"),
    [(WORK, NOOP, (True, False)), (0, PICKUP_S2, (True, True)), (STAY_PUT, PICKUP_S1, (False, True))],
    ids=["no station here", "both", "no toolbox here"],
)
def test_what_is_not_available_does_nothing(worker: int, fetcher: int, illegal: tuple[bool, bool]) -> None:
    env = tool_fetching_v0.parallel_env(instance=CORRIDOR)
    env.reset(seed=0)
    observations, rewards, _, _, infos = env.step(_both(worker, act(fetcher)))
    assert (infos["worker"]["illegal"], infos["fetcher"]["illegal"]) == illegal
    seen = observations["fetcher"]
    assert (seen["worker"].tolist(), seen["fetcher"].tolist(), seen["holding"]) == ([4, 0], [1, 0], 0)
    assert seen["worker_action"] == STAY_PUT + 1, "what is seen is what was done"
    assert rewards["worker"] == -1.0


def test_masks_are_those_of_the_actions_which_work() -> None:
    env = tool_fetching_v0.parallel_env(**SMALL)
    rng = np.random.default_rng(8)
    _, infos = env.reset(seed=8)
    for _ in range(200):
        worker, fetcher = int(rng.integers(6)), int(rng.integers(10))
        available = bool(infos["worker"]["action_mask"][worker]), bool(infos["fetcher"]["action_mask"][0][fetcher])
        _, _, terminations, truncations, infos = env.step(_both(worker, act(fetcher)))
        assert (infos["worker"]["illegal"], infos["fetcher"]["illegal"]) == tuple(not x for x in available)
        if terminations["worker"] or truncations["worker"]:
            _, infos = env.reset()


def test_it_is_the_game_of_the_gymnasium_environment() -> None:
    """With the worker's actions copied over, both tell the fetcher the same."""
    alone = make(**SMALL, teammate="noisy:0.2", max_steps=40)
    both = tool_fetching_v0.parallel_env(**SMALL, max_steps=40)
    for seed in range(5):
        alone.action_space.seed(seed)
        expected, _ = alone.reset(seed=seed)
        seen = both.reset(seed=seed)[0]["fetcher"]
        over = False
        while not over:
            assert all(np.array_equal(seen[key], expected[key]) for key in expected)
            assert both.play.game.goal == alone.play.game.goal
            action = alone.action_space.sample()
            expected, reward, terminated, truncated, info = alone.step(action)
            worker = STAY_PUT if expected["worker_action"] == 0 else int(expected["worker_action"]) - 1
            observations, rewards, terminations, truncations, infos = both.step(_both(worker, action))
            seen = observations["fetcher"]
            assert (rewards["fetcher"], terminations["fetcher"], truncations["fetcher"]) == (
                reward,
                terminated,
                truncated,
            )
            assert infos["fetcher"]["cost"] == info["cost"]
            over = terminated or truncated
        assert infos["fetcher"]["marginal_cost"] == info["marginal_cost"]
