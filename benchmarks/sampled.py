"""Sampled divergence of PPO networks: its values, its intervals, how often it rules out the true policy, and its speed.

Three PPO networks learn to reach three goals on a grid without walls. Each is then evaluated in every state, so the
same policies are known as tables. For tables `askwise.edp` has proven bounds, with which samples can be compared.

- *Values*: the interval of each pair and the proven bounds overlap.
- *Intervals*: 93 to 97 % of 1,000 stated 95 % intervals contain the true value, also if many runs are censored (stopped
  at the horizon). The true value comes from an independent simulation with many more runs.
- *Evidence*: while a policy is followed, the probability that it is ever ruled out is at most `evidence`.
- *Speed*: 4,000 runs of these networks with one environment, with many environments, and with an environment that steps
  all lanes at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv

import askwise
from askwise.sampling import VectorPolicy
from benchmarks.tools.report import Column, Table, count, number, progress, seconds
from benchmarks.tools.timing import Job, time_in_turns

available = find_spec("stable_baselines3") is not None
"""Whether Stable-Baselines3 is installed; if not, the table says so."""

SIDE = 7
START = (3, 1)
GOALS = {"north west": (0, 6), "north east": (6, 6), "east": (6, 3)}
"""Cells as (column, row). States are numbered row by row."""
EVIDENCE = 0.05
TRAINING = 6_000
RUNS = 4_000
TRUE_RUNS = 400_000


# -- the grid, as a model and as environments ------------------------------------------------------------------------


@cache
def grid() -> tuple[Any, Any]:
    """Return the next states, ``int [n_states, n_actions]`` (blocked moves stay), and the observation of each state.

    An observation is the column and the row, each one-hot: ``float32 [n_states, 2 * SIDE]``.
    """
    successor = askwise.GridWorld(SIDE, SIDE).successor
    states = np.arange(SIDE * SIDE)
    rows = np.eye(SIDE, dtype=np.float32)
    seen = np.concatenate((rows[states % SIDE], rows[states // SIDE]), axis=1)
    return np.where(successor < 0, states[:, None], successor), seen


def state_of(cell: tuple[int, int]) -> int:
    """Return the number of a cell."""
    return cell[0] + SIDE * cell[1]


class OneGrid(gymnasium.Env[Any, Any]):
    """An environment with an agent in the grid.

    Args:
        goal: the cell where episodes end with a reward; None if they never end.
    """

    observation_space = gymnasium.spaces.Box(0, 1, (2 * SIDE,), np.float32)

    def __init__(self, goal: tuple[int, int] | None = None) -> None:
        self.after, self.seen = grid()
        self.action_space = gymnasium.spaces.Discrete(self.after.shape[1])
        self.goal = None if goal is None else state_of(goal)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Place the agent at the start, or at a random cell if there is a goal to train for."""
        super().reset(seed=seed, options=options)
        self.state = state_of(START) if self.goal is None else int(self.np_random.integers(len(self.after)))
        return self.seen[self.state], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Move the agent."""
        self.state = int(self.after[self.state, action])
        over = self.state == self.goal
        return self.seen[self.state], float(over) - 0.05, over, False, {}


class ManyGrids(VectorEnv[Any, Any, Any]):
    """A vector environment with many agents, each in its own grid.

    Args:
        num_envs: number of agents.
    """

    def __init__(self, num_envs: int) -> None:
        one = OneGrid()
        self.num_envs, self.after, self.seen = num_envs, one.after, one.seen
        self.single_observation_space, self.single_action_space = one.observation_space, one.action_space
        self.observation_space = gymnasium.vector.utils.batch_space(one.observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(one.action_space, num_envs)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:  # noqa: ARG002
        """Place all agents at the start."""
        self.states = np.full(self.num_envs, state_of(START))
        return self.seen[self.states], {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Move all agents."""
        self.states = self.after[self.states, actions]
        never = np.zeros(self.num_envs, dtype=np.bool_)
        return self.seen[self.states], np.zeros(self.num_envs), never, never, {}


# -- policies --------------------------------------------------------------------------------------------------------


