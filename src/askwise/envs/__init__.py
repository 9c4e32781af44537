"""Tool fetching as an environment: Gymnasium (you are the fetcher) and PettingZoo (both are played from outside).

Importing this module registers two ids with Gymnasium:

- ``askwise/ToolFetching-v0``: `askwise.envs.tool_fetching.ToolFetchingEnv`;
- ``askwise/ToolFetchingFlat-v0``: the same behind `askwise.envs.flat.FlatToolFetching`, a `Discrete` action space with
  a mask and a flat observation, for libraries that want those.

Gymnasium loads no plugins by itself, so import this module first, or let the id do it:
``gymnasium.make("askwise.envs:askwise/ToolFetching-v0")``. The PettingZoo environment is
``askwise.envs.tool_fetching_v0.parallel_env()``.
"""

from __future__ import annotations

from gymnasium.envs.registration import register

__all__ = ["FLAT_ID", "ID"]

ID = "askwise/ToolFetching-v0"
FLAT_ID = "askwise/ToolFetchingFlat-v0"

register(id=ID, entry_point="askwise.envs.tool_fetching:ToolFetchingEnv")
# The wrapper stays outermost, so that `action_masks` is where libraries call it. The environment itself refuses to
# step before a reset, so nothing is lost with the wrappers that are left out.
register(id=FLAT_ID, entry_point="askwise.envs.flat:make_flat", order_enforce=False, disable_env_checker=True)
