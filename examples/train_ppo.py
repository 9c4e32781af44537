"""Train MaskablePPO (sb3-contrib) on a small problem, and compare its cost with askwise's own methods.

    pip install '.[rl]'
    python examples/train_ppo.py                          # the hospital ward, ward.toml
    python examples/train_ppo.py examples/kitchen.toml    # any other small problem

It writes to --out: curve.csv (the cost of the policy after each number of steps), costs.csv (the costs of the methods),
curve.png, curve.svg, and policy.zip, which ``MaskablePPO.load`` reads.

The policy learns in the flat environment, from the marginal cost of each step (`askwise.envs.RegretReward`). Its cost
is not estimated from episodes: `askwise.envs.PolicyAgent` makes it an agent, and `askwise.evaluate` computes the exact
expectation over all possible episodes. A policy that would never reach some goal has no expected cost, so its point is
missing in the curve.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium

import askwise
from askwise.envs import PolicyAgent, RegretReward
from askwise.errors import AskwiseError
from askwise.methods import Agent

WARD = str(Path(__file__).resolve().parent / "ward.toml")
YARDSTICKS = ("never", "ezq", "planner", "optimal")
TRAINED = "MaskablePPO"
ENVIRONMENTS = 8
CHECKPOINTS = 20
"""How often the policy is evaluated during the training."""
MOST_DECISIONS = 2000
"""The evaluation of a policy that walks in circles stops after so many decisions; small problems take a few hundred."""

ENVIRONMENT = {
    "scaled": True,  # all numbers between 0 and 1
    "hints": True,  # how likely each action is to be optimal; without it, a network has to memorise the map
    "belief": "bayes",  # the teammate is known to take shortest paths
    "max_steps": 30,  # untrained policies would wander for a thousand steps
}
LEARNING = {
    "gamma": 0.95,
    "gae_lambda": 0.8,  # rewards are immediate, so later ones are mostly noise
    "n_steps": 64,
    "batch_size": 128,
    "n_epochs": 8,
    "ent_coef": 0.01,
    "policy_kwargs": {"net_arch": [64, 64]},
}
LEARNING_RATE = 3e-3
"""The learning rate at the start; it falls to 0, so that the last steps do not spoil a good policy."""


class Point(NamedTuple):
    """A place on the learning curve.

    Attributes:
        steps: steps in the environments so far.
        seconds: CPU time of learning so far, without evaluations.
        training: mean marginal cost of the last 100 episodes, in which the policy still explores.
        exact: expected marginal cost of the policy without exploration; None if it would never reach some goal.
    """

    steps: int
    seconds: float
    training: float | None
    exact: float | None


def make_env(problem: object) -> gymnasium.Env[Any, Any]:
    """Return the environment in which the policy plays."""
    return gymnasium.make("askwise/ProblemFlat-v0", problem=problem, **ENVIRONMENT)


def as_agent(env: gymnasium.Env[Any, Any], model: Any) -> Agent:
    """Return an agent that always takes the likeliest action of a Stable-Baselines3 model."""

    def best(seen: Any, mask: Any) -> int:
        action, _ = model.predict(seen, action_masks=mask, deterministic=True)
        return int(action)

    return PolicyAgent(env, best, name=TRAINED)


def exact_cost(problem: object, agent: Agent) -> float | None:
    """Return the expected marginal cost of an agent; None if it would never reach some goal."""
    try:
        return askwise.evaluate(problem, agent, exact=True, limit=MOST_DECISIONS).expected_marginal_cost
    except AskwiseError:
        return None


def train(problem: object, steps: int, seed: int, progress: Callable[[Point], None]) -> tuple[Any, list[Point]]:
    """Return the trained model and its learning curve."""
    # Imported here, so that the rest of this file can be used and tested without these packages.
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.env_util import make_vec_env

    torch.set_num_threads(1)  # small networks are not faster with more threads, and one thread makes results repeatable
    envs = make_vec_env(
        lambda: make_env(problem),
        n_envs=ENVIRONMENTS,
        seed=seed,
        wrapper_class=RegretReward,
        monitor_kwargs={"info_keywords": ("marginal_cost",)},
    )
    model = MaskablePPO(
        "MlpPolicy", envs, learning_rate=lambda left: LEARNING_RATE * left, seed=seed, device="cpu", **LEARNING
    )
    agent = as_agent(make_env(problem), model)
    curve: list[Point] = []

    class Checkpoints(BaseCallback):
        """A callback that evaluates the policy at regular intervals."""

        def __init__(self) -> None:
            super().__init__()
            self.began, self.learning = time.process_time(), 0.0

        def _on_step(self) -> bool:
            return True

        def _on_rollout_start(self) -> None:
            if self.num_timesteps >= steps * len(curve) / CHECKPOINTS:
                self.evaluate()

        def evaluate(self) -> None:
            """Add a point to the curve; the time for this is not counted."""
            self.learning += time.process_time() - self.began
            costs = [episode["marginal_cost"] for episode in model.ep_info_buffer]
            training = sum(costs) / len(costs) if costs else None
            exact = exact_cost(problem, agent)
            curve.append(Point(self.num_timesteps, self.learning, training, exact))
            progress(curve[-1])
            self.began = time.process_time()

    checkpoints = Checkpoints()
    model.learn(steps, callback=checkpoints)
    checkpoints.evaluate()
    return model, curve


def write(path: Path, heading: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write a table as a CSV file; None is written as an empty field."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heading)
        writer.writerows(["" if value is None else value for value in row] for row in rows)


def draw(path: Path, curve: Sequence[Point], costs: dict[str, float]) -> None:
    """Draw the learning curve and the costs of the methods, in the colours of all figures."""
    from matplotlib.figure import Figure

    from askwise.studies.analysis.figures.picture import FAINT, GRID, legend_below, styles

    looks = styles([*(method for method in costs if method != "optimal"), TRAINED])
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    ax = figure.subplots()
    for method, cost in costs.items():
        if method == "optimal":  # a wide pale line, because the planner's line often covers it
            ax.axhline(cost, color=FAINT, linewidth=6, alpha=0.35, label=f"optimum, {cost:.2f}")
        else:
            line = {**looks[method].line(), "marker": ""}
            ax.axhline(cost, label=f"{method}, {cost:.2f}", **line)
    tried = [(point.steps, point.training) for point in curve if point.training is not None]
    colour = looks[TRAINED].colour
    ax.plot(*zip(*tried, strict=True), color=colour, linewidth=1.2, alpha=0.5, label=f"{TRAINED} while learning")
    exact = [float("nan") if point.exact is None else point.exact for point in curve]
    last = "never reaches some goal" if curve[-1].exact is None else f"finally {exact[-1]:.2f}"
    ax.plot([point.steps for point in curve], exact, label=f"{TRAINED}, {last}", **looks[TRAINED].line())
    ax.set(xlabel="steps in the environment", ylabel="expected marginal cost")
    ax.set(xlim=(0, None), ylim=(0, 1.6 * max(costs.values())))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.grid(color=GRID)
    ax.spines[["top", "right"]].set_visible(False)
    legend_below(figure, ax)
    figure.savefig(path, dpi=150)


def run(problem: object, steps: int, seed: int, out: Path) -> None:
    """Train and evaluate a policy, and write the results to `out`."""
    out.mkdir(parents=True, exist_ok=True)
    costs = {method: askwise.evaluate(problem, method, exact=True).expected_marginal_cost for method in YARDSTICKS}
    for method, cost in costs.items():
        print(f"{method:<12}{cost:8.4f}")
    print(f"{TRAINED}:\n{'steps':>8}{'CPU s':>8}{'training':>10}{'exact':>9}")
    model, curve = train(problem, steps, seed, _say)
    model.save(out / "policy.zip")
    write(out / "curve.csv", Point._fields, curve)
    write(out / "costs.csv", ["method", "expected_marginal_cost"], [*costs.items(), (TRAINED, curve[-1].exact)])
    for kind in ("png", "svg"):
        draw(out / f"curve.{kind}", curve, costs)
    print("written:", out)


def _say(point: Point) -> None:
    training, exact = ("-" if cost is None else f"{cost:.4f}" for cost in (point.training, point.exact))
    print(f"{point.steps:>8,}{point.seconds:8.1f}{training:>10}{exact:>9}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program with the arguments of the command line."""
    parser = argparse.ArgumentParser(
        description="Train MaskablePPO on a small problem, and compare its cost with other methods."
    )
    parser.add_argument("problem", nargs="?", default=WARD, help="a problem file (default: ward.toml)")
    parser.add_argument("--steps", type=int, default=40_000, help="steps in the environments (default: 40,000)")
    parser.add_argument(
        "--seed", type=int, default=0, help="seed; the same seed repeats a training on one machine (default: 0)"
    )
    parser.add_argument("--out", type=Path, default=Path("out/ppo"), help="folder for the results (default: out/ppo)")
    asked = parser.parse_args(arguments)
    try:
        import sb3_contrib  # noqa: F401 - fail before the methods are evaluated
    except ModuleNotFoundError:
        sys.exit("sb3-contrib is not installed: pip install '.[rl]' in askwise's folder")
    try:
        run(asked.problem, asked.steps, asked.seed, asked.out)
    except AskwiseError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
