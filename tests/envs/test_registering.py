"""``import askwise.envs`` registers the environments; ``import askwise`` changes nothing in anybody's interpreter."""

from __future__ import annotations

import subprocess
import sys

import gymnasium
import pettingzoo
import pytest

import askwise.envs

IDS = ["askwise/Problem-v0", "askwise/ProblemFlat-v0", "askwise/ToolFetching-v0", "askwise/ToolFetchingFlat-v0"]


def test_importing_the_environments_registers_them_with_gymnasium() -> None:
    assert askwise.envs.ID in IDS
    assert sorted(name for name in gymnasium.registry if name.startswith("askwise/")) == IDS


@pytest.mark.parametrize("kind", ["parallel", "aec"])
def test_importing_the_environments_registers_them_with_pettingzoo(kind: str) -> None:
    registry = {"parallel": pettingzoo.parallel_registry, "aec": pettingzoo.aec_registry}[kind]
    ours = [name for name in registry if name.startswith("askwise/")]
    assert sorted(ours) == ["askwise/Problem-v0", "askwise/ToolFetching-v0"]
    env = pettingzoo.make(kind, "askwise/ToolFetching-v0", size=5, stations=3, toolboxes=1)
    env.reset(seed=1)
    assert env.possible_agents == ["worker", "fetcher"]


def test_importing_the_package_loads_no_library_and_hooks_into_nothing() -> None:
    code = (
        "import sys; finders = list(sys.meta_path); import askwise; "
        "assert sys.meta_path == finders; assert not {'gymnasium', 'numpy', 'numba'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
