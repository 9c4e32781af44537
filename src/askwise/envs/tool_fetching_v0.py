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
    The game of the Gymnasium environment `askwise.envs.ToolFetchingEnv`, but you control the worker as well. The agents
    are ``"worker"`` and ``"fetcher"``; both act in every step. The fetcher has to bring the tool of the worker's
    station.

    ## Action space
    - ``worker``: ``Discrete(6)``: 0 NORTH, 1 EAST, 2 SOUTH, 3 WEST, 4 WORK (at a station), 5 NOOP.
    - ``fetcher``: ``OneOf((Discrete(5 + n_stations), MultiBinary(n_stations)))``: ``(0, k)`` moves (0 NORTH, 1 EAST,
      2 SOUTH, 3 WEST), waits (4 NOOP) or picks up the tool of station ``k - 5``; ``(1, q)`` asks about the stations
      with a 1 in ``q``. In a step with a question both agents stay in place, and the worker's action is ignored. The
      environment gives the answer.

    An action that is not available does nothing, but costs a step.

    ## Observation space
    - ``fetcher``: the ``Dict`` of `ToolFetchingEnv`, which describes its keys: the cells of both agents, the tool in
      hand, the worker's last action, the last question and its answer, the stations that answers allow, the map, the
      prior and the prices.
    - ``worker``: the same ``Dict`` with one more key, ``goal``, ``Discrete(n_stations)``: the worker's station.

    ## Rewards
    Both agents get the negative cost of the step. ``infos[agent]`` has the same keys as the info dict of
    `ToolFetchingEnv`. Its value ``illegal`` says whether the agent's own action was not available. Its value
    ``action_mask`` fits ``action_space(agent).sample``: an ``int8`` array for the worker; a pair of an array and None
    for the fetcher, because it may always ask.

    ## Starting state
    Both agents start where the instance says. The goal is drawn from the prior. The same seed gives the same instance
    and goal as in `ToolFetchingEnv`. The options of ``reset`` are ``goal`` (name or index) and ``instance`` (another
    instance, with equal width, height and numbers of stations and toolboxes); other options are ignored, as
    PettingZoo's own tests demand.

    ## Episode end
    The episode ends for both agents at once. It is terminated when the worker does WORK at its goal station and the
    fetcher is there with the station's tool after that step. It is truncated after ``max_steps`` steps.

    ## Arguments
    - ``instance``: an `Instance` or the path of its file; without it, every reset draws a random instance.
    - ``max_steps``: the number of steps after which an episode is truncated; by default 4 for each cell of the map.
    - ``render_mode``: ``"ansi"`` (text), ``"rgb_array"`` (pixels) or ``"human"`` (a window).
    - ``answers``: how often answers are wrong or missing, such as ``"wrong:0.05,refused:0.1"``, or an `AnswerModel`; by
      default answers are true.
    - ``size``, ``stations``, ``toolboxes``, ``walls``, ``clustered``, ``prior``, ``query_cost``: settings of random
      instances, as `ToolFetchingEnv` describes them.
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
