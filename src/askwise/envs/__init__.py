"""Environments for Gymnasium (you are the ego agent) and PettingZoo (you control both agents).

Importing this module registers four environments with Gymnasium:

- ``askwise/Problem-v0``: `ProblemEnv`, any problem of any domain;
- ``askwise/ToolFetching-v0``: `ToolFetchingEnv`, in which you are the fetcher, who brings a worker the right tool;
- ``askwise/ProblemFlat-v0`` and ``askwise/ToolFetchingFlat-v0``: the same in wrappers, `FlatProblem` and
  `FlatToolFetching`, with a `Discrete` action space, an action mask and a flat observation.

Import this module first, or let Gymnasium import it: ``gymnasium.make("askwise.envs:askwise/ToolFetching-v0")``.

The import also registers the first two names with PettingZoo. In
``pettingzoo.make("parallel", "askwise/Problem-v0", problem=problem)`` both agents act at the same time; with ``"aec"``
they take turns. ``askwise.envs.problem_v0.parallel_env(problem)`` makes the first of these without the registry.

Environments play an `askwise.Game`, which applies the rules.
"""

from __future__ import annotations

import importlib
from typing import Any

import pettingzoo
from gymnasium.envs.registration import register

PROBLEM_ID = "askwise/Problem-v0"
FLAT_PROBLEM_ID = "askwise/ProblemFlat-v0"
ID = "askwise/ToolFetching-v0"
FLAT_ID = "askwise/ToolFetchingFlat-v0"

_LAZY = {
    "FlatProblem": "askwise.envs.flat:FlatProblem",
    "FlatToolFetching": "askwise.envs.flat:FlatToolFetching",
    "PolicyAgent": "askwise.envs.training:PolicyAgent",
    "ProblemEnv": "askwise.envs.single_agent:ProblemEnv",
    "ToolFetchingEnv": "askwise.envs.single_agent:ToolFetchingEnv",
    "problem_v0": "askwise.envs.problem_v0",
    "RegretReward": "askwise.envs.training:RegretReward",
    "tool_fetching_v0": "askwise.envs.tool_fetching_v0",
}
"""The public names of `askwise.envs`, each with its module or ``module:name``; they are imported at first use."""

__all__ = ["FLAT_ID", "FLAT_PROBLEM_ID", "ID", "PROBLEM_ID", *_LAZY]

register(id=PROBLEM_ID, entry_point=_LAZY["ProblemEnv"])
register(id=ID, entry_point=_LAZY["ToolFetchingEnv"])
for _id, _make in ((FLAT_PROBLEM_ID, "make_flat_problem"), (FLAT_ID, "make_flat_tool_fetching")):
    # The flat wrapper must stay outermost, because libraries call its `action_masks`. The wrappers that are left out
    # are not needed: the environment itself refuses to step before a reset.
    register(id=_id, entry_point=f"askwise.envs.flat:{_make}", order_enforce=False, disable_env_checker=True)
for _id, _module in ((PROBLEM_ID, _LAZY["problem_v0"]), (ID, _LAZY["tool_fetching_v0"])):
    pettingzoo.register("parallel", _id, f"{_module}:parallel_env")
    pettingzoo.register("aec", _id, f"{_module}:env")


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'askwise.envs' has no attribute {name!r}")
    module, _, attribute = _LAZY[name].partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
