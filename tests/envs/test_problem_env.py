"""Any problem as an environment: what is documented holds for tool fetching, coverage and graphs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, parallel_seed_test

from askwise import simulate
from askwise.core.factored import FactoredProblem
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import ToolFetching
from askwise.envs import FLAT_PROBLEM_ID, PROBLEM_ID, FlatProblem, ProblemEnv, problem_v0
from askwise.model import Model
from tests.domains.elsewhere import Elsewhere
from tests.domains.toy import Sketch, plugged
from tests.envs.playing import CORRIDOR
from tests.graphs import lopsided, random_problem
from tests.refused import assert_refused

__all__ = ["plugged"]

COVERAGE = Coverage("A...C\n..W..\n.F...\nB...D", prior=[3, 1, 2, 2], query_cost=QueryCost(0.4, 0.1))
WARD = {"desk": {"go": "hall"}, "hall": {"left": "one", "right": "two"}, "one": {"back": "hall"}, "two": {}}
SKETCH = Sketch("A..#B\n..W..\nF...C\n")

PROBLEMS: dict[str, Callable[[], Any]] = {
    "tool fetching": lambda: CORRIDOR,
    "coverage": lambda: COVERAGE,
    "a graph": lambda: random_problem(1),
    "another graph": lambda: random_problem(8, by_goal=True),
    "your own policies": lambda: random_problem(3, policies=lopsided),
}
every_problem = pytest.mark.parametrize("name", PROBLEMS)


def ward(**more: Any) -> FactoredProblem:
    """Two rooms behind a hall; from the second there is no way back. The ego agent comes along."""
    model = Model.from_edges([(a, by, b) for a, ways in WARD.items() for by, b in ways.items()])
    return FactoredProblem({"1": "one", "2": "two"}, teammate_model=model, start=("desk", "desk"), **more)


# -- checkers ----------------------------------------------------------------------------------------------------


@every_problem
def test_the_checkers_find_nothing(name: str) -> None:
    # Warnings are errors in these tests.
    problem = PROBLEMS[name]()
    check_env(gymnasium.make(PROBLEM_ID, problem=problem).unwrapped)
    parallel_api_test(problem_v0.parallel_env(problem, max_steps=50), num_cycles=100)
    parallel_seed_test(lambda: problem_v0.parallel_env(problem, max_steps=50), num_cycles=60)


@every_problem
def test_the_checker_finds_nothing_in_the_flat_variant(name: str) -> None:
    env = gymnasium.make(FLAT_PROBLEM_ID, problem=PROBLEMS[name]())
    assert isinstance(env, FlatProblem), "action_masks() is where libraries call it"
    with pytest.warns(UserWarning, match="is different from the unwrapped version"):
        check_env(env, skip_render_check=True)


def test_taking_turns() -> None:
    env = problem_v0.env(COVERAGE)
    env.reset(seed=1)
    assert env.agent_selection == "teammate"
    env.step(0)
    assert env.agent_selection == "ego"


def test_importing_by_name_loads_only_what_is_asked_for() -> None:
    code = """
