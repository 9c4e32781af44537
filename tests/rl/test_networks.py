"""Networks of Stable-Baselines3 in MiniGrid: sampled, recognised and asked about. Run by ``make rl``."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import DQN, PPO, SAC

import askwise
from askwise.sampling import NoisyPolicy, VectorPolicy

EXAMPLE = Path(__file__).parents[2] / "examples" / "learned_policies.py"


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("learned_policies", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def policies(example: Any) -> dict[str, Any]:
    return {goal: example.train(goal, 8192) for goal in example.GOALS}


def test_networks_are_sampled_as_their_tables(example: Any, policies: dict[str, Any]) -> None:
    """The same numbers come out if each network is a function that returns its probabilities."""

    def as_function(model: Any) -> Any:
        def probabilities(seen: Any) -> Any:
            with torch.no_grad():
                rows = model.policy.get_distribution(model.policy.obs_to_tensor(seen)[0]).distribution.probs
            row = rows.double().numpy()[0]
            return row / row.sum()

        return probabilities

    options = {"horizon": example.STEPS, "runs": 60, "seed": 0, "end_tells": True}
    nets = askwise.sampled_divergence(example.make_env, policies, **options)
    tables = askwise.sampled_divergence(
        example.make_env, {goal: as_function(model) for goal, model in policies.items()}, **options
    )
    same = [(nets.pairs[key].steps == tables.pairs[key].steps).mean() for key in nets.pairs]
    assert min(same) > 0.9  # rounding in 32 bits may differ between one observation and many
    online = example.recognise(policies, "south east")
    assert online[-1]["south east"] == max(online[-1].values())
    decision = example.asking(nets).decide([1 / 3] * 3, (4, 4))
    assert (decision.ask is None) != (decision.action is None)


def test_continuous_networks() -> None:
    env = gymnasium.make("Pendulum-v1")
    # gSDE: noise that depends on the state. PPO then may squash its actions, as SAC always does.
    kinds: list[tuple[Any, dict[str, Any]]] = [
        (PPO, {}),
        (SAC, {}),
        (PPO, {"use_sde": True, "policy_kwargs": {"squash_output": True}}),
        (SAC, {"use_sde": True}),
    ]
    for kind, options in kinds:
        one, other = (kind("MlpPolicy", env, seed=k, device="cpu", **options) for k in (0, 1))
        found = askwise.sampled_edp(lambda: gymnasium.make("Pendulum-v1"), other, one, horizon=15, runs=20, seed=0)
        assert found.runs == 20
        assert math.isfinite(found.mean)


def test_deterministic_networks_need_a_stated_noise() -> None:
    env = gymnasium.make("CartPole-v1")
    model = DQN("MlpPolicy", env, device="cpu", buffer_size=10)
    with pytest.raises(askwise.InputError, match="found DQN, a deterministic policy; expected its noise"):
        askwise.sampled_edp(env, model, model)
    noisy = NoisyPolicy(lambda seen: model.predict(seen, deterministic=True)[0], 2, 0.1)
    uniform = VectorPolicy(lambda seen: np.full((len(seen), 2), 0.5))
    assert askwise.sampled_edp(env, uniform, noisy, horizon=50, runs=20, seed=0).mean > 1