@cache
def networks(steps: int = TRAINING) -> dict[str, Any]:
    """Return a PPO network for each goal, trained for `steps` steps."""
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env

    torch.set_num_threads(1)
    options: dict[str, Any] = {"n_steps": 64, "batch_size": 128, "learning_rate": 2e-3, "gamma": 0.95}
    found = {}
    for k, (goal, cell) in enumerate(GOALS.items()):

        def make(cell: tuple[int, int] = cell) -> Any:
            return gymnasium.wrappers.TimeLimit(OneGrid(cell), 40)

        envs = make_vec_env(make, n_envs=8, seed=k)
        found[goal] = PPO("MlpPolicy", envs, policy_kwargs={"net_arch": [16, 16]}, seed=k, device="cpu", **options)
        found[goal].learn(steps)
    return found


def tabulate(model: Any) -> Any:
    """Return the probabilities of a network in every state, ``float64 [n_states, n_actions]``."""
    import torch

    with torch.no_grad():
        rows = model.policy.get_distribution(model.policy.obs_to_tensor(grid()[1])[0]).distribution.probs
    found = rows.double().numpy()
    return found / found.sum(axis=1, keepdims=True)


def as_policy(table: Any) -> VectorPolicy:
    """Return a table as a policy for the environments above."""
    return VectorPolicy(lambda seen: table[seen[:, :SIDE].argmax(axis=1) + SIDE * seen[:, SIDE:].argmax(axis=1)])


def proven_bounds(other: Any, truth: Any, within: float = 0.002) -> tuple[float, float]:
    """Return proven bounds of EDP by evidence at the start, until the table `truth` rules out the table `other`."""
    model = askwise.Model(grid()[0], actions=["NORTH", "EAST", "SOUTH", "WEST", "STAY"])
    ruled_out, pursued = askwise.Policy(model, other), askwise.Policy(model, truth)
    found = askwise.edp(model, ruled_out, pursued, at=state_of(START), evidence=EVIDENCE, within=within)
    assert found.verdict.bounds is not None
    return found.verdict.bounds


