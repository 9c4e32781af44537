"""Where the environments are, by the name or id under which `askwise.envs` offers them.

One set serves any problem; a domain may have others of its own, beside it in its folder.
Plain text, and not part of the domains themselves: to register an id must load nothing, neither a domain nor the
compiler that it brings along.
"""

from __future__ import annotations

import importlib
from typing import Any

_ANY = "askwise.envs.problem"
_TOOL_FETCHING = "askwise.domains.tool_fetching.envs"

HOMES = {
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

GYMNASIUM_IDS = {
    "askwise/Problem-v0": HOMES["ProblemEnv"],
    "askwise/ToolFetching-v0": HOMES["ToolFetchingEnv"],
}
"""What Gymnasium calls to make an environment."""

FLAT_GYMNASIUM_IDS = {
    "askwise/ProblemFlat-v0": f"{_ANY}.flat:make_flat",
    "askwise/ToolFetchingFlat-v0": f"{_TOOL_FETCHING}.flat:make_flat",
}
"""The same for environments that come inside a `askwise.envs.flat.FlatEnv`."""

PETTINGZOO_IDS = {
    "askwise/Problem-v0": HOMES["problem_v0"],
    "askwise/ToolFetching-v0": HOMES["tool_fetching_v0"],
}
"""The modules that have ``parallel_env`` and ``env`` of each id in PettingZoo's registry."""


def load(name: str) -> Any:
    """Return what has that name."""
    module, _, attribute = HOMES[name].partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, attribute) if attribute else loaded
