"""Playing episodes in environments, and what the tests play them on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

from askwise.core.problem import JointState
from askwise.domains.tool_fetching import Instance, State, ToolFetching
from askwise.envs import ID
from askwise.envs.single_agent import ToolFetchingEnv
from askwise.methods import Agent, Answer, Observation

SMALL: dict[str, Any] = {"size": 6, "stations": 5, "toolboxes": 2, "walls": 0.1}
"""Settings under which even a random policy gets somewhere."""

CORRIDOR = Instance.from_json(
    {
        "format": "askwise/tool-fetching@1",
        "width": 6,
        "height": 1,
        "toolboxes": {"T1": [0, 0], "T2": [2, 0]},
        "stations": {"S1": {"at": [5, 0], "toolbox": "T2"}, "S2": {"at": [3, 0], "toolbox": "T1"}},
        "worker": [4, 0],
        "fetcher": [1, 0],
        "query_cost": {"base": 0.5, "per_station": 0.25},
    }
)
"""One row: T1 F T2 S2 W S1. The worker is one step from each station."""

NORTH, EAST, SOUTH, WEST, NOOP, PICKUP_S1, PICKUP_S2 = range(7)


def make(**arguments: Any) -> ToolFetchingEnv:
    """Make the environment without the wrappers of Gymnasium."""
    env = gymnasium.make(ID, **arguments).unwrapped
    assert isinstance(env, ToolFetchingEnv)
    return env


def act(action: int) -> tuple[int, Any]:
    return 0, action


def ask(*asked: int) -> tuple[int, Any]:
    return 1, np.array(asked, dtype=np.int8)


def joint_state(problem: ToolFetching, seen: dict[str, Any]) -> JointState:
    """Return the state as it can be read off an observation."""
    worker, fetcher = (problem.grid.state(tuple(seen[who].tolist())) for who in ("worker", "fetcher"))
    return problem.encode(State(worker, fetcher, int(seen["holding"]) - 1))


def observation(problem: ToolFetching, seen: dict[str, Any], asked_last: bool) -> Observation:
    """Translate an environment's observation into that of an agent."""
    action = int(seen["worker_action"]) - 1
    answer = Answer(tuple(np.flatnonzero(seen["asked"]).tolist()), bool(seen["answer"] == 2)) if asked_last else None
    return Observation(joint_state(problem, seen), None if action < 0 else action, answer)


def steps_of(env: ToolFetchingEnv, agent: Agent, seed: int, rng: Any) -> Iterator[tuple[Observation, float, Any]]:
    """Let an agent of askwise play one episode; yield what it saw, the reward and the info of each step."""
    seen, _ = env.reset(seed=seed)
    agent.reset(env.problem, rng)
    over, asked_last = False, False
    while not over:
        noticed = observation(env.problem, seen, asked_last)
        decision = agent.decide(noticed)
        asked_last = decision.ask is not None
        if decision.ask is not None:
            question = np.zeros(len(env.problem.goals), dtype=np.int8)
            question[list(decision.ask)] = 1
            action: tuple[int, Any] = (1, question)
        else:
            assert decision.action is not None
            action = act(decision.action)
        seen, reward, terminated, truncated, info = env.step(action)
        yield noticed, float(reward), info
        over = terminated or truncated