import sys, askwise.envs
print([name for name in sys.modules if name.startswith("askwise.envs.problem")])
from askwise.envs import ProblemEnv, FlatProblem
print([name for name in sys.modules if name.endswith("tool_fetching")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "[]"]


# -- what is documented ------------------------------------------------------------------------------------------


def test_spaces_and_observations_in_a_ward() -> None:
    env = ProblemEnv(ward(query_cost=QueryCost(0.5, 0.25)))
    assert env.action_space == spaces.OneOf((spaces.Discrete(5), spaces.MultiBinary(2)))
    assert list(env.observation_space.spaces) == [
        *("answer", "asked", "ego", "possible", "prior", "teammate", "teammate_action")
    ]
    model = env.episodes.source.example.teammate.model
    seen, info = env.reset(seed=0, options={"goal": "2"})
    assert (model.name(seen["teammate"]), model.name(seen["ego"]), seen["teammate_action"]) == ("desk", "desk", 0)
    assert (seen["prior"].tolist(), seen["possible"].tolist(), seen["answer"]) == ([0.5, 0.5], [1, 1], 0)
    go, wait = (
        env.problem.ego.actions.names.index(name)
        for name in ("go", env.problem.ego.actions.names[env.problem.ego.actions.stay])
    )
    assert np.flatnonzero(info["action_mask"]).tolist() == sorted([go, wait])
    seen, reward, *_ = env.step((1, [0, 1]))
    assert (reward, seen["answer"], seen["asked"].tolist(), seen["possible"].tolist()) == (-0.75, 2, [0, 1], [0, 1])
    assert (model.name(seen["teammate"]), seen["teammate_action"]) == ("desk", 0)
    seen, reward, *_ = env.step((0, go))
    assert (reward, model.name(seen["ego"]), model.name(seen["teammate"])) == (-1.0, "hall", "hall")
    assert (seen["teammate_action"], seen["answer"]) == (go + 1, 2), "the last question stays in view"
    right = env.problem.ego.actions.names.index("right")
    for _ in range(2):
        assert not env.play.game.over
        _, _, terminated, truncated, info = env.step((0, right))
    assert (terminated, truncated) == (True, False)
    assert (info["goal"], info["cost"], info["marginal_cost"], info["illegal"]) == (1, 3.75, 0.75, True)


def test_a_question_about_nothing_is_an_action_that_is_not_available() -> None:
    env = ProblemEnv(ward())
    env.reset(seed=0)
    seen, reward, _, _, info = env.step((1, [0, 0]))
    assert (reward, info["illegal"], seen["answer"]) == (-1.0, True, 0)
    assert seen["teammate_action"] > 0, "the teammate goes on"
    both = problem_v0.parallel_env(ward())
    both.reset(seed=0)
    _, rewards, _, _, infos = both.step({"teammate": 0, "ego": (1, [0, 0])})
    assert rewards == {"teammate": -1.0, "ego": -1.0}
    assert (infos["ego"]["illegal"], infos["teammate"]["illegal"]) == (True, False)


def _dearest(asked: list[int]) -> float:
    """A price that no sum is, and that knows no question about nothing."""
    return max(0.3 * (goal + 1) for goal in asked)


@pytest.mark.parametrize("make", [ProblemEnv, lambda problem: FlatProblem(ProblemEnv(problem), questions=["goal"])])
def test_any_price_can_be_paid(make: Callable[[Problem], Any]) -> None:
    env = make(ward(query_cost=_dearest))
    for seed in range(20):
        env.reset(seed=seed)
        env.action_space.seed(seed)
        over = False
        while not over:
            _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            assert round(-reward, 9) in (0.3, 0.6, 1.0)
            over = terminated or truncated


def test_a_teammate_does_as_the_problem_says_unless_another_is_given() -> None:
    problem = random_problem(3, policies=lopsided)
    for given in (None, "urop"):
        env = ProblemEnv(problem, teammate=given)
        for seed in range(10):
            episode = simulate(problem, "never", given, seed=seed)
            env.reset(seed=seed)
            for step in episode.steps:
                seen, *_ = env.step((0, step.decision.action))
                assert seen["teammate_action"] - 1 == step.teammate_action


# -- where problems come from ------------------------------------------------------------------------------------


def test_an_instance_or_a_file_will_do(tmp_path: Path) -> None:
    CORRIDOR.save(tmp_path / "corridor.json")
    problem = ToolFetching(CORRIDOR)
    for given in (problem, CORRIDOR, tmp_path / "corridor.json", str(tmp_path / "corridor.json")):
        env = ProblemEnv(given)
        env.reset(seed=1)
        assert env.problem == problem
        assert env.observation_space["ego"] == spaces.Discrete(6 * 3), "one state for each cell and load"


def test_another_problem_of_the_same_shape_for_one_episode() -> None:
    env = ProblemEnv(ward())
    other = ward(prior=[0.25, 0.75])
    seen, _ = env.reset(seed=1, options={"problem": other})
    assert (env.problem, seen["prior"].tolist()) == (other, [0.25, 0.75])
    seen, _ = env.reset(seed=1)
    assert seen["prior"].tolist() == [0.5, 0.5]
    shape = "2 goals in 0 groups, 4 states and 5 actions of the teammate, 4 states, 5 actions and 4 moves of the "
    refused = ward(groups={"all": ["1", "2"]})
    assert_refused(
        lambda: env.reset(options={"problem": refused}),
        f"option 'problem': found {shape.replace('0 groups', '1 groups')}ego agent; "
        f"expected {shape}ego agent, the shape of the spaces",
    )
    assert_refused(
        lambda: env.reset(options={"instance": other}),
        "option: found 'instance'; expected one of goal, problem",
    )
    assert_refused(
        lambda: ProblemEnv(3), "instance: found 3; expected an Instance, the path of an instance file, or a Problem"
    )


# -- drawing -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("plugged")
def test_a_problem_of_any_domain_is_drawn() -> None:
    env = ProblemEnv(SKETCH, render_mode="ansi")
    env.reset(seed=0)
    assert env.render().startswith("2 A  .  .  ## B\n1 .  .  T  .  .\n0 E  .  .  .  C\n")
    pixels = ProblemEnv(SKETCH, render_mode="rgb_array")
    pixels.reset(seed=0)
    assert pixels.render().dtype == np.uint8
    check_env(gymnasium.make(PROBLEM_ID, problem=SKETCH).unwrapped)


def test_a_problem_of_no_domain_is_drawn() -> None:
    makers: list[Callable[..., Any]] = [ProblemEnv, problem_v0.parallel_env]
    for make in makers:
        env = make(Elsewhere(Coverage("A..#B\n..W..\nF...C\n")), render_mode="ansi")
        env.reset(seed=0)
        assert env.render().startswith("2 A  .  .  ## B\n1 .  .  T  .  .\n0 E  .  .  .  C\n")


# -- whatever is done --------------------------------------------------------------------------------------------

TEAMMATES = [None, "uniform", "noisy:0.4", "via", "boltzmann:1"]


@pytest.mark.parametrize("teammate", TEAMMATES)
def test_random_play_on_random_graphs_never_breaks(teammate: str | None) -> None:
    """One-way edges among them: whoever goes astray stays within the rules, and the books are kept right."""
    finished = 0
    for seed in range(40):
        problem = random_problem(seed, by_goal=seed % 2 == 0, policies=lopsided if seed % 3 == 0 else None)
        env = ProblemEnv(problem, teammate=teammate, max_steps=60)
        env.action_space.seed(seed)
        seen, info = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            action = env.action_space.sample()
            seen, reward, terminated, truncated, info = env.step(action)
            assert seen in env.observation_space
            asked = np.flatnonzero(action[1]).tolist() if action[0] == 1 else []
            assert -reward == (problem.query_cost(asked) if asked else 1.0)
            total -= float(reward)
            over = terminated or truncated
        assert info["cost"] == pytest.approx(total)
        assert seen["possible"][info["goal"]] == 1, "answers are truthful"
        finished += terminated
    assert finished >= 10, "or else the end of an episode is hardly tested"


@pytest.mark.parametrize("teammate", TEAMMATES)
def test_random_play_in_the_flat_variant_never_breaks(teammate: str | None) -> None:
    for seed in range(30):
        problem = random_problem(seed, policies=lopsided if seed % 3 == 0 else None)
        # Set past its own guard: random problems have no groups.
        vars(problem).update(groups={"first": (0,), "all": tuple(range(len(problem.goals)))})
        env = FlatProblem(ProblemEnv(problem, teammate=teammate, max_steps=60))
        rng = np.random.default_rng(seed)
        seen, info = env.reset(seed=seed)
        over = False
        while not over:
            sensible = rng.random() < 0.5
            actions = np.flatnonzero(info["action_mask"]) if sensible else np.arange(env.action_space.n)
            seen, _, terminated, truncated, info = env.step(int(rng.choice(actions)))
            assert seen in env.observation_space
            assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
            assert not (sensible and info["illegal"])
            over = terminated or truncated


def test_two_who_do_anything_never_break_it() -> None:
    for seed in range(30):
        env = problem_v0.parallel_env(random_problem(seed), max_steps=60)
        for space in env.action_spaces.values():
            space.seed(seed)
        observations, _ = env.reset(seed=seed)
        while env.agents:
            observations, *_ = env.step({agent: env.action_space(agent).sample() for agent in env.agents})
            assert all(seen in env.observation_space(agent) for agent, seen in observations.items())
