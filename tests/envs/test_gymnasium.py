"""The Gymnasium environment: its contract, and the game as it is documented."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import askwise.envs
from askwise.core.questions import QueryCost
from askwise.envs.flat import FlatToolFetching
from askwise.envs.single_agent import ToolFetchingEnv
from askwise.envs.tool_fetching_v0 import ToolFetchingParallelEnv
from tests.envs.playing import CORRIDOR, EAST, NOOP, NORTH, PICKUP_S1, PICKUP_S2, SMALL, WEST, act, ask, make

ALWAYS = {"step_cost", "cost", "illegal", "action_mask"}
AT_THE_END = {"goal", "known_cost", "marginal_cost"}


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        SMALL,
        {"instance": CORRIDOR},
        {"size": (7, 4), "stations": 3, "toolboxes": 1, "prior": "far", "teammate": "noisy:0.3", "clustered": True},
        {"size": 5, "stations": 1, "toolboxes": 1, "query_cost": QueryCost(0.0, 2.0)},
    ],
    ids=["as in the paper", "small", "given instance", "not square", "one station"],
)
def test_the_checker_of_gymnasium_finds_nothing_to_warn_of(arguments: dict[str, Any]) -> None:
    # Warnings are errors in these tests.
    check_env(make(**arguments))


def test_the_id_can_name_the_module_that_registers_it() -> None:
    code = "import gymnasium as g; print(g.make('askwise.envs:askwise/ToolFetching-v0').spec.id)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == askwise.envs.ID


def test_registering_loads_no_compiler_and_no_plotting() -> None:
    code = "import sys, askwise.envs; print(*sorted({'numba', 'matplotlib', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_registering_loads_no_domain() -> None:
    code = "import sys, askwise.envs; print([name for name in sys.modules if name.endswith('tool_fetching')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_environments_can_be_imported_by_name() -> None:
    from askwise.envs import FlatToolFetching as Flat
    from askwise.envs import ToolFetchingEnv as Env
    from askwise.envs import tool_fetching_v0

    assert (Flat, Env, tool_fetching_v0.parallel_env) == (FlatToolFetching, ToolFetchingEnv, ToolFetchingParallelEnv)
    assert {"FlatToolFetching", "ID", "ToolFetchingEnv", "tool_fetching_v0"} <= set(dir(askwise.envs))
    with pytest.raises(AttributeError, match=r"^module 'askwise\.envs' has no attribute 'nothing'$"):
        askwise.envs.nothing  # noqa: B018


def test_four_ids_are_registered_and_no_more() -> None:
    assert {name for name in gymnasium.registry if name.startswith("askwise/")} == {
        "askwise/Problem-v0",
        "askwise/ProblemFlat-v0",
        "askwise/ToolFetching-v0",
        "askwise/ToolFetchingFlat-v0",
    }


@pytest.mark.parametrize("kind", [ToolFetchingEnv, ToolFetchingParallelEnv, FlatToolFetching])
def test_docstrings_have_the_fixed_headings(kind: type) -> None:
    headings = [line.strip(" #") for line in (kind.__doc__ or "").splitlines() if line.strip().startswith("##")]
    assert headings == [
        "Description",
        "Action space",
        "Observation space",
        "Rewards",
        "Starting state",
        "Episode end",
        "Arguments",
    ]


def test_the_observation_is_the_one_that_is_documented() -> None:
    env = make(**SMALL)
    rows = [line.split("|") for line in (ToolFetchingEnv.__doc__ or "").splitlines() if line.strip().startswith("| ``")]
    documented = {row[1].strip(" `"): row[2].strip(" `") for row in rows}
    assert set(documented) == set(env.observation_space.spaces)
    n, boxes, height, width = 5, 2, 6, 6
    for key, space in env.observation_space.items():
        words = documented[key].replace("n_stations", str(n)).replace("n_toolboxes", str(boxes))
        words = words.replace("height", str(height)).replace("width", str(width)).replace(f"{n} + 1", str(n + 1))
        if words.startswith("Box"):
            assert words == f"Box {space.shape} {space.dtype}"
        else:
            assert words == str(space)


def test_the_first_observation_is_the_instance() -> None:
    seen, info = make(instance=CORRIDOR).reset(seed=0)
    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in seen.items()}
    assert plain == {
        "worker": [4, 0],
        "fetcher": [1, 0],
        "holding": 0,
        "worker_action": 0,
        "asked": [0, 0],
        "answer": 0,
        "possible": [1, 1],
        "worker_start": [4, 0],
        "stations": [[5, 0], [3, 0]],
        "tools": [[2, 0], [0, 0]],
        "toolboxes": [[0, 0], [2, 0]],
        "walls": [[0, 0, 0, 0, 0, 0]],
        "prior": [0.5, 0.5],
        "query_cost": [0.5, 0.25],
    }
    assert {**info, "action_mask": info["action_mask"].tolist()} == {
        "step_cost": 0.0,
        "cost": 0.0,
        "illegal": False,
        "action_mask": [0, 1, 0, 1, 1, 0, 0],
    }


def test_an_episode_played_by_hand() -> None:
    env = make(instance=CORRIDOR)
    env.reset(seed=0, options={"goal": "S1"})

    seen, reward, terminated, _, info = env.step(act(EAST))
    assert (seen["fetcher"].tolist(), seen["worker"].tolist(), seen["worker_action"]) == ([2, 0], [5, 0], 2)
    assert (reward, terminated, info["illegal"]) == (-1.0, False, False)
    assert info["action_mask"].tolist() == [0, 1, 0, 1, 1, 1, 0], "the toolbox of S1's tool is underfoot"

    seen, reward, _, _, _ = env.step(act(PICKUP_S1))
    assert (seen["holding"], seen["worker_action"], reward) == (1, 5, -1.0), "the worker works on, and waits"

    for x in (3, 4, 5):
        seen, reward, terminated, truncated, info = env.step(act(EAST))
        assert seen["fetcher"].tolist() == [x, 0]
        assert set(info) == (ALWAYS | AT_THE_END if x == 5 else ALWAYS)
    assert (terminated, truncated) == (True, False)
    # Its best way takes 1 to the toolbox, 1 to pick up and 3 to the station: exactly this one.
    assert (info["goal"], info["cost"], info["known_cost"], info["marginal_cost"]) == (0, 5.0, 5.0, 0.0)


def test_in_a_question_nobody_moves_and_the_answer_is_kept() -> None:
    env = make(instance=CORRIDOR)
    before, _ = env.reset(seed=0, options={"goal": 1})
    seen, reward, terminated, truncated, info = env.step(ask(1, 0))
    for key in ("worker", "fetcher", "holding"):
        assert np.array_equal(seen[key], before[key])
    assert (seen["asked"].tolist(), seen["answer"], seen["possible"].tolist()) == ([1, 0], 1, [0, 1])
    assert (seen["worker_action"], reward, info["step_cost"], info["cost"]) == (0, -0.75, 0.75, 0.75)
    assert (terminated, truncated, info["illegal"]) == (False, False, False)

    seen, _, _, _, info = env.step(act(NOOP))
    assert (seen["asked"].tolist(), seen["answer"], seen["possible"].tolist()) == ([1, 0], 1, [0, 1])
    assert (seen["worker"].tolist(), seen["worker_action"], info["cost"]) == ([3, 0], 4, 1.75)

    seen, _, _, _, info = env.step(ask(0, 1))
    assert (seen["asked"].tolist(), seen["answer"], seen["possible"].tolist()) == ([0, 1], 2, [0, 1])


def test_empty_and_complete_questions_cost_their_price_and_say_nothing() -> None:
    env = make(instance=CORRIDOR)
    env.reset(seed=0, options={"goal": "S2"})
    seen, reward, _, _, info = env.step(ask(0, 0))
    assert (seen["answer"], seen["possible"].tolist(), reward, info["illegal"]) == (1, [1, 1], -0.5, False)
    seen, reward, _, _, info = env.step(ask(1, 1))
    assert (seen["answer"], seen["possible"].tolist(), reward, info["cost"]) == (2, [1, 1], -1.0, 1.5)


@pytest.mark.parametrize("action", [NORTH, PICKUP_S1, PICKUP_S2], ids=["wall", "no toolbox here", "nor for this tool"])
def test_an_action_that_is_not_available_does_nothing_and_costs_its_step(action: int) -> None:
    env = make(instance=CORRIDOR)
    env.reset(seed=0, options={"goal": "S1"})
    seen, reward, _, _, info = env.step(act(action))
    assert (seen["fetcher"].tolist(), seen["holding"], reward, info["illegal"]) == ([1, 0], 0, -1.0, True)
    assert seen["worker"].tolist() == [5, 0], "the worker does not wait for it"


def test_the_wrong_toolbox_gives_nothing() -> None:
    env = make(instance=CORRIDOR)
    env.reset(seed=0, options={"goal": "S1"})
    env.step(act(WEST))
    seen, _, _, _, info = env.step(act(PICKUP_S1))
    assert (seen["holding"], info["illegal"]) == (0, True)
    seen, _, _, _, info = env.step(act(PICKUP_S2))
    assert (seen["holding"], info["illegal"]) == (2, False)


def test_an_episode_is_cut_off_after_max_steps_and_then_tells_the_goal() -> None:
    env = make(instance=CORRIDOR, max_steps=3)
    env.reset(seed=0, options={"goal": "S2"})
    outcomes = [env.step(action)[2:] for action in (act(NOOP), ask(1, 0), act(NOOP))]
    assert [(terminated, truncated) for terminated, truncated, _ in outcomes] == [(False, False)] * 2 + [(False, True)]
    assert [set(info) for _, _, info in outcomes] == [ALWAYS, ALWAYS, ALWAYS | AT_THE_END]
    # Fetcher: 1 to the toolbox, 1 to pick up, 3 to the station; so 5. It cost 1 + 0.75 + 1 so far.
    assert (outcomes[-1][2]["goal"], outcomes[-1][2]["known_cost"]) == (1, 5.0)
    assert outcomes[-1][2]["marginal_cost"] == 2.75 - 5.0


def test_finishing_in_the_last_step_allowed_is_not_being_cut_off() -> None:
    env = make(instance=CORRIDOR, max_steps=5)
    env.reset(seed=0, options={"goal": "S1"})
    for action in (EAST, PICKUP_S1, EAST, EAST, EAST):
        _, _, terminated, truncated, _ = env.step(act(action))
    assert (terminated, truncated) == (True, False)


def test_without_a_limit_of_its_own_an_episode_may_take_four_steps_for_each_cell() -> None:
    env = make(instance=CORRIDOR)
    env.reset(seed=0)
    for _ in range(23):
        assert env.step(act(NOOP))[3] is False
    assert env.step(act(NOOP))[3] is True


def test_another_instance_of_the_same_shape_can_be_played(tmp_path: Any) -> None:
    env = make(instance=CORRIDOR)
    other = CORRIDOR.to_json() | {"fetcher": [4, 0]}
    instance = type(CORRIDOR).from_json(other)
    instance.save(tmp_path / "other.json")
    for given in (instance, tmp_path / "other.json", str(tmp_path / "other.json")):
        seen, _ = env.reset(seed=0, options={"instance": given})
        assert seen["fetcher"].tolist() == [4, 0]
    seen, _ = env.reset(seed=0)
    assert seen["fetcher"].tolist() == [1, 0], "for one episode only"


def test_an_instance_can_be_given_as_a_file(tmp_path: Any) -> None:
    CORRIDOR.save(tmp_path / "corridor.json")
    seen, _ = make(instance=tmp_path / "corridor.json").reset(seed=0)
    assert seen["stations"].tolist() == [[5, 0], [3, 0]]


def test_without_an_instance_every_reset_draws_a_new_one() -> None:
    env = make(**SMALL)
    maps = [env.reset(seed=3 if k == 0 else None)[0]["stations"].tolist() for k in range(3)]
    assert maps[0] != maps[1] != maps[2]
    assert env.reset(seed=3)[0]["stations"].tolist() == maps[0]


def test_goals_are_drawn_from_the_prior() -> None:
    instance = type(CORRIDOR).from_json(CORRIDOR.to_json() | {"prior": {"S1": 3, "S2": 1}})
    env = make(instance=instance, max_steps=1)
    goals = []
    env.reset(seed=5)
    for _ in range(400):
        goals.append(env.step(act(NOOP))[4]["goal"])
        env.reset()
    assert 270 <= goals.count(0) <= 330, "300 expected; five standard deviations are 43"


def test_nothing_in_observation_or_info_depends_on_the_goal_before_it_shows() -> None:
    env = make(instance=CORRIDOR, teammate="plan:NOOP,NOOP,NOOP")
    told = []
    for goal in (0, 1):
        seen, info = env.reset(seed=1, options={"goal": goal})
        told.append([str(seen), str(info), *(str(env.step(act(NOOP))) for _ in range(3))])
    assert told[0] == told[1]


def test_the_mask_is_that_of_the_actions_which_work() -> None:
    env = make(**SMALL)
    rng = np.random.default_rng(4)
    _, info = env.reset(seed=4)
    for _ in range(300):
        action = int(rng.integers(10))
        available = bool(info["action_mask"][action])
        _, _, terminated, truncated, info = env.step(act(action))
        assert info["illegal"] is not available
        if terminated or truncated:
            _, info = env.reset()
