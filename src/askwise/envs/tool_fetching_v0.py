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

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from askwise.domains.tool_fetching import Instance
from askwise.domains.tool_fetching.rules import WORKER_ACTIONS
from askwise.envs.acting import fetcher_action, fetcher_space, ontic_action
from askwise.envs.observing import Observer, observation_space
from askwise.envs.playing import Play
from askwise.envs.rendering import FRAMES_PER_SECOND, RENDER_MODES, Renderer
from askwise.envs.starting import Settings, Source, checked_limit
from askwise.errors import InputError

__all__ = ["ToolFetchingParallelEnv", "env", "parallel_env"]

WORKER, FETCHER = "worker", "fetcher"


class ToolFetchingParallelEnv(ParallelEnv[str, dict[str, Any], Any]):  # type: ignore[misc]  # untyped base
    """Two agents: a worker that knows where it is needed, and a fetcher that has to find out.

    ## Description
    The game of `askwise.envs.tool_fetching.ToolFetchingEnv`, with the worker played from outside as well. Agents are
    ``"worker"`` and ``"fetcher"``; both act in every step.

    ## Action space
    - ``worker``: ``Discrete(6)``: 0 NORTH, 1 EAST, 2 SOUTH, 3 WEST, 4 WORK (at a station), 5 NOOP.
    - ``fetcher``: ``OneOf((Discrete(5 + n_stations), MultiBinary(n_stations)))``, as in Gymnasium: ``(0, k)`` acts,
      ``(1, q)`` asks. In a step with a question nobody moves: whatever the worker chose is not done. The answer is
      given by the environment, truthfully.

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

    metadata: ClassVar[dict[str, Any]] = {
        "name": "tool_fetching_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        instance: Instance | str | Path | None = None,
        *,
        max_steps: int | None = None,
        render_mode: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        self._source = Source(instance, settings)
        self._max_steps = checked_limit(max_steps)
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)
        self.possible_agents = [WORKER, FETCHER]
        self.agents: list[str] = []
        n = self._source.shape.stations
        seen = observation_space(self._source.shape)
        self.observation_spaces = {
            WORKER: spaces.Dict({**seen.spaces, "goal": spaces.Discrete(n)}),
            FETCHER: seen,
        }
        self.action_spaces = {WORKER: spaces.Discrete(len(WORKER_ACTIONS)), FETCHER: fetcher_space(n)}
        self._rng: np.random.Generator | None = None
        self._play: Play | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return what `agent` sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return what `agent` can do."""
        return self.action_spaces[agent]

    @property
    def play(self) -> Play:
        """The episode in progress."""
        if self._play is None:
            raise ResetNeeded("call reset() first")
        return self._play

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Begin an episode; see the class for `options`."""
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        play, _ = self._source.begin(self._rng, options, self._max_steps)
        if self._play is None or self._play.problem is not play.problem:
            self._observe = Observer(play.problem)
        self._play = play
        self.agents = list(self.possible_agents)
        return self._seen(dict.fromkeys(self.agents, False))

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, dict[str, Any]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Let both act, or the fetcher ask; see the class."""
        play = self.play
        if play.over:
            raise ResetNeeded("the episode is over: call reset() first")
        if actions.keys() != {WORKER, FETCHER}:
            found = ", ".join(map(str, actions)) or "nobody"
            raise InputError("actions", f"those of {found}", "one of worker and one of fetcher")
        illegal = self._do(actions[WORKER], actions[FETCHER])
        agents = self.agents
        if play.over:
            self.agents = []
        observations, infos = self._seen(illegal)
        return (
            observations,
            dict.fromkeys(agents, -play.step_cost),
            dict.fromkeys(agents, play.finished),
            dict.fromkeys(agents, play.truncated),
            infos,
        )

    def _do(self, worker: object, fetcher: object) -> dict[str, bool]:
        """Carry the step out and return whose action was not available."""
        play = self.play
        work = ontic_action(worker, len(WORKER_ACTIONS), "worker's action")
        fetch = fetcher_action(fetcher, len(play.asked))
        if not isinstance(fetch, int):
            play.ask(fetch)
            return {WORKER: False, FETCHER: False}
        done = play.available_to_worker(work), play.available_to_fetcher(fetch)
        play.act(*done)
        return {WORKER: done[0] != work, FETCHER: done[1] != fetch}

    def _seen(self, illegal: dict[str, bool]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        play = self.play
        if self.render_mode == "human":
            self._renderer(play)
        observations = {WORKER: {**self._observe(play), "goal": play.goal}, FETCHER: self._observe(play)}
        infos = {
            WORKER: play.info(illegal[WORKER], play.worker_mask()),
            FETCHER: play.info(illegal[FETCHER], (play.fetcher_mask(), None)),
        }
        return observations, infos

    def render(self) -> Any:
        """Return text or pixels, according to `render_mode`; a window shows itself."""
        return self._renderer(self.play)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()


parallel_env = ToolFetchingParallelEnv


def env(**arguments: Any) -> Any:
    """Return the environment for agents that take turns (AEC): the worker chooses first, then the fetcher."""
    return parallel_to_aec(parallel_env(**arguments))
