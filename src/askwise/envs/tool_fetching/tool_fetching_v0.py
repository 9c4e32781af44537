"""The PettingZoo environment: worker and fetcher, both played from outside.

::

    from askwise.envs import tool_fetching_v0

    env = tool_fetching_v0.parallel_env(size=10, stations=12, toolboxes=3)
    observations, infos = env.reset(seed=1)

``env(...)`` is the same for agents that take turns (AEC).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Unpack

from pettingzoo.utils.conversions import parallel_to_aec

from askwise.core.answers import AnswerModel
from askwise.domains.tool_fetching import Instance
from askwise.envs.both import GameParallelEnv
from askwise.envs.tool_fetching.staging import tool_fetching_staging
from askwise.envs.tool_fetching.starting import Settings

__all__ = ["ToolFetchingParallelEnv", "env", "parallel_env"]


class ToolFetchingParallelEnv(GameParallelEnv):
    """Two agents: a worker that knows where it is needed, and a fetcher that has to find out.

    ## Description
    The game of `askwise.envs.ToolFetchingEnv`, with the worker played from outside as well. Agents are
    ``"worker"`` and ``"fetcher"``; both act in every step.

    ## Action space
    - ``worker``: ``Discrete(6)``: 0 NORTH, 1 EAST, 2 SOUTH, 3 WEST, 4 WORK (at a station), 5 NOOP.
    - ``fetcher``: ``OneOf((Discrete(5 + n_stations), MultiBinary(n_stations)))``, as in Gymnasium: ``(0, k)`` acts,
      ``(1, q)`` asks. In a step with a question nobody moves: whatever the worker chose is not done. The answer is
      given by the environment.

    An action that is not available does nothing; the step costs the same.

    ## Observation space
    - ``fetcher``: the ``Dict`` of the Gymnasium environment.
    - ``worker``: the same and ``goal``, ``Discrete(n_stations)``: the station where it is needed.

    ## Rewards
    Both get the same: the cost of the step, negative. ``infos[agent]`` has the keys of the Gymnasium environment;
    ``illegal`` is about the agent's own action, and ``action_mask`` fits ``action_space(agent).sample(mask)``: an
    ``int8`` array for the worker, a pair of it and None for the fetcher, whose questions are always allowed.

    ## Starting state
    As in Gymnasium, and with the same seed the same instance and goal. Of the options, ``goal`` and ``instance`` are
    used, others are ignored, as PettingZoo's own tests demand.

    ## Episode end
    For both at once: terminated with the first WORK at the goal station during which the fetcher is there, or
    arrives there, with the tool; truncated after ``max_steps`` steps.

    ## Arguments
    Those of the Gymnasium environment, without ``teammate``.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "tool_fetching_v0", **GameParallelEnv.metadata}
    teammate = "worker"
    ego = "fetcher"

    def __init__(
        self,
        instance: Instance | str | Path | None = None,
        *,
        max_steps: int | None = None,
        render_mode: str | None = None,
        answers: str | AnswerModel | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        staging = tool_fetching_staging(instance, settings)
        super().__init__(staging, max_steps=max_steps, render_mode=render_mode, answers=answers)


parallel_env = ToolFetchingParallelEnv


def env(**arguments: Any) -> Any:
    """Return the environment for agents that take turns (AEC): the worker chooses first, then the fetcher."""
    return parallel_to_aec(parallel_env(**arguments))
