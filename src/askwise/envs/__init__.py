"""Problems as environments: Gymnasium (you are the ego agent) and PettingZoo (both are played from outside).

Importing this module registers four ids with Gymnasium:

- ``askwise/Problem-v0``: `ProblemEnv`, any problem of any domain, you are the ego agent;
- ``askwise/ProblemFlat-v0``: the same behind `FlatProblem`, a `Discrete` action space with a mask and a flat
  observation, for libraries that want those;
- ``askwise/ToolFetching-v0``: `ToolFetchingEnv`, you are the fetcher;
- ``askwise/ToolFetchingFlat-v0``: the same behind `FlatToolFetching`.

Neither library loads plugins by itself, so import this module first, or let Gymnasium do it:
``gymnasium.make("askwise.envs:askwise/ToolFetching-v0")``. It also registers ``askwise/Problem-v0`` and
``askwise/ToolFetching-v0`` with PettingZoo: ``pettingzoo.make("parallel", "askwise/Problem-v0", problem=problem)``, or
``"aec"`` for agents that take turns. ``problem_v0.parallel_env(problem)`` after ``from askwise.envs import problem_v0``
makes the same environment.

`askwise.envs.problem` serves any problem, `askwise.envs.tool_fetching` has what tool fetching adds. All are shells
over one `askwise.Game`: `envs.single.GameEnv`, `envs.both.GameParallelEnv` and `envs.flat.FlatEnv`.
"""

from __future__ import annotations

import importlib
from typing import Any

import pettingzoo
from gymnasium.envs.registration import register

_ANY = "askwise.envs.problem"
_TOOL_FETCHING = "askwise.envs.tool_fetching"

_HOMES = {
    "FlatProblem": f"{_ANY}.flat:FlatProblem",
    "FlatToolFetching": f"{_TOOL_FETCHING}.flat:FlatToolFetching",
    "PolicyAgent": "askwise.envs.policy:PolicyAgent",
    "ProblemEnv": f"{_ANY}.environment:ProblemEnv",
    "ToolFetchingEnv": f"{_TOOL_FETCHING}.environment:ToolFetchingEnv",
    "problem_v0": f"{_ANY}.problem_v0",
    "RegretReward": "askwise.envs.regret:RegretReward",
    "tool_fetching_v0": f"{_TOOL_FETCHING}.tool_fetching_v0",
}
"""``module:name``, or a module, of everything that can be imported from `askwise.envs`."""

_GYMNASIUM_IDS = {
    "askwise/Problem-v0": _HOMES["ProblemEnv"],
    "askwise/ToolFetching-v0": _HOMES["ToolFetchingEnv"],
}
"""What Gymnasium calls to make an environment."""

_FLAT_GYMNASIUM_IDS = {
    "askwise/ProblemFlat-v0": f"{_ANY}.flat:make_flat",
    "askwise/ToolFetchingFlat-v0": f"{_TOOL_FETCHING}.flat:make_flat",
}
"""The same for environments that come inside a `askwise.envs.flat.FlatEnv`."""

_PETTINGZOO_IDS = {
    "askwise/Problem-v0": _HOMES["problem_v0"],
    "askwise/ToolFetching-v0": _HOMES["tool_fetching_v0"],
}
"""The modules that have ``parallel_env`` and ``env`` of each id in PettingZoo's registry."""

PROBLEM_ID = "askwise/Problem-v0"
FLAT_PROBLEM_ID = "askwise/ProblemFlat-v0"
ID = "askwise/ToolFetching-v0"
FLAT_ID = "askwise/ToolFetchingFlat-v0"

__all__ = ["FLAT_ID", "FLAT_PROBLEM_ID", "ID", "PROBLEM_ID", *_HOMES]

for _id, _entry_point in _GYMNASIUM_IDS.items():
    register(id=_id, entry_point=_entry_point)
for _id, _entry_point in _FLAT_GYMNASIUM_IDS.items():
    # The wrapper stays outermost, so that `action_masks` is where libraries call it. The environment itself refuses to
    # step before a reset, so nothing is lost with the wrappers that are left out.
    register(id=_id, entry_point=_entry_point, order_enforce=False, disable_env_checker=True)
for _id, _module in _PETTINGZOO_IDS.items():
    pettingzoo.register("parallel", _id, f"{_module}:parallel_env")
    pettingzoo.register("aec", _id, f"{_module}:env")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'askwise.envs' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
