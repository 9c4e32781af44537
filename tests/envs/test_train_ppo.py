"""The example that trains a policy: all of it but the training itself, which needs packages that tests do not."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WARD = Path(__file__).parent.parent.parent / "examples" / "ward.toml"


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("train_ppo", WARD.parent / "train_ppo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Model:
    """A model as Stable-Baselines3 has them, which takes the first action that is allowed from `first` on."""

    def __init__(self, first: int) -> None:
        self.first = first

    def predict(self, seen: Any, *, action_masks: Any, deterministic: bool) -> tuple[Any, None]:
        assert deterministic
        assert action_masks.dtype == np.bool_
        allowed = np.flatnonzero(action_masks)
        later = allowed[allowed >= self.first]
        return np.array(later[0] if later.size else allowed[0]), None


def test_a_policy_that_is_never_done_has_no_cost(example: Any) -> None:
    agent = example.as_agent(example.make_env(WARD), Model(0))
    assert agent.name == "MaskablePPO"
    assert example.exact_cost(WARD, agent) is None


def test_the_environment_is_ready_for_learning(example: Any) -> None:
    env = example.RegretReward(example.make_env(example.WARD))
    seen, info = env.reset(seed=0)
    assert 0 <= seen.min() <= seen.max() <= 1
    assert env.get_wrapper_attr("action_masks")().tolist() == info["action_mask"].astype(bool).tolist()


def test_results_are_written_and_drawn(example: Any, tmp_path: Path) -> None:
    curve = [example.Point(0, 0.0, None, None), example.Point(64, 0.5, 9.5, None), example.Point(128, 1.0, 2.0, 0.75)]
    example.write(tmp_path / "curve.csv", example.Point._fields, curve)
    with (tmp_path / "curve.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["exact"] for row in rows] == ["", "", "0.75"]
    example.draw(tmp_path / "curve.svg", curve, {"never": 3.5, "ezq": 1.0, "optimal": 0.5})
    assert (tmp_path / "curve.svg").stat().st_size > 5000


def test_what_is_missing_is_said(example: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    with pytest.raises(SystemExit, match=r"sb3-contrib is not installed: pip install '\.\[rl\]' in askwise's folder"):
        example.main(["--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()