def simulate(other: Any, truth: Any, runs: int, horizon: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Follow the table `truth`; return ``min(dp, horizon)`` of each run, and whether `truth` itself was ruled out.

    It is ruled out where the observations are at most `EVIDENCE` times as likely under it as under `other`.
    """
    after = grid()[0]
    gains, total = np.log(truth) - np.log(other), np.cumsum(truth, axis=1)
    states, ratio = np.full(runs, state_of(START)), np.zeros(runs)
    points, wrong = np.full(runs, horizon), np.zeros(runs, dtype=np.bool_)
    for step in range(1, horizon + 1):
        actions = (total[states] <= rng.random((runs, 1)) * total[states, -1:]).sum(axis=1)
        ratio += gains[states, actions]
        states = after[states, actions]
        points = np.where((ratio >= -math.log(EVIDENCE)) & (points == horizon), step, points)
        wrong |= ratio <= math.log(EVIDENCE)
    return points, wrong


# -- tables ----------------------------------------------------------------------------------------------------------


def run(quick: bool) -> list[Table]:
    """Measure values, intervals, evidence and speed."""
    if not available:
        missing = "Stable-Baselines3 is not installed: not measured; pip install '.[rl]'"
        return [Table("Sampled divergence of PPO networks", [Column("pair")], [[missing]])]
    progress("sampled: training three networks")
    tables = {goal: tabulate(model) for goal, model in networks(1_024 if quick else TRAINING).items()}
    return [_values(tables), _coverage(tables, 50 if quick else 1_000), _ruled_out(tables, quick), _speed(quick)]


def pairs(tables: dict[str, Any]) -> list[tuple[str, str]]:
    """Return all pairs of different goals."""
    return [(other, truth) for truth in tables for other in tables if other != truth]


def _values(tables: dict[str, Any]) -> Table:
    columns = [Column("ruled out"), Column("pursued"), *map(number, ("proven from", "to", "sampled", "95 % from"))]
    table = Table("Sampled divergence and proven bounds", [*columns, number("up to"), count("runs"), Column("overlap")])
    policies = {goal: as_policy(rows) for goal, rows in tables.items()}
    found = askwise.sampled_divergence(ManyGrids(500), policies, within=0.02, horizon=2_000, evidence=EVIDENCE, seed=1)
    for other, truth in pairs(tables):
        progress(f"sampled: bounds of {other} under {truth}")
        low, high = proven_bounds(tables[other], tables[truth])
        pair = found.pair(other, truth)
        holds = pair.interval.low <= high and pair.interval.high >= low
        row = [other, truth, low, high, pair.mean, pair.interval.low, pair.interval.high, pair.runs]
        table.rows.append([*row, "yes" if holds else "NO"])
    table.notes = [f"tabulated PPO networks on a grid of {SIDE} x {SIDE} cells; evidence {EVIDENCE}", _versions()]
    return table


def coverage_of(other: Any, truth: Any, horizon: int, repeats: int) -> tuple[float, float, float]:
    """Return the share of intervals that contain the true value, the true value, and the share of censored runs."""
    points, _ = simulate(other, truth, TRUE_RUNS, horizon, np.random.default_rng(7))
    mean, covered, censored = float(points.mean()), 0, []
    envs, policies = ManyGrids(400), (as_policy(other), as_policy(truth))
    for k in range(repeats):
        found = askwise.sampled_edp(envs, *policies, horizon=horizon, evidence=EVIDENCE, seed=k)
        covered += found.interval.low <= mean <= found.interval.high
        censored.append(found.censored)
    return covered / repeats, mean, float(np.mean(censored))


def _coverage(tables: dict[str, Any], repeats: int) -> Table:
    columns = [Column("ruled out"), Column("pursued"), count("horizon"), number("E[min(dp, horizon)]", 5)]
    table = Table(
        "Coverage of stated 95 % intervals", [*columns, *map(number, ("censored", "coverage")), Column("verdict")]
    )
    for other, truth in (("north west", "north east"), ("east", "north east")):
        points, _ = simulate(tables[other], tables[truth], 10_000, 1_000, np.random.default_rng(6))
        for horizon in (1_000, max(2, int(np.median(points)))):
            progress(f"sampled: {repeats} intervals of {other} under {truth}, horizon {horizon}")
            covered, mean, censored = coverage_of(tables[other], tables[truth], horizon, repeats)
            verdict = "not judged" if repeats < 1_000 else "yes" if 0.93 <= covered <= 0.97 else "NO"
            table.rows.append([other, truth, horizon, mean, censored, covered, verdict])
    table.notes = [
        f"{repeats:,} repeats, each with as many runs as `within=0.05` needs; true values from {TRUE_RUNS:,} runs"
    ]
    return table


def _ruled_out(tables: dict[str, Any], quick: bool) -> Table:
    runs = 20_000 if quick else 400_000
    columns = [Column("followed"), Column("compared with"), number("share ruled out", 3), Column("verdict")]
    table = Table("How often the true policy is ruled out", columns)
    for other, truth in pairs(tables):
        _, wrong = simulate(tables[other], tables[truth], runs, 200, np.random.default_rng(3))
        share = float(wrong.mean())
        table.rows.append([truth, other, share, "yes" if share <= EVIDENCE else "NO"])
    table.notes = [f"expected: at most {EVIDENCE}, the evidence; {runs:,} runs of 200 steps each"]
    return table


def _speed(quick: bool) -> Table:
    runs, rounds = (400, 1) if quick else (RUNS, 5)
    nets = networks(1_024 if quick else TRAINING)
    other, truth = nets["east"], nets["north east"]

    def sampling(env: Any, share: int = 1, **options: Any) -> Callable[[Any], Any]:
        exactly: dict[str, Any] = {
            "within": 1e-9,
            "runs": runs // share,
            "horizon": 200,
            "evidence": EVIDENCE,
            "seed": 1,
        }
        return lambda _: askwise.sampled_edp(env, other, truth, **exactly, **options)

    jobs = [
        Job("one environment", sampling(OneGrid(), 10), factor=10),
        Job("32 environments", sampling(OneGrid)),
        Job("400 environments", sampling(OneGrid, lanes=400)),
        Job("one vector environment of 1,000 lanes", sampling(ManyGrids(1_000))),
    ]
    times = time_in_turns(jobs, rounds)
    table = Table(
        f"Time for {runs:,} runs of two PPO networks", [Column("environments"), seconds("median"), seconds("minimum")]
    )
    table.rows = [[name, took.median, took.minimum] for name, took in times.items()]
    mean = sampling(ManyGrids(1_000))(None).mean
    table.notes = [
        f"{mean:.3g} steps per run on average; one process, one thread; {rounds} rounds in turns",
        "one environment: a tenth of the runs, multiplied by 10",
        f"expected: {RUNS:,} runs in under a second with a vector environment",
    ]
    return table


def _versions() -> str:
    return ", ".join(f"{package} {version(package)}" for package in ("gymnasium", "stable-baselines3", "torch"))
