"""The bases of all environments know no domain: they work for a problem that is nothing but two models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, parallel_seed_test

from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState
from askwise.core.questions import QueryCost
from askwise.domains.coverage import Coverage
from askwise.envs.flat import FlatEnv
from askwise.model import Model
from tests.envs.plain import PlainEnv, PlainParallelEnv
from tests.refused import assert_refused

COVERAGE = Coverage("A...C\n..W..\n.F...\nB...D", prior=[3, 1, 2, 2], query_cost=QueryCost(0.4, 0.1))


def _corridor() -> FactoredProblem:
    """Rooms 0 to 4 in a row; the teammate goes to either end, the ego agent to the same end."""
    row = [[k + 1 if k < 4 else -1, k - 1, k] for k in range(5)]
    model = Model(row, actions=["up", "down", "wait"], stay="wait")
    return FactoredProblem(
        goals=("top", "bottom"),
        prior=np.array([0.5, 0.5]),
        teammate_model=model,
        teammate_goals=[4, 0],
        ego_model=model,
        ego_goals=[4, 0],
        start=JointState(2, 1),
        query_cost=QueryCost(0.5, 0.25),
        groups={"far": ["top"], "both": ["top", "bottom"]},
    )


def test_the_checkers_find_nothing() -> None:
    # Warnings are errors in these tests.
    check_env(PlainEnv(COVERAGE), skip_render_check=True)  # which needs a registered id
    parallel_api_test(PlainParallelEnv(COVERAGE, max_steps=50), num_cycles=100)
    parallel_seed_test(lambda: PlainParallelEnv(COVERAGE, max_steps=50), num_cycles=60)


def test_an_episode_in_rooms() -> None:
    env = PlainEnv(_corridor())
    seen, info = env.reset(seed=0, options={"goal": "top"})
    assert (seen["teammate"], seen["ego"], info["action_mask"].tolist()) == (2, 1, [1, 1, 1])
    seen, reward, _, _, _ = env.step((1, [0, 1]))
    assert (reward, seen["answer"], seen["possible"].tolist(), seen["teammate"]) == (-0.75, 1, [1, 0], 2)
    for room in (2, 3, 4):
        seen, reward, terminated, truncated, info = env.step((0, 0))
        assert (seen["ego"], reward) == (room, -1.0)
    assert (terminated, truncated, info["marginal_cost"]) == (True, False, 0.75)


def test_what_is_not_available_does_nothing() -> None:
    env = PlainParallelEnv(_corridor())
    env.reset(seed=0, options={"goal": "bottom"})
    for _ in range(2):
        env.step({"teammate": 0, "ego": (0, 1)})
    observations, rewards, terminations, _, infos = env.step({"teammate": 0, "ego": (0, 1)})
    assert (observations["ego"]["teammate"], observations["ego"]["ego"]) == (4, 0)
    assert infos["teammate"]["illegal"] is True
    assert infos["teammate"]["action_mask"].tolist() == [0, 1, 1]
    assert infos["ego"]["illegal"] is True
    assert observations["ego"]["teammate_action"] == 3, "what was done instead: it waits"
    assert (rewards["ego"], terminations["ego"]) == (-1.0, False)


def test_a_limit_comes_from_the_game_if_nobody_gives_one() -> None:
    env = PlainEnv(_corridor())
    env.reset(seed=0)
    assert env.play.game.max_steps > 1000


@pytest.mark.parametrize("belief", ["elimination", "bayes", "robust"])
def test_flat(belief: str) -> None:
    env = FlatEnv(PlainEnv(_corridor()), belief=belief)
    seen, info = env.reset(seed=0, options={"goal": "top"})
    assert env.action_space == spaces.Discrete(3 + 2 + 2 + 1 + 1)
    assert seen in env.observation_space
    #                                          up down wait  far both  up down  half likeliest
    assert info["action_mask"].tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    seen, reward, _, _, info = env.step(3)
    assert (reward, env.tracker.probabilities.tolist()) == (-0.75, [1.0, 0.0])
    assert info["action_mask"].tolist() == [1, 1, 1, *[0] * 6]


def test_flat_over_another_map() -> None:
    env = FlatEnv(PlainEnv(COVERAGE, teammate="noisy:0.2", max_steps=60), questions=["goal", "move"])
    seen, info = env.reset(seed=5)
    rng = np.random.default_rng(5)
    for _ in range(300):
        assert seen in env.observation_space
        seen, _, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        assert not info["illegal"]
        if terminated or truncated:
            seen, info = env.reset()


def test_drawing() -> None:
    env = PlainEnv(_corridor(), render_mode="ansi")
    env.reset(seed=0)
    assert "after step 0: cost so far 0" in env.render()


def _stepping(action: Any) -> Any:
    def step() -> object:
        env = PlainEnv(_corridor())
        env.reset(seed=0)
        return env.step(action)

    return step


def test_refusals_speak_of_goals() -> None:
    assert_refused(_stepping((1, [1])), "question: found [1]; expected 2 zeros and ones, one for each goal")
    assert_refused(
        lambda: PlainEnv(_corridor()).reset(options={"instance": 1}),
        "option: found 'instance'; expected one of goal, problem",
    )
    assert_refused(
        lambda: FlatEnv(PlainEnv(_corridor()), questions=["goals"]),
        "questions: found 'goals'; expected one of 'group', 'move', 'half', 'likeliest', 'goal', or a callable "
        "(did you mean 'goal'?)",
    )
