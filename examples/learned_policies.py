"""Train three policies with PPO in MiniGrid, measure how long they look alike, and let an assistant ask.

    pip install '.[rl]'
    python examples/learned_policies.py

It writes curves.png to --out: the share of runs in which a goal is not ruled out yet, step by step.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import askwise

GOALS = {"north east": (6, 1), "south east": (6, 6), "south west": (1, 6)}
SIZE = 8
STEPS = 40


def make_env(goal: str | None = None) -> gymnasium.Env[Any, Any]:
    """Return an empty MiniGrid room; an episode ends at the named goal, or at any of the three if None is named.

    The observation is the agent's column, row and direction, each one-hot with `SIZE` (or 4) numbers.
    """
    from minigrid.core.grid import Grid
    from minigrid.core.mission import MissionSpace
    from minigrid.core.world_object import Goal
    from minigrid.minigrid_env import MiniGridEnv

    class Room(MiniGridEnv):  # type: ignore[misc, unused-ignore]
        """A room with goals, in which the agent starts in the top left corner."""

        def _gen_grid(self, width: int, height: int) -> None:
            self.grid = Grid(width, height)
            self.grid.wall_rect(0, 0, width, height)
            for name, cell in GOALS.items():
                if goal in (None, name):
                    self.put_obj(Goal(), *cell)
            self.agent_pos, self.agent_dir, self.mission = (1, 1), 0, "go to a goal"

    class Position(gymnasium.ObservationWrapper[Any, Any, Any]):
        """A wrapper whose observation is the agent's position; its only actions are turns and a step forward."""

        def __init__(self, env: Any) -> None:
            super().__init__(env)
            self.observation_space = gymnasium.spaces.Box(0, 1, (2 * SIZE + 4,), np.float32)
            self.action_space = gymnasium.spaces.Discrete(3)

        def observation(self, observation: Any) -> Any:  # noqa: ARG002
            room, seen = self.unwrapped, np.zeros(2 * SIZE + 4, dtype=np.float32)
            column, row = room.agent_pos  # type: ignore[attr-defined]
            seen[[column, SIZE + row, 2 * SIZE + room.agent_dir]] = 1  # type: ignore[attr-defined]
            return seen

    return Position(Room(mission_space=MissionSpace(lambda: "go to a goal"), grid_size=SIZE, max_steps=STEPS))


def train(goal: str, steps: int, seed: int = 0) -> Any:
    """Return a PPO model trained to reach a goal."""
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env

    torch.set_num_threads(1)
    envs = make_vec_env(lambda: make_env(goal), n_envs=8, seed=seed)
    net = {"net_arch": [32, 32]}
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=128, learning_rate=2e-3, gamma=0.95, ent_coef=0.05,
                policy_kwargs=net, seed=seed, device="cpu")  # fmt: skip
    model.learn(steps)
    return model


def recognise(policies: dict[str, Any], goal: str, seed: int = 0) -> list[dict[str, float]]:
    """Follow the policy of a goal in one episode, and return the posterior of the goals after each step."""
    import torch

    torch.manual_seed(seed)
    env, online = make_env(goal), askwise.recognise_online(policies)
    seen, _ = env.reset(seed=seed)
    found, over = [], False
    while not over:
        action = int(policies[goal].predict(seen)[0])
        found.append(online.update(seen, action))
        seen, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    return found


def asking(found: askwise.SampledDivergence, price: float = 0.5) -> askwise.SampledProblem:
    """Return the problem of an assistant in a room of the same size that has to go to the teammate's goal too.

    Each question costs `price` steps.
    """
    places = {name: (column, SIZE - 1 - row) for name, (column, row) in GOALS.items()}
    return askwise.SampledProblem(found, askwise.GridWorld(SIZE, SIZE), places, query_cost=lambda _: price)


def episode(problem: askwise.SampledProblem, policies: dict[str, Any], goal: str, seed: int = 0) -> tuple[float, int]:
    """Let the assistant of `asking` observe a teammate that pursues a goal; it starts in the middle of its room.

    Returns the cost of not knowing the goal, in steps (detours, waiting and prices of questions), and the number of
    questions. When the teammate's episode ends, the assistant sees which goal it has reached.
    """
    import torch

    torch.manual_seed(seed)
    env, online, room = make_env(), askwise.recognise_online(policies), problem.ego.model
    seen, _ = env.reset(seed=seed)
    at = room.state((SIZE // 2, SIZE // 2))
    target = problem.goals.index(goal)
    shortest, spent, steps, questions, over = int(problem.ego.steps(at)[target]), 0.0, 0, 0, False
    while problem.ego.steps(at)[target] > 0:
        decision = problem.decide(online, room.name(at), step=online.steps, seed=seed)
        if decision.ask is not None:
            asked = [problem.goals[int(k)] for k in decision.ask]
            online.learn(asked, goal in asked)
            spent, questions = spent + (decision.cost or 0.0), questions + 1
            continue
        at, steps = problem.ego.next(at, int(decision.action or 0)), steps + 1
        if over:
            online.learn([goal], True)
        else:
            action = int(policies[goal].predict(seen)[0])
            online.update(seen, action)
            seen, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
    return spent + steps - shortest, questions


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program with the arguments of the command line."""
    parser = argparse.ArgumentParser(
        description="Train three policies in MiniGrid, and measure how long they look alike."
    )
    parser.add_argument("--steps", type=int, default=8_192, help="training steps of each policy (default: 8,192)")
    parser.add_argument("--out", type=Path, default=Path("out/learned"), help="folder (default: out/learned)")
    asked = parser.parse_args(arguments)
    try:
        import minigrid  # noqa: F401
        import stable_baselines3  # noqa: F401
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} is not installed: pip install '.[rl]' in askwise's folder")
    policies = {goal: train(goal, asked.steps) for goal in GOALS}
    found = askwise.sampled_divergence(make_env, policies, horizon=STEPS, end_tells=True, seed=0)
    print(found)
    asked.out.mkdir(parents=True, exist_ok=True)
    found.plot().figure.savefig(asked.out / "curves.png", dpi=150)
    goal = "south east"
    for step, posterior in enumerate(recognise(policies, goal), start=1):
        print(step, {name: round(share, 3) for name, share in posterior.items()})
    for price in (0.5, 2.0, 100.0):
        problem = asking(found, price)
        played = [episode(problem, policies, goal, seed) for goal in GOALS for seed in range(20)]
        cost, questions = np.mean(played, axis=0)
        print(f"price {price:>5}: {questions:.2f} questions, {cost:.2f} steps lost on average")


if __name__ == "__main__":
    main()
