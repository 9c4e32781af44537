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

Environments of a domain's own live with the domain. What is here serves all of them: `askwise.envs.single.GameEnv`,
`askwise.envs.both.GameParallelEnv` and `askwise.envs.flat.FlatEnv` are shells over one `askwise.game.Game`.
"""

from __future__ import annotations

from typing import Any

import pettingzoo
from gymnasium.envs.registration import register

from askwise.domains import environments

PROBLEM_ID = "askwise/Problem-v0"
FLAT_PROBLEM_ID = "askwise/ProblemFlat-v0"
ID = "askwise/ToolFetching-v0"
FLAT_ID = "askwise/ToolFetchingFlat-v0"

__all__ = ["FLAT_ID", "FLAT_PROBLEM_ID", "ID", "PROBLEM_ID", *environments.HOMES]

for _id, _entry_point in environments.GYMNASIUM_IDS.items():
    register(id=_id, entry_point=_entry_point)
for _id, _entry_point in environments.FLAT_GYMNASIUM_IDS.items():
    # The wrapper stays outermost, so that `action_masks` is where libraries call it. The environment itself refuses to
    # step before a reset, so nothing is lost with the wrappers that are left out.
    register(id=_id, entry_point=_entry_point, order_enforce=False, disable_env_checker=True)
for _id, _module in environments.PETTINGZOO_IDS.items():
    pettingzoo.register("parallel", _id, f"{_module}:parallel_env")
    pettingzoo.register("aec", _id, f"{_module}:env")


def __getattr__(name: str) -> Any:
    if name not in environments.HOMES:
        raise AttributeError(f"module 'askwise.envs' has no attribute {name!r}")
    return environments.load(name)


def __dir__() -> list[str]:
    return sorted([*globals(), *environments.HOMES])
