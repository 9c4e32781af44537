"""The PettingZoo environment of tool fetching: you control both the worker and the fetcher.

::

    from askwise.envs import tool_fetching_v0

    env = tool_fetching_v0.parallel_env(size=10, stations=12, toolboxes=3)
    observations, infos = env.reset(seed=1)

``env(...)`` makes the same environment for agents that take turns (AEC).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Unpack

from pettingzoo.utils.conversions import parallel_to_aec

from askwise.core.answers import AnswerModel
from askwise.domains.tool_fetching import Instance
from askwise.envs.observations import ToolFetchingObserver
from askwise.envs.parallel import GameParallelEnv
from askwise.envs.tool_fetching_starts import Settings, ToolFetchingSource

__all__ = ["ToolFetchingParallelEnv", "env", "parallel_env"]


class ToolFetchingParallelEnv(GameParallelEnv):
    """An environment for two agents: a worker that knows its station, and a fetcher that has to find it out.

    ## Description
    The game of `askwise.envs.ToolFetchingEnv`, but you control the worker as well. The agents are ``"worker"`` and
    ``"fetcher"``; both act in every step.

    ## Action space
    - ``worker``: ``Discrete(6)``: 0 NORTH, 1 EAST, 2 SOUTH, 3 WEST, 4 WORK (at a station), 5 NOOP.
    - ``fetcher``: ``OneOf((Discrete(5 + n_stations), MultiBinary(n_stations)))``, as in Gymnasium: ``(0, k)`` acts,
      ``(1, q)`` asks. In a step with a question both agents stay in place, and the worker's action is ignored. The
      environment gives the answer.

    An action that is not available does nothing, but costs a step.

    ## Observation space
    - ``fetcher``: the ``Dict`` of the Gymnasium environment.
    - ``worker``: the same with one more key, ``goal``, ``Discrete(n_stations)``: its station.

    ## Rewards
    Both agents get the negative cost of the step. ``infos[agent]`` has the keys of the Gymnasium environment;
    ``illegal`` refers to the agent's own action, and ``action_mask`` fits ``action_space(agent).sample(mask)``: an
    ``int8`` array for the worker, a pair of an array and None for the fetcher, whose questions are always allowed.

    ## Starting state
    As in Gymnasium, with the same instance and goal for the same seed. The options ``goal`` and ``instance`` are used;
    others are ignored, as PettingZoo's own tests demand.

    ## Episode end
    For both agents at once. Terminated with the first WORK at the goal station at the end of which the fetcher is there
    with the tool. Truncated after ``max_steps`` steps.

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
        source = ToolFetchingSource(instance, settings)
        observer = ToolFetchingObserver(source.example)
        super().__init__(source, observer, max_steps=max_steps, render_mode=render_mode, answers=answers)


parallel_env = ToolFetchingParallelEnv


def env(**arguments: Any) -> Any:
    """Return `ToolFetchingParallelEnv` as an AEC environment, in which the worker chooses first, then the fetcher.

    It takes the arguments of `ToolFetchingParallelEnv`.
    """
    return parallel_to_aec(parallel_env(**arguments))
