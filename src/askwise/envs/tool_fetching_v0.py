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
from askwise.envs.parallel import GameParallelEnv
from askwise.envs.tool_fetching import Settings, ToolFetchingObserver, ToolFetchingSource

__all__ = ["ToolFetchingParallelEnv", "env", "parallel_env"]


class ToolFetchingParallelEnv(GameParallelEnv):
    """An environment for two agents: a worker that knows its station, and a fetcher that has to find it out.

    ## Description
    The game of `askwise.envs.ToolFetchingEnv`, but you control both agents, ``"worker"`` and ``"fetcher"``. The fetcher
    has to bring the tool of the worker's station.

    ## Action space
    - ``worker``: ``Discrete(6)``: 0 NORTH, 1 EAST, 2 SOUTH, 3 WEST, 4 WORK (at a station), 5 NOOP.
    - ``fetcher``: ``OneOf((Discrete(5 + n_stations), MultiBinary(n_stations)))``, as in `ToolFetchingEnv`.

    During a question, both agents stay in place. An unavailable action does nothing, but costs a step.

    ## Observation space
    - ``fetcher``: the ``Dict`` of `ToolFetchingEnv`.
    - ``worker``: the same ``Dict`` with one more key, ``goal``, ``Discrete(n_stations)``.

    ## Rewards
    Both agents get the negative cost of the step. ``infos[agent]`` has the keys of the info dict of `ToolFetchingEnv`.
    ``illegal`` is about the agent's own action. ``action_mask`` is for ``action_space(agent).sample``: an ``int8``
    array for the worker, ``(int8 array, None)`` for the fetcher.

    ## Starting state
    As in `ToolFetchingEnv`; the same seed gives the same instance and goal. Options of ``reset``: ``goal`` (name or
    index) and ``instance`` (with the same width, height and numbers of stations and toolboxes).

    ## Episode end
    As in `ToolFetchingEnv`, for both agents at once.

    ## Arguments
    - ``instance``: an `Instance` or the path of its file; without it, every reset draws a random instance.
    - ``max_steps``: steps after which an episode is truncated; by default 4 per cell.
    - ``render_mode``: ``"ansi"`` (text), ``"rgb_array"`` (pixels) or ``"human"`` (a window).
    - ``answers``: how often answers are wrong or missing: an `AnswerModel` or a text such as
      ``"wrong:0.05,refused:0.1"``; by default as the instance states.
    - ``size``, ``stations``, ``toolboxes``, ``walls``, ``clustered``, ``prior``, ``query_cost``: settings of random
      instances, as in `ToolFetchingEnv`.
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
    """Return `ToolFetchingParallelEnv` as a PettingZoo AEC environment, whose agents take turns, first the worker.

    The arguments are those of `ToolFetchingParallelEnv`, by name.
    """
    return parallel_to_aec(parallel_env(**arguments))
