"""Same seed, same episode: as in `askwise.simulate`, and inside vector environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from askwise import simulate
from askwise.core.problem import JointState
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching.generate import generate
from askwise.envs import FLAT_ID, ID
from askwise.methods import BeliefAgent, Decision, Never
from askwise.seeds import spawn
from askwise.types import BoolArray
from tests.envs.playing import SMALL, make, steps_of

INSTANCE = generate(width=9, stations=8, toolboxes=3, walls=0.15, query_cost=QueryCost(0.5, 0.125), seed=11)
TEAMMATES = ["urop", "uniform", "noisy:0.2", "via", "boltzmann:2", "plan:NOOP,NOOP"]


class AsksAboutTheFirst(BeliefAgent):
    """Asks about the first half of the possible goals whenever it is torn."""

    name = "first half"

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        left = np.flatnonzero(possible)
        return Decision(ask=tuple(left[: left.size // 2].tolist()))


@pytest.mark.parametrize("kind", [Never, AsksAboutTheFirst])
@pytest.mark.parametrize("teammate", TEAMMATES)
def test_an_agent_meets_the_same_episode_in_the_environment_and_in_simulate(teammate: str, kind: Any) -> None:
    env = make(instance=INSTANCE, teammate=teammate)
    for seed in range(4):
        # What a worker that errs does, only the robust belief can explain.
        agent = kind(belief="robust")
        expected = simulate(INSTANCE, agent, teammate, seed=seed)
        steps = list(steps_of(env, agent, seed, spawn(seed, 3)[2]))
        assert [noticed.state for noticed, _, _ in steps] == [step.state for step in expected.steps]
        assert [-reward for _, reward, _ in steps] == [step.cost for step in expected.steps]
        info = steps[-1][2]
        assert (info["goal"], info["cost"]) == (expected.goal, expected.cost)
        assert (info["known_cost"], info["marginal_cost"]) == (expected.known_cost, expected.marginal_cost)


def told() -> str:
    """What an environment tells a random agent, as text."""
    options: dict[str, Any] = {"size": 6, "stations": 5, "toolboxes": 2, "walls": 0.1, "teammate": "noisy:0.2"}
    env = gymnasium.make(ID, **options)
    env.action_space.seed(3)
    heard: list[Any] = [env.reset(seed=3)]
    for _ in range(120):
        heard.append(env.step(env.action_space.sample()))
        if heard[-1][2] or heard[-1][3]:
            heard.append(env.reset())
    return repr(heard)


def _actions(name: str, n_envs: int, n_steps: int) -> list[tuple[Any, ...]]:
    """Return the same random actions for every test, one for each environment in each step."""
    space = gymnasium.make(name, **SMALL).action_space
    space.seed(9)
    return [tuple(space.sample() for _ in range(n_envs)) for _ in range(n_steps)]


def _alone(name: str, arguments: dict[str, Any], actions: list[Any], seed: int) -> list[Any]:
    """Play in one environment; after the end of an episode the next action resets, as vector environments do."""
    env = gymnasium.make(name, **arguments)
    seen, info = env.reset(seed=seed)
    told: list[Any] = [(seen, 0.0, False, False, info)]
    for action in actions:
        if told[-1][2] or told[-1][3]:
            seen, info = env.reset()
            told.append((seen, 0.0, False, False, info))
        else:
            told.append(env.step(action))
    return told


def _together(name: str, arguments: dict[str, Any], actions: list[Any], mode: str) -> list[list[Any]]:
    """Play in a vector environment; return what each member was told, as if it had been alone."""
    options = {"context": "spawn"} if mode == "async" else {}
    n = len(actions[0])
    env: Any = gymnasium.make_vec(name, n, vectorization_mode=mode, vector_kwargs=options, **arguments)
    try:
        seen, info = env.reset(seed=[20, 21, 22][:n])
        steps = [(seen, np.zeros(n), np.zeros(n, bool), np.zeros(n, bool), info)]
        # One number each is an array to a vector environment, anything else a tuple.
        flat = not isinstance(actions[0][0], tuple)
        steps += [env.step(np.array(chosen) if flat else chosen) for chosen in actions]
    finally:
        env.close()
    return [[_member(step, k) for step in steps] for k in range(n)]


def _member(step: tuple[Any, ...], k: int) -> tuple[Any, ...]:
    seen, reward, terminated, truncated, info = step
    own = {key: info[key][k] for key in info if not key.startswith("_") and info[f"_{key}"][k]}
    seen = {key: value[k] for key, value in seen.items()} if isinstance(seen, dict) else seen[k]
    return seen, float(reward[k]), bool(terminated[k]), bool(truncated[k]), own


def _plain(told: Any) -> Any:
    """Turn numpy scalars into Python's, which is all that vector environments change."""
    if isinstance(told, dict):
        return {key: _plain(value) for key, value in sorted(told.items())}
    if isinstance(told, list | tuple):
        return [_plain(value) for value in told]
    return told.item() if isinstance(told, np.generic) else told


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("name", [ID, FLAT_ID])
def test_members_of_a_vector_environment_play_as_if_alone(name: str, mode: str) -> None:
    arguments = {**SMALL, "teammate": "noisy:0.1", "max_steps": 25}
    n = 3 if mode == "sync" else 2
    actions = _actions(name, n, 90)
    together = _together(name, arguments, actions, mode)
    for k in range(n):
        alone = _alone(name, arguments, [chosen[k] for chosen in actions], 20 + k)
        assert any(step[2] or step[3] for step in alone), "a reset inside the episode is part of the test"
        assert data_equivalence(_plain(together[k]), _plain(alone), exact=True)


def test_members_do_not_share_a_teammate_that_was_given_as_an_object() -> None:
    from askwise.core.teammates import Noisy

    arguments = {**SMALL, "max_steps": 25}
    actions = _actions(ID, 3, 40)
    by_name = _together(ID, {**arguments, "teammate": "noisy:0.3"}, actions, "sync")
    by_object = _together(ID, {**arguments, "teammate": Noisy(0.3)}, actions, "sync")
    assert data_equivalence(_plain(by_object), _plain(by_name), exact=True)
